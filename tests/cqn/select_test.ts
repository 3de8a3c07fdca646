import assert from "node:assert/strict";
import { SELECT, type SelectBuilder } from "../../src/cqn/builders/select.ts";
import type { Recorder } from "../../src/cqn/builders/projection_recorder.ts";
import type { Column } from "../../src/cqn/cqn.ts";
import { type EntityShape, setEntityResolver, setQueryRunner } from "../../src/cqn/query_runner.ts";

const Authors: EntityShape = { name: "my.Authors", elements: { ID: {}, name: {} }, keys: { ID: {} } };
const Books: EntityShape & { toString(): string } = {
  toString: () => "my.Books",
  name: "my.Books",
  elements: {
    ID: {},
    title: {},
    name: {},
    author: { $target: Authors },
    address: { elements: { city: {} } },
  },
  keys: { ID: {} },
  $flat: new Map([["ID", 1], ["title", 1], ["author_ID", 1]]),
};

function expectSelect(builder: SelectBuilder<unknown>, expected: unknown): void {
  assert.deepEqual(JSON.parse(JSON.stringify(builder.SELECT)), expected);
}
const from = { ref: ["my.Books"] };
const ID = { ref: ["ID"] };
const stock = { ref: ["stock"] };

Deno.test("SELECT.from() takes names, definitions, paths and templates", () => {
  expectSelect(SELECT.from("my.Books"), { from });
  expectSelect(SELECT.from(Books), { from });
  expectSelect(SELECT.from({ ref: [{ id: "my.Books", where: [ID, "=", { val: 1 }] }] }), {
    from: { ref: [{ id: "my.Books", where: [ID, "=", { val: 1 }] }] },
  });
  expectSelect(SELECT.from`my.Books`, { from });
  expectSelect(SELECT.from`${Books} as b`, { from: { ...from, as: "b" } });
  expectSelect(SELECT.from("my.Books as b"), { from: { ...from, as: "b" } });
  assert.throws(() => SELECT.from(42 as never), TypeError);
});

Deno.test("SELECT.from() takes a key and a projection", () => {
  const one = { one: true, from, where: [ID, "=", { val: 201 }] };
  expectSelect(SELECT.from(Books, 201), one);
  expectSelect(SELECT.from(Books, { ID: 201 }), one);
  expectSelect(SELECT.from("my.Books", 201, ["ID", "author.name"]), {
    ...one,
    columns: [ID, { ref: ["author", "name"] }],
  });
});

Deno.test("SELECT.from() takes an entry of req.params as key", () => {
  const param = Object.assign(Object.create({ valueOf: () => 201 }), { ID: 201 });
  expectSelect(SELECT.from("my.Books", param), { one: true, from, where: [ID, "=", { val: 201 }] });
});

Deno.test("SELECT.one, .distinct and .localized set their flags", () => {
  expectSelect(SELECT.one.from(Books), { one: true, from });
  expectSelect(SELECT.distinct.from(Books), { distinct: true, from });
  expectSelect(SELECT.localized.from(Books), { localized: true, from });
  expectSelect(SELECT.from(Books).localized, { localized: true, from });
  expectSelect(SELECT.one(Books), { one: true, from });
});

Deno.test("SELECT`…` reads columns and whole queries from text", () => {
  const columns = [{ ref: ["a"] }, { ref: ["b"], as: "c" }];
  expectSelect(SELECT`a, b as c`.from`my.Books`, { from, columns });
  expectSelect(SELECT`a, b as c from my.Books where stock > ${3}`, {
    from,
    columns,
    where: [stock, ">", { val: 3 }],
  });
  expectSelect(SELECT.one`max(ID) as m`.from(Books), {
    one: true,
    from,
    columns: [{ func: "max", args: [ID], as: "m" }],
  });
});

Deno.test("SELECT keeps values of templates apart from the text", () => {
  const evil = "x' or 1=1 --";
  expectSelect(SELECT.from(Books).where`title = ${evil} and ID in ${[1, 2]}`, {
    from,
    where: [{ ref: ["title"] }, "=", { val: evil }, "and", ID, "in", { list: [{ val: 1 }, { val: 2 }] }],
  });
  assert.throws(() => SELECT.from(Books).where`ID = ${{ ref: ["password"] }}`, TypeError);
  assert.throws(
    () => SELECT.from(Books).where`ID = ${{ name: "x", kind: "entity", toString: "x" }}`,
    TypeError,
  );
});

