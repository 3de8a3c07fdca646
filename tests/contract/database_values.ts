/**
 * Queries whose results random queries have found to differ between engines.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { SelectQuery } from "../../src/cqn/cqn.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import { type DatabaseUnderTest, fixture, plain } from "./database_fixture.ts";

/** Rows by rule and query. */
const RESULTS: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>> = {
  "casts to whole numbers cut the fraction": {
    "SELECT from my.Books { cast(-2.5 as Integer) as a, cast(price as Integer) as b, cast((price + 0.5) as Integer) as c, cast(stock as Integer) as d } where ID = 10":
      [{ a: -2, b: 12, c: 13, d: 5 }],
    "SELECT from my.Books { cast(hot as Integer) as a, cast(length(title) as Int64) as b } where ID = 10": [
      { a: 1, b: 9 },
    ],
    "SELECT from my.Books { sum(cast(price as Integer)) as a }": [{ a: 20 }],
  },
  "decimals are calculated as such": {
    "SELECT from my.Books { 1.1 * 1.1 as a, 0.1 + 0.2 as b, (price + 0.1) * 3 as c, sum(price * 1.1) over (partition by ID) as d } where ID = 10":
      [{ a: 1.21, b: 0.3, c: 37.8, d: 13.75 }],
    "SELECT from my.Books { ID, sum(cast(0.1 as Decimal)) over (order by ID) as a, avg(price) over (partition by 1) * 3 as b } order by ID":
      [{ ID: 10, a: 0.1, b: 30.75 }, { ID: 11, a: 0.2, b: 30.75 }, { ID: 20, a: 0.3, b: 30.75 }],
    "SELECT from my.Books { ID } where price * 1.1 = 13.75 and 1.1 * 1.1 = 1.21": [{ ID: 10 }],
    "SELECT from my.Books { sum(price * 0.01) as a, avg(price / 3) as b, avg(price + 0.01) as c }": [
      { a: 0.205, b: 3.41666666666667, c: 10.26 },
    ],
    "SELECT from my.Books { sum(25.5 / 7) as a, sum(coalesce(25.5 / 7, 0.5)) as b }": [
      { a: 10.9285714285714, b: 10.9285714285714 },
    ],
    "SELECT from my.Books { sum(case ID when 10 then 0.3 when 11 then 10000000000000.1 else -10000000000000.1 end) as a, avg(case ID when 10 then 0.3 when 11 then 10000000000000.1 else -10000000000000.1 end) as b }":
      [{ a: 0.3, b: 0.1 }],
    "SELECT from my.Books { -price * 1.1 - 0.01 as a, total * 1.1 as b, 2 * total + price as c } where ID = 10":
      [
        { a: -13.76, b: 68.75, c: 137.5 },
      ],
  },
  "division cuts the fraction of whole numbers only, that by zero is null": {
    "SELECT from my.Books { stock / 2 as a, -7 / 2 as b, price / 3 as c, cast(8 as Decimal) / 3 as d, price / 0 as e, stock / 0 as f } where ID = 10":
      [{ a: 2, b: -3, c: 4.16666666666667, d: 2.66666666666667, e: null, f: null }],
    "SELECT from my.Books { price / 3 as a, 3 * price / 16 as b, price / 3 * 3 as c, length(title) / stock as d } where ID = 11":
      [{ a: 2.66666666666667, b: 1.5, c: 8, d: null }],
    "SELECT from my.Books { ID } where price / 16 = 0.5": [{ ID: 11 }],
    "SELECT from my.Books { round(1, 1) / ceiling(-4) as a, round(ID, 1) / 4 as b, round(ID) / 4 as c } where ID = 10":
      [{ a: -0.25, b: 2.5, c: 2 }],
    "SELECT from my.Books { ID, 4 / (SELECT count(*) as n from my.Authors) as a, (SELECT sum(price) as n from my.Books) / 2 as b, 7 / (SELECT max(b.author.ID) as n from my.Books as b) as c } where ID = 11":
      [{ ID: 11, a: 1, b: 10.25, c: 3 }],
  },
  "a text that is given is not null": {
    "SELECT from my.Books { ID, case when 'a' is null then 1 else 2 end as a } where ID = 10 and 'b' is not null":
      [{ ID: 10, a: 2 }],
    "SELECT from my.Books { count('a') as a, count(distinct 'a') as b }": [{ a: 3, b: 1 }],
  },
  "nulls come first in the order of windows too": {
    "SELECT from my.Books { ID, row_number() over (order by price, ID) as a, row_number() over (order by price desc, ID) as b } order by ID":
      [{ ID: 10, a: 3, b: 1 }, { ID: 11, a: 2, b: 2 }, { ID: 20, a: 1, b: 3 }],
    "SELECT from my.Books { ID, row_number() over (order by price nulls last, ID) as a } order by ID": [
      { ID: 10, a: 2 },
      { ID: 11, a: 1 },
      { ID: 20, a: 3 },
    ],
  },
  "like counts characters, and takes Latin letters without regard to case": {
    "SELECT from my.Books { ID } where '😀' like '_' and '😀' not like '__' and 'aBc' like 'AbC' and ID = 10":
      [
        { ID: 10 },
      ],
    "SELECT from my.Books { ID } where 'Äb' not like 'ä_' and 'Äb' like 'ÄB' and title like '%raVen' and ID = 10":
      [{ ID: 10 }],
  },
  "like takes texts that are put together as pattern": {
    "SELECT from my.Books { ID } where title like '%' || 'rav' || '%' and ID = 10": [{ ID: 10 }],
    "SELECT from my.Books { ID } where title not like 'The' || '%' || 'X' and ID = 10": [{ ID: 10 }],
  },
  "conditions of joins follow paths": {
    "SELECT from my.Books as b inner join my.Authors as a on b.author.address.city = a.address.city { b.ID as b, a.ID as a } order by b.ID":
      [{ b: 10, a: 1 }, { b: 11, a: 1 }, { b: 20, a: 2 }],
    "SELECT from my.Authors as a left join my.Books as b on b.author.name = 'Poe' and b.author_ID = a.ID { a.ID as a, b.ID as b, b.author.name as n } order by a.ID, b.ID":
      [{ a: 1, b: 10, n: "Poe" }, { a: 1, b: 11, n: "Poe" }, { a: 2, b: null, n: null }, {
        a: 3,
        b: null,
        n: null,
      }],
  },
};

/** In the locale `de`. */
const LOCALIZED: Readonly<Record<string, readonly unknown[]>> = {
  "SELECT from my.Authors as a inner join my.Books as b on b.title = 'Der Rabe' { a.ID as a, b.title as t } order by a.ID":
    [{ a: 1, t: "Der Rabe" }, { a: 2, t: "Der Rabe" }, { a: 3, t: "Der Rabe" }],
};

/**
 * Registers the tests for an engine.
 *
 * @param name of the engine
 * @param create makes one with an empty database
 */
export function testDatabaseValues(name: string, create: DatabaseUnderTest): void {
  const test = (rule: string, results: Readonly<Record<string, readonly unknown[]>>, localized: boolean) =>
    Deno.test(`${name}: ${rule}`, async () => {
      const { db, rows } = await fixture(create);
      try {
        for (const [text, expected] of Object.entries(results)) {
          const { SELECT } = parseCqlQuery(text) as SelectQuery;
          assert.deepEqual(plain(await rows({ ...SELECT, localized })), expected, text);
        }
      } finally {
        await db.close();
      }
    });
  for (const [rule, results] of Object.entries(RESULTS)) test(rule, results, false);
  test("conditions of joins know translated texts", LOCALIZED, true);
}
