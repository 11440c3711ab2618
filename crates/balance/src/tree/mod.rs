//! The published kernels, assembled from mechanisms.