Deno.test("SELECT takes subqueries as values", () => {
  const inner = { SELECT: { from: { ref: ["my.Authors"] }, columns: [ID] } };
  expectSelect(SELECT.from(Books).where`author_ID in ${SELECT("ID").from(Authors)}`, {
    from,
    where: [{ ref: ["author_ID"] }, "in", inner],
  });
  expectSelect(SELECT.from(Books).where({ author_ID: { in: SELECT("ID").from(Authors) } }), {
    from,
    where: [{ ref: ["author_ID"] }, "in", inner],
  });
});

Deno.test("where() takes objects", () => {
  const where = (condition: Record<string, unknown>) => SELECT.from(Books).where(condition).SELECT.where;
  assert.deepEqual(where({ ID: 1, stock: 2 }), [ID, "=", { val: 1 }, "and", stock, "=", { val: 2 }]);
  assert.deepEqual(where({ stock: { ">=": 5 } }), [stock, ">=", { val: 5 }]);
  assert.deepEqual(where({ stock: { ">": 1, "<": 9 } }), [
    ...[stock, ">", { val: 1 }],
    "and",
    ...[stock, "<", { val: 9 }],
  ]);
  assert.deepEqual(where({ ID: [1, 2] }), [ID, "in", { list: [{ val: 1 }, { val: 2 }] }]);
  assert.deepEqual(where({ ID: { in: [1] } }), [ID, "in", { list: [{ val: 1 }] }]);
  assert.deepEqual(where({ ID: { "not in": [1] } }), [ID, "not", "in", { list: [{ val: 1 }] }]);
  assert.deepEqual(where({ stock: null }), [stock, "is", "null"]);
  assert.deepEqual(where({ stock: { "!=": null } }), [stock, "is", "not", "null"]);
  assert.deepEqual(where({ stock: { between: 1, and: 5 } }), [
    stock,
    "between",
    { val: 1 },
    "and",
    { val: 5 },
  ]);
  assert.deepEqual(where({ "author.name": { like: "A%" } }), [
    { ref: ["author", "name"] },
    "like",
    { val: "A%" },
  ]);
  assert.deepEqual(where({ stock: { ref: ["ID"] } }), [stock, "=", ID]);
  assert.deepEqual(where({ ID: 1, or: { stock: 1 } }), [
    ...[ID, "=", { val: 1 }],
    "or",
    ...[stock, "=", { val: 1 }],
  ]);
  assert.deepEqual(where({ ID: 1, and: { stock: 1, or: { stock: 2 } } }), [
    ...[ID, "=", { val: 1 }],
    "and",
    { xpr: [stock, "=", { val: 1 }, "or", stock, "=", { val: 2 }] },
  ]);
  assert.deepEqual(where({ not: { ID: 1 } }), ["not", { xpr: [ID, "=", { val: 1 }] }]);
  assert.deepEqual(where({ exists: "author.books" }), ["exists", { ref: ["author", "books"] }]);
  const stocked = SELECT.from("Stock").where({ ID: 1 });
  assert.deepEqual(where({ exists: stocked }), ["exists", stocked]);
});

Deno.test("where() takes null and lists beside operators for tests of null and membership", () => {
  const [one, isNull, isNotNull] = [{ val: 1 }, ["is", "null"], ["is", "not", "null"]];
  const cases: readonly (readonly [object | null, readonly unknown[]])[] = [
    ...[{ "=": null }, { "==": null }, { is: null }, { is: "null" }].map((given) => [given, isNull] as const),
    ...[{ "!=": null }, { "<>": null }, { is: "not null" }].map((given) => [given, isNotNull] as const),
    ...[[1], { "=": [1] }, { in: [1] }].map((given) => [given, ["in", { list: [one] }]] as const),
    ...[{ "!=": [1] }, { "not in": [1] }].map((given) => [given, ["not", "in", { list: [one] }]] as const),
    ...[{ between: 1, and: 1 }, { between: [1, 1] }].map((given) =>
      [given, ["between", one, "and", one]] as const
    ),
    [{ "==": 1 }, ["==", one]],
    [{ ">": null }, [">", { val: null }]],
  ];
  for (const [given, tokens] of cases) {
    const { where } = SELECT.from(Books).where({ stock: given } as never).SELECT;
    assert.deepEqual(where, [stock, ...tokens], JSON.stringify(given));
  }
  const negated = SELECT.from(Books).where({ stock: { not: { "=": null } } }).SELECT.where;
  assert.deepEqual(negated, ["not", { xpr: [stock, ...isNull] }]);
});

