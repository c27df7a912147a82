// Starts and stops the program under test, with a store of its own.
//
// SAKIYOMI_BIN   the program (target/release/sakiyomi)
// SAKIYOMI_PAGE  a folder with a built page, served instead of the page inside the program (for work on the page)

import { spawn } from "node:child_process";
import { createReadStream, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize, resolve } from "node:path";

const BIN = resolve(process.env.SAKIYOMI_BIN ?? "../target/release/sakiyomi");
const PAGE = process.env.SAKIYOMI_PAGE;
const ROOT = resolve(import.meta.dirname, "../../..");
const START_SECONDS = 20;

export class Server {
  #folder = mkdtempSync(join(tmpdir(), "sakiyomi-web-"));
  #process = null;
  #port = 0;
  #proxy = null;

  static async start() {
    if (!existsSync(BIN)) throw new Error(`there is no program at ${BIN}; build it (cargo build --release) or set SAKIYOMI_BIN`);
    const server = new Server();
    await server.run();
    if (PAGE) server.#proxy = await pageServer(PAGE, () => server.#port);
    return server;
  }

  /** The address of the page, without a slash at its end. */
  get url() {
    return `http://127.0.0.1:${this.#proxy ? this.#proxy.address().port : this.#port}`;
  }

  /** Starts the program; a second time on the same port. */
  run() {
    const store = join(this.#folder, "store.sqlite");
    const args = ["serve", "--listen", `127.0.0.1:${this.#port}`, "--store", store, "--network", "tests/networks/tic-tac-toe.onnx"];
    this.#process = spawn(BIN, args, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
    return new Promise((resolve, reject) => {
      let heard = "";
      const timer = setTimeout(() => reject(new Error(`the server does not start: ${heard}`)), 1000 * START_SECONDS);
      const hear = (data) => {
        heard += data;
        const found = /listening on http:\/\/127\.0\.0\.1:(\d+)\//.exec(heard);
        if (!found) return;
        clearTimeout(timer);
        this.#port = Number(found[1]);
        resolve();
      };
      this.#process.stdout.on("data", hear);
      this.#process.stderr.on("data", hear);
      this.#process.once("exit", (code) => reject(new Error(`the server ended with ${code}: ${heard}`)));
    });
  }

  /** Ends the program without warning, as a crash would. */
  async kill() {
    const ended = new Promise((resolve) => this.#process.once("exit", resolve));
    this.#process.kill("SIGKILL");
    await ended;
  }

  async close() {
    await this.kill();
    this.#proxy?.closeAllConnections();
    this.#proxy?.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };

/** Serves a folder under the rules that the program sets for its own page; what is not in it goes to the program. */
async function pageServer(folder, port) {
  const policy = (await fetch(`http://127.0.0.1:${port()}/`)).headers.get("content-security-policy") ?? "";
  const server = createServer((incoming, outgoing) => {
    const path = new URL(incoming.url, "http://page").pathname;
    const file = join(folder, normalize(path === "/" ? "/index.html" : path));
    if (existsSync(file) && statSync(file).isFile()) {
      outgoing.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream", "content-security-policy": policy });
      createReadStream(file).pipe(outgoing);
      return;
    }
    const options = { host: "127.0.0.1", port: port(), path: incoming.url, method: incoming.method, headers: incoming.headers };
    const onward = request(options, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.on("error", () => outgoing.destroy()).pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    outgoing.on("close", () => onward.destroy());
    incoming.pipe(onward);
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}
