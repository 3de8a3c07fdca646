/** Which SQL conditions over elements become: comparisons of values, structures and instants, paths, and `exists`. */

import assert from "node:assert/strict";
import type { Row, SelectQuery } from "../../../src/cqn/cqn.ts";
import { parseCqlQuery } from "../../../src/cqn/parse_cql.ts";
import { EventContext } from "../../../src/context/event_context.ts";
import { lowerQuery } from "../../../src/db/passes/lower_query.ts";
import { renderQuery } from "../../../src/db/render/render_query.ts";
import { SQLITE } from "../../../src/db/render/sqlite_dialect.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import { createAllEngines } from "../all_engines.ts";

const MODEL = linkModel(parseCdl(`
  type Size : String enum { small = 's'; large = 'l'; };
  entity E { key a : Integer; d : Date; dt : DateTime; ts : Timestamp; t : Time; size : Size; yes : Boolean; s : String;
    to : Association to F; many : Association to many F on many.up = $self;
    st { x : Integer; y : Integer; } st2 { x : Integer; y : Integer; } }
  entity F { key k1 : Integer; key k2 : String; n : Integer; up : Association to E; next : Association to F; }`));

/** Conditions, and what follows the table in the text of SQLite, without quotes. */
const TEXTS: Readonly<Record<string, string>> = {
  "d between dt and ts": "WHERE (E.d || 'T00:00:00.000Z') BETWEEN replace(E.dt, 'Z', '.000Z') AND E.ts",
  "ts between d and '2024-01-01T10:00:00Z'": "WHERE E.ts BETWEEN (E.d || 'T00:00:00.000Z') AND ?",
  "d not between ? and dt": "WHERE (E.d || 'T00:00:00.000Z') NOT BETWEEN ? AND replace(E.dt, 'Z', '.000Z')",
  "d between ? and '2024-01-01'": "WHERE E.d BETWEEN ? AND ?",
  "d between d and d": "WHERE E.d BETWEEN E.d AND E.d",
  "a between 1 and a": "WHERE E.a BETWEEN ? AND E.a",
  "a = null": "WHERE E.a IS NULL",
  "a != null": "WHERE E.a IS NOT NULL",
  "a <> null": "WHERE E.a <> NULL",
  "null = a": "WHERE NULL = E.a",
  "d = '2024-01-01'": "WHERE E.d = ?",
  "d < ts": "WHERE (E.d || 'T00:00:00.000Z') < E.ts",
  "dt = ts": "WHERE replace(E.dt, 'Z', '.000Z') = E.ts",
  "d = dt": "WHERE (E.d || 'T00:00:00.000Z') = replace(E.dt, 'Z', '.000Z')",
  "t = '10:00:00'": "WHERE E.t = ?",
  "size = #small": "WHERE E.size = ?",
  "size in (#small, #large)": "WHERE E.size IN (?, ?)",
  "case size when #small then 1 end = 1": "WHERE CASE E.size WHEN ? THEN ? END = ?",
  "yes = true": "WHERE E.yes = ?",
  "st = st2": "WHERE E.st_x = E.st2_x AND E.st_y = E.st2_y",
  "st != st2": "WHERE E.st_x IS NOT E.st2_x OR E.st_y IS NOT E.st2_y",
  "to = to": "WHERE E.to_k1 = E.to_k1 AND E.to_k2 = E.to_k2",
  "to is null": "WHERE E.to_k1 IS NULL AND E.to_k2 IS NULL",
  "to is not null": "WHERE E.to_k1 IS NOT NULL OR E.to_k2 IS NOT NULL",
  "to.n = 1": "LEFT JOIN F AS to ON to.k1 = E.to_k1 AND to.k2 = E.to_k2 WHERE to.n = ?",
  "to.next.n = 1":
    "LEFT JOIN F AS to ON to.k1 = E.to_k1 AND to.k2 = E.to_k2 LEFT JOIN F AS next ON next.k1 = to.next_k1 AND next.k2 = to.next_k2 WHERE next.n = ?",
  "to.k1 = 1": "WHERE E.to_k1 = ?",
  "exists to": "WHERE EXISTS (SELECT 1 FROM F AS to WHERE to.k1 = E.to_k1 AND to.k2 = E.to_k2)",
  "exists many": "WHERE EXISTS (SELECT 1 FROM F AS many WHERE E.a = many.up_a)",
  "exists to[n = 1]":
    "WHERE EXISTS (SELECT 1 FROM F AS to WHERE to.k1 = E.to_k1 AND to.k2 = E.to_k2 AND to.n = ?)",
  "not exists many[n > 1]": "WHERE NOT EXISTS (SELECT 1 FROM F AS many WHERE E.a = many.up_a AND many.n > ?)",
  "exists many.next":
    "WHERE EXISTS (SELECT 1 FROM F AS many WHERE E.a = many.up_a AND EXISTS (SELECT 1 FROM F AS next WHERE next.k1 = many.next_k1 AND next.k2 = many.next_k2))",
  "many.n = 1": "LEFT JOIN F AS many ON E.a = many.up_a WHERE many.n = ?",
  "s in ?": "WHERE E.s IN (select value from json_each(?))",
  "s in ($user.x, 'a')": "WHERE E.s IN (select value from json_each(?))",
  "s = $user.x": "WHERE E.s IN (select value from json_each(?))",
  "s = $user": "WHERE E.s = ?",
  "a in (1, null)": "WHERE E.a IN (?, NULL)",
  "d = $now": "WHERE E.d = ?",
  "coalesce(s, 'x') = 's'": "WHERE coalesce(E.s, ?) = ?",
  "a / 2 = 1": "WHERE cast(E.a / ? as integer) = ?",
  "to[n = 1].k2 = 's'":
    "LEFT JOIN F AS to ON to.k1 = E.to_k1 AND to.k2 = E.to_k2 AND to.n = ? WHERE to.k2 = ?",
};

