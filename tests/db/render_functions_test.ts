/**
 * How dialects write calls of functions: the texts stand in `cases/functions.json`, and what they give on databases is what
 * other tests ask. A change of a text belongs into that file.
 */

import assert from "node:assert/strict";
import { D1_DIALECT } from "../../src/db/d1/d1_dialect.ts";
import type { FunctionRenderer } from "../../src/db/render/dialect.ts";
import { POSTGRES } from "../../src/db/render/postgres_dialect.ts";
import { SQLITE } from "../../src/db/render/sqlite_dialect.ts";
import CASES from "./cases/functions.json" with { type: "json" };

type Functions = Readonly<Record<string, FunctionRenderer>>;

/** The functions of which there are cases. */
const GROUPS: Readonly<Record<keyof typeof CASES, Functions>> = {
  "sqlite": SQLITE.functions,
  "sqlite views": SQLITE.viewFunctions!,
  "postgres": POSTGRES.functions,
  "postgres windows": POSTGRES.windowFunctions!,
  "d1": D1_DIALECT.functions,
  "d1 windows": D1_DIALECT.windowFunctions!,
};

for (const [group, cases] of Object.entries(CASES) as [keyof typeof CASES, Record<string, string>][]) {
  const functions = GROUPS[group];

  Deno.test(`calls of functions have their texts (${group})`, () => {
    for (const [call, text] of Object.entries(cases)) {
      const [, name, args] = /^(.*?)\((.*)\)$/.exec(call)!;
      assert.equal(functions[name!]!(...args === "" ? [] : args!.split(", ")), text, call);
    }
  });

  Deno.test(`every function has a case, unless another dialect has it or it is refused (${group})`, () => {
    const known = new Set(Object.keys(cases).map((call) => call.replace(/\(.*/, "")));
    const missing = Object.keys(functions).filter((name) =>
      !known.has(name) && !(group === "d1" && (functions[name] === SQLITE.functions[name] || isRefused(name)))
    );
    assert.deepEqual(missing, []);
  });
}

/** Whether D1 has no such function, and says so. */
function isRefused(name: string): boolean {
  const error = {
    status: 501,
    message: /^D1 and Durable Objects have no (?:regular expressions|functions of geography)$/,
  };
  assert.throws(() => D1_DIALECT.functions[name]!("a", "b"), error, name);
  return true;
}

Deno.test("D1 has no regular expressions and no geography", () => {
  const refused = Object.keys(D1_DIALECT.functions).filter((name) =>
    !Object.keys(CASES.d1).some((call) => call.startsWith(`${name}(`)) &&
    D1_DIALECT.functions[name] !== SQLITE.functions[name] && isRefused(name)
  );
  const forms = refused.filter((name) => name.startsWith("$"));
  assert.ok(forms.length > 3);
  assert.deepEqual(refused.filter((name) => !name.startsWith("$")), [
    ...["matchespattern", "geo.distance", "geo.length", "geo.intersects"],
  ]);
});

Deno.test("a JSON object of D1 gets a hundred arguments in one call, and fifty in each further one", () => {
  const args = (members: number) => Array.from({ length: members }, (_, n) => [`'n${n}'`, `v${n}`]).flat();
  const object = (members: number) => D1_DIALECT.functions.$json_object!(...args(members));
  assert.equal(object(50), `json_object(${args(50).join(", ")})`);
  const inserted = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => `'$."' || 'n${from + n}' || '"', v${from + n}`).join(", ");
  assert.equal(object(51), `json_insert(${object(50)}, ${inserted(50, 51)})`);
  assert.equal(object(75), `json_insert(${object(50)}, ${inserted(50, 75)})`);
  assert.equal(object(76), `json_insert(${object(75)}, ${inserted(75, 76)})`);
});
