/** What a person at the terminal reads. */

import assert from "node:assert/strict";
import { highlighted, shownError, showProgress, writeBytes } from "../../src/cli/terminal_text.ts";

/** Runs something with a standard error that is a terminal, or is none; gives what is written there. */
function writtenBy(isTerminal: boolean, run: () => void): string {
  const { isTerminal: was, writeSync } = Deno.stderr;
  let written = "";
  Object.assign(Deno.stderr, {
    isTerminal: () => isTerminal,
    writeSync: (bytes: Uint8Array) => {
      written += new TextDecoder().decode(bytes);
      return bytes.length;
    },
  });
  try {
    run();
  } finally {
    Object.assign(Deno.stderr, { isTerminal: was, writeSync });
  }
  return written;
}

Deno.test("an error is shown with its place, its frames and its causes, each in lines of its own", () => {
  const inner = Object.assign(new Error("inner"), { stack: "Error: inner\n    at two (file:///b.ts:3:4)" });
  const stack = "Error: outer\n    at one (file:///a.ts:1:2)";
  const outer = Object.assign(new Error("outer", { cause: inner }), { stack });
  const lines = shownError(outer).split("\n");
  assert.deepEqual([lines[0], lines[1].trim()], ["/a.ts:1:2: Error: outer", "at one (file:///a.ts:1:2)"]);
  assert.match(lines[2], /^ {2}caused by: .*Error: inner$/);
  assert.equal(shownError(Object.assign(new Error("odd"), { stack: "Error: odd" })), "Error: odd");
  assert.equal(shownError("text"), "text");
  assert.equal(shownError(null), "null");
});

Deno.test("what is under way is shown at terminals only, and takes the place of what was", () => {
  const run = () => (showProgress("reading"), showProgress());
  assert.equal(writtenBy(true, run), "\r\x1b[Kreading\r\x1b[K");
  assert.equal(writtenBy(false, run), "");
});

Deno.test("what stands out has a colour at terminals that show some", () => {
  const { FORCE_COLOR } = Deno.env.toObject();
  Deno.env.delete("FORCE_COLOR");
  try {
    for (const isTerminal of [true, false]) {
      writtenBy(isTerminal, () => {
        const shows = isTerminal && !Deno.noColor;
        assert.equal(highlighted("No", "error"), shows ? "\x1b[31mNo\x1b[0m" : "No");
        assert.equal(highlighted("Hm", "warning"), shows ? "\x1b[33mHm\x1b[0m" : "Hm");
      });
    }
  } finally {
    if (FORCE_COLOR !== undefined) Deno.env.set("FORCE_COLOR", FORCE_COLOR);
  }
});

Deno.test("all bytes are written, also where some are taken at a time", () => {
  const { writeSync } = Deno.stdout;
  const taken: number[] = [];
  Object.assign(Deno.stdout, {
    writeSync: (bytes: Uint8Array) => (taken.push(...bytes.subarray(0, 2)), Math.min(2, bytes.length)),
  });
  try {
    writeBytes(Uint8Array.of(1, 2, 3, 4, 5));
    writeBytes(new Uint8Array());
  } finally {
    Object.assign(Deno.stdout, { writeSync });
  }
  assert.deepEqual(taken, [1, 2, 3, 4, 5]);
});
