//! homenode-optimum.
