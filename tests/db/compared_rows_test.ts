/** Queries that give the same rows in memory and on SQLite, both in this process: the cases are those of `cases/queries.json`, and more. */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import { User } from "../../src/context/user.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import type { Row } from "../../src/cqn/cqn.ts";
import { createMemoryDatabase } from "../../src/db/memory/memory_database.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import type { Database } from "../../src/service/database.ts";
import CASES from "./cases/queries.json" with { type: "json" };
import { ROWS, testModel } from "./fixture.ts";

const TYPES: readonly Row[] = [
  {
    ...{ ID: 1, flag: true, long: "9007199254740993", dec: "1234567890.1234", dbl: 1.5, day: "2024-02-29" },
    ...{ clock: "09:30:01", dt: "2024-02-29T12:34:56Z", ts: "2024-02-29T12:34:56.789Z", bin: "AQI=" },
    ...{ tags: ["a", "b"], map: { a: { b: 1 } } },
  },
  {
    ...{ ID: 2, flag: false, long: -7, dec: -0.5, dbl: -1e300, day: "1999-12-31", clock: "23:59:59" },
    ...{ dt: "1999-12-31T23:59:59Z", ts: "1999-12-31T23:59:59.001Z", tags: [], map: {} },
  },
  { ID: 3, dbl: 0, dec: 0, long: 0 },
];

/** Functions and operators that each engine calculates by itself. */
const MORE: readonly string[] = [
  "SELECT from my.Books { ID, mindatetime() as a, maxdatetime() as b } order by ID",
  "SELECT from my.Types { ID, year(ts) as a, month(ts) as b, day(ts) as c, hour(ts) as d, minute(ts) as e, second(ts) as f, fractionalseconds(ts) as g, date(ts) as h, time(ts) as i, totaloffsetminutes(ts) as j } order by ID",
  "SELECT from my.Types { ID, hour(clock) as a, minute(clock) as b, second(clock) as c, year(day) as d, day(day) as e } order by ID",
  "SELECT from my.Types { ID, round(dec) as a, round(dec, 2) as b, floor(dec) as c, ceiling(dec) as d, round(dbl) as e, floor(dbl) as f, sign(dec) as g } order by ID",
  "SELECT from my.Types { ID, mod(long, 4) as a, mod(dec, 0.3) as b, mod(long, 0) as c } order by ID",
  "SELECT from my.Types { ID, dec + 0.1 as a, dec - 0.1 as b, dec * 3 as c, dec / 7 as d, long + 2 as e, long * 3 as f, long / 2 as g, -long as h, -dec as i } order by ID",
  "SELECT from my.Types { ID, years_between(day, '2026-03-01') as a, months_between(day, '2026-03-01') as b, days_between(day, '2026-03-01') as c, seconds_between(ts, '2024-03-01T00:00:00Z') as d } order by ID",
  "SELECT from my.Books { ID, substring(title, 2) as a, substring(title, -3) as b, substring(title, 1, 3) as c, substring(title, -4, 2) as d, indexof(title, 'e') as e, length(title) as f } order by ID",
  "SELECT from my.Books { ID, contains(title, 'e') as a, startswith(title, 'The') as b, endswith(title, 'n') as c, upper(title) as d, lower(title) as e, trim('  x ') as f, ltrim('  x ') as g, rtrim(' x  ') as h, replace(title, 'e', '!') as i } order by ID",
  "SELECT from my.Books { ID, concat(title, ' ', title) as a, title || '!' as b, coalesce(price, -1) as c, ifnull(price, 0) as d, matchespattern(title, '^T.*n$') as e } order by ID",
  "SELECT from my.Books { ID } where price > 8 or price is null order by ID",
  "SELECT from my.Books { ID } where not (price > 8) order by ID",
  "SELECT from my.Books { ID } where price between 8 and 12 or title like '%H%' or title not like '%a%' order by ID",
  "SELECT from my.Books { ID } where stock in (0, 12) and stock not in (5) and price == null order by ID",
  "SELECT from my.Books { ID, case when stock = 0 then 'none' when stock > 10 then 'many' end as a, case author.ID when 1 then 'Poe' else 'other' end as b } order by ID",
  "SELECT from my.Books { author.ID as author, count(*) as n, sum(stock) as a, avg(stock) as b, min(price) as c, max(price) as d, count(price) as e, count(distinct author.ID) as f, sum(price) as g, avg(price) as h } group by author.ID order by author.ID",
  "SELECT from my.Books { author.ID as author } group by author.ID having count(*) > 1",
  "SELECT from my.Books { count(*) as n, sum(price) as s, max(title) as m } where ID < 0",
  "SELECT distinct from my.Books { author.ID as author } order by author.ID desc",
  "SELECT from my.Books { ID } order by price desc, ID limit 2 offset 1",
  "SELECT from my.Books { ID } order by price nulls last, ID desc",
  "SELECT from my.Books { ID, reviews { stars, replies { pos, text } } } order by ID",
  "SELECT from my.Books { ID, reviews[stars > 4] { text }, author { name, bio { text } } } order by ID",
  "SELECT from my.Books { ID } where exists reviews[stars > 4] and not exists reviews.replies[text = 'maybe'] order by ID",
  "SELECT from my.Genres { ID, name, parent.name as above, children { name } } order by ID",
  "SELECT from my.Authors as A left join my.Books as B on A.ID = B.author.ID { A.ID as a, B.ID as b } order by a, b",
  "SELECT from my.Authors as A inner join my.Books as B on A.ID = B.author.ID and B.stock > 1 { A.ID as a, B.ID as b } order by a, b",
  "SELECT from my.Books { ID } union SELECT from my.Authors { ID } union all SELECT from my.Genres { ID }",
  "SELECT from my.Books { ID } where ID in (SELECT from my.Reviews { book.ID } where stars = 5)",
  "SELECT from my.Types { ID } where flag = true or long > 5 or dec < 0 or dbl = 0 order by ID",
  "SELECT from my.Types { ID } where ts > '2000-01-01T00:00:00Z' or day = '1999-12-31' or clock < '10:00:00' order by ID",
  "SELECT from my.Types { ID, cast(dec as Integer) as a, cast(dec as String) as b, cast(flag as String) as c, cast(long as String) as d, cast(ts as Date) as e, cast(day as Timestamp) as f, cast(ts as DateTime) as g, cast(dbl as Decimal) as h } order by ID",
  "SELECT from my.Types { sum(long) as a, avg(dec) as b, min(ts) as c, max(day) as d, min(flag) as e, sum(dbl) as f, count(tags) as g }",
  "SELECT from my.Types { ID, flag = true as a, dec > 0 and flag as b, not flag as c, flag or dbl > 1 as d } order by ID",
];

