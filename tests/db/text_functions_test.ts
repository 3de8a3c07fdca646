/**
 * Functions beyond those of OData that all engines have, and those that none has (db/README, What is the same everywhere).
 *
 * @module
 */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { Row } from "../../src/cqn/cqn.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import { d1Database } from "../../src/db/d1/mod.ts";
import type { LinkedModel } from "../../src/model/linked.ts";
import { createAllEngines } from "./all_engines.ts";
import { assertColumnValues } from "./column_values.ts";
import { ROWS, testModel } from "./fixture.ts";
import { startD1 } from "./miniflare.ts";

const server = startD1();
globalThis.addEventListener("unload", () => void server.stop());

async function withD1(model: LinkedModel) {
  return [...await createAllEngines(model), await d1Database(await server.take())({ model, options: {} })];
}

const BOOKS = [
  { ID: -15, title: "  a%B 😀a ", stock: 15, price: -2.5 },
  { ID: 7, title: "xÄ_y", stock: null, price: 0 },
];

Deno.test("texts are replaced and trimmed alike on all engines (db/README, Texts of values)", () =>
  assertColumnValues(BOOKS, {
    "replace(title, 'a', '$&')": ["  $&%B 😀$& ", "xÄ_y"],
    "replace(title, '', 'b')": ["  a%B 😀a ", "xÄ_y"],
    "replace(ID, 1, 25)": ["-255", "7"],
    "replace(stock, '5', '')": ["1", null],
    "replace(title, 'x', null)": [null, null],
    "replace(title, '', null)": [null, null],
    "replace(title, '', stock)": ["  a%B 😀a ", null],
    "ltrim(title)": ["a%B 😀a ", "xÄ_y"],
    "rtrim(title)": ["  a%B 😀a", "xÄ_y"],
    "trim(title, ' a')": ["%B 😀", "xÄ_y"],
    "ltrim(title, 'Äx')": ["  a%B 😀a ", "_y"],
    "rtrim(title, '😀 a')": ["  a%B", "xÄ_y"],
    "rtrim(ID, 5)": ["-1", "7"],
    "trim(title, '')": ["  a%B 😀a ", "xÄ_y"],
    "trim(title, null)": [null, null],
    "substring(title, stock)": ["", null],
    "substring(title, 0, stock)": ["  a%B 😀a ", null],
    "substring(title, null)": [null, null],
    "substring(title, 1, null)": [null, null],
    "substring(title, null, 1)": [null, null],
    "substring(title, ID, 3)": ["  a", ""],
    "substring(title, -2, 9000000000)": ["a ", "_y"],
    "substring(title, 9000000000)": ["", ""],
    "substring(title, -9000000000, 1)": [" ", "x"],
    "substring(title, 1.9, 2.9)": [" a", "Ä_"],
    "substring(title, 1, -1)": ["", ""],
  }, withD1));

Deno.test("signs, powers of ten and extremes are the same on all engines (db/README, Rounding)", () =>
  assertColumnValues(BOOKS, {
    "sign(ID)": [-1, 1],
    "sign(price)": [-1, 0],
    "sign(stock)": [1, null],
    "sign(ID) / 2": [0, 0],
    "round(ID, -1)": [-20, 10],
    "round(stock, -2)": [0, null],
    "min(ID, 3, -20)": [-20, -20],
    "max(stock, price)": [15, null],
    "+ID": [-15, 7],
    "3 - +ID": [18, -4],
  }, withD1));

Deno.test("parts of days and times that are literals or the time of the request are told by all engines", () =>
  assertColumnValues(BOOKS, {
    "year(date'2024-02-29')": [2024, 2024],
    "month(timestamp'2024-02-29T10:11:12Z')": [2, 2],
    "hour(time'10:11:12')": [10, 10],
    "upper(minute(time'10:11:12'))": ["11", "11"],
    "date(timestamp'2024-02-29T10:11:12Z')": ["2024-02-29", "2024-02-29"],
    "time(timestamp'2024-02-29T10:11:12Z')": ["10:11:12", "10:11:12"],
    "year($now) > 2000": [true, true],
    "hour($now) < 24": [true, true],
    "date($now) > '2000-01-01'": [true, true],
    "length(time($now))": [8, 8],
  }, withD1));

