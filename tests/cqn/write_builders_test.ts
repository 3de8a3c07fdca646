import assert from "node:assert/strict";
import { createDelete, DELETE } from "../../src/cqn/builders/delete.ts";
import { INSERT, UPSERT } from "../../src/cqn/builders/insert.ts";
import { SELECT } from "../../src/cqn/builders/select.ts";
import { UPDATE } from "../../src/cqn/builders/update.ts";
import { isQuery } from "../../src/cqn/is_query.ts";
import { setEntityResolver } from "../../src/cqn/query_runner.ts";

const plain = (value: unknown) => JSON.parse(JSON.stringify(value));
const Books = { ref: ["Books"] };
const ID = { ref: ["ID"] };
const stock = { ref: ["stock"] };

Deno.test("INSERT.into() takes entries, columns with rows or values, and queries", () => {
  const entries = [{ ID: 1 }, { ID: 2 }];
  assert.deepEqual(plain(INSERT.into("Books").entries(entries)), { INSERT: { into: Books, entries } });
  assert.deepEqual(plain(INSERT.into("Books").entries(...entries)), { INSERT: { into: Books, entries } });
  assert.deepEqual(plain(INSERT.into("Books", entries)), { INSERT: { into: Books, entries } });
  assert.deepEqual(plain(INSERT(entries).into`Books`), { INSERT: { into: Books, entries } });
  const rows = [[1, "a"], [2, "b"]];
  const columns = ["ID", "title"];
  assert.deepEqual(plain(INSERT.into("Books").columns("ID", "title").rows(rows)), {
    INSERT: { into: Books, columns, rows },
  });
  assert.deepEqual(plain(INSERT.into("Books").columns(columns).rows(...rows)), {
    INSERT: { into: Books, columns, rows },
  });
  assert.deepEqual(plain(INSERT.into("Books").columns(columns).values(1, "a")), {
    INSERT: { into: Books, columns, values: [1, "a"] },
  });
  for (
    const [given, values] of [
      [[[1, "a"]], [1, "a"]],
      [["a"], ["a"]],
      [[["a"], 1], [["a"], 1]],
      [[], []],
    ]
  ) {
    assert.deepEqual(plain(INSERT.into("Books").values(...given)), { INSERT: { into: Books, values } });
  }
  for (
    const [given, rows] of [
      [[[1, "a"]], [[1, "a"]]],
      [[[["a"]], [["b"]]], [[["a"]], [["b"]]]],
    ]
  ) {
    assert.deepEqual(plain(INSERT.into("Books").rows(...given)), { INSERT: { into: Books, rows } });
  }
  const query = { SELECT: { from: { ref: ["Old"] } } };
  assert.deepEqual(plain(INSERT.into("Books").as(SELECT.from("Old"))), {
    INSERT: { into: Books, from: query },
  });
});

Deno.test("INSERT keeps the identity of entries", () => {
  const entry = { ID: 1 };
  assert.equal(INSERT.into("Books").entries(entry).INSERT.entries?.[0], entry);
});

Deno.test("UPSERT.into() takes entries", () => {
  assert.deepEqual(plain(UPSERT.into("Books").entries({ ID: 1 })), {
    UPSERT: { into: Books, entries: [{ ID: 1 }] },
  });
});

Deno.test("UPDATE takes a key, values and expressions", () => {
  const where = [ID, "=", { val: 1 }];
  const less = { xpr: [stock, "-", { val: 2 }] };
  assert.deepEqual(plain(UPDATE("Books", 1).set({ title: "x", stock: { "-=": 2 } })), {
    UPDATE: { entity: Books, where, data: { title: "x" }, with: { stock: less } },
  });
  assert.deepEqual(plain(UPDATE("Books").where("ID =", 1).and("stock >=", 2).set("stock -=", 2)), {
    UPDATE: { entity: Books, where: [...where, "and", stock, ">=", { val: 2 }], with: { stock: less } },
  });
  assert.deepEqual(plain(UPDATE`Books`.set`stock = stock - ${2}, title = ${"x"}`.where({ ID: 1 })), {
    UPDATE: { entity: Books, where, with: { stock: less }, data: { title: "x" } },
  });
  assert.deepEqual(plain(UPDATE.entity("Books").with({ stock: less, address: { city: "x" } })), {
    UPDATE: { entity: Books, with: { stock: less }, data: { address: { city: "x" } } },
  });
  assert.deepEqual(plain(UPDATE("Books", { ID: 1 }).data({ meta: { ref: ["x"] } })), {
    UPDATE: { entity: Books, where, data: { meta: { ref: ["x"] } } },
  });
});

