/**
 * `$apply` in `$expand` is about the parts of the rows that are expanded: of a draft those of the draft, of an active instance
 * those of the active one (drafts 0 "Conditions on draft elements"; OData Data Aggregation 6.2.5).
 */

import assert from "node:assert/strict";
import { uniqueName } from "../../contract/services.ts";
import { withApp } from "../../data/app.ts";
import { credentials, dropSchemas, server } from "../../db/postgres.ts";

const MODEL = `service Test {
  @odata.draft.enabled entity Orders { key ID : Integer; author : Association to Authors;
    items : Composition of many Items on items.order = $self; }
  entity Items { key ID : Integer; n : Integer; order : Association to Orders; }
  entity Authors { key ID : Integer; orders : Association to many Orders on orders.author = $self; }
}`;
const ROWS = {
  "Test.Orders": [{ ID: 1, author_ID: 1 }],
  "Test.Items": [{ ID: 1, n: 3, order_ID: 1 }, { ID: 2, n: 4, order_ID: 1 }],
  "Test.Authors": [{ ID: 1 }],
};
const SUM = "items($apply=aggregate(n with sum as s))";
const ACTIVE = "Orders(ID=1,IsActiveEntity=true)";
const DRAFT = "Orders(ID=1,IsActiveEntity=false)";
const SUMS: Readonly<Record<string, unknown>> = {
  [`${ACTIVE}?$expand=${SUM}`]: { items: [{ s: 7 }] },
  [`${DRAFT}?$expand=${SUM}`]: { items: [{ s: 54 }] },
  [`${ACTIVE}?$expand=SiblingEntity($expand=${SUM})`]: { SiblingEntity: { items: [{ s: 54 }] } },
  [`${DRAFT}?$expand=items($apply=filter(n gt 9)/groupby((n,IsActiveEntity)))`]: {
    items: [{ n: 50, IsActiveEntity: false }],
  },
  "Authors(1)?$expand=orders($apply=filter(IsActiveEntity eq true)/aggregate($count as c))": {
    orders: [{ c: 1 }],
  },
  [`Authors(1)?$expand=orders($expand=${SUM})`]: { orders: [{ items: [{ s: 7 }] }] },
};

for (const kind of ["sqlite", "memory", "postgres"] as const) {
  Deno.test({
    name: `${kind}: groups in $expand are of the parts of the row, draft or active`,
    ignore: kind === "postgres" && !server.isThere,
    fn: async () => {
      const schema = uniqueName();
      const db = kind === "postgres" ? { kind, credentials: credentials(schema) } : { kind };
      await withApp({ model: MODEL, rows: ROWS, env: { requires: { db } } }, async ({ get, patch, post }) => {
        await post(`${ACTIVE}/Test.draftEdit`);
        assert.equal((await patch("Items(ID=1,IsActiveEntity=false)", { n: 50 })).status, 200);
        for (const [path, expected] of Object.entries(SUMS)) {
          const { status, body } = await get(path);
          assert.equal(status, 200, path);
          assert.partialDeepStrictEqual(body, expected as object, path);
        }
      });
      if (kind === "postgres") await dropSchemas(schema);
    },
  });
}
