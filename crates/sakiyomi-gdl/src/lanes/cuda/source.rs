//! The CUDA source of a game: straight-line code for every phase and for the goals.
//!
//! A thread keeps its state in an array `m` that is indexed by constants only. If all code is
//! inlined into the kernel the compiler keeps it in registers. Beyond some size that takes minutes
//! to compile; then the code is split into functions, and what crosses from one to another lies in
//! the thread's own memory.

use std::fmt::Write;

use crate::lanes::Lanes;
use crate::lanes::cuda::values::{Item, Operation, Signed, Value, Values};
use crate::lanes::logic::Op;

/// Up to which size code is compiled.
#[derive(Clone, Copy, PartialEq, Debug)]
#[cfg_attr(not(feature = "cuda"), allow(unreachable_pub))]
pub struct SourceLimits {
    /// Operations of all phases and the goals: beyond this the code is split into functions ..
    pub inlined: usize,
    /// .. of this many operations each ..
    pub part: usize,
    /// .. and beyond this it is not compiled at all.
    pub compiled: usize,
}

impl Default for SourceLimits {
    fn default() -> SourceLimits {
        SourceLimits { inlined: 12_000, part: 2_000, compiled: 400_000 }
    }
}

/// Threads of a block; each may use all registers that a thread can have.
pub(super) const BLOCK: u32 = 128;

const HEAD: &str = include_str!("../../../kernels/head.cu");
pub(super) const TAIL: &str = include_str!("../../../kernels/tail.cu");

/// How matches are told apart from each other, for the parts of kernels that are the same.
pub(super) fn head(lanes: &Lanes) -> String {
    format!(
        "#define N_ROLES {}\n#define PERIOD {}\n#define N_FACT_WORDS {}\n#define BLOCK {BLOCK}\n{HEAD}",
        lanes.n_roles,
        lanes.period(),
        n_fact_words(lanes.n_fluents),
    )
}

/// Facts are 64 bits each for the CPU, and two words of 32 bits for a kernel.
pub(super) fn n_fact_words(n_fluents: usize) -> usize {
    n_fluents.div_ceil(64) * 2
}

/// The source, or nothing if it is too large to be compiled.
pub(super) fn source(lanes: &Lanes, limits: &SourceLimits) -> Option<String> {
    let phases: Vec<Values> =
        lanes.phases.iter().map(|phase| Values::new(&phase.code, lanes.n_fluents)).collect();
    let goals = Values::new(&lanes.goals.code, lanes.n_fluents);
    let n: usize = phases.iter().chain([&goals]).flat_map(Values::items).map(size).sum();
    if n > limits.compiled {
        return None;
    }
    let is_split = n > limits.inlined;
    let mut writer = Writer {
        lanes,
        cells: cells(lanes, &phases, &goals),
        max_part: if is_split { limits.part } else { usize::MAX },
        keyword: if is_split { "PART" } else { "INLINE" },
        n_memory: 0,
        text: head(lanes),
    };
    writer.load();
    for (phase, values) in phases.iter().enumerate() {
        writer.phase(phase, values);
    }
    writer.switch();
    writer.goals(&goals);
    let n_memory = writer.n_memory.max(writer.cells.n);
    let mut text = writer.text;
    let _ = writeln!(text, "#define EXTRA_PARAMETERS\n#define EXTRA_ARGUMENTS");
    let _ = writeln!(text, "#define MAKE_STATE U m[{n_memory}]; clear_state(m);");
    text.push_str(TAIL);
    Some(text)
}

/// Operations of an item.
fn size(item: &Item) -> usize {
    match item {
        Item::One(_) => 1,
        Item::Loop(one) => one.body.len() + one.sets.len(),
    }
}

/// Where fluents and drawn bits lie in the memory of a thread.
struct Cells {
    /// By fluent, if it is needed.
    fluents: Vec<Option<usize>>,
    /// The fluents that follow from the phase, and that goals need.
    fixed: Vec<u32>,
    first_draw: usize,
    n: usize,
}

