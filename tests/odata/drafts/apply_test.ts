/**
 * `$apply` on drafts, active instances and both together gives what it gives on an entity without drafts that has the same rows
 * (drafts 0 "Conditions on draft elements"; OData Data Aggregation 3).
 */

import assert from "node:assert/strict";
import { createRuntime, type Row, type Runtime } from "../../../mod.ts";
import { denoKinds } from "../../../src/deno/deno_kinds.ts";
import { compileCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { uniqueName } from "../../contract/services.ts";
import { credentials, dropSchemas, server } from "../../db/postgres.ts";
import { sendLine } from "./send_line.ts";

const ELEMENTS = `title : String(40); price : Integer; doubled : Integer = price * 2;
  buyer : Association to my.Buyers;`;
const SOURCE = `
  context my {
    entity Orders { key ID : Integer; ${ELEMENTS} }
    entity Copies { key ID : Integer; key kind : String(10); isListed : Boolean; ${ELEMENTS} }
    entity Buyers { key ID : Integer; name : String(20); }
  }
  service Shop {
    @odata.draft.enabled entity Orders as projection on my.Orders;
    entity Copies as projection on my.Copies;
    entity Buyers as projection on my.Buyers;
  }`;

const ACTIVES = [[1, "a", 5, 1], [2, "a", 7, 2], [3, "b", 9, 1]] as const;
/** Of ann: order 1 as she edits it, and a new one; the one of ben is nobody else's. */
const DRAFTS = [[1, "b", 50, 2], [8, "c", 80, 1]] as const;
const rowOf = ([ID, title, price, buyer_ID]: readonly [number, string, number, number]): Row => {
  return { ID, title, price, buyer_ID };
};
const DATA = new Map<string, Row[]>([
  ["my.Orders", ACTIVES.map(rowOf)],
  ["my.Copies", [
    ...ACTIVES.map((row): Row => ({ ...rowOf(row), kind: "active", isListed: row[0] !== 1 })),
    ...DRAFTS.map((row): Row => ({ ...rowOf(row), kind: "draft", isListed: true })),
  ]],
  ["my.Buyers", [{ ID: 1, name: "x" }, { ID: 2, name: "y" }]],
]);

const ACTIVE = "IsActiveEntity eq true";
const DRAFT = "IsActiveEntity eq false";
const BOTH = "IsActiveEntity eq false or SiblingEntity/IsActiveEntity eq null";

/** Conditions on orders, and those on copies that hold for the same rows. */
const CONDITIONS: readonly (readonly [string, string])[] = [
  [ACTIVE, "kind eq 'active'"],
  [DRAFT, "kind eq 'draft'"],
  [BOTH, "isListed eq true"],
  [`(${BOTH}) and price gt 6`, "isListed eq true and price gt 6"],
];
const STEPS = [
  "aggregate(price with sum as s,price with max as m,$count as n)",
  "aggregate(title with countdistinct as n)",
  "groupby((title),aggregate(price with sum as s))",
  "groupby((title,buyer/name),aggregate($count as n))",
  "groupby((buyer/name))",
  "groupby((doubled),aggregate($count as n))",
  "groupby((buyer_ID),aggregate($count as n))",
  "groupby((title),aggregate(price with sum as s))/filter(s gt 10)",
  "groupby((title),aggregate(price with sum as s))/aggregate(s with max as most,$count as n)",
  "groupby((title),aggregate($count as n))/orderby(n desc,title)/top(1)",
];
/** Of one kind only. */
const STEPS_OF_ONE = [
  "filter(price gt 6)/compute(price mul 2 as twice)/groupby((title),aggregate(twice with sum as s))",
  "topcount(1,price)/aggregate(price with sum as s)",
  "groupby((title),topcount(1,price))/aggregate(price with sum as s,$count as n)",
  "groupby((buyer_ID),bottomcount(1,price))/groupby((title,price))",
  "concat(aggregate($count as n),groupby((title),aggregate(price with sum as s)))",
];

interface Found {
  readonly status: number;
  readonly body: { readonly value: readonly Row[]; readonly error?: { readonly message: string } };
}

const send = (runtime: Runtime, user: string, request: string, body?: unknown): Promise<Found> =>
  sendLine(runtime, request, { user, body }) as unknown as Promise<Found>;

async function withDrafts(kind: string, run: (runtime: Runtime) => Promise<void>): Promise<void> {
  const schema = uniqueName();
  const db = kind === "postgres" ? { kind, credentials: credentials(schema) } : { kind };
  const auth = { kind: "mocked", id_prefix: "", users: { ann: {}, ben: {} } };
  const runtime = createRuntime({
    model: compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? SOURCE : undefined }),
    kinds: denoKinds,
    env: { requires: { auth, db }, log: { levels: { default: "silent" } } },
    data: DATA,
  });
  await runtime.start();
  try {
    await send(runtime, "ann", "POST Orders(ID=1,IsActiveEntity=true)/draftEdit", {});
    const [first, second] = DRAFTS.map(rowOf);
    await send(runtime, "ann", "PATCH Orders(ID=1,IsActiveEntity=false)", first);
    await send(runtime, "ann", "POST Orders", second);
    await send(runtime, "ben", "POST Orders", { ID: 9, title: "hidden", price: 999, buyer_ID: 1 });
    await run(runtime);
  } finally {
    await runtime.close();
    if (kind === "postgres") await dropSchemas(schema);
  }
}