/** Memory has no windows, and the time of changes is that of each database. */
const APART = /\bover \(|from (?:my|Shop)\.Books$/;

/** The time in which everything happens. */
const NOW = new Date("2024-06-15T10:00:00Z");

async function rowsOf(database: Database, cql: string): Promise<unknown> {
  const user = new User({ id: "ann", attr: { country: ["DE"] } });
  const tx = database.begin(new EventContext({ user, locale: "de", timestamp: NOW }));
  try {
    const rows = await tx.run(parseCqlQuery(cql), { n: 5, list: [10, 20], a: -7, rows: 2, start: 1 });
    await tx.commit();
    const plain = JSON.parse(
      JSON.stringify(rows, (_, value) => typeof value === "bigint" ? `${value}n` : value),
    );
    return /order by/.test(cql) || !Array.isArray(plain)
      ? plain
      : plain.map((row) => JSON.stringify(row)).sort();
  } catch (error) {
    await Promise.resolve(tx.rollback()).catch(() => {});
    throw new Error(`${database.kind}: ${cql}`, { cause: error });
  }
}

Deno.test("queries give the same rows in memory and on SQLite", async () => {
  const model = testModel();
  const [memory, sqlite] = [
    await createMemoryDatabase({ model, options: {} }),
    await createSqliteDatabase({ model, options: {} }),
  ];
  try {
    const rows = new Map([...ROWS, ["my.Types", TYPES]]);
    for (const database of [memory, sqlite]) await database.deploy(rows);
    const queries = [...CASES.filter(({ form }) => form === undefined).map(({ cql }) => cql), ...MORE];
    for (const cql of queries.filter((one) => !APART.test(one))) {
      assert.deepEqual(await rowsOf(memory, cql), await rowsOf(sqlite, cql), cql);
    }
  } finally {
    await Promise.all([memory.close(), sqlite.close()]);
  }
});
