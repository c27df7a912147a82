// The state of 32 matches and all that is computed of it, word by word, threads side by side.
typedef struct {
  U* words;
  U stride;
  const U* list;
  const U* tables;
} Memory;

#define WORD(slot) m->words[(W)(slot) * m->stride]

// A slot times two, and one more if the word is negated.
INLINE U read_word(const Memory* m, U literal) {
  return WORD(literal >> 1) ^ (0u - (literal & 1u));
}

#define INVERTED 32u
#define STORED 16u

// Executes operations; each has four words: where the result goes and what it is, three inputs.
INLINE void execute(const Memory* m, U start, U end) {
  const uint4* const operations = (const uint4*)m->list;
  U result = 0u, changed = 0u;
  for (U at = start; at < end; at++) {
    const uint4 one = __ldg(operations + at);
    const U to = one.x >> 6, kind = one.x & 15u;
    if (kind == 7u) {
      if (changed) at = to - 1u;
      changed = 0u;
      continue;
    }
    const U a = read_word(m, one.y), b = read_word(m, one.z), c = read_word(m, one.w);
    switch (kind) {
      case 0u: result = a & b & c; break;
      case 1u: result &= a & b & c; break;
      case 2u: result = a ^ b ^ c; break;
      case 3u: result = (a & b) | (c & (a | b)); break;
      case 4u: result = a | (b & c); break;
      case 5u: result = (a & b) | (~a & c); break;
      default: result = a; changed |= a ^ WORD(to);
    }
    if (one.x & INVERTED) result = ~result;
    if (one.x & STORED) WORD(to) = result;
  }
}

INLINE void load_state(const Memory* m, U lanes, const U* facts) {
  for (U fluent = 0u; fluent < N_FLUENTS; fluent++) {
    const U value = 0u - (facts[fluent >> 5] >> (fluent & 31u) & 1u);
    WORD(1u + fluent) = (WORD(1u + fluent) & ~lanes) | (value & lanes);
  }
}

// The tables: for every phase its operations, ends and draws; then the goals.
INLINE void play_ply(const Memory* m, Control* c, U phase) {
  const U* const table = m->tables + 6u * phase;
  execute(m, table[0], table[1]);
  const U before = c->active;
  end_matches(c, (int)phase, read_word(m, table[3]), read_word(m, table[4]));
  const U ended = before & ~c->active;
  const U* const goals = m->tables + 6u * PERIOD;
  if (ended) {
    const U* const kept = m->tables + goals[2];
    for (U i = 1u; i <= kept[0]; i++) {
      const U to = kept[i] + N_SLOTS;
      WORD(to) = (WORD(to) & ~ended) | (WORD(kept[i]) & ended);
    }
  }
  const U* draws = m->tables + table[5];
  for (U left = *draws++; left; left--) {
    const U role = draws[0], n_counts = draws[1], n_numbers = draws[2], first = draws[3];
    draws += 4;
    U w[32];
#pragma unroll
    for (U i = 0u; i < 32u; i++) w[i] = i < n_counts ? read_word(m, draws[i]) : 0u;
    draw32(c, role, w);
#pragma unroll
    for (U i = 0u; i < 32u; i++) if (i < n_numbers) WORD(first + i) = w[i];
    draws += n_counts;
  }
  execute(m, table[1], table[2]);
}

INLINE void tell_goals(const Memory* m, const Control* c, Results* r, U over) {
  const U* const goals = m->tables + 6u * PERIOD;
  // Fluents that follow from the phase: for each a slot, and the phases in which it holds as bits.
  const U* fixed = m->tables + goals[3];
  for (U left = *fixed++; left; left--, fixed += 2) {
    U word = 0u;
    for (U phase = 0u; phase < PERIOD; phase++) if (fixed[1] >> phase & 1u) word |= c->over[phase];
    WORD(fixed[0]) = word;
  }
  execute(m, goals[0], goals[1]);
  // For each role the number of goals, then values and literals.
  const U* values = m->tables + goals[4];
  for (U role = 0u; role < N_ROLES; role++) {
    const U n = *values++;
    U some = 0u, several = 0u;
    for (U i = 0u; i < n; i++) {
      const U holds = read_word(m, values[2u * i + 1u]);
      several |= some & holds;
      some |= holds;
    }
    const U sure = over & some & ~several;
    for (U i = 0u; i < n; i++) {
      const U holds = read_word(m, values[2u * i + 1u]);
      tell_goal(c, r, role, holds & sure, values[2u * i]);
    }
    tell_missing(c, r, role, over & ~sure);
    values += 2u * n;
  }
}

#define EXTRA_PARAMETERS , const U* list, U* words
#define EXTRA_ARGUMENTS , list, words
#define MAKE_STATE \
  Memory memory; \
  const Memory* const m = &memory; \
  memory.words = words + thread; \
  memory.stride = n_threads; \
  memory.list = list; \
  memory.tables = list + list[0]; \
  WORD(0u) = 0u; \
  WORD(N_SLOTS) = 0u;
