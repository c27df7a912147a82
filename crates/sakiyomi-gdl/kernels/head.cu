// One thread plays 32 matches: bit i of every word belongs to the match in lane i.
#ifdef __cplusplus
#define KERNEL extern "C" __global__
#else
#define KERNEL __global__
#endif
#define INLINE static __device__ __forceinline__
#define PART static __device__ __noinline__
#ifdef __CUDACC__
#define IS_LOCAL(m) __builtin_assume(__isLocal(m));
#else
#define IS_LOCAL(m)
#endif

typedef unsigned int U;
typedef unsigned long long W;

#define STEP 0x9e3779b97f4a7c15ull
#define NO_GOAL 255u

// What a thread knows of its matches beside their states.
typedef struct {
  U active;         // the lanes in which a match is played
  U over[PERIOD];   // those that ended in each phase, whose goals are not known yet
  U terminal;       // those of them that the rules ended
  U step;           // plies of this thread
  U deadline;       // no match is cut off before this step
  U max_plies;
  U tells_each;     // whether results are told match by match
  W plies;
  W* keys;          // by lane: the key of the match less what the steps so far add
  U* numbers;       // by lane: the number of the match
  U* offsets;       // by lane: its plies less the steps so far; its plies once it is over
} Control;

INLINE W scramble(W x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// The upper half of the product of 64 random bits and n.
INLINE U below(W bits, U n) {
  const W low = (bits & 0xffffffffull) * n;
  const W high = (bits >> 32) * n;
  return (U)((high + (low >> 32)) >> 32);
}

#define EXCHANGE(shift, mask, i, j) { \
  const U moved = ((w[i] >> shift) ^ w[j]) & mask; w[j] ^= moved; w[i] ^= moved << shift; }

// Bit i of byte b of word j becomes bit j of byte b of word i; eight words.
INLINE void transpose8(U* w) {
  EXCHANGE(4, 0x0f0f0f0fu, 0, 4) EXCHANGE(4, 0x0f0f0f0fu, 1, 5)
  EXCHANGE(4, 0x0f0f0f0fu, 2, 6) EXCHANGE(4, 0x0f0f0f0fu, 3, 7)
  EXCHANGE(2, 0x33333333u, 0, 2) EXCHANGE(2, 0x33333333u, 1, 3)
  EXCHANGE(2, 0x33333333u, 4, 6) EXCHANGE(2, 0x33333333u, 5, 7)
  EXCHANGE(1, 0x55555555u, 0, 1) EXCHANGE(1, 0x55555555u, 2, 3)
  EXCHANGE(1, 0x55555555u, 4, 5) EXCHANGE(1, 0x55555555u, 6, 7)
}

// The same for halves of 16 bits; sixteen words.
INLINE void transpose16(U* w) {
#pragma unroll
  for (int i = 0; i < 8; i++) EXCHANGE(8, 0x00ff00ffu, i, i + 8)
  transpose8(w);
  transpose8(w + 8);
}

INLINE void transpose32(U* w) {
#pragma unroll
  for (int i = 0; i < 16; i++) EXCHANGE(16, 0x0000ffffu, i, i + 16)
  transpose16(w);
  transpose16(w + 16);
}

#define NUMBER(lane, n) below(scramble(c->keys[lane] + offset), n)

// From the bits of 32 counts, lowest first, to those of numbers below them.
INLINE void draw8(const Control* c, U role, U* w) {
  const W offset = ((W)c->step * N_ROLES + role) * STEP;
  transpose8(w);
#pragma unroll
  for (int i = 0; i < 8; i++) {
    const U n = w[i];
    w[i] = NUMBER(i, n & 255u) | NUMBER(8 + i, n >> 8 & 255u) << 8
      | NUMBER(16 + i, n >> 16 & 255u) << 16 | NUMBER(24 + i, n >> 24) << 24;
  }
  transpose8(w);
}

INLINE void draw16(const Control* c, U role, U* w) {
  const W offset = ((W)c->step * N_ROLES + role) * STEP;
  transpose16(w);
#pragma unroll
  for (int i = 0; i < 16; i++) {
    const U n = w[i];
    w[i] = NUMBER(i, n & 65535u) | NUMBER(16 + i, n >> 16) << 16;
  }
  transpose16(w);
}

INLINE void draw32(const Control* c, U role, U* w) {
  const W offset = ((W)c->step * N_ROLES + role) * STEP;
  transpose32(w);
#pragma unroll
  for (int i = 0; i < 32; i++) w[i] = NUMBER(i, w[i]);
  transpose32(w);
}

#define FOR_LANES(lane, lanes) \
  for (U rest_ = (lanes), lane; rest_ && (lane = (U)__ffs((int)rest_) - 1u, 1); rest_ &= rest_ - 1u)

// The matches that have lasted too long; finds out when to look again.
INLINE U cut(Control* c, U ended) {
  U result = 0u;
  c->deadline = ~0u;
  FOR_LANES(lane, c->active & ~ended) {
    const U plies = c->step + c->offsets[lane];
    if (plies >= c->max_plies) {
      result |= 1u << lane;
    } else {
      const U then = c->step + (c->max_plies - plies);
      if (then < c->deadline) c->deadline = then;
    }
  }
  return result;
}

// What is over is no longer active; its state is kept until its goals are told.
INLINE void end_matches(Control* c, int phase, U terminal, U stuck) {
  U ended = (terminal | stuck) & c->active;
  if (c->step >= c->deadline) ended |= cut(c, ended);
  c->over[phase] |= ended;
  c->terminal = (c->terminal & ~ended) | (terminal & ended);
  c->active &= ~ended;
  c->plies += (U)__popc(c->active);
  if (c->tells_each) FOR_LANES(lane, ended) c->offsets[lane] += c->step;
}

// Where results go.
typedef struct {
  U n;
  U* plies;              // by match: its plies, and whether the rules ended it in the highest bit
  unsigned char* goals;  // by role and match
  W sums[2 * N_ROLES];   // by role: the sum of goals, and of their squares
} Results;

INLINE void tell_goal(const Control* c, Results* r, U role, U lanes, U goal) {
  if (c->tells_each) {
    FOR_LANES(lane, lanes) r->goals[(W)role * r->n + c->numbers[lane]] = (unsigned char)goal;
  } else {
    const U n = (U)__popc(lanes);
    r->sums[2 * role] += goal * n;
    r->sums[2 * role + 1] += goal * goal * n;
  }
}

// The lanes in which no goal holds, or more than one.
INLINE void tell_missing(const Control* c, Results* r, U role, U lanes) {
  if (c->tells_each) {
    tell_goal(c, r, role, lanes, NO_GOAL);
  } else {
    tell_goal(c, r, role, lanes & ~c->terminal, 50u);
  }
}
