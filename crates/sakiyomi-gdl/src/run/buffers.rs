//! Memory of one state that has no meaning between calls, so that a ply allocates nothing.

/// For formulas.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    pub(super) values: Vec<bool>,
    pub(super) counts: Option<Box<Counts>>,
}

/// The counts of one state. Between calls they are those of the first state.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(super) counts: Vec<u16>,
    pub(super) changed: Vec<u64>,
    /// Sources and gates that changed, doubled, plus one if their bit is set or
    /// they are true now.
    pub(super) followed: Vec<u32>,
}

/// Buffers of one state. Everything is zero between calls.
#[derive(Debug, Default)]
pub(crate) struct ForwardBuffers {
    /// What is known of every gate, as bits.
    pub(super) known: Vec<u8>,
    /// The gates that have something known.
    pub(super) touched: Vec<u32>,
    /// The gates that have to be computed.
    pub(super) open: Vec<u64>,
    /// Gates that were reached, inputs that were looked at and readers that were told.
    pub(super) work: usize,
}