Deno.test("DELETE.from() takes a key and conditions", () => {
  assert.deepEqual(plain(DELETE.from("Books", 1)), {
    DELETE: { from: Books, where: [ID, "=", { val: 1 }] },
  });
  assert.deepEqual(plain(DELETE.from`Books`.where({ stock: { "<": 1 } })), {
    DELETE: { from: Books, where: [stock, "<", { val: 1 }] },
  });
  const subject = { ref: [{ id: "Books", where: [ID, "=", { val: 1 }] }] };
  assert.deepEqual(plain(DELETE.from(subject)), { DELETE: { from: subject } });
});

Deno.test("keys of an entity with several keys must be named", () => {
  const Items = { name: "Items", elements: { a: {}, b: {} }, keys: { a: {}, b: {} } };
  assert.throws(() => DELETE.from(Items, 1), /Expected values for the keys a, b of Items/);
  assert.deepEqual(plain(DELETE.from(Items, { a: 1, b: 2 })).DELETE.where, [
    ...[{ ref: ["a"] }, "=", { val: 1 }],
    "and",
    ...[{ ref: ["b"] }, "=", { val: 2 }],
  ]);
});

Deno.test("a bound builder runs where it is bound", async () => {
  const runs: unknown[] = [];
  const binding = {
    run: (query: unknown) => {
      runs.push(query);
      return Promise.resolve(3);
    },
  };
  const query = createDelete(binding).from("Books").where({ ID: 1 });
  assert.equal(await query, 3);
  assert.equal(runs[0], query);
});

Deno.test("a builder is a query", () => {
  const query = INSERT.into("Books");
  assert.ok(isQuery(query) && "INSERT" in query);
  assert.ok(!isQuery({}));
  assert.ok(!isQuery(null));
});

Deno.test("a key or value that is missing never addresses all rows", () => {
  const missing = (build: () => unknown, message: RegExp) =>
    assert.throws(
      build,
      (error: Error) => error instanceof TypeError && message.test(error.message),
      `${build}`,
    );
  missing(() => DELETE.from("Books", undefined), /^The value in DELETE\.from\(Books, …\) is undefined/);
  missing(() => DELETE("Books", undefined), /^The value in DELETE\.from\(Books, …\) is undefined/);
  missing(() => DELETE.from("Books").where({ ID: undefined }), /^"ID" in DELETE\.where\(…\) is undefined/);
  missing(() => DELETE.from("Books").where(undefined as never), /DELETE\.where\(…\)/);
  assert.throws(() => DELETE.from("Books", {}), /Expected a key/);
  missing(() => UPDATE("Books", undefined), /^The value in UPDATE\(Books, …\) is undefined/);
  missing(() => UPDATE.entity("Books", { ID: undefined }), /^"ID" in UPDATE\(Books, …\) is undefined/);
  missing(() => UPDATE("Books", 1).set`a = ${undefined}`, /found undefined/);
  missing(() => UPDATE("Books", 1).set("a =", undefined), /found undefined/);
  missing(
    () => UPDATE("Books", 1).set(undefined as never),
    /Expected values by element in set\(…\), found undefined/,
  );
  const where = [ID, "is", "null"];
  assert.deepEqual(plain(DELETE.from("Books", null)), { DELETE: { from: Books, where } });
});

