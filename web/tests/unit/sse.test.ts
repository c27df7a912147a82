import { describe, expect, it } from "vitest";
import { EventParser, readEvents } from "../../src/logic/sse";

describe("server-sent events", () => {
  it("come out whole, however they are cut", () => {
    const text = 'event: thought\ndata: {"a":1}\n\n: keep alive\n\ndata: one\ndata: two\r\n\r\nevent: done\ndata:{}\n\n';
    for (let size = 1; size <= text.length; size++) {
      const parser = new EventParser();
      const events = [];
      for (let at = 0; at < text.length; at += size) events.push(...parser.push(text.slice(at, at + size)));
      expect(events).toEqual([
        { event: "thought", data: '{"a":1}' },
        { event: "message", data: "one\ntwo" },
        { event: "done", data: "{}" },
      ]);
    }
  });

  it("drop an event that was cut off", () => {
    expect(new EventParser().push("event: done\ndata: {}\n")).toEqual([]);
  });

  it("survive a letter that is cut in two", async () => {
    const bytes = new TextEncoder().encode("data: 先読み\n\n");
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(new Uint8Array([byte]));
        controller.close();
      },
    });
    const events = [];
    for await (const event of readEvents(stream)) events.push(event.data);
    expect(events).toEqual(["先読み"]);
  });
});
