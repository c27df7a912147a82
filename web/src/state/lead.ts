/** Of all tabs that show the same match one leads: there the agents play. When it closes, the next takes over. */
export type Role = "asking" | "leads" | "follows";

/** Browsers without locks (plain http from another machine) lead in every tab. Returns how to step back. */
export function leadMatch(id: string, change: (role: Role) => void): () => void {
  const locks: LockManager | undefined = navigator.locks;
  if (!locks) {
    change("leads");
    return () => undefined;
  }
  const queue = new AbortController();
  let release: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => (release = resolve));
  const lead = () => {
    change("leads");
    return closed;
  };
  const name = `sakiyomi-match-${id}`;
  void locks.request(name, { ifAvailable: true }, (lock) => {
    if (queue.signal.aborted) return undefined;
    if (lock) return lead();
    change("follows");
    locks.request(name, { signal: queue.signal }, lead).catch(() => undefined);
    return undefined;
  });
  return () => {
    release();
    queue.abort();
  };
}
