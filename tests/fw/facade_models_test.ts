/** Members of `fw` about models and queries (api 1): what they take, and what they say where something is missing. */

import assert from "node:assert/strict";
import fw from "../../mod.ts";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { linkModel } from "../../src/model/link_model.ts";
import type { Csn } from "../../src/model/csn.ts";
import { csnOf, withShop } from "./shop.ts";

const OWN = "entity Own { key ID : Integer; title : String @title: 'T'; }";

Deno.test("fw starts queries by the names of their events", () =>
  withShop({}, () => {
    const from = { ref: ["shop.Books"] };
    const where = [{ ref: ["ID"] }, "=", { val: 7 }];
    const row = { ID: 7 };
    const cases: readonly [object, object][] = [
      [fw.read("shop.Books"), { SELECT: { from } }],
      [fw.read("shop.Books", 7), { SELECT: { from, one: true, where } }],
      [fw.read("shop.Books", ["ID"] as never), { SELECT: { from, columns: [{ ref: ["ID"] }] } }],
      [fw.exists("shop.Books", 7), { SELECT: { from, one: true, where, columns: [{ val: 1 }] } }],
      [fw.exists("shop.Books"), { SELECT: { from, one: true, columns: [{ val: 1 }] } }],
      [fw.insert(row).into("shop.Books"), { INSERT: { into: from, entries: [row] } }],
      [fw.create("shop.Books", row), { INSERT: { into: from, entries: [row] } }],
      [fw.create("shop.Books").entries(row), { INSERT: { into: from, entries: [row] } }],
      [fw.upsert([row, row]).into("shop.Books"), { UPSERT: { into: from, entries: [row, row] } }],
      [fw.update("shop.Books", 7).set({ stock: 1 }), { UPDATE: { entity: from, where, data: { stock: 1 } } }],
      [fw.delete("shop.Books", 7), { DELETE: { from, where } }],
      [fw.delete("shop.Books"), { DELETE: { from } }],
    ];
    for (const [query, expected] of cases) {
      assert.deepEqual(JSON.parse(JSON.stringify(query)), JSON.parse(JSON.stringify(expected)));
    }
  }));

Deno.test("fw.foreach acts on each row, and needs a database", async () => {
  await withShop({}, async () => {
    const seen: unknown[] = [];
    await fw.foreach("shop.Authors", (row) => void seen.push(row.name));
    await fw.foreach(fw.ql.SELECT.from("shop.Books").where({ ID: 2 }), (row) => void seen.push(row.title));
    assert.deepEqual(seen, ["Emily", "Jane", "Emma"]);
  });
  await withShop({ data: undefined, env: { requires: { db: null } } }, async () => {
    const message = "This runtime has no database: configure fw.requires.db";
    await assert.rejects(fw.foreach("shop.Books", () => {}), { name: "TypeError", message });
    assert.throws(() => fw.db, { name: "TypeError", message });
    assert.throws(() => fw.run("SELECT 1"), { message });
  });
});

/** Kinds that compile and find what they are asked for, and note it. */
function kindsOf(asked: unknown[], files: readonly string[] = ["/p/a.cds"]) {
  const csn = csnOf(OWN);
  return {
    ...denoKinds,
    loadModel: (names: readonly string[]) => (asked.push(["load", names]), Promise.resolve(csn)),
    resolveModel: (names: readonly string[]) => (asked.push(["resolve", names]), files),
    compiler: () => (source: unknown) => (asked.push(["compile", source]), csn),
  };
}

Deno.test("fw.load, get and resolve take one name, several, or all", async () => {
  const asked: unknown[] = [];
  await withShop({ kinds: kindsOf(asked) }, async (runtime) => {
    const loaded: unknown[] = [];
    runtime.events.on("loaded", (csn: never) => void loaded.push(csn));
    for (const [given, names] of [[undefined, ["*"]], ["db", ["db"]], [["a", "b"], ["a", "b"]]] as const) {
      asked.length = loaded.length = 0;
      const inferred = await fw.load(given);
      assert.equal(loaded[0], inferred, "listeners get what is given");
      assert.equal(await fw.get(given) === inferred, false);
      assert.deepEqual(fw.resolve(given), ["/p/a.cds"]);
      const sync = fw.load(given ?? "*", { sync: true });
      assert.deepEqual(Object.keys(sync.definitions!), ["Own"]);
      assert.deepEqual(asked, [["load", names], ["load", names], ["resolve", names], ["compile", names]]);
      assert.equal(loaded.length, 2);
    }
  });
  await withShop({ kinds: kindsOf([], []) }, () => assert.equal(fw.resolve("none"), undefined));
  await withShop({}, async () => {
    assert.throws(() => fw.resolve(), /^ConfigurationError.*This runtime holds no compiler/);
    await assert.rejects(fw.load(), /holds no compiler/);
    await assert.rejects(fw.get(), /holds no compiler/);
    assert.throws(() => fw.load("*", { sync: true }), /holds no compiler/);
  });
  assert.deepEqual(fw.resolve.cache, {});
});

