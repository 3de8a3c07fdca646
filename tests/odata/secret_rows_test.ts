import assert from "node:assert/strict";
import { ENGINES } from "./engines.ts";
import { RULES } from "./expression_rules.ts";
import { SECRETS, withLibrary, withSecrets } from "./library.ts";

/** Ways to rows that expressions and paths have. */
const URLS: readonly string[] = [
  ...Object.values(RULES).flatMap((filters) => Object.keys(filters)).map((filter) =>
    `Books?$filter=${filter}`
  ),
  "Books?$orderby=loans/$count desc,$root/Authors/$count",
  "Books?$compute=loans/$count as n,author/books/$count($filter=stock gt $it/stock) as m",
  "Authors?$expand=books($filter=loans/any(l:l/days gt $it/rank);$count=true)",
  "Authors?$expand=books/$count($search=raven)",
  "Authors?$expand=books($compute=$it/books/$count as n)",
  "Nodes?$expand=children($levels=max)",
  "Nodes?$apply=groupby((rolluprecursive($root/Nodes,Tree,ID)),aggregate($count as n))&$orderby=ID",
  "Nodes?$apply=groupby((rolluprecursive($root/Nodes,Tree,parent/ID)),aggregate(ID with max as m))&$orderby=parent/ID",
  "Nodes?$apply=descendants($root/Nodes,Tree,ID,filter(parent eq null),2)&$orderby=ID",
  "Nodes?$expand=children($apply=descendants($root/Nodes,Tree,ID,identity,keep start);$orderby=ID)&$orderby=ID",
];

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`rows that the caller may not read make no difference to any expression of a URL, on ${engine} (authorization)`, () =>
    withLibrary(database, async (open) => {
      await withLibrary(database, async (secret) => {
        assert.equal((await secret.send("GET", "Books/$count")).body, "4");
        for (const url of URLS) {
          const expected = await open.send("GET", encodeURI(url));
          assert.equal(expected.status, 200, `${url}: ${JSON.stringify(expected.body)}`);
          assert.deepEqual(await secret.send("GET", encodeURI(url)), expected, url);
        }
      }, { model: withSecrets(), data: SECRETS });
    }, { model: withSecrets() }));
}
