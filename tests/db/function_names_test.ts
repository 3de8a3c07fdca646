import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import { createAllEngines } from "./all_engines.ts";
import { ROWS, testModel } from "./fixture.ts";

/** Values of the first row. */
const RESULTS: Readonly<Record<string, unknown>> = {
  "SELECT from my.Books { days_between('2024-01-31T10:00:00Z', '2024-03-01T09:00:00Z') as n } limit 1": 29,
  "SELECT from my.Books { days_between('2024-03-01T09:00:00Z', '2024-01-31T10:00:00Z') as n } limit 1": -29,
  "SELECT from my.Books { MONTHS_BETWEEN('2024-01-31T10:00:00Z', '2024-03-31T09:00:00Z') as n } limit 1": 1,
  "SELECT from my.Books { years_between('2024-01-31T10:00:00Z', '2020-01-31T11:00:00Z') as n } limit 1": -3,
  "SELECT from my.Books { seconds_between('2024-01-31T10:00:00Z', '2024-01-31T10:01:01Z') as n } limit 1": 61,
  "SELECT from my.Books { nano100_between('2024-01-31T10:00:00.000Z', '2024-01-31T10:00:00.001Z') as n } limit 1":
    10_000,
  "SELECT from my.Books { days_between(null, '2024-03-01T09:00:00Z') as n } limit 1": null,
  "SELECT from my.Books { count(*) as n } where search((title), 'THE')": 2,
  "SELECT from my.Books { session_context('$user.id') as n } limit 1": "anonymous",
  "SELECT from my.Books { error('MISSING', (title, ID), (title)) as n } order by ID limit 1": {
    message: "MISSING",
    args: ["The Raven", 10],
    targets: ["title"],
  },
  "SELECT from my.Books { error('MISSING') as n } limit 1": { message: "MISSING", args: null, targets: null },
  "SELECT from my.Books { COUNT(reviews) as n } order by ID": 2,
  "SELECT from my.Books { Count(*) as n } limit 1": 3,
  "SELECT from my.Books { MAX(ID) as n } limit 1": 20,
  "SELECT from my.Books { COUNT(DISTINCT author.ID) as n } limit 1": 2,
  "SELECT from my.Books { SUM(price) as n } limit 1": 20.5,
  "SELECT from my.Books { max(title, 'The Sea', 'A') as n } order by ID": "The Sea",
  "SELECT from my.Books { min(stock, 7, ID) as n } order by ID": 5,
  "SELECT from my.Books { min(price, 1) as n } order by ID desc": null,
  "SELECT from my.Books { StartsWith(title, 'The') as n } order by ID": true,
};

Deno.test("functions give the same on all engines, their names count in any case (CQL)", async () => {
  for (const database of await createAllEngines(testModel())) {
    try {
      await database.deploy(ROWS);
      for (const [text, expected] of Object.entries(RESULTS)) {
        const tx = database.begin(new EventContext());
        const [{ n }] = await tx.run(parseCqlQuery(text)) as { n: unknown }[];
        await tx.commit();
        assert.deepEqual(n, expected, `${database.kind}: ${text}`);
      }
    } finally {
      await database.close();
    }
  }
});
