//! Tests of whole games. Those that need public rule sheets run only if the environment variable
//! SAKIYOMI_SHARED names the folder that holds them.

mod drawings;
mod games;
mod limits;
mod pictures;
pub(crate) mod random_sheets;
pub(crate) mod shared;
pub(crate) mod sheets;
