/** Texts that must be the same where databases compare them, and how much a statement may repeat. */

import assert from "node:assert/strict";
import type { Binding } from "../../src/db/render/binding.ts";
import { EqualTexts, RepeatedText } from "../../src/db/render/equal_texts.ts";

const LONG = "x".repeat(150_000);

Deno.test("RepeatedText bounds what a statement repeats, more narrowly than what a view does", () => {
  const repeat = (isView: boolean, times: number) => {
    const use = new RepeatedText(isView).watch();
    for (let count = 0; count < times; count++) assert.equal(use("a", LONG), LONG);
  };
  repeat(false, 1);
  assert.throws(() => repeat(false, 2), { status: 400, message: /nested too deeply/ });
  repeat(true, 10);
  assert.throws(() => repeat(true, 20), { status: 400, message: /nested too deeply/ });
});

Deno.test("RepeatedText counts what is repeated only, of all calls together, up to the bound", () => {
  const counted = new RepeatedText(false);
  const half = "x".repeat(50_000);
  for (const name of ["a", "b"]) {
    const use = counted.watch();
    use(name, LONG);
    use(name, half);
  }
  const use = counted.watch();
  use("c", "y");
  assert.throws(() => use("c", "y"), { status: 400 });
  const other = new RepeatedText(false).watch();
  for (const name of ["a", "b", "c"]) other(name, LONG);
});

const value = (value: unknown): Binding => ({ kind: "value", value });

/** Writes texts one after the other, each with values of its own; gives what is written for them and the values that are left. */
function written(...texts: readonly (readonly [text: string, ...values: readonly Binding[]])[]) {
  const bindings: Binding[] = [];
  const equal = new EqualTexts(bindings);
  const found = texts.map(([text, ...values]) => {
    const known = bindings.length;
    bindings.push(...values);
    return equal.textOf(text, known);
  });
  return [found, bindings] as const;
}

Deno.test("an equal expression with equal values has the text of the first one, and no values of its own", () => {
  const [one, two] = [value(1), value(2)];
  assert.deepEqual(written(["f(a, $1)", one], ["f(a, $2)", one]), [["f(a, $1)", "f(a, $1)"], [one]]);
  assert.deepEqual(written(["f(a, $1)", one], ["f(a, $2)", two]), [["f(a, $1)", "f(a, $2)"], [one, two]]);
  assert.deepEqual(written(["f(a, $1)", one], ["f(b, $2)", one]), [["f(a, $1)", "f(b, $2)"], [one, one]]);
  const three = written(["f($1)", one], ["g($2)", two], ["f($3)", one], ["g($3)", two]);
  assert.deepEqual(three, [["f($1)", "g($2)", "f($1)", "g($2)"], [one, two]]);
});

Deno.test("values are equal where kind, form and value are, also those that JSON does not have", () => {
  const different: readonly Binding[] = [
    ...[value(1), value("1"), value(1n), value(true), value(null), value(Infinity), value(-Infinity)],
    ...[value("Infinity"), value(NaN), { kind: "param", name: "p" } as const],
    ...[{ kind: "param", name: "q" } as const, { kind: "variable", path: ["p"] } as const],
    ...[{ ...value("x"), list: true }, value("x"), { ...value("x"), count: true }],
    { ...value("x"), form: { type: "cds.Date", name: "x" } },
  ];
  for (const [at, first] of different.entries()) {
    for (const [index, second] of different.entries()) {
      const [[, text], bindings] = written(["f($1)", first], ["f($2)", second]);
      const isEqual = at === index;
      assert.equal(text, isEqual ? "f($1)" : "f($2)", JSON.stringify([at, index]));
      assert.equal(bindings.length, isEqual ? 1 : 2);
    }
  }
});

Deno.test("a placeholder alone, and what has neither values nor names of its own, stays as it is", () => {
  const one = value(1);
  assert.deepEqual(written(["$1", one], ["$2", one]), [["$1", "$2"], [one, one]]);
  assert.deepEqual(written(["a + b"], ["a + b"]), [["a + b", "a + b"], []]);
});

Deno.test("names that subqueries declare do not make them different, other names, literals and comments do", () => {
  const query = (name: string, more = "") => `(SELECT ${name}."x" FROM "t" AS ${name}${more})`;
  const same = (first: string, second: string) => written([first], [second])[0][1] === first;
  assert.ok(same(query('"a"'), query('"a$2"')));
  assert.ok(same(query('"a""b"'), query('"c"')));
  assert.ok(!same(query('"a"'), '(SELECT "a"."x" FROM "u" AS "a")'));
  assert.ok(!same(query('"a"'), query('"b"', ` WHERE "b"."y"`)));
  assert.ok(!same(query('"a"', ` WHERE 'a'`), query('"b"', ` WHERE 'b'`)));
  assert.ok(!same(query('"a"', ` WHERE "z"."y"`), query('"b"', ` WHERE "w"."y"`)));
  const two = (one: string, other: string) => `(SELECT ${one}.x FROM t AS ${one}, u AS ${other})`;
  assert.ok(same(two('"a"', '"b"'), two('"c"', '"d"')));
  assert.ok(!same(two('"a"', '"b"'), `(SELECT "d".x FROM t AS "c", u AS "d")`));
});

Deno.test("texts whose values are dropped are no longer there for others", () => {
  const [one, two] = [value(1), value(2)];
  // the text in between was written for the second one, whose values go: the last one has its own
  const bindings: Binding[] = [];
  const equal = new EqualTexts(bindings);
  bindings.push(one, two);
  assert.equal(equal.textOf("g($2)", 1), "g($2)");
  assert.equal(equal.textOf("f($1, g($2))", 0), "f($1, g($2))");
  bindings.push(one, two);
  assert.equal(equal.textOf("h($4)", 3), "h($4)");
  assert.equal(equal.textOf("f($3, g($4))", 2), "f($1, g($2))");
  assert.deepEqual(bindings, [one, two]);
  bindings.push(two);
  assert.equal(equal.textOf("h($3)", 2), "h($3)", "the first text of it is gone");
  assert.equal(equal.textOf("g($3)", 2), "g($2)", "this one is still there");
});

Deno.test("an expression that has the text of its only part keeps its values", () => {
  const bindings: Binding[] = [];
  const equal = new EqualTexts(bindings);
  bindings.push(value(1));
  for (let times = 0; times < 2; times++) assert.equal(equal.textOf("f($1)", 0), "f($1)");
  assert.deepEqual(bindings, [value(1)]);
  bindings.push(value(1));
  assert.equal(equal.textOf("f($2)", 1), "f($1)");
  assert.deepEqual(bindings, [value(1)]);
});