fn cells(lanes: &Lanes, phases: &[Values], goals: &Values) -> Cells {
    let mut is_needed = vec![false; lanes.n_fluents];
    let mut n_draws = 0;
    for values in phases.iter().chain([goals]) {
        let asked = values.outputs.iter().chain(values.stores.iter().map(|store| &store.1));
        let read = values.items().flat_map(Item::inputs).chain(asked.map(|signed| signed.value));
        for value in read {
            match value {
                Value::Fluent(fluent) => is_needed[fluent as usize] = true,
                Value::Draw(draw) => n_draws = n_draws.max(draw as usize + 1),
                Value::False | Value::Made(_) => {}
            }
        }
    }
    for phase in &lanes.phases {
        let last = phase.roles.iter().map(|role| role.draws.end).max().unwrap_or(0);
        n_draws = n_draws.max(last.saturating_sub(1 + lanes.n_fluents));
    }
    let is_fixed = |fluent: u32| {
        let fixed = lanes.phases.first().map(|phase| &phase.fixed);
        fixed.is_some_and(|fixed| fixed.binary_search_by_key(&fluent, |fixed| fixed.0).is_ok())
    };
    let mut cells = Cells { fluents: Vec::new(), fixed: Vec::new(), first_draw: 0, n: 0 };
    for (fluent, is_needed) in is_needed.into_iter().enumerate() {
        cells.fluents.push(is_needed.then_some(cells.n));
        cells.n += usize::from(is_needed);
        if is_needed && is_fixed(fluent as u32) {
            cells.fixed.push(fluent as u32);
        }
    }
    cells.first_draw = cells.n;
    cells.n += n_draws;
    cells
}

struct Writer<'a> {
    lanes: &'a Lanes,
    cells: Cells,
    max_part: usize,
    keyword: &'static str,
    n_memory: usize,
    text: String,
}

