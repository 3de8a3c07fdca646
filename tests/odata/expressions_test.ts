import assert from "node:assert/strict";
import { ENGINES } from "./engines.ts";
import type { Shop } from "./fixture_host.ts";
import { RULES } from "./expression_rules.ts";
import { withLibrary } from "./library.ts";

async function idsOf(library: Shop, url: string): Promise<unknown> {
  const { status, body } = await library.send("GET", encodeURI(url));
  assert.equal(status, 200, `${url}: ${JSON.stringify(body)}`);
  return (body as { value: { ID: number }[] }).value.map(({ ID }) => ID);
}

for (const [engine, database] of Object.entries(ENGINES)) {
  for (const [rule, filters] of Object.entries(RULES)) {
    Deno.test(`${rule} on ${engine}`, () =>
      withLibrary(database, async (library) => {
        for (const [filter, ids] of Object.entries(filters)) {
          assert.deepEqual(await idsOf(library, `Books?$select=ID&$filter=${filter}`), ids, filter);
        }
      }));
  }
}
