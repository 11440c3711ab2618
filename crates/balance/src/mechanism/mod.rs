//! The parts policies are made of.
