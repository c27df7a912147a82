//! The tree in memory: flat columns, found by index. Nodes are 16 bytes; a node gets its rows of
//! arms and its table of children only when it is expanded, which most never are.
//!
//! A node that one player chooses at has one row, and its table has one child per arm. A
//! simultaneous node has one row per choosing player, and its table has one child per joint action,
//! numbered with the first player's arm as the slowest digit. A large table is nearly empty at
//! first, so its children stand in a hash map, as those of chance nodes do, until the node is
//! visited often.

use rustc_hash::FxHashMap;
use sakiyomi_core::{MAX_PLAYERS, Payoffs, Player, Players, Turn};

use super::arms::{Arms, Columns, column_bytes, growth, make_room};
use super::means::{Means, NodeMeans};
use super::path::NodeId;

/// Marks an entry of a table without a child, and a node without rows.
const NONE: u32 = u32::MAX;
/// Set in an entry of a table whose child is proven.
const PROVEN: u32 = 1 << 31;
/// Joint actions that get a table at once.
const SMALL_TABLE: u64 = 1024;
/// A larger child table is allocated once the node has one visit per 8 entries.
const ENTRIES_PER_VISIT: u64 = 8;
/// Node numbers share their word with [`PROVEN`].
pub(super) const MAX_NODES: usize = (PROVEN - 1) as usize;
/// Arms of one row: picks are numbers of 16 bits.
pub(super) const MAX_ARMS: usize = u16::MAX as usize;
/// Arms and table entries are found by numbers of 32 bits. A tree stops growing where the rows of
/// one more node might not fit.
pub(super) const MAX_ENTRIES: usize = u32::MAX as usize - MAX_PLAYERS * (MAX_ARMS + 2);

/// The nodes, what their arms and children are, and all statistics. What the actions are does not
/// matter here, so that selections are compiled once for all games.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    columns: Columns,
    pub(super) nodes: Vec<Node>,
    pub(super) arms: Arms,
    pub(super) means: NodeMeans,
    tables: Vec<u32>,
    /// Children by node and outcome of chance, or joint action.
    far: FxHashMap<(NodeId, u64), NodeId>,
    /// Nodes by the key of their state, if positions that meet share a node.
    index: Option<FxHashMap<u64, NodeId>>,
    proven: FxHashMap<NodeId, Payoffs>,
    /// Visits that similar positions lend to each node, if they do.
    lent_visits: Vec<f32>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// Visits since the node has rows; before that, visits as a leaf.
    pub(super) visits: u32,
    first_arm: u32,
    /// Where the table starts. At a simultaneous node the number of arms of each row stands there,
    /// and then where its table starts, or [`NONE`].
    table: u32,
    n_arms: u16,
    choosing: Players,
    kind: Kind,
}

const _: () = assert!(size_of::<Node>() == 16);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Choose,
    Chance,
    Over,
    /// The outcome under best play is known, see [`Tree::proof`].
    Proven,
}

impl Slot {
    /// The slot `joint` places after this one.
    #[inline]
    pub(super) fn plus(self, joint: u64) -> Slot {
        match self {
            Slot::Table(start) => Slot::Table(start + joint as usize),
            Slot::Far(node, first) => Slot::Far(node, first + joint),
        }
    }
}

/// Where a child is kept: in the tables, or in the hash map by node and joint action or outcome.
#[derive(Clone, Copy, Debug)]
pub(super) enum Slot {
    Table(usize),
    Far(NodeId, u64),
}

/// One row of arms: where it starts in the columns, and how long it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) player: Player,
    pub(super) first: usize,
    pub(super) len: usize,
}

impl Row {
    pub(super) const EMPTY: Row = Row { player: Player(0), first: 0, len: 0 };
}

impl Node {
    #[inline]
    pub(super) fn kind(&self) -> Kind {
        self.kind
    }

    #[inline]
    pub(super) fn has_rows(&self) -> bool {
        self.first_arm != NONE
    }

    #[inline]
    pub(super) fn choosing(&self) -> Players {
        self.choosing
    }
}

impl Tree {
    /// An empty tree whose arms have these columns.
    pub(super) fn new(columns: Columns, means: Means, graph: bool, n_players: usize) -> Tree {
        Tree::with_means(columns, NodeMeans::new(means, n_players), graph)
    }

