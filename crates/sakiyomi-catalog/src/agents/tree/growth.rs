//! How trees grow, how many, and how long they are kept.

use super::spec::TreeParameter;
use crate::parameter::{Domain, Group, Parameter, place, word_place};

/// A parameter of the tree.
const fn growing(parameter: TreeParameter) -> TreeParameter {
    Parameter { group: Group::Tree, ..parameter }
}

pub(super) const EXPAND: TreeParameter = growing(Parameter::integer(
    "expand",
    1..=1_000_000,
    place!(search.tree.expand),
    "expansion threshold: visits before a leaf is expanded",
));
pub(super) const GRAPH: TreeParameter = growing(Parameter::flag(
    "graph",
    place!(search.tree.graph),
    "transpositions: equal positions share what lies below them",
));
pub(super) const UNTRIED_ORDER: TreeParameter = growing(Parameter::new(
    "untried-order",
    Domain::Word(&["random", "listed"]),
    word_place!(search.tree.listed_order, [("random", false), ("listed", true)]),
    "the order in which the actions of a node are first tried: `random`, or as `listed` by the game",
));
pub(super) const TREES: TreeParameter = growing(Parameter::integer(
    "trees",
    1..=256,
    place!(search.tree.trees),
    "trees grown at the same time, each on a thread; they share the iterations",
));
pub(super) const REUSE: TreeParameter = growing(Parameter::flag(
    "reuse",
    place!(search.tree.reuse),
    "keeps the tree between moves instead of starting without one at every decision",
));
pub(super) const ENDGAME: TreeParameter = growing(Parameter::integer(
    "endgame",
    0..=20,
    place!(search.tree.endgame),
    "number of last turns of two players that are solved exactly",
));
