//! Counts the legal moves of a role and finds the k-th of them in all lanes at once.
//!
//! The legal moves are added up in a tree: three moves make a count of two bits, two counts make
//! one that has a bit more. From the root down, a lane goes to the left if its k is below the count
//! there, and else to the right with k less that count. Each lane is in one node of a level, so one
//! comparison per level does for all nodes. What remains at the leaves are the moves themselves.

use crate::lanes::logic::{Logic, Op};
use crate::network::gates::{FALSE, Lit, TRUE};

/// What a role may do in one phase.
#[derive(Debug)]
pub(super) struct Pick {
    /// The number of legal moves, lowest bit first.
    pub(super) count: Vec<Lit>,
    /// The number of the chosen one among them: where its bits are among all drawn bits.
    pub(super) draws: std::ops::Range<u32>,
    /// Whether each of the moves is made.
    pub(super) does: Vec<Lit>,
}

/// The moves are those that can be legal in a phase, in the order of their numbers. `n_draws` is
/// how many bits were drawn for roles before.
pub(super) fn pick(logic: &mut Logic, legal: &[Lit], n_draws: u32) -> Pick {
    match *legal {
        [] => return Pick { count: vec![FALSE], draws: n_draws..n_draws, does: Vec::new() },
        [lit] => return Pick { count: vec![lit], draws: n_draws..n_draws, does: vec![TRUE] },
        _ => {}
    }
    let levels = count(logic, legal);
    let n_bits = u32::BITS - (legal.len() as u32 - 1).leading_zeros();
    let draws = n_draws..n_draws + n_bits;
    let mut rest: Vec<Lit> = draws.clone().map(|bit| logic.leaf(Op::Draw, bit)).collect();
    let mut selected = vec![TRUE];
    for counts in levels[..levels.len() - 1].iter().rev() {
        (selected, rest) = descend(logic, counts, &selected, &rest);
    }
    let does = leaves(logic, legal, &selected, &rest);
    let count = levels.last().map_or(vec![FALSE], |root| root[0].clone());
    Pick { count, draws, does }
}

/// The counts of every level of the tree, leaves first.
fn count(logic: &mut Logic, legal: &[Lit]) -> Vec<Vec<Vec<Lit>>> {
    let mut leaves = Vec::new();
    for three in legal.chunks(3) {
        let [a, b, c] = [0, 1, 2].map(|i| three.get(i).copied().unwrap_or(FALSE));
        leaves.push(vec![logic.xor3(a, b, c), logic.majority(a, b, c)]);
    }
    let mut levels = vec![leaves];
    while let Some(last) = levels.last()
        && last.len() > 1
    {
        let mut next = Vec::new();
        for pair in last.chunks(2) {
            next.push(match pair {
                [a, b] => add(logic, a, b),
                _ => pair[0].clone(),
            });
        }
        levels.push(next);
    }
    levels
}

fn add(logic: &mut Logic, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    let mut carry = FALSE;
    let mut sum = Vec::new();
    for bit in 0..a.len().max(b.len()) {
        let [a, b] = [a, b].map(|number| number.get(bit).copied().unwrap_or(FALSE));
        sum.push(logic.xor3(a, b, carry));
        carry = logic.majority(a, b, carry);
    }
    if carry != FALSE {
        sum.push(carry);
    }
    sum
}

/// From the nodes that are selected to their children, which have these counts, and from the number
/// that is left to what is left below.
fn descend(
    logic: &mut Logic,
    counts: &[Vec<Lit>],
    selected: &[Lit],
    rest: &[Lit],
) -> (Vec<Lit>, Vec<Lit>) {
    let n_bits = counts.iter().map(Vec::len).max().unwrap_or(0);
    let has_two = |parent: usize| 2 * parent + 1 < counts.len();
    let mut left_count = vec![FALSE; n_bits];
    for (parent, &lit) in selected.iter().enumerate().filter(|&(parent, _)| has_two(parent)) {
        for (bit, &count) in counts[2 * parent].iter().enumerate() {
            left_count[bit] = logic.and_or(left_count[bit], lit, count);
        }
    }
    let mut borrow = FALSE;
    let mut difference = Vec::new();
    for bit in 0..rest.len().max(n_bits) {
        let [a, b] = [rest, &left_count].map(|number| number.get(bit).copied().unwrap_or(FALSE));
        difference.push(logic.xor3(a, b, borrow));
        borrow = logic.majority(a ^ 1, b, borrow);
    }
    // What is left is below the count of the child, so it has no more bits than that.
    let goes_left = borrow;
    let mut below = Vec::new();
    for (bit, &right) in difference.iter().enumerate().take(n_bits) {
        let left = rest.get(bit).copied().unwrap_or(FALSE);
        below.push(logic.choose(goes_left, left, right));
    }
    let mut children = Vec::new();
    for (parent, &lit) in selected.iter().enumerate() {
        if has_two(parent) {
            children.push(logic.and2(lit, goes_left));
            children.push(logic.and2(lit, goes_left ^ 1));
        } else {
            children.push(lit);
        }
    }
    (children, below)
}

/// The moves in the leaves that are selected, by the number that is left.
fn leaves(logic: &mut Logic, legal: &[Lit], selected: &[Lit], rest: &[Lit]) -> Vec<Lit> {
    let [low, high] = [0, 1].map(|bit| rest.get(bit).copied().unwrap_or(FALSE));
    let is_first = logic.and2(low ^ 1, high ^ 1);
    let is_second = logic.and2(low, high ^ 1);
    let mut does = Vec::new();
    for (three, &lit) in legal.chunks(3).zip(selected) {
        if let [_] = three {
            does.push(lit);
            continue;
        }
        let first = logic.and(vec![lit, three[0], is_first]);
        does.push(first);
        let mut last = vec![lit, first ^ 1];
        if three.len() == 3 {
            let wanted = logic.choose(three[0], is_second, is_first);
            let second = logic.and(vec![lit, three[1], wanted]);
            does.push(second);
            last.push(second ^ 1);
        }
        let last = logic.and(last);
        does.push(last);
    }
    does
}
