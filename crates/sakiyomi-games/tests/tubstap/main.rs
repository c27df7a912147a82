//! TUBSTAP against the original program and against itself.

mod face;
mod ground_truth;
mod hostile;
mod playouts;