Deno.test("where() refuses unknown operators and foreign text in expression objects", () => {
  const where = (condition: Record<string, unknown>) => () => SELECT.from(Books).where(condition);
  assert.throws(where({ ID: { "; drop": 1 } }), /Unknown operator '; drop'/);
  assert.throws(where({ ID: { xpr: ["1 = 1; drop"] } }), /Unknown operator/);
  assert.throws(where({ ID: { func: "f(); --", args: [] } }), /Not the name of a function/);
  assert.throws(where({ ID: { in: { SELECT: { from: { ref: ["secrets"] } } } } }), /subquery/);
});

Deno.test("where(), and(), or() take alternating text and values", () => {
  expectSelect(SELECT.from(Books).where("ID =", 1).and("stock >=", 2).or("stock <", 0), {
    from,
    where: [ID, "=", { val: 1 }, "and", stock, ">=", { val: 2 }, "or", stock, "<", { val: 0 }],
  });
  expectSelect(SELECT.from(Books).where("ID =", 1, "and stock =", null), {
    from,
    where: [ID, "=", { val: 1 }, "and", stock, "=", { val: null }],
  });
});

Deno.test("where() after an or keeps the precedence", () => {
  expectSelect(SELECT.from(Books).where("ID = 1 or ID = 2").where({ stock: 0 }), {
    from,
    where: [{ xpr: [ID, "=", { val: 1 }, "or", ID, "=", { val: 2 }] }, "and", stock, "=", { val: 0 }],
  });
});

Deno.test("SELECT takes columns, order, groups, limits, search and locks", () => {
  expectSelect(SELECT.from(Books).columns("ID", "upper(title) as t", { ref: ["stock"] }), {
    from,
    columns: [ID, { func: "upper", args: [{ ref: ["title"] }], as: "t" }, stock],
  });
  const nested: Column = { ref: ["author"], expand: ["*"] };
  const inlined: Column = { ref: ["author"], inline: [{ ref: ["name"] }] };
  expectSelect(SELECT.from(Books).columns(nested, inlined), { from, columns: [nested, inlined] });
  expectSelect(SELECT.from(Books).orderBy({ title: 1, stock: -1, ID: "desc" } as never), {
    from,
    orderBy: [{ ref: ["title"], sort: "asc" }, { ...stock, sort: "desc" }, { ...ID, sort: "desc" }],
  });
  expectSelect(SELECT.from(Books).orderBy("ID", "stock desc").orderBy({ title: "asc" }), {
    from,
    orderBy: [ID, { ...stock, sort: "desc" }, { ref: ["title"], sort: "asc" }],
  });
  expectSelect(SELECT.from(Books).groupBy("ID").having("count(*) >", 1).and({ ID: 1 }), {
    from,
    groupBy: [ID],
    having: [{ func: "count", args: ["*"] }, ">", { val: 1 }, "and", ID, "=", { val: 1 }],
  });
  expectSelect(SELECT.from(Books).limit(10, 5), { from, limit: { rows: { val: 10 }, offset: { val: 5 } } });
  expectSelect(SELECT.from(Books).limit({ rows: 10 }), { from, limit: { rows: { val: 10 } } });
  expectSelect(SELECT.from(Books).search("a", "b"), { from, search: [{ val: "a" }, "and", { val: "b" }] });
  expectSelect(SELECT.from(Books).forUpdate({ wait: 5 }), { from, forUpdate: { wait: 5 } });
  expectSelect(SELECT.from(Books).forShareLock(), { from, forShareLock: {} });
  assert.throws(() => SELECT.from(Books).orderBy({ title: "up" as never }), /Expected asc or desc/);
  expectSelect(SELECT.from(Books).columns({ title: "t" }), { from, columns: [{ ref: ["title"], as: "t" }] });
  for (const column of [{}, { title: 1 }, { title: "t", stock: "s" }, { title: "t", stock: 1 }, null]) {
    assert.throws(
      () => SELECT.from(Books).columns(column as never),
      /Expected a column, found (object|null)/,
    );
  }
});

