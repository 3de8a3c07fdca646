import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { Query } from "../../src/cqn/cqn.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { buildCsdl } from "../../src/model/csdl/build_csdl.ts";
import { writeCsdlXml } from "../../src/model/csdl/write_csdl_xml.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { createAllEngines } from "./all_engines.ts";

const MODEL = linkModel(parseCdl(`entity Marks { text : String; }`));

Deno.test("rows of an entity without key are inserted behind a deletion, equal ones too, on all engines", async () => {
  for (const database of await createAllEngines(MODEL)) {
    const run = async (query: Query) => {
      const tx = database.begin(new EventContext());
      const result = await tx.run(query);
      await tx.commit();
      return result;
    };
    const insert = (...texts: string[]) =>
      run({ INSERT: { into: "Marks", entries: texts.map((text) => ({ text })) } });
    try {
      await database.deploy();
      await insert("a", "b", "c");
      await run({ DELETE: { from: "Marks", where: [{ ref: ["text"] }, "=", { val: "a" }] } });
      await insert("d", "b");
      const rows = await run(parseCqlQuery("SELECT from Marks { text } order by text"));
      assert.deepEqual((rows as { text: string }[]).map(({ text }) => text), ["b", "b", "c", "d"]);
    } finally {
      await database.close();
    }
  }
});

Deno.test("an aggregate of outer values over rows of an entity without key is one of each outer row, on all engines", async () => {
  const model = linkModel(parseCdl(`
    entity Marks { virtual hint : String; text : String; n : Integer; }
    entity Large as select from Marks { n + 1 as next } where n > 1;`));
  for (const database of await createAllEngines(model)) {
    try {
      await database.deploy();
      const tx = database.begin(new EventContext());
      const entries = [1, 2, 3].map((n) => ({ text: `${n}`, n }));
      await tx.run({ INSERT: { into: "Marks", entries } });
      for (const [rows, sums] of [["Marks", [3, 6, 9]], ["Large", [2, 4, 6]]]) {
        const query = `SELECT from Marks as m { (SELECT from ${rows} { sum(m.n) as s }) as x } order by n`;
        const found = await tx.run(parseCqlQuery(query)) as { x: number }[];
        assert.deepEqual(found.map(({ x }) => x), sums, `${database.kind}: ${rows}`);
      }
      await tx.rollback();
    } finally {
      await database.close();
    }
  }
});

Deno.test("an association to a view without key has no columns and is not followed, in OData neither, on all engines", async () => {
  const model = linkModel(parseCdl(`
    entity Marks { text : String; }
    service S { entity Pages { key ID : Integer; mark : Association to Seen; }; entity Seen as projection on Marks; }`));
  assert.doesNotMatch(writeCsdlXml(buildCsdl(model.service("S")!, model)), /"mark/);
  for (const database of await createAllEngines(model)) {
    try {
      await database.deploy();
      const tx = database.begin(new EventContext());
      await tx.run({ INSERT: { into: "S.Pages", entries: [{ ID: 1 }] } });
      assert.deepEqual(await tx.run(parseCqlQuery("SELECT from S.Pages")), [{ ID: 1 }], database.kind);
      await assert.rejects(
        async () => await tx.run(parseCqlQuery("SELECT from S.Pages { mark.text }")),
        /Association "S.Pages\/mark" cannot be followed: "S.Seen" has no key/,
      );
      await tx.rollback();
    } finally {
      await database.close();
    }
  }
});

Deno.test("rows with other members are inserted one after the other, on all engines", async () => {
  const model = linkModel(parseCdl(`entity Notes { a : String; b : String; c : String; }`));
  const entries = [{ a: "1" }, { b: "2" }, { a: "3", b: "4" }, { b: "5", c: "6" }, { c: "7", a: "8" }];
  for (const database of await createAllEngines(model)) {
    try {
      await database.deploy();
      for (const entry of entries) {
        const tx = database.begin(new EventContext());
        await tx.run({ INSERT: { into: "Notes", entries: [entry] } });
        await tx.commit();
      }
      const tx = database.begin(new EventContext());
      const rows = await tx.run(parseCqlQuery("SELECT from Notes { a, b, c }")) as Record<string, unknown>[];
      await tx.commit();
      const found = rows.map((row) => JSON.stringify(row)).sort();
      const empty = { a: null, b: null, c: null };
      assert.deepEqual(found, entries.map((entry) => JSON.stringify({ ...empty, ...entry })).sort());
    } finally {
      await database.close();
    }
  }
});
