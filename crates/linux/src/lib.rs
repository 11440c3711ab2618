//! homenode-linux.
