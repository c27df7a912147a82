//! TUBSTAP against the original program and against itself.

mod ground_truth;
mod hostile;
mod playouts;
