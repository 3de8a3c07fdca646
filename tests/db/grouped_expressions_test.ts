/**
 * What rows are grouped by, or made distinct by, may be any expression; columns, `having` and `order by` repeat it.
 *
 * @module
 */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import { createAllEngines } from "./all_engines.ts";
import { testModel } from "./fixture.ts";

const BOOKS = [
  { ID: 1, title: "a", stock: 5, price: 1.1, reviews: [{ ID: "x", stars: 2 }] },
  { ID: 2, title: "b", stock: 3 },
  { ID: 3, title: "c", stock: 3 },
];

/** The values of each row, by query; rows in any order where there is none. */
const RESULTS: Readonly<Record<string, readonly (readonly unknown[])[]>> = {
  "{ stock * 2 as x, count(*) as n } group by stock * 2": [[10, 1], [6, 2]],
  "{ stock * 2 as x, count(*) as n } group by x": [[10, 1], [6, 2]],
  "{ stock * 2 + 1 as x } group by stock * 2 having stock * 2 > 3 order by stock * 2": [[7], [11]],
  "{ stock + 1 + 1 as x } group by stock + 1": [[7], [5]],
  "{ (stock + 2.5) || '' as x } group by stock + 2.5": [["7.5"], ["5.5"]],
  "{ title || '!' as x } group by title || '!' having title || '!' > 'a!' order by title || '!' desc": [
    ...[["c!"], ["b!"]],
  ],
  "{ substring(title, 0, 1) as x, max(stock + 1) as n } group by substring(title, 0, 1) order by max(stock + 1), x":
    [
      ...[["b", 4], ["c", 4], ["a", 6]],
    ],
  "{ case when stock > 3 then 'hi' else 'lo' end as x, count(*) as n } group by case when stock > 3 then 'hi' else 'lo' end":
    [["hi", 1], ["lo", 2]],
  "{ stock > 3 as x, stock > 3 and title = 'a' as y } group by stock > 3, title = 'a'": [
    ...[[true, true], [false, false]],
  ],
  "{ stock in (5, 7) as x, count(*) as n } group by stock in (5, 7)": [[true, 1], [false, 2]],
  "{ ID = 1 as x, title = 'a' as y, count(*) as n } group by ID = 1, title = 'a'": [
    ...[[true, true, 1], [false, false, 2]],
  ],
  "{ $user.id || '-' as x, count(*) as n } group by $user.id || '-'": [["ann-", 3]],
  "{ author.name || 'x' as x, count(*) as n } group by author.name || 'x'": [[null, 3]],
  "{ total * 2 as x, count(*) as n } group by total * 2": [[11, 1], [null, 2]],
  "{ stock * 2 as x, rank() over (order by stock * 2) as n } group by stock * 2": [[6, 1], [10, 2]],
  // subqueries
  "{ count(reviews) as x, count(*) as n } group by count(reviews)": [[1, 1], [0, 2]],
  "{ case when exists reviews[stars > 1] then 1 end as x, count(*) as n } group by case when exists reviews[stars > 1] then 1 end":
    [[1, 1], [null, 2]],
  "{ substring('abc', (select count(*) as c from my.Books as b where b.ID > 2)) as x, (select count(*) as c from my.Books as b where b.ID > 2) as n } group by (select count(*) as c from my.Books as b where b.ID > 2)":
    [["bc", 1]],
  // constants
  "{ 'c' as x, count(*) as n } group by 'c' order by 'c'": [["c", 3]],
  "{ null as x, count(*) as n } group by null order by null": [[null, 3]],
  "{ 1 as x, count(*) as n } where ID > 3 group by 1": [],
  "{ 2 as x, ID as n } order by 2, ID desc": [[2, 3], [2, 2], [2, 1]],
  "{ ID } order by 123456789012345678901234567890, ID": [[1], [2], [3]],
};
const DISTINCT: typeof RESULTS = {
  "{ stock * 2 as x } order by stock * 2": [[6], [10]],
  "{ stock * 2 as x } order by x desc": [[10], [6]],
  "{ coalesce(title, 'q') as x, stock > 3 as y } order by coalesce(title, 'q') limit 2": [
    ...[["a", true], ["b", false]],
  ],
  "{ 'c' as x } order by 'c'": [["c"]],
  "{ $user.id as x } order by $user.id": [["ann"]],
};

const queries = [
  ...Object.entries(RESULTS).map(([text, rows]) => [`select from my.Books ${text}`, rows] as const),
  ...Object.entries(DISTINCT).map(([text, rows]) => [`select distinct from my.Books ${text}`, rows] as const),
];

for (const db of await createAllEngines(testModel())) {
  Deno.test(`rows are grouped by expressions with values (${db.kind})`, async (test) => {
    try {
      await db.deploy();
      await db.reset(new Map([["my.Books", BOOKS]]));
      for (const [text, expected] of queries) {
        await test.step(text, async () => {
          const tx = db.begin(new EventContext({ user: { id: "ann" } }));
          try {
            const rows = await tx.run(parseCqlQuery(text)) as object[];
            const found = rows.map((row) => JSON.stringify(Object.values(row)));
            const wanted = expected.map((row) => JSON.stringify(row));
            const isOrdered = text.replace(/over \(.*?\)/, "").includes("order by");
            assert.deepEqual(isOrdered ? found : found.sort(), isOrdered ? wanted : wanted.sort());
          } finally {
            await tx.rollback();
          }
        });
      }
    } finally {
      await db.close();
    }
  });
}