Deno.test("what is calculated of null is null on all engines (OData 4.01 Part 2, 5.1.1.2)", () =>
  assertColumnValues(BOOKS, {
    "-null": [null, null],
    "- -null": [null, null],
    "null + null": [null, null],
    "null + ID": [null, null],
    "ID - null": [null, null],
    "null * 1.5": [null, null],
    "1 / null": [null, null],
    "null / price": [null, null],
    "year(null)": [null, null],
    "-second(null)": [null, null],
    "date(null)": [null, null],
    "time(null)": [null, null],
    "fractionalseconds(null)": [null, null],
    "floor(null)": [null, null],
    "round(null, 1)": [null, null],
    "concat(null, title)": [null, null],
    "substring(null, 1)": [null, null],
    "length(null)": [null, null],
  }, withD1));

Deno.test("literals order nothing, whatever they are and however they are calculated, on all engines", async () => {
  for (const database of await withD1(testModel())) {
    try {
      await database.deploy(ROWS);
      for (
        const term of [
          ...[
            "1",
            "-1",
            "7",
            "- -1",
            "'x'",
            "null",
            "-null",
            "true",
            "date'2024-01-01'",
            "1 + 1",
            "(1 is null)",
          ],
          ...[
            "-99999999999999999999",
            "-9223372036854775808",
            "(-9223372036854775808 is null)",
            "1.5",
            "-1.5",
          ],
        ]
      ) {
        const asks = [
          `SELECT from my.Books { ID } order by ${term}, ID desc`,
          `SELECT distinct from my.Books { ID } order by ${term}, ID desc`,
          `SELECT from my.Books { ID, count(*) as n } group by ID order by ${term}, ID desc`,
          `SELECT from my.Books { ID, -99999999999999999999 as n } order by n, ID desc`,
        ];
        for (const text of asks) {
          const tx = database.begin(new EventContext());
          const rows = await tx.run(parseCqlQuery(text)) as readonly Row[];
          assert.deepEqual(rows.map(({ ID }) => ID), [20, 11, 10], `${database.kind}: ${text}`);
          await tx.rollback();
        }
      }
    } finally {
      await database.close();
    }
  }
});

Deno.test("like takes an escape, and letters beyond A to Z have a case with it, on all engines (db/README, Case)", () =>
  assertColumnValues(BOOKS, {
    "title like '%A!%b%' escape '!'": [true, false],
    "title like 'x_!_Y' escape '!'": [false, true],
    "title like 'xä!_y' escape '!'": [false, false],
    "title not like '%\\%%' escape '\\'": [false, true],
    "title like 'x%' || '!_y' escape '!'": [false, true],
    "stock like '1!5' escape '!'": [true, null],
    "title like '%' escape null": [null, null],
    "title like '%😀!%' escape '!'": [false, false],
  }, withD1));

Deno.test("functions that no engine has are refused with 501 on all of them", async () => {
  for (const database of await withD1(testModel())) {
    try {
      await database.deploy(ROWS);
      for (const call of ["no_such(ID)", "No_Such()", "isof(ID)"]) {
        const tx = database.begin(new EventContext());
        const query = parseCqlQuery(`SELECT from my.Books { ${call} as n }`);
        await assert.rejects(async () => await tx.run(query), { status: 501 }, `${database.kind}: ${call}`);
        await tx.rollback();
      }
      const tx = database.begin(new EventContext());
      const query = parseCqlQuery("SELECT from my.Books { ID } where title like 'a' escape '!!'");
      await assert.rejects(async () => await tx.run(query), { status: 400 }, `${database.kind}: escape`);
      await tx.rollback();
    } finally {
      await database.close();
    }
  }
});
