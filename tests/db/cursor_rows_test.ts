/** Rows that come in groups (`openCursor`) are those that come at once. */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { Row, SelectQuery } from "../../src/cqn/cqn.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { createAllEngines } from "./all_engines.ts";

const MODEL = linkModel(parseCdl(`
  entity E { key ID : Integer; flag : Boolean; large : Int64; price : Decimal(20,4); share : Double; bytes : Binary(9);
    day : Date; at : Timestamp; tags : many String; place { city : String; number : Int64; };
    parts : Composition of many { key pos : Int64; bytes : Binary(9); isNew : Boolean; }; }`));

const ROWS: readonly Row[] = [
  {
    ...{ ID: 1, flag: true, large: "9007199254740993", price: "1234.5", share: "INF", bytes: "AQID" },
    ...{ day: "2024-02-29", at: "2024-02-29T12:34:56.789Z", tags: ["a", "b"] },
    place: { city: "x", number: "-9007199254740993" },
    parts: [{ pos: "9007199254740993", bytes: "AQID", isNew: false }, { pos: 1, isNew: true }],
  },
  { ID: 2, large: 5, share: 0.5, flag: false },
];

const QUERIES: readonly string[] = [
  "SELECT from E order by ID",
  "SELECT from E { ID, large, large + 1 as next, share, flag, tags, bytes } order by ID",
  "SELECT from E { *, parts { * } } order by ID",
  "SELECT from E { max(large) as most, count(*) as all }",
  "SELECT from E where ID > 9",
];

Deno.test("rows of a cursor are those of the query, with values of the same types, on all engines", async () => {
  for (const database of await createAllEngines(MODEL)) {
    try {
      await database.deploy(new Map([["E", ROWS]]));
      for (const text of QUERIES) {
        const query = parseCqlQuery(text) as SelectQuery;
        const tx = database.begin(new EventContext());
        const cursor = await tx.openCursor!(query, {}, { asText: false });
        assert.ok(cursor, `${database.kind}: ${text}`);
        const rows: unknown[] = [];
        for (let group = await cursor.next(); group.length > 0; group = await cursor.next()) {
          rows.push(...group);
        }
        await cursor.close();
        assert.deepEqual(rows, await tx.run(query), `${database.kind}: ${text}`);
        await tx.rollback();
      }
    } finally {
      await database.close();
    }
  }
});
