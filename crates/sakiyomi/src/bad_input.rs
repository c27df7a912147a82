//! Input that makes no sense, where no other error says so.

use sakiyomi_core::Fault;

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct BadInput(pub(crate) String);

impl Fault for BadInput {}
