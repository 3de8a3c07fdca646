import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import { User } from "../../src/context/user.ts";
import type { Query, Row } from "../../src/cqn/cqn.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { createAllEngines } from "./all_engines.ts";

const MODEL = linkModel(parseCdl(`
  entity Sources { key ID : Integer; name : String; tags : array of String; price : Decimal(9,2); }
  entity Copies {
    key ID    : UUID;
    name      : String;
    tags      : array of String;
    price     : Decimal(9,2);
    level     : Integer default 3;
    createdAt : Timestamp @cds.on.insert: $now;
    createdBy : String @cds.on.insert: $user;
    parts     : Composition of many { key pos : Integer; text : String; kind : String default 'x'; };
  }
  entity Names as projection on Copies { ID, name };
`));

const COPY: Query = {
  INSERT: {
    into: "Copies",
    columns: ["name", "price", "tags"],
    from: {
      SELECT: {
        from: { ref: ["Sources"] },
        columns: [{ ref: ["name"] }, { ref: ["price"] }, { ref: ["tags"] }],
      },
    },
  },
};

for (const [index, name] of ["memory", "sqlite", "postgres"].entries()) {
  Deno.test(`rows of a query get the values that are generated for new rows (${name}) (design 7, integrity)`, async () => {
    const databases = await createAllEngines(MODEL);
    try {
      const database = databases[index];
      if (database === undefined) return;
      await database.deploy(new Map());
      const context = new EventContext({
        user: new User("ada"),
        timestamp: new Date("2024-02-29T12:00:00.123Z"),
      });
      const tx = database.begin(context);
      await tx.run({
        INSERT: {
          into: "Sources",
          entries: [{ ID: 1, name: "a", tags: ["x", "y"], price: "1.25" }, { ID: 2, name: "b", price: 2 }],
        },
      });
      const created = [...await tx.run(COPY) as Iterable<Row>];
      assert.equal(created.length, 2);
      const rows = await tx.run({
        SELECT: { from: { ref: ["Copies"] }, orderBy: [{ ref: ["name"] }] },
      }) as Row[];
      assert.deepEqual(rows.map(({ ID: _ID, ...row }) => row), [
        {
          name: "a",
          tags: ["x", "y"],
          price: 1.25,
          level: 3,
          createdAt: "2024-02-29T12:00:00.123Z",
          createdBy: "ada",
        },
        {
          name: "b",
          tags: null,
          price: 2,
          level: 3,
          createdAt: "2024-02-29T12:00:00.123Z",
          createdBy: "ada",
        },
      ]);
      assert.deepEqual(new Set(created.map(({ ID }) => ID)), new Set(rows.map(({ ID }) => ID)));

      const part = { ref: [{ id: "Copies", where: [{ ref: ["name"] }, "=", { val: "a" }] }, "parts"] };
      const from = {
        SELECT: {
          from: { ref: ["Sources"] },
          columns: [{ ref: ["ID"], as: "pos" }, { ref: ["name"], as: "text" }],
        },
      };
      await tx.run({ INSERT: { into: part, from } });
      const parts = await tx.run({
        SELECT: { from: { ref: ["Copies.parts"] }, orderBy: [{ ref: ["pos"] }] },
      }) as Row[];
      assert.deepEqual(
        parts.map(({ up__ID, pos, text, kind }) => [up__ID === rows[0]!.ID, pos, text, kind]),
        [[true, 1, "a", "x"], [true, 2, "b", "x"]],
      );

      await tx.run({
        INSERT: {
          into: "Names",
          from: { SELECT: { from: { ref: ["Sources"] }, columns: [{ ref: ["name"] }] } },
        },
      });
      const hidden = await tx.run({
        SELECT: { from: { ref: ["Copies"] }, columns: [{ ref: ["createdBy"] }, { ref: ["level"] }] },
      }) as Row[];
      assert.deepEqual(hidden, Array.from({ length: 4 }, () => ({ createdBy: "ada", level: 3 })));
      const again = { ref: ["Sources"] };
      const columns = [{ ref: ["ID"] }, { func: "upper", args: [{ ref: ["name"] }], as: "name" }];
      const more = { val: 3, as: "ID" };
      await tx.run({ UPSERT: { into: "Sources", from: { SELECT: { from: again, columns } } } });
      await tx.run({
        UPSERT: {
          into: "Sources",
          columns: ["ID", "name"],
          from: {
            SELECT: {
              from: again,
              columns: [more, { ref: ["name"] }],
              where: [{ ref: ["ID"] }, "=", { val: 1 }],
            },
          },
        },
      });
      const sources = await tx.run({ SELECT: { from: again, orderBy: [{ ref: ["ID"] }] } }) as Row[];
      assert.deepEqual(sources.map(({ ID, name }) => [ID, name]), [[1, "A"], [2, "B"], [3, "A"]]);
      await tx.rollback();
    } finally {
      for (const one of databases) await one.close();
    }
  });
}
