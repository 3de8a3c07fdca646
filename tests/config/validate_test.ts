import assert from "node:assert/strict";
import { knownPart, type SchemaNode, type SchemaProblem, validate } from "../../src/config/validate.ts";

const text: SchemaNode = { types: ["string"] };
const SMALL: SchemaNode = { types: ["object"], members: { port: { types: ["number"] }, name: text } };

function messageOf(value: unknown, schema: SchemaNode): string | undefined {
  const problem = validate(value, schema);
  return problem && [...problem.path, problem.message].join(": ");
}

Deno.test("validate() names the type that was found and those that are expected, with their articles", () => {
  const cases: readonly [unknown, SchemaNode["types"], string][] = [
    [1, ["string"], "must be a string, but is a number"],
    [null, ["object", "array"], "must be an object or an array, but is null"],
    [[], ["string", "null"], "must be a string or null, but is an array"],
    [{}, ["number", "boolean"], "must be a number or a boolean, but is an object"],
    [undefined, ["number"], "must be a number, but is an undefined"],
  ];
  for (const [value, types, message] of cases) assert.equal(messageOf(value, { types }), message);
});

Deno.test("validate() checks listed values of texts only, and names the nearest", () => {
  const mode: SchemaNode = { types: ["string", "boolean"], values: ["always", "never"] };
  for (const value of ["always", "never", true]) assert.equal(messageOf(value, mode), undefined);
  assert.equal(messageOf("allways", mode), 'must be one of always, never; did you mean "always"?');
  assert.equal(messageOf("?", mode), "must be one of always, never");
});

Deno.test("validate() hides texts that hold a login", () => {
  const url: SchemaNode = {
    types: ["string", "array"],
    form: { text: "a good URL", fits: (url) => url === "ok" },
  };
  assert.equal(messageOf("ok", url), undefined);
  assert.equal(messageOf([], url), undefined);
  assert.equal(messageOf("no", url), 'must be a good URL, but is "no"');
  assert.equal(messageOf("http://a/@b", url), 'must be a good URL, but is "http://a/@b"');
  assert.equal(messageOf("http://me:secret@host", url), "must be a good URL");
});

Deno.test("validate() checks every entry of a list, and names the place of what stands inside of one", () => {
  const list: SchemaNode = {
    types: ["array", "object"],
    items: { types: ["string", "object"], members: { a: text } },
  };
  assert.equal(messageOf(["x", { a: "y" }], list), undefined);
  assert.equal(messageOf({ 0: 1 }, list), undefined);
  assert.equal(
    messageOf({ all: ["x", 1] }, { types: ["object"], others: list }),
    "all: must be a list, each entry of which must be a string or an object, but is a number",
  );
  assert.equal(messageOf(["x", { a: 1 }], list), "1: a: must be a string, but is a number");
});

Deno.test("validate() takes whole numbers from the first to the last bound", () => {
  const bounded: SchemaNode = { types: ["number", "string"], range: [3, 5] };
  for (const value of [3, 4, 5, "9"]) assert.equal(messageOf(value, bounded), undefined);
  for (const value of [2, 6, 3.5, Infinity, NaN]) {
    assert.equal(messageOf(value, bounded), `must be a whole number from 3 to 5, but is ${value}`);
  }
  const open: SchemaNode = { types: ["number"], range: [1, Number.MAX_SAFE_INTEGER] };
  assert.equal(messageOf(Number.MAX_SAFE_INTEGER, open), undefined);
  assert.equal(messageOf(0, open), "must be a whole number of at least 1, but is 0");
});

Deno.test("validate() stops at an unknown key, unless somebody takes it: then what stands beside is checked", () => {
  assert.equal(messageOf({ prt: 1 }, SMALL), 'prt: is unknown; did you mean "port"?');
  assert.equal(messageOf({ zzzzz: 1, port: "x" }, SMALL), "zzzzz: is unknown");
  const unknown: SchemaProblem[] = [];
  const options = { path: ["fw"], onUnknown: (problem: SchemaProblem) => void unknown.push(problem) };
  assert.deepEqual(validate({ zzzzz: 1, port: "x" }, SMALL, options), {
    path: ["fw", "port"],
    message: "must be a number, but is a string",
  });
  assert.deepEqual(unknown, [{ path: ["fw", "zzzzz"], message: "is unknown" }]);
  const inLists: SchemaNode = { types: ["array"], items: SMALL };
  assert.equal(validate([{ other: 1 }], inLists, options), undefined);
  assert.deepEqual(unknown[1]?.path, ["fw", "0", "other"]);
});

Deno.test("validate() takes names of Object.prototype for unknown keys", () => {
  assert.equal(messageOf({ toString: 1 }, SMALL), "toString: is unknown");
  const open: SchemaNode = { types: ["object"], members: { a: text }, others: { types: ["number"] } };
  assert.equal(messageOf({ toString: 1, a: "x" }, open), undefined);
  assert.equal(messageOf({ b: "x" }, open), "b: must be a number, but is a string");
  assert.equal(messageOf({ any: 1 }, { types: ["object"] }), undefined);
});

Deno.test("knownPart() leaves out members that a schema does not know, at any depth", () => {
  const schema: SchemaNode = {
    types: ["object"],
    members: { small: SMALL, free: { types: ["object"] }, all: { types: ["object"], others: SMALL } },
  };
  const value = {
    small: { port: "x", other: 1, toString: 2 },
    free: { any: { thing: 1 } },
    all: { x: { name: "n", no: 1 }, y: 3 },
    gone: true,
  };
  assert.deepEqual(knownPart(value, schema), {
    small: { port: "x" },
    free: { any: { thing: 1 } },
    all: { x: { name: "n" }, y: 3 },
  });
  assert.deepEqual(knownPart([{ a: 1 }], SMALL), [{ a: 1 }]);
});
