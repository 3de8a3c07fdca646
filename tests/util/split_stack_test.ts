import assert from "node:assert/strict";
import { splitStack } from "../../src/util/caller_frames.ts";

const FRAMES = ["    at f (file:///a.ts:1:2)", "    at file:///b.ts:3:4"];

Deno.test("splitStack() tells frames from the message, which may have lines that look like them", () => {
  for (const message of ["", "no", "two\nlines", "forged\n    at g (file:///c.ts:1:1)", "ends with\n"]) {
    const head = `Error${message === "" ? "" : `: ${message}`}`;
    assert.deepEqual(splitStack([head, ...FRAMES].join("\n"), message), { head, frames: FRAMES }, message);
    assert.deepEqual(splitStack(head, message), { head, frames: [] }, message);
  }
});

Deno.test("splitStack() takes a stack that does not hold the message as it is", () => {
  assert.deepEqual(splitStack(["Error: old", ...FRAMES].join("\n"), "new"), {
    head: "Error: old",
    frames: FRAMES,
  });
});

Deno.test("splitStack() leaves lines behind the message that are no frames to the head", () => {
  const head = "Error: no\nwhile reading\nthe second file";
  assert.deepEqual(splitStack([head, ...FRAMES].join("\n"), "no"), { head, frames: FRAMES });
});

Deno.test("splitStack() finds a message that the stack begins with", () => {
  const head = "forged\n    at g (file:///c.ts:1:1)";
  assert.deepEqual(splitStack([head, ...FRAMES].join("\n"), head), { head, frames: FRAMES });
});