/// Nowhere in memory.
const NOWHERE: usize = usize::MAX;

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// The fluents that are kept from ply to ply.
    fn kept(&self) -> Vec<(usize, usize)> {
        let kept = self.cells.fluents.iter().enumerate();
        kept.filter(|(fluent, _)| self.cells.fixed.binary_search(&(*fluent as u32)).is_err())
            .filter_map(|(fluent, cell)| Some((fluent, (*cell)?)))
            .collect()
    }

    fn load(&mut self) {
        self.line("INLINE void clear_state(U* m) {");
        for cell in 0..self.cells.n {
            self.line(&format!("  m[{cell}] = 0u;"));
        }
        self.line("}");
        let keyword = self.keyword;
        self.line(&format!("{keyword} void load_state(U* m, U lanes, const U* facts) {{"));
        let mut last = usize::MAX;
        for (fluent, cell) in self.kept() {
            let (word, bit) = (fluent / 32, fluent % 32);
            if word != last {
                self.line(&format!("  const U w{word} = facts[{word}];"));
                last = word;
            }
            self.line(&format!(
                "  m[{cell}] = (m[{cell}] & ~lanes) | (lanes & (0u - (w{word} >> {bit} & 1u)));"
            ));
        }
        self.line("}");
    }

    fn phase(&mut self, phase: usize, values: &Values) {
        let parts = Parts::new(values, self.max_part, self.cells.n);
        self.n_memory = self.n_memory.max(parts.n_memory);
        self.parts(&format!("phase{phase}"), values, &parts);
        self.line(&format!("INLINE void play_phase{phase}(U* m, Control* c) {{"));
        self.calls(&format!("phase{phase}"), 0..parts.n_first);
        let [terminal, stuck] = [0, 1].map(|i| self.read(&parts, values.outputs[i]));
        self.line(&format!("  end_matches(c, {phase}, {terminal}, {stuck});"));
        self.draws(phase, values, &parts);
        self.calls(&format!("phase{phase}"), parts.n_first..parts.ranges.len());
        self.stores(values, &parts);
        self.line("}");
    }

    fn draws(&mut self, phase: usize, values: &Values, parts: &Parts) {
        let roles = &self.lanes.phases[phase].roles;
        for (role, own) in roles.iter().enumerate().filter(|(_, own)| !own.draws.is_empty()) {
            let counts = &values.outputs[own.count.clone()];
            let width = match counts.len().max(own.draws.len()) {
                0..=8 => 8,
                9..=16 => 16,
                _ => 32,
            };
            let mut words: Vec<String> = counts.iter().map(|&bit| self.read(parts, bit)).collect();
            words.resize(width, "0u".to_owned());
            self.line(&format!("  {{ U w[{width}] = {{{}}};", words.join(", ")));
            self.line(&format!("    draw{width}(c, {role}u, w);"));
            for (bit, slot) in own.draws.clone().enumerate() {
                let cell = self.cells.first_draw + slot - 1 - self.lanes.n_fluents;
                self.line(&format!("    m[{cell}] = w[{bit}];"));
            }
            self.line("  }");
        }
    }

    /// New values of fluents. Where goals depend on a fluent it stays as it is in lanes that are
    /// over.
    fn stores(&mut self, values: &Values, parts: &Parts) {
        let Writer { cells, lanes, .. } = self;
        let stores: Vec<(u32, usize, Signed)> = (values.stores.iter())
            .filter_map(|&(fluent, to)| Some((fluent, cells.fluents[fluent as usize]?, to)))
            .collect();
        let is_frozen = |fluent: u32| lanes.goals.slots.contains(&(1 + fluent));
        let frozen: Vec<bool> = stores.iter().map(|store| is_frozen(store.0)).collect();
        self.line("  const U active = c->active;");
        // Old values that other fluents get are read first.
        for &(fluent, _, from) in &stores {
            if matches!(from.value, Value::Fluent(_)) {
                let from = self.read(parts, from);
                self.line(&format!("  const U n{fluent} = {from};"));
            }
        }
        for (&(fluent, cell, from), is_frozen) in stores.iter().zip(frozen) {
            let from = match from.value {
                Value::Fluent(_) => format!("n{fluent}"),
                _ => self.read(parts, from),
            };
            self.line(&if is_frozen {
                format!("  m[{cell}] = (m[{cell}] & ~active) | ({from} & active);")
            } else {
                format!("  m[{cell}] = {from};")
            });
        }
    }

    fn switch(&mut self) {
        self.line("INLINE void play_ply(U* m, Control* c, U phase) {\n  switch (phase) {");
        for phase in 0..self.lanes.period() {
            self.line(&format!("    case {phase}u: play_phase{phase}(m, c); break;"));
        }
        self.line("  }\n}");
    }

    fn goals(&mut self, values: &Values) {
        let parts = Parts::new(values, self.max_part, self.cells.n);
        self.n_memory = self.n_memory.max(parts.n_memory);
        self.parts("goals", values, &parts);
        self.line("INLINE void tell_goals(U* m, const Control* c, Results* r, U over) {");
        for fluent in self.cells.fixed.clone() {
            let holds = |phase: &usize| {
                let fixed = &self.lanes.phases[*phase].fixed;
                fixed.binary_search(&(fluent, true)).is_ok()
            };
            let over: String = (0..self.lanes.period())
                .filter(holds)
                .map(|phase| format!(" | c->over[{phase}]"))
                .collect();
            if let Some(cell) = self.cells.fluents[fluent as usize] {
                self.line(&format!("  m[{cell}] = 0u{over};"));
            }
        }
        self.calls("goals", 0..parts.ranges.len());
        let mut outputs = values.outputs.iter();
        for (role, goals) in self.lanes.goals.values.iter().enumerate() {
            self.line("  { U some = 0u, several = 0u;");
            for (i, output) in outputs.by_ref().take(goals.len()).enumerate() {
                let goal = self.read(&parts, *output);
                self.line(&format!("    const U g{i} = {goal};"));
                self.line(&format!("    several |= some & g{i}; some |= g{i};"));
            }
            self.line("    const U sure = over & some & ~several;");
            for (i, value) in goals.iter().enumerate() {
                self.line(&format!("    tell_goal(c, r, {role}u, g{i} & sure, {value}u);"));
            }
            self.line(&format!("    tell_missing(c, r, {role}u, over & ~sure); }}"));
        }
        self.line("}");
    }

    fn calls(&mut self, name: &str, parts: std::ops::Range<usize>) {
        for part in parts {
            self.line(&format!("  {name}_{part}(m);"));
        }
    }

    /// A value that lies in memory.
    fn read(&self, parts: &Parts, signed: Signed) -> String {
        let sign = if signed.is_negated { "~" } else { "" };
        match signed.value {
            Value::False => format!("{sign}0u"),
            Value::Made(made) => format!("{sign}m[{}]", parts.memory[made as usize]),
            Value::Fluent(fluent) => {
                let cell = self.cells.fluents[fluent as usize].unwrap_or(0);
                format!("{sign}m[{cell}]")
            }
            Value::Draw(draw) => format!("{sign}m[{}]", self.cells.first_draw + draw as usize),
        }
    }

    /// A value in a part: what was made or loaded there has a name.
    fn name(&self, parts: &Parts, signed: Signed) -> String {
        match signed.value {
            Value::Made(made) => format!("{}v{made}", if signed.is_negated { "~" } else { "" }),
            _ => self.read(parts, signed),
        }
    }

    fn parts(&mut self, name: &str, values: &Values, parts: &Parts) {
        let items: Vec<&Item> = values.items().collect();
        let mut loaded_in = vec![NOWHERE; values.n_made];
        for (part, range) in parts.ranges.iter().enumerate() {
            self.line(&format!("{} void {name}_{part}(U* m) {{", self.keyword));
            if self.keyword == "PART" {
                self.line("  IS_LOCAL(m)");
            }
            for item in &items[range.clone()] {
                for input in item.inputs() {
                    if let Value::Made(made) = input
                        && parts.made_in[made as usize] != part
                        && loaded_in[made as usize] != part
                    {
                        loaded_in[made as usize] = part;
                        let cell = parts.memory[made as usize];
                        self.line(&format!("  const U v{made} = m[{cell}];"));
                    }
                }
                self.item(parts, item);
                for made in item.results() {
                    let cell = parts.memory[made as usize];
                    if cell != NOWHERE {
                        self.line(&format!("  m[{cell}] = v{made};"));
                    }
                }
            }
            self.line("}");
        }
    }

    fn item(&mut self, parts: &Parts, item: &Item) {
        let one = match item {
            Item::One(operation) => {
                let text = self.expression(parts, operation);
                return self.line(&format!("  const U v{} = {text};", operation.result));
            }
            Item::Loop(one) => one,
        };
        for operation in &one.body {
            self.line(&format!("  U v{};", operation.result));
        }
        for variable in &one.variables {
            self.line(&format!("  U v{variable} = 0u;"));
        }
        self.line("  for (;;) {\n    U changed = 0u;");
        for operation in &one.body {
            let text = self.expression(parts, operation);
            self.line(&format!("    v{} = {text};", operation.result));
        }
        for &(variable, from) in &one.sets {
            let from = self.name(parts, from);
            self.line(&format!(
                "    {{ const U now = {from}; changed |= v{variable} ^ now; v{variable} = now; }}"
            ));
        }
        self.line("    if (!changed) break;\n  }");
    }

    fn expression(&self, parts: &Parts, operation: &Operation) -> String {
        let inputs: Vec<String> =
            operation.inputs.iter().map(|&input| self.name(parts, input)).collect();
        let text = match (operation.op, &inputs[..]) {
            (Op::Xor | Op::Xor3, _) => inputs.join(" ^ "),
            (Op::Majority, [a, b, c]) => format!("({a} & {b}) | ({c} & ({a} | {b}))"),
            (Op::AndOr, [a, b, c]) => format!("{a} | ({b} & {c})"),
            (Op::Choose, [a, b, c]) => format!("({a} & {b}) | (~{a} & {c})"),
            _ => inputs.join(" & "),
        };
        if operation.is_inverted { format!("~({text})") } else { text }
    }
}

