//! What matches outside of this program need: the servers and protocols of two games' own contests.
//! Nothing else depends on them.

pub mod mizugame;
pub mod tubstap;