/** Rows without what tells their kind, in an order of their own. */
function sorted(rows: readonly Row[]): string[] {
  return rows.map(({ IsActiveEntity: _kind, ...row }) => JSON.stringify(row)).sort();
}

for (const kind of ["sqlite", "memory", "postgres"] as const) {
  Deno.test({
    name:
      `$apply gives on drafts and active instances what it gives on the same rows without drafts (${kind})`,
    ignore: kind === "postgres" && !server.isThere,
    fn: () =>
      withDrafts(kind, async (runtime) => {
        for (const [condition, same] of CONDITIONS) {
          const isBoth = condition.includes(" or ");
          for (const step of isBoth ? STEPS : [...STEPS, ...STEPS_OF_ONE]) {
            const path = `GET Orders?$apply=filter(${condition})/${step}`;
            const [found, expected] = [
              await send(runtime, "ann", path),
              await send(runtime, "ann", `GET Copies?$apply=filter(${same})/${step}`),
            ];
            assert.equal(found.status, 200, `${path} ${JSON.stringify(found.body)}`);
            assert.deepEqual(sorted(found.body.value), sorted(expected.body.value), path);
            const kinds = new Set(found.body.value.map((row: Row) => row.IsActiveEntity));
            assert.deepEqual([...kinds], [isBoth ? undefined : condition === ACTIVE], path);
          }
        }
      }),
  });

  Deno.test({
    name: `groups by draft elements, and steps of both kinds (${kind})`,
    ignore: kind === "postgres" && !server.isThere,
    fn: () =>
      withDrafts(kind, async (runtime) => {
        const rows = async (apply: string) =>
          (await send(runtime, "ann", `GET Orders?$apply=${apply}`)).body.value;
        assert.deepEqual(
          await rows(
            `filter(${BOTH})/groupby((IsActiveEntity),aggregate($count as n,price with sum as s))/orderby(n)`,
          ),
          [{ IsActiveEntity: false, n: 2, s: 130 }, { IsActiveEntity: true, n: 2, s: 16 }],
        );
        assert.deepEqual(await rows("groupby((HasDraftEntity),aggregate($count as n))/orderby(n)"), [
          { HasDraftEntity: true, n: 1, IsActiveEntity: true },
          { HasDraftEntity: false, n: 2, IsActiveEntity: true },
        ]);
        assert.deepEqual(
          await rows(`filter(${DRAFT})/groupby((IsActiveEntity),aggregate(price with sum as s))`),
          [
            { IsActiveEntity: false, s: 130 },
          ],
        );
        const twins = await rows(
          `filter(${DRAFT})/groupby((SiblingEntity/doubled))/orderby(SiblingEntity/doubled)`,
        );
        assert.deepEqual(twins.map((row: Row) => row.SiblingEntity), [{ doubled: null }, { doubled: 10 }]);
        const listed = await rows(`filter(${DRAFT})/orderby(price desc)/top(1)`);
        assert.deepEqual(listed.map((row: Row) => [row.ID, row.IsActiveEntity]), [[8, false]]);
        const tops = async (condition: string) =>
          (await rows(`filter(${condition})/groupby((buyer_ID),topcount(1,price))`))
            .map((row: Row) => [row.ID, row.IsActiveEntity]);
        assert.deepEqual(await tops(DRAFT), [[1, false], [8, false]]);
        assert.deepEqual(await tops(ACTIVE), [[2, true], [3, true]]);
        assert.deepEqual(await tops("HasDraftEntity eq true"), [[1, true]]);
      }),
  });
}

