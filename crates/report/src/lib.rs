//! homenode-report.
