import assert from "node:assert/strict";
import type { Row } from "../../src/cqn/cqn.ts";
import { ENGINES } from "./engines.ts";
import { withLibrary } from "./library.ts";

/** Authors 1, 2 and 3 have 1, 2 and no books. */
const URLS: Readonly<Record<string, readonly (readonly object[])[]>> = {
  "aggregate($it/ID with sum as s)": [[{ s: 1 }], [{ s: 4 }], [{ s: null }]],
  "compute($it/ID add 1 as c)/aggregate(c with average as s)": [[{ s: 2 }], [{ s: 3 }], [{ s: null }]],
  "filter($it/ID gt 1)/aggregate($count as s)": [[{ s: 0 }], [{ s: 2 }], [{ s: 0 }]],
  "groupby((author_ID),filter($it/ID gt 1)/aggregate($count as s))": [
    [{ author_ID: 1, s: 0 }],
    [{ author_ID: 2, s: 2 }],
    [],
  ],
  "groupby((author_ID),aggregate($it/ID with max as s,$it/ID with countdistinct as t))": [
    [{ author_ID: 1, s: 1, t: 1 }],
    [{ author_ID: 2, s: 2, t: 1 }],
    [],
  ],
};

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`${engine}: aggregates of values of $it alone are about the rows they stand in (Data Aggregation 3.2.1.1)`, async () => {
    const answers = async (data?: ReadonlyMap<string, readonly Row[]>) => {
      const found: Record<string, unknown> = {};
      await withLibrary(database, async (library) => {
        for (const apply of Object.keys(URLS)) {
          const url = `Authors?$select=ID&$expand=books($apply=${apply})`;
          const { status, body } = await library.send("GET", encodeURI(url));
          assert.equal(status, 200, url);
          found[apply] = (body as { value: { books: unknown }[] }).value.map(({ books }) => books);
        }
      }, data && { data });
      return found;
    };
    assert.deepEqual(await answers(), URLS);
    const none = Object.fromEntries(Object.keys(URLS).map((apply) => [apply, []]));
    assert.deepEqual(await answers(new Map()), none);
  });
}