Deno.test("what cannot be asked of active instances and drafts together answers 501", () =>
  withDrafts("memory", async (runtime) => {
    const steps = [
      "topcount(1,price)/aggregate(price with sum as s)",
      "topcount(1,price)/filter(price gt 1)",
      "groupby((title),topcount(1,price))",
    ];
    for (const step of [...steps, "concat(aggregate($count as n),filter(price gt 7))"]) {
      const { status, body } = await send(runtime, "ann", `GET Orders?$apply=filter(${BOTH})/${step}`);
      assert.equal(status, 501, step);
      assert.match(JSON.stringify(body), /drafts/, step); // the text names what is missing
    }
    for (const path of ["$all", "$crossjoin(Orders,Buyers)"]) {
      const { status, body } = await send(runtime, "ann", `GET ${path}`);
      assert.equal(status, 501, path);
      assert.match(JSON.stringify(body), /with \W+(Orders|Items)\W+, which has drafts/, path);
    }
  }));

for (const kind of ["sqlite", "memory", "postgres"] as const) {
  Deno.test({
    name:
      `${kind}: flags and administrative data that rows are grouped by have their types (Aggregation 3.2.3)`,
    ignore: kind === "postgres" && !server.isThere,
    fn: () =>
      withDrafts(kind, async (runtime) => {
        const grouped = async (names: string) => {
          const apply = `filter(${BOTH})/groupby((${names}),aggregate($count as n))`;
          const { status, body } = await send(runtime, "ann", `GET Orders?$apply=${apply}`);
          assert.equal(status, 200, `${names} ${JSON.stringify(body)}`);
          return body.value.map((row) => JSON.stringify(row)).sort();
        };
        assert.deepEqual(await grouped("IsActiveEntity,HasActiveEntity,HasDraftEntity"), [
          '{"IsActiveEntity":false,"HasActiveEntity":false,"HasDraftEntity":false,"n":1}',
          '{"IsActiveEntity":false,"HasActiveEntity":true,"HasDraftEntity":false,"n":1}',
          '{"IsActiveEntity":true,"HasActiveEntity":false,"HasDraftEntity":false,"n":2}',
        ]);
        const administrative = ["DraftIsCreatedByMe", "CreatedByUser"];
        assert.deepEqual(
          await grouped(administrative.map((name) => `DraftAdministrativeData/${name}`).join()),
          [
            '{"DraftAdministrativeData":{"DraftIsCreatedByMe":null,"CreatedByUser":null},"n":2}',
            '{"DraftAdministrativeData":{"DraftIsCreatedByMe":true,"CreatedByUser":"ann"},"n":2}',
          ],
        );
      }),
  });
}