/// How the items of a phase are split, and where values lie that are needed in other parts.
struct Parts {
    ranges: Vec<std::ops::Range<usize>>,
    /// The parts before moves are drawn.
    n_first: usize,
    made_in: Vec<usize>,
    memory: Vec<usize>,
    n_memory: usize,
}

impl Parts {
    fn new(values: &Values, max_part: usize, first_cell: usize) -> Parts {
        let mut ranges = Vec::new();
        split(&values.first, 0, max_part, &mut ranges);
        let n_first = ranges.len();
        split(&values.second, values.first.len(), max_part, &mut ranges);
        let items: Vec<&Item> = values.items().collect();
        let mut made_in = vec![NOWHERE; values.n_made];
        let mut last_use = vec![0; values.n_made];
        for (part, range) in ranges.iter().enumerate() {
            for item in &items[range.clone()] {
                item.results().into_iter().for_each(|made| {
                    made_in[made as usize] = part;
                    last_use[made as usize] = part;
                });
                for input in item.inputs() {
                    if let Value::Made(made) = input {
                        last_use[made as usize] = part;
                    }
                }
            }
        }
        // What is drawn from is read after the first parts, and new values of fluents at the end.
        let mut asked = |signed: &Signed, part: usize| {
            if let Value::Made(made) = signed.value {
                let last = &mut last_use[made as usize];
                *last = (*last).max(part);
            }
        };
        values.outputs.iter().for_each(|output| asked(output, n_first));
        values.stores.iter().for_each(|(_, from)| asked(from, ranges.len()));
        let mut free = Vec::new();
        let mut dying: Vec<Vec<usize>> = vec![Vec::new(); ranges.len() + 1];
        let (mut memory, mut n_memory) = (vec![NOWHERE; values.n_made], first_cell);
        for (part, range) in ranges.iter().enumerate() {
            let results = items[range.clone()].iter().flat_map(|item| item.results());
            for made in results.map(|made| made as usize) {
                if last_use[made] > part {
                    let cell = free.pop().unwrap_or_else(|| {
                        n_memory += 1;
                        n_memory - 1
                    });
                    memory[made] = cell;
                    dying[last_use[made]].push(cell);
                }
            }
            free.append(&mut dying[part]);
        }
        Parts { ranges, n_first, made_in, memory, n_memory }
    }
}

/// Ranges of about equal size.
fn split(items: &[Item], first: usize, max: usize, ranges: &mut Vec<std::ops::Range<usize>>) {
    let all: usize = items.iter().map(size).sum();
    let most = all.div_ceil(all.div_ceil(max).max(1)).max(1);
    let (mut start, mut n) = (0, 0);
    for (i, item) in items.iter().enumerate() {
        n += size(item);
        if n >= most || i + 1 == items.len() {
            ranges.push(first + start..first + i + 1);
            (start, n) = (i + 1, 0);
        }
    }
}
