//! Streams matches through the lanes of a batch.

use sakiyomi_core::Stop;

use crate::lanes::batch::{Batch, NO_GOAL};
use crate::lanes::run::Word;
use crate::lanes::tournament::{Competing, Tally, Tournament};
use crate::lanes::{Lanes, WIDTH};

/// Where matches begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start<'a> {
    /// The fluents that hold, as bits.
    pub(crate) facts: &'a [u64],
    /// The place in the sequence of phases.
    pub(crate) phase: usize,
    /// Plies since the start of the game.
    pub(crate) plies: u32,
}

/// A match that is to be played.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Match {
    /// Which of the starts it begins at.
    pub(crate) start: u32,
    /// All that it draws follows from this.
    pub(crate) key: u64,
}

/// A match that is over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Played<'a> {
    /// Its number, in the order in which the source gave them.
    pub(crate) number: usize,
    /// Plies since the start of the game.
    pub(crate) plies: u32,
    /// Whether the rules ended it.
    pub(crate) is_terminal: bool,
    pub(super) goals: &'a [u8],
}

impl Played<'_> {
    /// The goal of a role, if exactly one holds.
    pub(crate) fn goal(&self, role: usize) -> Option<u8> {
        Some(self.goals[role]).filter(|&goal| goal != NO_GOAL)
    }
}

/// What a lane plays.
#[derive(Clone, Copy, Debug, Default)]
struct Lane {
    number: usize,
    /// Its plies less the steps that the batch has made.
    offset: u64,
    /// The number and plies of the match whose goals are not known yet.
    ended: (usize, u32),
}

