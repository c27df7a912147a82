//! Experience: what iterations found in similar positions is lent to new nodes (Uemiya and
//! Yokoyama).
//!
//! Every position that an iteration passes, in the tree and in the playout, becomes a code, and a
//! table adds up the payoffs by code. When a node is added to the tree, the entries whose code is
//! within a Hamming distance of the node's code are lent to it: their visits and payoffs count in
//! the UCB value of the arm that leads there, and their visits in the exploration term of the
//! node's own arms. They stand in columns of their own, so that the answer of a search counts real
//! visits only.
//!
//! The paper adds all entries at full weight for good; that is `ExperienceSettings::paper`. Beyond
//! it, an entry may weigh less the farther away it is, the sum may be limited, and what is lent may
//! fade with the visits of the arm itself (as in M-MCTS, Xiao, Mei and Müller 2018).
//!
//! Where the paper says nothing: statistics are lent once, when the node is added; a node at which
//! the match is over gets none, because its payoffs are known; where players choose at once each
//! of them is lent the same visits; a node after chance has no arm that could be lent anything.
//! One table belongs to one tree and lives as long as the agent, which is one match.

//!
//! `lend` is what a tree search uses: it is shown every position. `papers`, `rehearsal` and
//! `prepare` play games of such searches before a match to decide how experience is used.

pub(crate) mod encoding;
pub(crate) mod lend;
pub(crate) mod papers;
pub(crate) mod prepare;
mod rehearsal;
pub(crate) mod settings;
pub(crate) mod survey;
mod table;

#[cfg(test)]
pub(crate) mod tests;
