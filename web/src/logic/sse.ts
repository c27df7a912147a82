// Server-sent events read from a fetch, which unlike EventSource can POST and can be aborted.

export type ServerEvent = { event: string; data: string };

/** Feed it text as it arrives; complete events come out. */
export class EventParser {
  #rest = "";
  #event = "";
  #data: string[] = [];

  push(text: string): ServerEvent[] {
    const events: ServerEvent[] = [];
    this.#rest += text;
    // A lone carriage return at the end may be the first half of a line break.
    const held = this.#rest.endsWith("\r") ? "\r" : "";
    const lines = this.#rest.slice(0, this.#rest.length - held.length).split(/\r\n|\n|\r/);
    this.#rest = lines.pop()! + held;
    for (const line of lines) {
      const event = this.#line(line);
      if (event) events.push(event);
    }
    return events;
  }

  #line(line: string): ServerEvent | null {
    if (line === "") {
      const done = this.#data.length > 0 ? { event: this.#event || "message", data: this.#data.join("\n") } : null;
      this.#event = "";
      this.#data = [];
      return done;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return null;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.#event = value;
    if (field === "data") this.#data.push(value);
    return null;
  }
}

export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const parser = new EventParser();
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield* parser.push(decoder.decode(value, { stream: true }));
    }
  } finally {
    // Whoever stops listening also stops the server from going on.
    await reader.cancel().catch(() => undefined);
  }
}
