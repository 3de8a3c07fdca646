import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import { createAllEngines } from "./all_engines.ts";
import { ROWS, testModel } from "./fixture.ts";

/** Values of the first row. */
const RESULTS: Readonly<Record<string, unknown>> = {
  "SELECT from my.Books { COUNT(reviews) as n } order by ID": 2,
  "SELECT from my.Books { Count(*) as n } limit 1": 3,
  "SELECT from my.Books { MAX(ID) as n } limit 1": 20,
  "SELECT from my.Books { COUNT(DISTINCT author.ID) as n } limit 1": 2,
  "SELECT from my.Books { SUM(price) as n } limit 1": 20.5,
  "SELECT from my.Books { StartsWith(title, 'The') as n } order by ID": true,
};

Deno.test("names of functions count in any case on all engines (CQL)", async () => {
  for (const database of await createAllEngines(testModel())) {
    try {
      await database.deploy(ROWS);
      for (const [text, expected] of Object.entries(RESULTS)) {
        const tx = database.begin(new EventContext());
        const [{ n }] = await tx.run(parseCqlQuery(text)) as { n: unknown }[];
        await tx.commit();
        assert.equal(n, expected, `${database.kind}: ${text}`);
      }
    } finally {
      await database.close();
    }
  }
});
