// Plays the matches thread, thread + n_threads, ..: lanes whose match is over take the next of them
// when the phase in which matches begin has come `every` times. Bits of mode: 1 if there are keys
// by match, and they are not counted from base; 2 if there are starts by match, and not one start;
// 4 if results are told match by match, and not in sums.
KERNEL void __launch_bounds__(BLOCK) play(
    const U* facts, const U* plies_at, const U* start_of, const W* keys_of, W base, U n, U mode,
    U first_phase, U every, U max_plies, U* plies_out, unsigned char* goals_out, W* sums_out
    EXTRA_PARAMETERS) {
  const U thread = blockIdx.x * blockDim.x + threadIdx.x;
  const U n_threads = gridDim.x * blockDim.x;
  W keys[32];
  U numbers[32], offsets[32];
  Control control;
  Control* const c = &control;
  Results results;
  Results* const r = &results;
  MAKE_STATE
  c->active = 0u;
  c->terminal = 0u;
  c->step = 0u;
  c->deadline = ~0u;
  c->max_plies = max_plies;
  c->tells_each = mode & 4u;
  c->plies = 0u;
  c->keys = keys;
  c->numbers = numbers;
  c->offsets = offsets;
#pragma unroll
  for (int i = 0; i < PERIOD; i++) c->over[i] = 0u;
#pragma unroll
  for (int i = 0; i < 32; i++) keys[i] = 0u;
  r->n = n;
  r->plies = plies_out;
  r->goals = goals_out;
#pragma unroll
  for (int i = 0; i < 2 * N_ROLES; i++) r->sums[i] = 0u;
  U next = thread, phase = first_phase, left = 1u;
  W n_played = 0u;
  for (;;) {
    if (phase == first_phase && --left == 0u) {
      U over = 0u;
#pragma unroll
      for (int i = 0; i < PERIOD; i++) over |= c->over[i];
      if (over) {
        tell_goals(m, c, r, over);
        n_played += (U)__popc(over);
        if (c->tells_each) FOR_LANES(lane, over)
          r->plies[numbers[lane]] = offsets[lane] | (c->terminal >> lane & 1u) << 31;
#pragma unroll
        for (int i = 0; i < PERIOD; i++) c->over[i] = 0u;
      }
      U begun = 0u;
      if (next < n) FOR_LANES(lane, ~c->active) {
        if (next >= n) break;
        const U start = mode & 2u ? start_of[next] : 0u;
        const U plies = plies_at[start];
        const W key = mode & 1u ? keys_of[next] : scramble(base + next * STEP);
        const U offset = plies - c->step;
        const U to_cut = c->step + (max_plies > plies ? max_plies - plies : 0u);
        if (to_cut < c->deadline) c->deadline = to_cut;
        keys[lane] = key + (W)(long long)(int)offset * N_ROLES * STEP;
        numbers[lane] = next;
        offsets[lane] = offset;
        c->plies += plies;
        if (mode & 2u) load_state(m, 1u << lane, facts + (W)start * N_FACT_WORDS);
        begun |= 1u << lane;
        next += n_threads;
      }
      if (begun && !(mode & 2u)) load_state(m, begun, facts);
      c->active |= begun;
      if (!c->active) break;
      left = every;
    }
    play_ply(m, c, phase);
    c->step++;
    phase = phase + 1u < PERIOD ? phase + 1u : 0u;
  }
  if (!c->tells_each) {
    atomicAdd(&sums_out[0], n_played);
    atomicAdd(&sums_out[1], c->plies);
#pragma unroll
    for (int i = 0; i < 2 * N_ROLES; i++) atomicAdd(&sums_out[2 + i], r->sums[i]);
  }
}