    fn with_means(columns: Columns, means: NodeMeans, graph: bool) -> Tree {
        Tree {
            columns,
            nodes: Vec::new(),
            arms: Arms::default(),
            means,
            tables: Vec::new(),
            far: FxHashMap::default(),
            index: graph.then(FxHashMap::default),
            proven: FxHashMap::default(),
            lent_visits: Vec::new(),
        }
    }

    pub(super) fn columns(&self) -> Columns {
        self.columns
    }

    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.arms.clear(self.columns);
        self.means.clear();
        self.tables.clear();
        self.far.clear();
        self.proven.clear();
        if let Some(index) = &mut self.index {
            index.clear();
        }
        self.lent_visits.clear();
    }

    #[inline]
    pub(super) fn is_graph(&self) -> bool {
        self.index.is_some()
    }

    /// Bytes that are allocated.
    pub(super) fn bytes(&self) -> usize {
        column_bytes(&self.nodes)
            + self.means.bytes()
            + self.arms.bytes(self.columns)
            + column_bytes(&self.tables)
            + map_bytes(&self.far, 0)
            + map_bytes(&self.proven, 0)
            + self.index.as_ref().map_or(0, |index| map_bytes(index, 0))
    }

    /// Bytes that are allocated for one more node and for the children of `n_arms` arms. Columns
    /// and maps that are full grow by more than one entry.
    pub(super) fn bytes_to_grow(&self, n_arms: usize) -> usize {
        fn more<T>(column: &Vec<T>, n: usize) -> usize {
            match column.capacity() - column.len() < n {
                true => growth(column, n) * size_of::<T>(),
                false => 0,
            }
        }
        more(&self.nodes, 1)
            + self.means.bytes_to_grow()
            + more(&self.tables, n_arms)
            + (map_bytes(&self.far, 1) - map_bytes(&self.far, 0))
            + (map_bytes(&self.proven, 1) - map_bytes(&self.proven, 0))
            + self.index.as_ref().map_or(0, |map| map_bytes(map, 1) - map_bytes(map, 0))
    }

    /// Bytes that are in use, arms left out.
    #[inline]
    pub(super) fn bytes_used(&self) -> usize {
        const MAP_ENTRY: usize = size_of::<(NodeId, Payoffs)>() + 1;
        let n_kept = self.far.len() + self.proven.len();
        let n_known = self.index.as_ref().map_or(0, FxHashMap::len);
        self.nodes.len() * (size_of::<Node>() + self.means.bytes_per_node())
            + self.tables.len() * size_of::<u32>()
            + (n_kept + n_known) * MAP_ENTRY
    }

    /// Entries of the larger one of the columns that are found by numbers of 32 bits.
    #[inline]
    pub(super) fn n_entries(&self) -> usize {
        self.tables.len().max(self.arms.visits.len())
    }

    /// Adds a node without rows.
    pub(super) fn add(&mut self, turn: &Turn) -> NodeId {
        let (kind, choosing) = match *turn {
            Turn::Choose(who) => (Kind::Choose, who),
            Turn::Chance => (Kind::Chance, Players::NONE),
            Turn::Over(_) => (Kind::Over, Players::NONE),
        };
        let node = Node { visits: 0, first_arm: NONE, table: NONE, n_arms: 0, choosing, kind };
        make_room(&mut self.nodes, 1);
        self.nodes.push(node);
        self.means.add();
        if self.columns.lent {
            self.lent_visits.push(0.0);
        }
        (self.nodes.len() - 1) as NodeId
    }

    /// The node of a state with this key, if states that meet share nodes.
    #[inline]
    pub(super) fn known(&self, key: u64) -> Option<NodeId> {
        self.index.as_ref()?.get(&key).copied()
    }

    pub(super) fn remember(&mut self, key: u64, node: NodeId) {
        if let Some(index) = &mut self.index {
            index.insert(key, node);
        }
    }

    /// Gives the node its rows, of these numbers of arms, and returns where they begin. The numbers
    /// are checked.
    pub(super) fn grow(&mut self, node: NodeId, lengths: &[usize]) -> usize {
        let n_arms = lengths.iter().sum();
        let first = self.arms.visits.len();
        let entry = &mut self.nodes[node as usize];
        entry.visits = 0;
        entry.first_arm = first as u32;
        entry.table = self.tables.len() as u32;
        entry.n_arms = lengths[0] as u16;
        make_room(&mut self.tables, n_arms + lengths.len() + 1);
        if let [length] = lengths {
            self.tables.resize(self.tables.len() + length, NONE);
        } else {
            self.tables.extend(lengths.iter().map(|&length| length as u32));
            self.tables.push(NONE);
            self.settle(node);
        }
        self.arms.grow(self.columns, n_arms);
        first
    }

    /// The rows of a node that has rows, in player order.
    #[inline]
    pub(super) fn rows(&self, node: NodeId) -> impl Iterator<Item = Row> + use<'_> {
        let node = self.nodes[node as usize];
        let mut first = node.first_arm as usize;
        let several = node.choosing.len() > 1;
        node.choosing.enumerate().map(move |(i, player)| {
            let len = if several {
                self.tables[node.table as usize + i] as usize
            } else {
                node.n_arms as usize
            };
            let row = Row { player, first, len };
            first += len;
            row
        })
    }

    pub(super) fn row(&self, node: NodeId, player: Player) -> Option<Row> {
        if !self.nodes[node as usize].has_rows() {
            return None;
        }
        self.rows(node).find(|row| row.player == player)
    }

    /// The first arm of a node that has rows.
    #[inline]
    pub(super) fn first_arm(&self, node: NodeId) -> usize {
        self.nodes[node as usize].first_arm as usize
    }

    /// Gives a simultaneous node without a table one, if it is worth its memory by now.
    fn settle(&mut self, node: NodeId) {
        let Node { table, choosing, visits, .. } = self.nodes[node as usize];
        let header = table as usize..table as usize + choosing.len();
        let lengths = self.tables[header.clone()].iter();
        let n_joint = lengths.map(|&n| u64::from(n)).try_fold(1, u64::checked_mul);
        let worth = SMALL_TABLE.max(ENTRIES_PER_VISIT * u64::from(visits));
        let fits = |n: u64| n <= worth && n < MAX_ENTRIES.saturating_sub(self.tables.len()) as u64;
        let Some(n_joint) = n_joint.filter(|&n| fits(n) && self.tables[header.end] == NONE) else {
            return;
        };
        make_room(&mut self.tables, n_joint as usize);
        self.tables[header.end] = self.tables.len() as u32;
        let entries = (0..n_joint).map(|joint| match visits {
            0 => NONE,
            _ => self.far.remove(&(node, joint)).unwrap_or(NONE),
        });
        self.tables.extend(entries);
    }

    /// Where the child after these picks, one per row, is kept.
    #[inline]
    pub(super) fn slot(&self, node: NodeId, picks: &[u16]) -> Slot {
        let lengths = &self.tables[self.nodes[node as usize].table as usize..];
        let joint = match picks {
            [pick] => u64::from(*pick),
            _ => picks
                .iter()
                .zip(lengths)
                .fold(0, |joint, (&pick, &length)| joint * u64::from(length) + u64::from(pick)),
        };
        self.first_slot(node, picks.len()).plus(joint)
    }

    /// Where the first child of a node with `n_rows` rows is kept.
    #[inline]
    pub(super) fn first_slot(&self, node: NodeId, n_rows: usize) -> Slot {
        let table = self.nodes[node as usize].table as usize;
        match n_rows {
            1 => Slot::Table(table),
            _ => match self.tables[table + n_rows] {
                NONE => Slot::Far(node, 0),
                start => Slot::Table(start as usize),
            },
        }
    }

    #[inline]
    pub(super) fn child(&self, slot: Slot) -> Option<NodeId> {
        match slot {
            Slot::Table(i) => (self.tables[i] != NONE).then_some(self.tables[i] & !PROVEN),
            Slot::Far(node, key) => self.far.get(&(node, key)).copied(),
        }
    }

    pub(super) fn set_child(&mut self, slot: Slot, child: NodeId) {
        match slot {
            Slot::Table(i) => self.tables[i] = child,
            Slot::Far(node, key) => {
                self.far.insert((node, key), child);
            }
        }
    }

    /// Counts a visit, and lets every row learn its player's payoff for its pick: `learn` does what
    /// the selection needs beyond visits and sums. There are no picks at a leaf and at chance.
    #[inline]
    pub(super) fn learn(
        &mut self,
        node: NodeId,
        picks: &[u16],
        payoffs: &Payoffs,
        learn: impl Fn(&mut Arms, usize, f64),
    ) {
        let entry = &mut self.nodes[node as usize];
        entry.visits += 1;
        let mut first = entry.first_arm as usize;
        let table = entry.table as usize;
        for (i, (player, &pick)) in entry.choosing.zip(picks).enumerate() {
            let (arm, payoff) = (first + pick as usize, payoffs[player]);
            self.arms.visits[arm] += 1;
            self.arms.sums[arm] += payoff;
            learn(&mut self.arms, arm, payoff);
            if picks.len() > 1 {
                first += self.tables[table + i] as usize;
            }
        }
        if picks.len() > 1 && self.nodes[node as usize].visits.is_power_of_two() {
            self.settle(node);
        }
    }

    /// Whether a node where a path ended was expanded since, with which it forgot its visits.
    pub(super) fn has_begun_anew(&self, node: NodeId, picks: &[u16]) -> bool {
        picks.is_empty() && self.nodes[node as usize].has_rows()
    }

    /// Takes back a visit that [`Tree::learn`] counted without payoffs; `after` is told the arms.
    pub(super) fn take_back(
        &mut self,
        node: NodeId,
        picks: &[u16],
        after: impl Fn(&mut Arms, usize),
    ) {
        if self.has_begun_anew(node, picks) {
            return;
        }
        let entry = &mut self.nodes[node as usize];
        entry.visits -= 1;
        let mut first = entry.first_arm as usize;
        let table = entry.table as usize;
        for (i, &pick) in picks.iter().enumerate() {
            let arm = first + pick as usize;
            self.arms.visits[arm] -= 1;
            after(&mut self.arms, arm);
            if picks.len() > 1 {
                first += self.tables[table + i] as usize;
            }
        }
    }

    /// The part of an arm in the strategy that its row has learned, up to a factor of the row.
    pub(super) fn weight(&self, arm: usize) -> f64 {
        match self.columns.strategies {
            true => self.arms.strategies[arm],
            false => f64::from(self.arms.visits[arm]),
        }
    }

    /// What the one who chooses at this node has got on average, if there is one.
    pub(super) fn mean_payoff(&self, node: NodeId) -> Option<(Player, f64)> {
        let Node { choosing, .. } = self.nodes[node as usize];
        let row = self.row(node, choosing.single()?)?;
        let arms = row.first..row.first + row.len;
        let visits: u32 = self.arms.visits[arms.clone()].iter().sum();
        let sum: f64 = self.arms.sums[arms].iter().sum();
        (visits > 0).then(|| (row.player, sum / f64::from(visits)))
    }

    /// Lends visits and payoffs to a new node and to the arms that lead there.
    pub(super) fn lend(
        &mut self,
        parent: NodeId,
        picks: &[u16],
        child: NodeId,
        visits: f64,
        sums: &Payoffs,
    ) {
        for (i, &pick) in picks.iter().enumerate() {
            let Some(row) = self.rows(parent).nth(i) else { break };
            self.arms.lend(row.first + pick as usize, visits, sums[row.player]);
        }
        if let Some(lent) = self.lent_visits.get_mut(child as usize) {
            *lent += visits as f32;
        }
    }

    /// The visits that are lent to a node, as far as they count by now.
    #[inline]
    pub(super) fn lent_visits(&self, node: NodeId) -> u32 {
        self.lent_visits.get(node as usize).map_or(0, |&visits| {
            let own = self.nodes[node as usize].visits as f32;
            (visits / (1.0 + self.arms.lent_decay * own)).round() as u32
        })
    }

    /// What everyone gets at this node under best play, if that is proven.
    #[inline]
    pub(super) fn proof(&self, node: NodeId) -> Option<&Payoffs> {
        match self.nodes[node as usize].kind {
            Kind::Proven => self.proven.get(&node),
            _ => None,
        }
    }

    pub(super) fn prove(&mut self, node: NodeId, payoffs: Payoffs) {
        self.nodes[node as usize].kind = Kind::Proven;
        self.proven.insert(node, payoffs);
    }

    /// Notes in the table of `parent`, where one player chooses, that the child of `pick` is
    /// proven.
    pub(super) fn mark_proven(&mut self, parent: NodeId, pick: u16) {
        let entry = self.nodes[parent as usize].table as usize + pick as usize;
        self.tables[entry] |= PROVEN;
    }

    /// What the child of an arm of a sequential node is proven to give, if it is marked.
    #[inline]
    pub(super) fn arm_proof(&self, node: NodeId, pick: usize) -> Option<&Payoffs> {
        let entry = self.tables[self.nodes[node as usize].table as usize + pick];
        (entry != NONE && entry & PROVEN != 0).then(|| &self.proven[&(entry & !PROVEN)])
    }

    /// The part of the tree that can be reached from `root`, which becomes node 0.
    pub(super) fn below(&self, root: NodeId) -> (Tree, Moved) {
        let mut below = Tree::with_means(self.columns, self.means.like(), self.is_graph());
        below.arms.lent_decay = self.arms.lent_decay;
        let mut moved = Moved { new_of: vec![NONE; self.nodes.len()], order: Vec::new() };
        let mut far: Vec<_> = self.far.iter().map(|(&at, &child)| (at, child)).collect();
        far.sort_unstable();
        moved.visit(root);
        while below.nodes.len() < moved.order.len() {
            let old = moved.order[below.nodes.len()];
            let new = below.nodes.len() as NodeId;
            let node = self.nodes[old as usize];
            make_room(&mut below.nodes, 1);
            below.nodes.push(node);
            below.means.copy(&self.means, old);
            below.lent_visits.extend(self.lent_visits.get(old as usize));
            if let Some(payoffs) = self.proof(old) {
                below.proven.insert(new, *payoffs);
            }
            if node.has_rows() {
                self.copy_rows(old, &mut below, new, &mut moved);
            }
            let start = far.partition_point(|&((parent, _), _)| parent < old);
            for &((_, key), child) in far[start..].iter().take_while(|entry| entry.0.0 == old) {
                below.far.insert((new, key), moved.visit(child));
            }
        }
        if let (Some(index), Some(new_index)) = (&self.index, &mut below.index) {
            let kept = index.iter().map(|(&key, &old)| (key, moved.new_of[old as usize]));
            new_index.extend(kept.filter(|&(_, new)| new != NONE));
        }
        (below, moved)
    }

    fn copy_rows(&self, old: NodeId, below: &mut Tree, new: NodeId, moved: &mut Moved) {
        let node = self.nodes[old as usize];
        let lengths: Vec<usize> = self.rows(old).map(|row| row.len).collect();
        let n_arms: usize = lengths.iter().sum();
        let first = node.first_arm as usize;
        let copy = &mut below.nodes[new as usize];
        copy.first_arm = below.arms.visits.len() as u32;
        copy.table = below.tables.len() as u32;
        make_room(&mut below.tables, n_arms + lengths.len() + 1);
        below.arms.copy(self.columns, &self.arms, &(first..first + n_arms));
        let mut table = node.table as usize;
        let mut n_children = n_arms;
        if lengths.len() > 1 {
            below.tables.extend(lengths.iter().map(|&length| length as u32));
            let start = self.tables[table + lengths.len()];
            if start == NONE {
                return below.tables.push(NONE);
            }
            below.tables.push(below.tables.len() as u32 + 1);
            table = start as usize;
            n_children = lengths.iter().product();
            make_room(&mut below.tables, n_children);
        }
        for &entry in &self.tables[table..table + n_children] {
            below.tables.push(if entry == NONE {
                NONE
            } else {
                moved.visit(entry & !PROVEN) | entry & PROVEN
            });
        }
    }
}

/// Bytes of a hash map's table with `more` entries: a power of two of entries, of which 7/8 are
/// used at most, with a byte of control each.
fn map_bytes<K, V>(map: &FxHashMap<K, V>, more: usize) -> usize {
    let capacity =
        if map.len() + more <= map.capacity() { map.capacity() } else { 2 * map.capacity() + 3 };
    let n_slots = if capacity == 0 { 0 } else { (capacity * 8 / 7).next_power_of_two() };
    n_slots * (size_of::<(K, V)>() + 1)
}

/// Old nodes in the order in which they were met, which is their new order.
pub(super) struct Moved {
    new_of: Vec<NodeId>,
    pub(super) order: Vec<NodeId>,
}

impl Moved {
    /// The new number of a node, if it was moved.
    pub(super) fn new_of(&self, old: NodeId) -> Option<NodeId> {
        Some(self.new_of[old as usize]).filter(|&new| new != NONE)
    }

    fn visit(&mut self, old: NodeId) -> NodeId {
        let new = &mut self.new_of[old as usize];
        if *new == NONE {
            *new = self.order.len() as NodeId;
            self.order.push(old);
        }
        *new
    }
}
