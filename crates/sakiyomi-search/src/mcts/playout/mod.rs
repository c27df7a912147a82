//! Playouts and their policies.

pub(crate) mod learned;
pub(crate) mod policy;
pub(crate) mod trail;
