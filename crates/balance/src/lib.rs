//! homenode-balance.
