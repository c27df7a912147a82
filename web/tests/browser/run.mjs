// Runs all tests in a real browser against the real program: npm run browser [pattern of names]

import { openBrowser } from "./browser.mjs";
import { compare } from "./compare.mjs";
import { faults } from "./faults.mjs";
import { hex } from "./hex.mjs";
import { inspect } from "./inspect.mjs";
import { looks } from "./looks.mjs";
import { mapEditor } from "./map-editor.mjs";
import { newcomer } from "./newcomer.mjs";
import { play } from "./play.mjs";
import { results } from "./results.mjs";
import { Server } from "./server.mjs";
import { sheets } from "./sheets.mjs";
import { trouble } from "./trouble.mjs";
import { whole } from "./whole.mjs";

const wanted = new RegExp(process.argv[2] ?? "");
const AT_ONCE = 2;
const LONGEST_SECONDS = 300;

const server = await Server.start();
const browser = await openBrowser();
const queue = Object.entries({ ...play, ...whole, ...hex, ...inspect, ...compare, ...mapEditor, ...newcomer, ...results, ...sheets, ...faults, ...trouble, ...looks }).filter(
  ([name]) => wanted.test(name),
);
const failed = [];
const start = performance.now();

async function work() {
  for (let next = queue.shift(); next; next = queue.shift()) {
    const [name, test] = next;
    const from = performance.now();
    try {
      await Promise.race([test({ browser, server }), tooLong()]);
      console.log(`ok      ${name} (${((performance.now() - from) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failed.push(name);
      console.log(`FAILED  ${name}\n${error.stack ?? error}`);
    }
  }
}

function tooLong() {
  return new Promise((_, reject) => setTimeout(() => reject(new Error(`took longer than ${LONGEST_SECONDS} s`)), 1000 * LONGEST_SECONDS).unref());
}

await Promise.all(Array.from({ length: AT_ONCE }, work));
await browser.close();
await server.close();
console.log(failed.length === 0 ? `all passed in ${((performance.now() - start) / 1000).toFixed(0)} s` : `${failed.length} failed: ${failed.join("; ")}`);
process.exit(failed.length === 0 ? 0 : 1);