Deno.test("SELECT records projection functions", () => {
  const columns = (projection: (b: Recorder) => unknown) => SELECT.from(Books, projection).SELECT.columns;
  assert.deepEqual(columns((b) => [b.ID, b.name, b.author_ID]), [ID, { ref: ["name"] }, {
    ref: ["author_ID"],
  }]);
  assert.deepEqual(columns((b) => [b`*`, b.author((a: Recorder) => a.name)]), [
    "*",
    { ref: ["author"], expand: [{ ref: ["name"] }] },
  ]);
  assert.deepEqual(columns((b) => b.author`{ID, name}`), [
    { ref: ["author"], expand: [ID, { ref: ["name"] }] },
  ]);
  assert.deepEqual(columns((b) => b.author("*")), [{ ref: ["author"], expand: ["*"] }]);
  assert.deepEqual(columns((b) => [b.author.name.as("who"), b.title`as t`, b.address.city]), [
    { ref: ["author", "name"], as: "who" },
    { ref: ["title"], as: "t" },
    { ref: ["address", "city"] },
  ]);
  expectSelect(SELECT((b: Recorder) => b.ID).from(Books), { from, columns: [ID] });
});

Deno.test("SELECT finds the definition of a name by the resolver", () => {
  assert.throws(() => SELECT.from(Books, (b: Recorder) => b.nope.nope), TypeError);
  setEntityResolver((name) => name === "Books" ? Books : undefined);
  try {
    expectSelect(SELECT.from("Books", (b: Recorder) => b.ID), { from: { ref: ["Books"] }, columns: [ID] });
  } finally {
    setEntityResolver(undefined);
  }
});

Deno.test("await SELECT runs the query on the hook or on its binding", async () => {
  const query = SELECT.from(Books).where({ ID: 1 });
  await assert.rejects(async () => await query, /No database/);
  setQueryRunner((given) => Promise.resolve([given]));
  try {
    assert.deepEqual(await query, [query]);
  } finally {
    setQueryRunner(undefined);
  }
});

Deno.test("a query is a promise: it takes what it gives or fails with, and what is done at its end", async () => {
  const query = SELECT.from(Books);
  let ended = 0;
  const end = () => void ended++;
  assert.match(String(await query.catch((error) => error)), /No database/);
  await assert.rejects(query.finally(end), /No database/);
  assert.equal(ended, 1);
  setQueryRunner(() => Promise.resolve(["row"]));
  try {
    assert.deepEqual(await query.then((rows) => [rows, "more"]), [["row"], "more"]);
    assert.deepEqual(await query.catch(() => "never"), ["row"]);
    assert.deepEqual(await query.finally(end), ["row"]);
    assert.equal(ended, 2);
  } finally {
    setQueryRunner(undefined);
  }
});

Deno.test("toString() of a query is its CQL", () => {
  assert.equal(
    String(SELECT.one.from(Books, 201).columns("ID", "author.name as a")),
    "SELECT one from my.Books { ID, author.name as a } where ID = 201",
  );
});

