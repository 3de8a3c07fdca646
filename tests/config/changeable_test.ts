import assert from "node:assert/strict";
import { carryOn, changeable } from "../../src/config/changeable.ts";
import { createEnvironment, toEnvironment } from "../../src/config/environment.ts";

type Members = Record<string, unknown>;

function envOf(value: Members) {
  const text = JSON.stringify({ fw: value }, null, 2);
  return createEnvironment([{ name: "deno.json", value, text }]);
}

/** A configuration as programs get it. */
function given(value: Members) {
  return changeable(envOf(value)) as unknown as { [name: string]: Members } & {
    requires: Record<string, Members>;
  };
}

Deno.test("changeable() copies members and lists at any depth, and leaves what it was given as it is", () => {
  const env = envOf({ i18n: { preserved_locales: ["en_GB"] }, requires: { a: { kind: "odata" } } });
  const copy = changeable(env) as unknown as Record<string, Record<string, Members>>;
  assert.deepEqual({ ...copy }, { ...env, features: {}, log: {}, sql: {} });
  (copy.i18n!.preserved_locales as unknown as string[]).push("fr_CA");
  copy.requires!.a!.kind = "rest";
  copy.sql!.any = {};
  assert.deepEqual([env.i18n, env.requires.a, env.sql], [
    { default_language: "en", preserved_locales: ["en_GB"] },
    { kind: "odata" },
    undefined,
  ]);
});

Deno.test("changeable() has the remarks, places and other components of the configuration", () => {
  const env = envOf({ query: { limit: { max: 5 } } });
  const copy = changeable(env);
  assert.equal(copy.remarks, env.remarks);
  assert.equal(copy.isLenient, false);
  assert.equal(copy.for, env.for);
  assert.deepEqual(copy.placeOf?.(["query", "limit", "max"]), { file: "deno.json", line: 5 });
  assert.deepEqual(Object.keys(copy).filter((name) => /^(?:for|remarks|isLenient|placeOf)$/.test(name)), []);
  const read = () => ({ other: true });
  assert.equal(changeable(env, read).for, read);
  assert.equal(toEnvironment(copy), copy);
});

Deno.test("carryOn() takes over members that programs changed or added, and leaves all others as they are read", () => {
  const before = given({
    requires: { a: { kind: "odata", credentials: { url: "u", path: "p" } }, b: { kind: "rest" } },
  });
  before.requires.a!.credentials = Object.assign(before.requires.a!.credentials as Members, {
    url: "changed",
  });
  before.requires.a!.timeoutMs = 5;
  before.requires.c = { kind: "odata" };
  const after = given({
    requires: { a: { kind: "rest", credentials: { url: "new", path: "q" } }, b: { kind: "odata" } },
  });
  carryOn(before as never, after as never);
  assert.deepEqual([after.requires.a, after.requires.b, after.requires.c], [
    { kind: "rest", credentials: { url: "changed", path: "q" }, timeoutMs: 5 },
    { kind: "odata" },
    { kind: "odata" },
  ]);
});

Deno.test("carryOn() puts an object of the program in the place of the one that was read", () => {
  const before = given({ requires: { a: { kind: "odata", credentials: { url: "u" } } } });
  before.requires.a = { impl: "x" };
  const after = given({ requires: { a: { kind: "odata", credentials: { url: "u" } } } });
  carryOn(before as never, after as never);
  assert.deepEqual(after.requires.a, { impl: "x" });
});

Deno.test("carryOn() leaves out what is not read any more, and what programs cannot have changed", () => {
  const before = given({ requires: { a: { kind: "odata" } } });
  before.requires.a!.kind = "rest";
  const after = given({});
  carryOn(before as never, after as never);
  assert.equal(after.requires.a, undefined);
  const frozen = envOf({ requires: { a: { kind: "odata" } } });
  carryOn(frozen, after as never);
  assert.equal(after.requires.a, undefined);
  carryOn(before as never, before as never);
  assert.deepEqual(before.requires.a, { kind: "rest" });
});
