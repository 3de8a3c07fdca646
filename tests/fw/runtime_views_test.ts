import assert from "node:assert/strict";
import { createRuntime, fw, type Row, SELECT } from "../../mod.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/mod.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";

const MODEL = parseCdl(`
  entity Authors { key ID : Integer; name : String; books : Composition of many Books on books.author = $self; }
  entity Books { key ID : Integer; title : String; author : Association to Authors; }
  @cds.persistence.skip entity Elsewhere { key ID : Integer; }
  service Shop {
    @cds.persistence.skip entity Titles as projection on Books { *, title as name, author : redirected to Writers } excluding { title };
    @cds.persistence.skip entity Writers as projection on Authors { *, books : redirected to Titles };
    entity Short as projection on Titles { ID, name, author.name as writer };
    entity Others as projection on Elsewhere;
    entity Shelves {
      key ID : Integer;
      kept : Integer default 7;
      lost : Composition of many Elsewhere on lost.ID = $self.ID;
      only : Composition of one Elsewhere;
      titles : Association to many Titles on titles.ID = $self.ID;
    }
  }`);

async function withShop(
  kind: string,
  features: Record<string, unknown>,
  run: (send: (method: string, path: string, body?: unknown) => Promise<[number, Row]>) => Promise<void>,
): Promise<void> {
  const runtime = createRuntime({
    model: MODEL,
    kinds: { databases: { sqlite: () => createSqliteDatabase } },
    env: {
      features,
      requires: { auth: { kind: "dummy" }, db: { kind } },
      log: { levels: { default: "silent" } },
    },
    data: new Map([
      ["Authors", [{ ID: 1, name: "Ada" }, { ID: 2, name: "Bob" }]],
      ["Books", [{ ID: 7, title: "Sea", author_ID: 1 }, { ID: 8, title: "Sky", author_ID: 2 }]],
    ]),
  });
  try {
    await runtime.start();
    await run(async (method, path, body) => {
      const response = await runtime.fetch(
        new Request(`http://localhost/odata/v4/shop/${path}`, {
          method,
          ...(body === undefined ? {} : {
            body: JSON.stringify(body),
            headers: { "content-type": "application/json" },
          }),
        }),
      );
      const text = await response.text();
      return [response.status, text === "" ? {} : JSON.parse(text)];
    });
  } finally {
    await runtime.close();
  }
}

for (const kind of ["memory", "sqlite"]) {
  Deno.test(`queries read views that were not deployed by their query, and what is not in the database not at all (${kind}) (behaviours 5)`, () =>
    withShop(kind, {}, async () => {
      const name = { ref: ["name"] };
      const books = { ref: ["books"], expand: [name] };
      const columns = [{ ref: ["ID"] }, { ref: ["author"], expand: [name, books] }];
      assert.deepEqual(await SELECT.from("Shop.Titles").columns(columns).where({ name: "Sea" }), [
        { ID: 7, author: { name: "Ada", books: [{ name: "Sea" }] } },
      ]);
      assert.deepEqual(await SELECT.from("Shop.Short").orderBy("writer desc"), [
        { ID: 8, name: "Sky", writer: "Bob" },
        { ID: 7, name: "Sea", writer: "Ada" },
      ]);
      await assert.rejects(fw.run(SELECT.from("Shop.Others")), /"Shop.Others" is not a runtime view/);
    }));

  Deno.test(`services leave such views to handlers unless fw.features.runtime_views is set (${kind}) (behaviours 5)`, async () => {
    await withShop(kind, {}, async (send) => {
      for (const path of ["Titles", "Short", "Others"]) assert.equal((await send("GET", path))[0], 501);
      assert.equal((await send("POST", "Titles", { ID: 9, name: "Sun" }))[0], 501);
    });
    await withShop(kind, { runtime_views: true }, async (send) => {
      const [status, { value }] = await send("GET", "Titles?$expand=author($select=name)&$filter=ID eq 7");
      assert.deepEqual([status, value], [200, [{
        ID: 7,
        name: "Sea",
        author_ID: 1,
        author: { ID: 1, name: "Ada" },
      }]]);
      assert.equal((await send("POST", "Titles", { ID: 9, name: "Sun", author_ID: 2 }))[0], 201);
      const [, short] = await send("GET", "Short(9)");
      assert.deepEqual(short, {
        "@odata.context": "$metadata#Short/$entity",
        ID: 9,
        name: "Sun",
        writer: "Bob",
      });
      assert.equal((await send("GET", "Others"))[0], 501);
    });
  });

  Deno.test(`nested rows that no table has are left to handlers, their row is written (${kind}) (behaviours 4)`, () =>
    withShop(kind, {}, async (send) => {
      const [created, row] = await send("POST", "Shelves", { ID: 1, lost: [{ ID: 1 }], only: { ID: 5 } });
      assert.deepEqual([created, row.ID, row.only_ID], [201, 1, 5]);
      const [updated, changed] = await send("PATCH", "Shelves(1)", { kept: 8, lost: [], only: { ID: 6 } });
      assert.deepEqual([updated, changed.kept, changed.only_ID], [200, 8, 6]);
      assert.equal((await send("DELETE", "Shelves(1)"))[0], 204);
    }));
}
