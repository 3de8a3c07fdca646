import assert from "node:assert/strict";
import { SELECT } from "../../src/cqn/builders/select.ts";
import { UPDATE } from "../../src/cqn/builders/update.ts";
import { DELETE } from "../../src/cqn/builders/delete.ts";
import { INSERT } from "../../src/cqn/builders/insert.ts";
import { toExpression } from "../../src/cqn/builders/expressions.ts";
import * as ql from "../../src/cqn/ql.ts";

const { expr, func, list, ref, val, xpr } = ql;

Deno.test("ref(), val(), list(), func() and xpr() build expressions", () => {
  assert.deepEqual(ref("author.name"), { ref: ["author", "name"] });
  assert.deepEqual(ref("a.b", "c"), { ref: ["a.b", "c"] });
  assert.deepEqual(val(1), { val: 1 });
  assert.deepEqual(list(1, ref("x")), { list: [{ val: 1 }, { ref: ["x"] }] });
  assert.deepEqual(func("max", ref("x")), { func: "max", args: [{ ref: ["x"] }] });
  assert.deepEqual(xpr(ref("x"), ">", val(1)), { xpr: [{ ref: ["x"] }, ">", { val: 1 }] });
});

Deno.test("expr`…` parses text with values", () => {
  assert.deepEqual(expr`stock - ${2}`, { xpr: [{ ref: ["stock"] }, "-", { val: 2 }] });
  assert.deepEqual(expr`upper(${"x' or 1"})`, { func: "upper", args: [{ val: "x' or 1" }] });
});

Deno.test("built expressions stand in queries", () => {
  assert.deepEqual(UPDATE("Books").with({ stock: expr`stock - ${2}` }).UPDATE.with, {
    stock: { xpr: [{ ref: ["stock"] }, "-", { val: 2 }] },
  });
  assert.deepEqual(SELECT.from("Books").where({ stock: { "<": ref("minimum") } }).SELECT.where, [
    { ref: ["stock"] },
    "<",
    { ref: ["minimum"] },
  ]);
});

Deno.test("expressions take their parts one by one, as a list, or as text behind a tag", () => {
  const compared = { xpr: [{ ref: ["a"] }, "=", { val: 1 }] };
  for (
    const given of [xpr(ref("a"), "=", val(1)), xpr([ref("a"), "=", val(1)]), xpr`a = ${1}`, expr`a = 1`]
  ) {
    assert.deepEqual(given, compared);
  }
  assert.deepEqual(xpr`a`, { xpr: [{ ref: ["a"] }] });
  assert.deepEqual(expr`a`, { ref: ["a"] });
  assert.deepEqual(expr`'a', ${2}`, { list: [{ val: "a" }, { val: 2 }] });
  assert.deepEqual(list(["a", 1]), { list: [{ val: "a" }, { val: 1 }] });
  assert.deepEqual(func("max", ["a", 1]), { func: "max", args: [{ val: "a" }, { val: 1 }] });
  assert.deepEqual(ref`author.name`, { ref: ["author", "name"] });
  assert.deepEqual(ref(["author", "name"]), { ref: ["author", "name"] });
  for (const [given, value] of [[val`11`, 11], [val`-1.5`, -1.5], [val`true`, true], [val`null`, null]]) {
    assert.deepEqual(given, { val: value });
  }
  for (const given of [val`a b`, val`'a b'`, val("a b")]) assert.deepEqual(given, { val: "a b" });
});

