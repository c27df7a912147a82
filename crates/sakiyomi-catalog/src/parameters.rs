//! Parameters that several agents have, described once.

use crate::Parameter;

pub(crate) const ITERATIONS: Parameter = Parameter {
    name: "iterations",
    default: "1000",
    meaning: "playouts a decision; no limit if only a time is given",
};
pub(crate) const TIME: Parameter = Parameter {
    name: "time",
    default: "none",
    meaning: "wall time a decision, such as 50ms or 3s",
};
pub(crate) const CPU: Parameter = Parameter {
    name: "cpu",
    default: "none",
    meaning: "CPU time a decision, of all its trees together, for fair matches at equal time",
};
pub(crate) const C: Parameter =
    Parameter { name: "c", default: "1", meaning: "weight of exploration" };
pub(crate) const PRUNED: Parameter = Parameter {
    name: "pruned",
    default: "off",
    meaning: "looks only at the actions that the game's own rule of thumb keeps",
};
pub(crate) const KEEN: Parameter = Parameter {
    name: "keen",
    default: "0",
    meaning: "probability with which a playout looks at urgent actions only",
};
pub(crate) const LIMIT: Parameter = Parameter {
    name: "limit",
    default: "none",
    meaning: "round in which playouts end (at least half as many rounds later); worth the tally",
};
pub(crate) const EXPAND: Parameter = Parameter {
    name: "expand",
    default: "1",
    meaning: "visits that a leaf gets before its actions are told apart",
};
pub(crate) const GRAPH: Parameter = Parameter {
    name: "graph",
    default: "off",
    meaning: "positions that meet share what lies below them (transpositions)",
};
pub(crate) const TREES: Parameter = Parameter {
    name: "trees",
    default: "1",
    meaning: "trees grown at the same time on as many threads; they share the iterations",
};
pub(crate) const FRESH: Parameter = Parameter {
    name: "fresh",
    default: "off",
    meaning: "starts from nothing at every decision instead of keeping its tree",
};
pub(crate) const NODES: Parameter = Parameter {
    name: "nodes",
    default: "none",
    meaning: "the tree stops growing at so many nodes; the search goes on in it",
};
pub(crate) const MEMORY: Parameter = Parameter {
    name: "memory",
    default: "1GiB",
    meaning: "the tree stops growing at this size; the search goes on in it",
};

/// The limits of a search, what is its own, and what all trees have: the table of a tree search.
pub(crate) const fn of_tree<const N: usize>(own: &[Parameter]) -> [Parameter; N] {
    let before = [ITERATIONS, TIME, CPU];
    let after = [EXPAND, GRAPH, TREES, FRESH, NODES, MEMORY];
    assert!(before.len() + own.len() + after.len() == N);
    let mut all = [ITERATIONS; N];
    let mut i = 0;
    while i < N {
        all[i] = if i < before.len() {
            before[i]
        } else if i - before.len() < own.len() {
            own[i - before.len()]
        } else {
            after[i - before.len() - own.len()]
        };
        i += 1;
    }
    all
}
