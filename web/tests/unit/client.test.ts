// @vitest-environment happy-dom

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Thought } from "../../src/api";
import { api, connection, Failure } from "../../src/state/client.svelte";
import { keepRules } from "../../src/state/storage";

const answers: (() => Response | Promise<Response>)[] = [];
const asked: { path: string; body: unknown }[] = [];

const json =
  (value: unknown, status = 200) =>
  () =>
    new Response(JSON.stringify(value), { status });
const refused = () => Promise.reject(new TypeError("fetch failed"));
const error = (code: string, status: number) => json({ code, message: `it is ${code}`, line: null, column: null }, status);
const record = { game: "gdl:rules=abc", seed: 1, moves: [] };

beforeEach(() => {
  vi.useFakeTimers();
  answers.length = 0;
  asked.length = 0;
  localStorage.clear();
  vi.stubGlobal("fetch", (path: string, init: RequestInit) => {
    asked.push({ path, body: init.body ? JSON.parse(String(init.body)) : null });
    const next = answers.shift();
    if (!next) throw new Error(`nobody expected ${path}`);
    return Promise.resolve(next());
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("a server that does not answer", () => {
  it("is waited for, and the question is asked again", async () => {
    answers.push(refused, () => new Response("bad gateway", { status: 502 }), json([]));
    const jobs = api.jobs();
    await vi.advanceTimersByTimeAsync(100);
    expect(connection.lost).toBe(true);
    await vi.advanceTimersByTimeAsync(2000);
    expect(await jobs).toEqual([]);
    expect(connection.lost).toBe(false);
    expect(asked.map(({ path }) => path)).toEqual(["/api/jobs", "/api/jobs", "/api/jobs"]);
  });

  it("is not waited for any longer once nobody wants to know", async () => {
    answers.push(refused);
    const work = new AbortController();
    const jobs = api.jobs(work.signal);
    const outcome = expect(jobs).rejects.toThrow("cancelled");
    await vi.advanceTimersByTimeAsync(100);
    work.abort();
    await outcome;
    expect(asked).toHaveLength(1);
  });
});

describe("an answer that is not a success", () => {
  it.each([
    ["busy", 503],
    ["illegal-move", 422],
    ["failed", 500],
  ])("%s is told, not asked again", async (code, status) => {
    answers.push(error(code, status));
    await expect(api.position(record)).rejects.toMatchObject({ error: { code, message: `it is ${code}` } });
    expect(connection.lost).toBe(false);
  });

  it("is told even if it is no error of ours", async () => {
    answers.push(() => new Response("no such page", { status: 404 }));
    await expect(api.catalog()).rejects.toMatchObject({ error: { code: "not-found", message: "no such page" } });
  });
});

describe("rules that the server has forgotten", () => {
  it("are handed over again, and nobody notices", async () => {
    keepRules("gdl:rules=abc", "(role x)");
    answers.push(error("unknown-rules", 404), json({ game: "gdl:rules=abc" }), json({ record }));
    expect(await api.position(record)).toEqual({ record });
    expect(asked.map(({ path }) => path)).toEqual(["/api/position", "/api/rules", "/api/position"]);
    expect(asked[1]!.body).toEqual({ text: "(role x)" });
  });

  it("are an error if the page does not have them either", async () => {
    answers.push(error("unknown-rules", 404));
    await expect(api.position(record)).rejects.toBeInstanceOf(Failure);
  });
});

describe("a search", () => {
  const thought = (iterations: number) => ({ player: 0, action: "d", iterations }) as Thought;
  const stream =
    (...parts: string[]) =>
    () =>
      new Response(parts.join(""));
  const event = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
  const request = { record, player: 0, agent: "uct" };

  it("is heard of while it goes on, and in the end", async () => {
    answers.push(stream(event("thought", thought(10)), event("thought", thought(20)), event("done", thought(30))));
    const heard: number[] = [];
    const done = await api.think(request, ({ iterations }) => heard.push(iterations), new AbortController().signal);
    expect([...heard, done.iterations]).toEqual([10, 20, 30]);
  });

  it("that breaks off is begun again", async () => {
    answers.push(stream(event("thought", thought(10))), stream(event("done", thought(30))));
    const done = api.think(request, () => undefined, new AbortController().signal);
    await vi.advanceTimersByTimeAsync(1000);
    expect((await done).iterations).toBe(30);
  });

  it("that fails says why", async () => {
    answers.push(stream(event("error", { code: "failed", message: "it gives up", line: null, column: null })));
    await expect(api.think(request, () => undefined, new AbortController().signal)).rejects.toThrow("it gives up");
  });
});
