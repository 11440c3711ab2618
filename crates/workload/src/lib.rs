//! homenode-workload.
