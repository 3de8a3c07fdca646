import assert from "node:assert/strict";
import {
  applicationFrame,
  applicationFrames,
  applicationPlace,
  callersFirst,
  placeIn,
  thrownAt,
  withCallerFrames,
} from "../../src/util/caller_frames.ts";

const OWN = `    at run (${new URL("../../src/db/run.ts", import.meta.url).href}:1:2)`;
const SHOP = "    at order (file:///srv/shop.ts:7:3)";
const MAIN = "    at file:///srv/main.ts:9:1";
const FOREIGN = [
  ...["    at fetch (ext:deno_fetch/26.js:1:1)", "    at node:events:5:1", "    at f (node:net:1:1)"],
  ...[
    "    at new Promise (<anonymous>)",
    "    at <anonymous>",
    "    at g (file:///srv/node_modules/x/y.js:1:1)",
  ],
  ...["    at h (file:///cache/npm/registry/z.js:1:1)", "    at Array.map (native)"],
];

Deno.test("callersFirst() puts frames of the application in front, each kind in its order", () => {
  assert.deepEqual(callersFirst([OWN, SHOP, ...FOREIGN, MAIN]), [SHOP, MAIN, OWN, ...FOREIGN]);
  assert.deepEqual(callersFirst([OWN]), [OWN]);
});

Deno.test("applicationFrames() counts the others, and shows all where none is of the application", () => {
  const others = (count: number) =>
    `    ... and ${count} of the framework and the platform: FW_STACK=full shows them`;
  assert.deepEqual(applicationFrames([OWN, SHOP, ...FOREIGN, MAIN]), [
    SHOP,
    MAIN,
    others(FOREIGN.length + 1),
  ]);
  assert.deepEqual(applicationFrames([SHOP, OWN]), [SHOP, others(1)]);
  assert.deepEqual(applicationFrames([SHOP, MAIN]), [SHOP, MAIN]);
  assert.deepEqual(applicationFrames([OWN, ...FOREIGN]), [OWN, ...FOREIGN]);
  assert.deepEqual(applicationFrames([]), []);
  // of a cause
  assert.deepEqual(applicationFrames([OWN], true), [others(1)]);
  assert.deepEqual(applicationFrames([SHOP], true), [SHOP]);
  assert.deepEqual(applicationFrames([], true), []);
});

Deno.test("placeIn() reads file, line and column at the end of a line", () => {
  const cases: readonly (readonly [string, string?, number?, number?])[] = [
    [SHOP, "/srv/shop.ts", 7, 3],
    [MAIN, "/srv/main.ts", 9, 1],
    ["    at f (file:///srv/my%20shop.ts:12:34)", "/srv/my shop.ts", 12, 34],
    ["    at f (https://example.com/a.ts:1:2)", "https://example.com/a.ts", 1, 2],
    ["    at f (http://example.com/a%20b.ts:1:2)", "http://example.com/a%20b.ts", 1, 2],
    ["SyntaxError at /srv/a.ts:3:4", "/srv/a.ts", 3, 4],
    ["    at f (node:net:1:1)"],
    ["    at f (file:///srv/a.ts:1)"],
    ["    at f (file:///srv/a.ts:1:1) and so on"],
    [""],
  ];
  for (const [line, file, number, column] of cases) {
    assert.deepEqual(placeIn(line), file === undefined ? undefined : { file, line: number, column }, line);
  }
});

function failed(message: string, frames: readonly string[]): Error {
  return Object.assign(new Error(message), { stack: [`Error: ${message}`, ...frames].join("\n") });
}

Deno.test("thrownAt() is the first frame of the application behind the message", () => {
  assert.deepEqual(thrownAt(failed("no", [OWN, SHOP, MAIN])), { file: "/srv/shop.ts", line: 7, column: 3 });
  assert.equal(thrownAt(failed("no", [OWN])), undefined);
  assert.equal(thrownAt(failed(`forged\n${SHOP}`, [OWN])), undefined);
  assert.equal(thrownAt(Object.assign(new Error("no"), { stack: undefined })), undefined);
});

Deno.test("withCallerFrames() puts frames of the application in front, of the caller where the stack has none", () => {
  const mixed = failed("no\nmore", [OWN, SHOP]);
  assert.equal(withCallerFrames(mixed), mixed);
  assert.equal(mixed.stack, ["Error: no\nmore", SHOP, OWN].join("\n"));
  const first = failed("no", [SHOP, OWN]);
  const before = first.stack;
  assert.equal(withCallerFrames(first), first);
  assert.equal(first.stack, before);
  const short = failed("no", [OWN]);
  withCallerFrames(short);
  const [head, caller, ...others] = short.stack!.split("\n");
  assert.equal(head, "Error: no");
  assert.match(caller!, /^ +at .*caller_frames_test\.ts:\d+:\d+\)?$/);
  assert.equal(others.at(-1), OWN);
});

Deno.test("withCallerFrames() gives what is no error, has no stack or keeps it as it is", () => {
  const stack = ["Error: no", OWN, SHOP].join("\n");
  const frozen = Object.defineProperty(new Error("no"), "stack", { value: stack, writable: false });
  const bare = Object.assign(new Error("no"), { stack: undefined });
  for (const thrown of ["text", undefined, null, { stack: `x\n${SHOP}` }, bare, frozen]) {
    assert.equal(withCallerFrames(thrown), thrown);
  }
  assert.deepEqual([frozen.stack, bare.stack], [stack, undefined]);
});

Deno.test("applicationFrame() and applicationPlace() name who asks, and leave the length of stacks as it was", () => {
  const limit = Error.stackTraceLimit;
  assert.match(applicationFrame()()!, /^at .*caller_frames_test\.ts:\d+:\d+\)?$/);
  const place = applicationPlace()!;
  assert.match(place, /^\/.*\/caller_frames_test\.ts:\d+$/);
  assert.equal(Error.stackTraceLimit, limit);
});

Deno.test("frames of the caller are taken from far below, and the length of other stacks stays as it is", () => {
  const limit = Error.stackTraceLimit;
  const deep = (levels: number): unknown => {
    const error = new Error("no");
    error.stack = `Error: no\n${OWN}`;
    return levels === 0 ? withCallerFrames(error) : deep(levels - 1);
  };
  const frames = (deep(30) as Error).stack!.split("\n").slice(1);
  assert.ok(frames.filter((frame) => frame.includes("caller_frames_test.ts")).length > 30, frames.join("\n"));
  assert.equal(frames.at(-1), OWN);
  // fifty, two of which are those of the function itself
  assert.equal((deep(60) as Error).stack!.split("\n").length, 1 + 48 + 1);
  assert.equal(Error.stackTraceLimit, limit);
  assert.ok(limit < 50);
});