/// Plays matches until there are no more, or `stop` is requested: then some are not told. They are
/// told in any order, but what is told of each depends on its start and key alone.
pub(crate) fn play(
    lanes: &Lanes,
    starts: &[Start<'_>],
    matches: &[Match],
    max_plies: u32,
    stop: Option<&Stop>,
    tell: &mut dyn FnMut(Played<'_>),
) {
    play_wide::<WIDTH>(lanes, starts, matches, max_plies, stop, tell);
}

/// The same in 64 `W` lanes.
pub(crate) fn play_wide<const W: usize>(
    lanes: &Lanes,
    starts: &[Start<'_>],
    matches: &[Match],
    max_plies: u32,
    stop: Option<&Stop>,
    tell: &mut dyn FnMut(Played<'_>),
) {
    let mut stream = Stream::<W>::new(lanes, max_plies);
    if stream.run(starts, matches, stop, tell) {
        stream.tell_kept(tell);
    }
}

/// Plays matches in which moves compete, and counts what each move led to; `worth` says what a goal
/// pays in hundredths, and what there is without one. False if `stop` is requested.
pub(crate) fn play_tournaments(
    lanes: &Lanes,
    starts: &[Start<'_>],
    matches: &[Match],
    rules: &CompetingRules<'_>,
    tell: &mut dyn FnMut(Played<'_>),
    tally: &mut Tally,
) -> bool {
    let mut stream: Stream<'_, WIDTH> = Stream::new(lanes, rules.max_plies);
    stream.competing = Some(Competing::new(rules.tournament, lanes, rules.worth, tally));
    let is_done = stream.run(starts, matches, rules.stop, tell);
    if is_done {
        stream.tell_kept(tell);
    }
    is_done
}

/// What matches in which moves compete have in common.
pub(crate) struct CompetingRules<'a> {
    pub(crate) tournament: Tournament<'a>,
    pub(crate) max_plies: u32,
    pub(crate) worth: &'a dyn Fn(Option<u8>, bool) -> u8,
    pub(crate) stop: Option<&'a Stop>,
}

/// One in this number of lanes may wait to be counted before others take their place.
const SHARE_KEPT: usize = 8;

struct Stream<'a, const W: usize> {
    batch: Batch<&'a Lanes, W>,
    lanes: Vec<Lane>,
    /// The lanes in which a match is played.
    active: Word<W>,
    /// The lanes with a match that is over and not told, and those of them that the rules ended.
    kept: Word<W>,
    kept_terminal: Word<W>,
    /// No match is cut off before this step.
    deadline: u64,
    max_plies: u32,
    goals: Vec<u8>,
    /// If moves compete. Then a lane that has ended waits until several have, since what its moves
    /// led to has to be counted before it takes another match.
    competing: Option<Competing<'a, W>>,
}

impl<'a, const W: usize> Stream<'a, W> {
    fn new(lanes: &'a Lanes, max_plies: u32) -> Stream<'a, W> {
        Stream {
            batch: Batch::new(lanes),
            lanes: vec![Lane::default(); 64 * W],
            active: Word::ZERO,
            kept: Word::ZERO,
            kept_terminal: Word::ZERO,
            deadline: u64::MAX,
            max_plies,
            goals: Vec::new(),
            competing: None,
        }
    }

    /// Plays all matches; what is kept then is still to be told. False if `stop` is requested.
    fn run(
        &mut self,
        starts: &[Start<'_>],
        matches: &[Match],
        stop: Option<&Stop>,
        tell: &mut dyn FnMut(Played<'_>),
    ) -> bool {
        // All lanes are in one phase, so matches wait by the phase in which they begin.
        let period = self.batch.lanes.period();
        let mut waiting: Vec<Vec<u32>> = vec![Vec::new(); period];
        for (number, one) in matches.iter().enumerate().rev() {
            waiting[starts[one.start as usize].phase % period].push(number as u32);
        }
        loop {
            if !waiting[self.batch.phase].is_empty() && self.has_room_again() {
                self.tell_kept(tell);
            }
            self.fill(&mut waiting[self.batch.phase], starts, matches);
            if self.active.is_zero() {
                if waiting.iter().all(Vec::is_empty) {
                    return true;
                }
                self.batch.skip();
                continue;
            }
            self.ply(tell);
            if self.batch.n_steps.is_multiple_of(8) && stop.is_some_and(Stop::requested) {
                return false;
            }
        }
    }

    /// Whether enough lanes wait to be counted that others should take their place.
    fn has_room_again(&self) -> bool {
        let n = self.kept.0.iter().map(|word| word.count_ones() as usize).sum::<usize>();
        self.competing.is_some() && (n * SHARE_KEPT >= 64 * W || self.active.is_zero())
    }

    /// Begins matches in lanes that are free.
    fn fill(&mut self, waiting: &mut Vec<u32>, starts: &[Start<'_>], matches: &[Match]) {
        if waiting.is_empty() {
            return;
        }
        let n_steps = self.batch.n_steps;
        // Lanes that begin at the same start are loaded together.
        let (mut together, mut last) = (Word::<W>::ZERO, None);
        let mut taken = self.active;
        if self.competing.is_some() {
            taken = taken.map2(self.kept, |active, kept| active | kept);
        }
        let free = taken.map(|taken| !taken);
        for lane in free.lanes() {
            let Some(number) = waiting.pop() else { break };
            let Match { start, key } = matches[number as usize];
            if let Some(last) = last
                && last != start
            {
                self.batch.load(together, starts[last as usize].facts);
                together = Word::ZERO;
            }
            last = Some(start);
            together.set(lane, true);
            self.active.set(lane, true);
            let plies = starts[start as usize].plies;
            self.batch.set_key(lane, key, plies);
            self.lanes[lane].number = number as usize;
            self.lanes[lane].offset = u64::from(plies).wrapping_sub(n_steps);
            let left = u64::from(self.max_plies.saturating_sub(plies));
            self.deadline = self.deadline.min(n_steps + left);
        }
        if let Some(last) = last {
            self.batch.load(together, starts[last as usize].facts);
        }
    }

    /// One ply of all lanes; what has ended makes room.
    fn ply(&mut self, tell: &mut dyn FnMut(Played<'_>)) {
        let over = self.batch.evaluate();
        let either = over.terminal.map2(over.stuck, |terminal, stuck| terminal | stuck);
        let mut ended = either.map2(self.active, |over, active| over & active);
        if self.batch.n_steps >= self.deadline {
            self.cut(&mut ended);
        }
        if !ended.is_zero() {
            if !ended.map2(self.kept, |ended, kept| ended & kept).is_zero() {
                self.tell_kept(tell);
            }
            self.keep(ended, over.terminal);
        }
        if self.active.is_zero() {
            return self.batch.skip();
        }
        if let Some(competing) = &mut self.competing {
            return competing.ply(&mut self.batch, self.active);
        }
        self.batch.draw(0);
        self.batch.step();
    }

    fn plies(&self, lane: usize) -> u64 {
        self.batch.n_steps.wrapping_add(self.lanes[lane].offset)
    }

    /// Adds the matches that have lasted too long, and finds out when to look again.
    fn cut(&mut self, ended: &mut Word<W>) {
        self.deadline = u64::MAX;
        for lane in self.active.map2(*ended, |active, ended| active & !ended).lanes() {
            let left = u64::from(self.max_plies).saturating_sub(self.plies(lane));
            if left == 0 {
                ended.set(lane, true);
            } else {
                self.deadline = self.deadline.min(self.batch.n_steps + left);
            }
        }
    }

    fn keep(&mut self, ended: Word<W>, terminal: Word<W>) {
        self.batch.keep(ended);
        for lane in ended.lanes() {
            self.lanes[lane].ended = (self.lanes[lane].number, self.plies(lane) as u32);
        }
        self.active = self.active.map2(ended, |active, ended| active & !ended);
        self.kept = self.kept.map2(ended, |kept, ended| kept | ended);
        let terminal = terminal.map2(ended, |terminal, ended| terminal & ended);
        let others = self.kept_terminal.map2(ended, |kept, ended| kept & !ended);
        self.kept_terminal = others.map2(terminal, |others, terminal| others | terminal);
    }

    /// Tells of all matches that are over.
    fn tell_kept(&mut self, tell: &mut dyn FnMut(Played<'_>)) {
        if self.kept.is_zero() {
            return;
        }
        self.batch.goals(self.kept, &mut self.goals);
        if let Some(competing) = &mut self.competing {
            competing.count(self.batch.lanes, self.kept, self.kept_terminal, &self.goals);
        }
        let n_roles = self.batch.lanes.n_roles;
        for lane in self.kept.lanes() {
            let (number, plies) = self.lanes[lane].ended;
            let is_terminal = self.kept_terminal.get(lane);
            let goals = &self.goals[lane * n_roles..(lane + 1) * n_roles];
            tell(Played { number, plies, is_terminal, goals });
        }
        self.kept = Word::ZERO;
    }
}
