//! The code of lanes on a graphics processor: one thread plays 32 matches, one bit each.
//!
//! - [`values`] names what the code of a phase computes, apart from slots, and orders it so that
//!   few values are needed at a time.
//! - [`source`] writes that as CUDA C. What is the same for all games stands before it, in
//!   `kernels/head.cu`, and behind it, in `kernels/tail.cu`: matches that begin and end, draws by
//!   the rule of `run/draw.rs`, results by the number of a match.
//! - [`list`] is for games whose code is too large to compile: their operations as numbers, which
//!   `kernels/list.cu` reads.
//! - [`job`] is what kernels are given.
//! - `device`, with the feature `cuda`, compiles, keeps and launches kernels.
//!
//! The kernels are also C: tests compile them for this processor and compare match by match.

#[cfg(feature = "cuda")]
pub(crate) mod device;
mod job;
mod list;
pub(crate) mod source;
#[cfg(test)]
mod tests;
mod values;