Deno.test("fw.linked and fw.reflect link what is no linked model yet", () =>
  withShop({ kinds: kindsOf([]) }, () => {
    const csn = csnOf(OWN);
    const linked = fw.linked(csn);
    assert.equal(fw.linked(linked), linked);
    assert.equal(fw.reflect(linked), linked);
    assert.equal(fw.reflect(), fw.model);
    for (
      const model of [
        linked,
        fw.linked(OWN),
        fw.linked`${"entity"} Own {}`,
        fw.reflect(csn),
        fw.linked(["a.cds"]),
      ]
    ) {
      assert.ok(model.entity("Own") instanceof fw.linked.classes.entity);
    }
    assert.equal(fw.linked.classes, fw.builtin.classes);
    for (const [given, type] of [[null, "null"], [5, "number"]] as const) {
      assert.throws(() => fw.linked(given as never), {
        name: "TypeError",
        message: `A model is expected: CDL text, files or CSN, but found ${type}`,
      });
    }
  }));

Deno.test("fw.extend adds definitions and extensions to a model, which is inferred again and stays as it was", () => {
  const csn: Csn = { ...csnOf(OWN), meta: { flavor: "inferred", creator: "me" } };
  const before = structuredClone(csn);
  const more: Csn = {
    definitions: { Other: { kind: "entity", elements: { ID: { key: true, type: "cds.Integer" } } } },
    extensions: [{ extend: "Own", elements: { more: { type: "cds.String" } } }, {
      annotate: "Own",
      "@a": 1,
    }] as never,
  };
  const extended = fw.extend(csn).with(more, { extensions: [{ annotate: "Other", "@b": 2 }] } as Csn);
  assert.deepEqual(csn, before);
  const { Own, Other } = extended.definitions as Record<string, Record<string, unknown>>;
  assert.deepEqual(Object.keys(Own!.elements as object), ["ID", "title", "more"]);
  assert.deepEqual([Own!["@a"], Other!["@b"]], [1, 2]);
  assert.equal((extended.meta as { creator?: string }).creator, "me");
});

Deno.test("fw.extend adds members of objects and classes, accessors included, and keeps the constructor", () => {
  class Target {
    own = 1;
  }
  class More {
    get twice() {
      return (this as unknown as Target).own * 2;
    }
    three() {
      return 3;
    }
  }
  const { constructor } = Target.prototype;
  assert.equal(fw.extend(Target).with(More, { four: 4 }), Target);
  const target = new Target() as Target & More & { four: number };
  target.own = 5;
  assert.deepEqual([target.twice, target.three(), target.four], [10, 3, 4]);
  assert.equal(Target.prototype.constructor, constructor);
  const object = { a: 1 };
  assert.equal(
    fw.extend(object).with(
      { b: 2 },
      class {
        c() {
          return 3;
        }
      },
    ),
    object,
  );
  assert.deepEqual(
    [object.a, (object as never as { b: number }).b, (object as never as { c(): number }).c()],
    [1, 2, 3],
  );
});

Deno.test("fw.compile takes texts, files, CSN and linked models, written or inferred, whole or in part", async () => {
  const asked: unknown[] = [];
  await withShop({ kinds: kindsOf(asked) }, async () => {
    const files: readonly [string | readonly string[], unknown][] = [
      ["*", ["*"]],
      ["file:db", ["db"]],
      [["a.cds", "b.cds"], ["a.cds", "b.cds"]],
    ];
    for (const [given, names] of files) {
      asked.length = 0;
      const csn = await (fw.compile as (model: unknown) => Promise<Csn>)(given);
      assert.deepEqual([Object.keys(csn.definitions!), asked], [["Own"], [["load", names]]]);
    }
    for (const given of [OWN, { "a.cds": OWN }]) {
      asked.length = 0;
      assert.ok(fw.compile(given).definitions!.Own);
      assert.deepEqual(asked, [["compile", given]]);
    }
    const csn = csnOf(`${OWN} type Unused : String; service S { entity Mine as projection on Own; }`);
    const elements = (model: Csn) => (model.definitions!["S.Mine"] as { elements?: object }).elements;
    assert.equal(elements(fw.compile(csn, { flavor: "parsed" })), undefined);
    for (
      const model of [fw.compile(csn), fw.compile(linkModel(csn)), fw.compile(csn, { flavor: "inferred" })]
    ) {
      assert.deepEqual(Object.keys(elements(model)!), ["ID", "title"]);
      assert.ok(model.definitions!.Unused);
      assert.deepEqual(Object.keys(model), Object.keys(JSON.parse(JSON.stringify(model))), "to is hidden");
      assert.deepEqual(Object.keys(model.to).sort(), Object.keys(fw.compile.to).sort());
      assert.deepEqual(model.to.serviceinfo().map(({ name }) => name), ["S"]);
    }
    assert.equal(fw.compile(csn, { min: true }).definitions!.Unused, undefined);
  });
});

Deno.test("fw.compile tells mistakes with their places, and throws them", () =>
  withShop({ kinds: denoKinds }, async () => {
    await fw.compile.load();
    const messages: Record<string, unknown>[] = [];
    const wrong = {
      "a.cds": "entity A : Nothing { key ID : Integer; }\nentity B : Neither { key ID : Integer; }",
    };
    assert.throws(() => fw.compile(wrong, { messages: messages as never }), { name: "ConfigurationError" });
    assert.ok(messages.length >= 1);
    const { message, severity, $location } = messages[0] as Record<string, Record<string, unknown>>;
    assert.match(String(message), /Nothing/);
    assert.equal(severity as unknown, "Error");
    assert.deepEqual([$location!.file, $location!.line], ["a.cds", 1]);
    assert.ok(Number($location!.col) > 0);
  }));
