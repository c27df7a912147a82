/* What tests put behind it: numbers come from the standard input, results go to the standard output. */
static void *get(size_t size, size_t n) {
  void *data = calloc(n + 1, size);
  if (!data || fread(data, size, n, stdin) != n) exit(2);
  return data;
}

int main(void) {
  U *head = get(4, 9);
  const U n_starts = head[0], n = head[1], mode = head[2], phase = head[3], every = head[4];
  const U max_plies = head[5], n_threads = head[6], n_list = head[7], n_words = head[8];
  U *facts = get(4, (size_t)n_starts * N_FACT_WORDS), *plies_at = get(4, n_starts);
  U *start_of = get(4, n);
  W *keys = get(8, n);
  U *list = get(4, n_list);
  U *plies = calloc(n + 1, 4);
  unsigned char *goals = calloc((size_t)n * N_ROLES + 1, 1);
  W sums[2 + 2 * N_ROLES];
  memset(sums, 0, sizeof sums);
  blockDim.x = n_threads;
  gridDim.x = 1;
  U *words = calloc((size_t)n_words * n_threads + 1, 4);
  (void)list, (void)words;
  for (threadIdx.x = 0; threadIdx.x < n_threads; threadIdx.x++)
    play(facts, plies_at, start_of, keys, BASE, n, mode, phase, every, max_plies, plies, goals,
         sums EXTRA_ARGUMENTS);
  fwrite(plies, 4, n, stdout);
  fwrite(goals, 1, (size_t)n * N_ROLES, stdout);
  fwrite(sums, 8, 2 + 2 * N_ROLES, stdout);
  return 0;
}