Deno.test("nested results are built of their clauses", () => {
  const { expand, inline, where, orderBy, columns, orders, predicate } = ql;
  assert.deepEqual(expand(ref`books`, where`stock > ${7}`, orderBy`title desc`, columns`ID, title as t`), {
    ref: ["books"],
    where: [{ ref: ["stock"] }, ">", { val: 7 }],
    orderBy: [{ ref: ["title"], sort: "desc" }],
    expand: [{ ref: ["ID"] }, { ref: ["title"], as: "t" }],
  });
  assert.deepEqual(expand("books"), { ref: ["books"], expand: ["*"] });
  assert.deepEqual(inline("author", columns("name")), { ref: ["author"], inline: [{ ref: ["name"] }] });
  assert.deepEqual(orders("a", { b: "desc" }), [{ ref: ["a"] }, { ref: ["b"], sort: "desc" }]);
  assert.deepEqual(predicate({ a: 1 }), predicate`a = 1`);
  assert.deepEqual(predicate("a =", 1), predicate`a = 1`);
});

Deno.test("queries say their kind, go to another service, and begin SQL", async () => {
  const books = SELECT.from("my.Books");
  assert.deepEqual([books.kind, UPDATE("my.Books").kind], ["SELECT", "UPDATE"]);
  const seen: unknown[] = [];
  const service = { run: (query: unknown) => Promise.resolve(seen.push(query)) };
  assert.equal(await books.bind(service), 1);
  assert.equal(seen[0], books);
  // as in texts of SQL: the names of tables
  assert.equal(String(books.valueOf()), "SELECT * FROM my_Books ");
  assert.equal(DELETE.from("my.Books") + "WHERE ID = 1", "DELETE FROM my_Books WHERE ID = 1");
  assert.equal(INSERT.into("my.Books") + "VALUES (1)", "INSERT INTO my_Books VALUES (1)");
  assert.equal(UPDATE("my.Books") + "SET a = 1", "UPDATE my_Books SET a = 1");
  assert.equal(`${books}`, "SELECT from my.Books");
});

Deno.test("rows of a query go on as JSON text", async () => {
  const rows = (list: readonly object[]) =>
    SELECT.from("my.Books").bind({ run: () => Promise.resolve(list) });
  const text = async (list: readonly object[]) =>
    await new Response(await rows(list).pipeline() as ReadableStream<Uint8Array>).text();
  assert.equal(await text([]), "[]");
  assert.deepEqual(JSON.parse(await text([{ ID: 1 }, { ID: 2 }])), [{ ID: 1 }, { ID: 2 }]);
  const parts: string[] = [];
  await rows([{ ID: 1 }]).pipeline({ write: (part) => parts.push(part), end: () => parts.push(";") });
  assert.equal(parts.join(""), '[{"ID":1}];');
  let streamed: unknown;
  await rows([{ ID: 1 }]).pipeline(async (stream) => streamed = await new Response(stream).json());
  assert.deepEqual(streamed, [{ ID: 1 }]);
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const [, piped] = await Promise.all([rows([{ ID: 1 }]).pipeline(writable), new Response(readable).text()]);
  assert.equal(piped, '[{"ID":1}]');
});

Deno.test("patterns behind like and not like take the value before them, and no more", () => {
  const matches = { func: "matchesPattern", args: [{ ref: ["b"] }, { val: "^x" }] };
  const before = [{ ref: ["a"] }, "=", { val: 1 }, "and"];
  assert.deepEqual(SELECT.from("T").where`a = 1 and b like ${/^x/}`.SELECT.where, [...before, matches]);
  assert.deepEqual(SELECT.from("T").where`a = 1 and b not like ${/^x/}`.SELECT.where, [
    ...before,
    "not",
    matches,
  ]);
});

Deno.test("alias() names the rows of a query, which stay what they were", () => {
  assert.deepEqual(SELECT.from("Books").alias("b").SELECT.from, { ref: ["Books"], as: "b" });
});

Deno.test("an object that stands for no value is told by its members", () => {
  for (
    const [given, members] of [
      [{}, "no members"],
      [{ a: 1 }, "the members a"],
      [{ a: 1, b: 2 }, "the members a, b"],
    ] as const
  ) {
    const message = `Expected a value, found an object with ${members}`;
    assert.throws(() => toExpression(given), { name: "TypeError", message });
  }
});