Deno.test("INSERT and UPSERT refuse rows that are no objects, and sources that are no SELECT", () => {
  for (
    const [wrong, found] of [
      [null, "null"],
      ["x", "string"],
      [[new Set([{}])], "a list"],
      [5, "number"],
    ] as const
  ) {
    const message = `Expected rows as objects, found ${found}`;
    assert.throws(() => INSERT.into("Books").entries(wrong as never), { name: "TypeError", message });
    assert.throws(() => UPSERT.into("Books", [{}, ...[wrong].flat() as never[]]), {
      name: "TypeError",
      message,
    });
  }
  assert.throws(
    () => INSERT.into("Books").as("SELECT 1" as never),
    /Expected a SELECT whose rows are written/,
  );
});

Deno.test("what is no element is refused where it is written, naming call, entity and the nearest name", () => {
  const items = { name: "Items", elements: { ID: {}, amount: {} } };
  const shape = {
    name: "Orders",
    elements: {
      ID: {},
      name: {},
      items: { $target: items },
      address: { elements: { city: {} } },
      buyer: { $target: { name: "Buyers", elements: { ID: {} } } },
    },
    $flat: new Map([["ID", {}], ["name", {}], ["address_city", {}], ["buyer_ID", {}]]),
  };
  setEntityResolver((name) => name === "Orders" ? shape : undefined);
  try {
    const refused = (build: () => unknown, message: string) =>
      assert.throws(build, { name: "TypeError", message }, `${build}`);
    const near = (call: string) => `Unknown element "nme" of "Orders" in ${call}, the nearest is "name"`;
    refused(() => UPDATE("Orders", 1).set({ nme: 1 }), near("UPDATE(Orders).set(…)"));
    refused(() => UPDATE("Orders", 1).with({ nme: { "-=": 1 } }), near("UPDATE(Orders).set(…)"));
    refused(() => UPDATE("Orders", 1).set("nme =", 1), near("UPDATE(Orders).set(…)"));
    refused(() => UPDATE("Orders", 1).set("nme = name || 'x'"), near("UPDATE(Orders).set(…)"));
    refused(() => UPDATE("Orders", 1).set`nme -= ${1}`, near("UPDATE(Orders).set(…)"));
    refused(() => UPDATE("Orders", 1).data({ nme: 1 }), near("UPDATE(Orders).data(…)"));
    refused(() => INSERT.into("Orders", { nme: 1 }), near("INSERT.into(Orders).entries(…)"));
    refused(
      () => INSERT.into("Orders").entries([{ ID: 1 }, { nme: 1 }]),
      near("INSERT.into(Orders).entries(…)"),
    );
    refused(() => INSERT([{ nme: 1 }]).into("Orders"), near("INSERT.into(Orders).entries(…)"));
    refused(() => INSERT.into("Orders").columns("ID", "nme"), near("INSERT.into(Orders).columns(…)"));
    refused(() => UPSERT.into("Orders").entries({ nme: 1 }), near("UPSERT.into(Orders).entries(…)"));
    refused(
      () => INSERT.into("Orders").entries({ items: [{ amout: 1 }] }),
      'Unknown element "amout" of "Items" in INSERT.into(Orders).entries(…), the nearest is "amount"',
    );
    refused(
      () => UPDATE("Orders", 1).set({ address: { town: 1 } }),
      'Unknown element "town" of "Orders:address" in UPDATE(Orders).set(…)',
    );
    refused(
      () => UPDATE("Orders", 1).set("adress.city =", "b"),
      'Unknown element "adress.city" of "Orders" in UPDATE(Orders).set(…), the nearest is "address_city"',
    );
    assert.doesNotThrow(() => UPDATE("Orders", 1).set("address.city =", "b"));
    assert.doesNotThrow(() => UPDATE("Orders", 1).set("buyer.name =", "b"));
    const row = {
      ID: 1,
      name: "a",
      address_city: "b",
      address: { city: "c" },
      buyer: { ID: 1 },
      buyer_ID: 1,
    };
    const good = { ...row, items: [{ ID: 1 }], "name@x": 1, nme: undefined };
    assert.deepEqual(plain(INSERT.into("Orders").entries(good)).INSERT.entries.length, 1);
    assert.ok(UPDATE("Orders", 1).set(good));
    assert.ok(UPDATE("Others", 1).set({ nme: 1 }));
  } finally {
    setEntityResolver(undefined);
  }
});