Deno.test("a value that is undefined in a condition or key is refused, naming call and element; null is a value (api 8)", () => {
  const missing = (build: () => unknown, message: RegExp) =>
    assert.throws(
      build,
      (error: Error) => error instanceof TypeError && message.test(error.message),
      `${build}`,
    );
  const key = /^The value in SELECT\.from\(my\.Books, …\) is undefined: expected a value, or null for none$/;
  missing(() => SELECT.one.from(Books, undefined), key);
  missing(() => SELECT.from(Books, undefined), key);
  missing(() => SELECT.from(Books, undefined, ["title"]), key);
  missing(() => SELECT.one(Books, undefined), key);
  missing(() => SELECT.from(Books).byKey(undefined), key);
  missing(
    () => SELECT.one.from(Books, { ID: undefined }),
    /^"ID" in SELECT\.from\(my\.Books, …\) is undefined/,
  );
  const query = () => SELECT.from(Books);
  const where = /^"ID" in SELECT\.where\(…\) is undefined/;
  missing(() => query().where({ ID: undefined }), where);
  missing(() => query().where(Object.assign(Object.create({}), { ID: undefined })), where);
  missing(() => query().where({ ID: 1 }).and({ ID: undefined }), /^"ID" in SELECT\.and\(…\)/);
  missing(() => query().where({ ID: 1 }).or({ ID: undefined }), /^"ID" in SELECT\.or\(…\)/);
  missing(() => query().having({ ID: undefined }), /^"ID" in SELECT\.having\(…\)/);
  for (
    const condition of [{ "=": undefined }, { in: undefined }, { ">": undefined }, {
      between: 1,
      and: undefined,
    }]
  ) {
    missing(() => query().where({ ID: condition }), /^"ID\..*" in SELECT\.where\(…\) is undefined/);
  }
  missing(() => query().where({ ID: [1, undefined] }), /^"ID\[1\]" in SELECT\.where/);
  missing(() => query().where({ or: [{ ID: 1 }, { ID: undefined }] }), /^"or\[1\]\.ID" in SELECT\.where/);
  missing(() => query().where("ID =", undefined), /in SELECT\.where\(…\) is undefined/);
  missing(() => query().where`ID = ${undefined}`, /in SELECT\.where\(…\) is undefined/);
  missing(() => query().where(undefined as never), /in SELECT\.where\(…\) is undefined/);
  missing(() => query().columns`title || ${undefined} as x`, /found undefined/);
  assert.throws(() => query().where(null as never), /Expected a condition in SELECT\.where\(…\), found null/);
  expectSelect(query().where({ ID: null }), { from, where: [ID, "is", "null"] });
  expectSelect(query().where({ ID: { "!=": null } }), { from, where: [ID, "is", "not", "null"] });
});

Deno.test("SELECT.one, .distinct and .localized go together, in any order (api 8)", () => {
  expectSelect(SELECT.one.localized.from(Books), { one: true, localized: true, from });
  expectSelect(SELECT.localized.distinct.one`title`.from(Books), {
    localized: true,
    distinct: true,
    one: true,
    from,
    columns: [{ ref: ["title"] }],
  });
  expectSelect(SELECT.one.from(Books), { one: true, from });
});

Deno.test("limit() takes numbers of rows only, and none for no limit", () => {
  expectSelect(SELECT.from(Books).limit("2" as unknown as number), { from, limit: { rows: { val: 2 } } });
  expectSelect(SELECT.from(Books).limit(null, 1), { from, limit: { offset: { val: 1 } } });
  for (const wrong of ["x", "", -1, 1.5, NaN, Infinity]) {
    assert.throws(
      () => SELECT.from(Books).limit(wrong as number),
      /^TypeError: Expected a number of rows, found/,
    );
  }
});

Deno.test("a projection function that reads nothing of its entity is refused", () => {
  assert.throws(
    () => SELECT.from(Books, (book: Recorder) => book.titel),
    /Expected a projection function that reads elements of ".*Books", found none/,
  );
});

Deno.test("conditions of several arguments are expressions with operators between them: nothing that is given is left out", () => {
  const where = (...args: readonly unknown[]) => SELECT.from("Books").where(...args as [string]).SELECT.where;
  const [a, b] = [{ ref: ["a"] }, { val: 1 }];
  assert.deepEqual(where(a, "=", b), [a, "=", b]);
  const given: readonly (readonly unknown[])[] = [
    [{ a: 1 }, "and", { b: 2 }],
    [{ a: 1 }, { b: 2 }],
    [{ a: 1 }, 5],
    [[a, "=", b], "and", a],
    [a, "=", 1],
  ];
  const refusal = /^TypeError: Expected expressions and operators in SELECT\.where\(…\), found/;
  for (const args of given) assert.throws(() => where(...args), refusal, JSON.stringify(args));
});