Deno.test("conditions over elements become those over columns (csn-cqn 5, 7)", () => {
  for (const [condition, expected] of Object.entries(TEXTS)) {
    const query = parseCqlQuery(`select from E { a } where ${condition}`) as SelectQuery;
    const { sql } = renderQuery(SQLITE, lowerQuery(MODEL, query).query);
    const [, found] = /^SELECT .*? FROM "E" AS "E" ?(.*)$/.exec(sql)!;
    assert.equal(found!.replaceAll('"', ""), expected, condition);
  }
});

Deno.test("days and instants are compared as instants, also between each other (db/README)", async () => {
  const row = { d: "2024-01-01", dt: "2024-01-01T00:00:00Z", ts: "2024-01-01T00:00:00.000Z" };
  const found: Readonly<Record<string, readonly number[]>> = {
    "d = ts": [1],
    "d in (ts, '2023-01-01')": [1],
    "d not in (ts, '2023-01-01')": [2],
    "d in (dt, ts)": [1, 2],
    "(d, a) in ((d, 1), (d, 3))": [1],
    "d between dt and ts": [1, 2],
    "d not between dt and ts": [],
    "ts between d and dt": [1],
    "ts between d and '2024-01-01T00:00:00.001Z'": [1, 2],
    "dt between '2024-01-01' and d": [1, 2],
    "case d when ts then 1 else 2 end = 1": [1],
    "case ts when d then 1 when '2024-01-01T00:00:00.001Z' then 2 end = a": [1, 2],
  };
  for (const db of await createAllEngines(MODEL)) {
    try {
      await db.deploy(new Map([["E", [{ a: 1, ...row }, { a: 2, ...row, ts: "2024-01-01T00:00:00.001Z" }]]]));
      for (const [condition, expected] of Object.entries(found)) {
        const tx = db.begin(new EventContext());
        const rows = await tx.run(
          parseCqlQuery(`select from E { a } where ${condition} order by a`),
        ) as Row[];
        assert.deepEqual(rows.map(({ a }) => a), expected, `${db.kind}: ${condition}`);
        await tx.rollback();
      }
    } finally {
      await db.close();
    }
  }
});
