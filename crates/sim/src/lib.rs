//! homenode-sim.
