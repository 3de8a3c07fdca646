/**
 * Sequences of requests of three users leave what the rules say, on all engines: no change of an active instance is lost
 * whose elements the draft did not touch.
 *
 * @module
 */

import assert from "node:assert/strict";
import fc from "fast-check";
import { createRuntime, type Row, type Runtime } from "../../../mod.ts";
import { denoKinds } from "../../../src/deno/deno_kinds.ts";
import { compileCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { uniqueName } from "../../contract/services.ts";
import { credentials, dropSchemas, server } from "../../db/postgres.ts";
import { propertyRuns } from "../../property_runs.ts";
import { itemId, Oracle, type Step, valueOf } from "./draft_oracle.ts";
import { sendLine } from "./send_line.ts";

const SOURCE = `
  context my {
    entity Orders { key ID : Integer; title : String(40); price : Decimal(9,2); note : String(40);
      items : Composition of many Items on items.order = $self; }
    entity Items { key ID : Integer; order : Association to Orders; amount : Integer; }
  }
  service Shop {
    @odata.draft.enabled entity Orders as projection on my.Orders
      actions { action change(title : String, price : Decimal(9,2), note : String); };
    entity Items as projection on my.Items;
  }`;
const USERS = ["ann", "ben", "cleo"];
const DATA = new Map<string, Row[]>([
  ["my.Orders", [1, 2].map((ID) => ({ ID, title: "old", price: ID, note: null }))],
  ["my.Items", [1, 2].map((ID) => ({ ID: ID * 10 + 1, order_ID: ID, amount: ID }))],
]);

async function open(db: object): Promise<Runtime> {
  const runtime = createRuntime({
    model: compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? SOURCE : undefined }),
    kinds: denoKinds,
    env: {
      requires: {
        auth: { kind: "mocked", id_prefix: "", users: Object.fromEntries(USERS.map((user) => [user, {}])) },
        db,
      },
      log: { levels: { default: "silent" } },
    },
    handlers: {
      Shop: (srv) => {
        srv.on("change", "Orders", async (req) => {
          const found = await srv.run({ UPDATE: { entity: req.subject, data: { ...req.data as Row } } });
          if (!found) req.reject(404);
        });
      },
    },
    data: DATA,
  });
  await runtime.start();
  return runtime;
}

interface Sent {
  readonly status: number;
  readonly body: { readonly value?: readonly Row[] };
}

const send = (runtime: Runtime, user: string, request: string, body?: unknown): Promise<Sent> =>
  sendLine(runtime, request, { user, body }) as Promise<Sent>;

function requestOf(step: Step): readonly [request: string, body?: unknown] {
  const { id, name, value } = step;
  const active = `Orders(ID=${id},IsActiveEntity=true)`;
  const draft = `Orders(ID=${id},IsActiveEntity=false)`;
  const item = (isActive: boolean) => `items(ID=${itemId(step)},IsActiveEntity=${isActive})`;
  const change = { [name]: valueOf(step) };
  switch (step.what) {
    case "new":
      return ["POST Orders", { ID: id, title: `t${value}` }];
    case "edit":
      return [`POST ${active}/draftEdit`, {}];
    case "patch":
      return [`PATCH ${draft}`, change];
    case "addItem":
      return [`POST ${draft}/items`, { ID: itemId(step), amount: value }];
    case "patchItem":
      return [`PATCH ${draft}/${item(false)}`, { amount: value }];
    case "deleteItem":
      return [`DELETE ${draft}/${item(false)}`];
    case "activate":
      return [`POST ${draft}/draftActivate`, {}];
    case "discard":
      return [`DELETE ${draft}`];
    case "direct":
      return [`PATCH ${active}`, change];
    case "directItem":
      return [`PATCH ${active}/${item(true)}`, { amount: value }];
    case "action":
      return [`POST ${active}/change`, change];
    case "delete":
      return [`DELETE ${active}`];
  }
}

/** What a user sees of all instances of a kind. */
async function seen(runtime: Runtime, user: string, isActive: boolean): Promise<unknown> {
  const path = `GET Orders?$filter=IsActiveEntity eq ${isActive}&$expand=items($orderby=ID)&$orderby=ID`;
  const { status, body } = await send(runtime, user, path);
  assert.equal(status, 200);
  return body.value!.map(({ ID, title, price, note, items }) => ({
    ID,
    title,
    price: price === null ? null : Number(price),
    note,
    items: (items as Row[]).map((item) => [item.ID, item.amount]),
  }));
}

function expected(oracle: Oracle, user: string, isActive: boolean): unknown {
  const rows = isActive
    ? [...oracle.actives]
    : [...oracle.drafts].filter(([, { owner }]) => owner === user).map(([id, { now }]) => [id, now] as const);
  return rows.sort(([a], [b]) => a - b).map(([ID, { title, price, note, items }]) => ({
    ID,
    title,
    price,
    note,
    items: [...items].sort(([a], [b]) => a - b),
  }));
}

/** The rows of the start, and no drafts. */
async function restart({ db }: Runtime): Promise<void> {
  const drafts = ["Shop.Items.drafts", "Shop.Orders.drafts", "DRAFT.DraftAdministrativeData"];
  await db!.tx(async () => {
    for (const from of [...drafts, "my.Items", "my.Orders"]) await db!.run({ DELETE: { from } });
    for (const [into, entries] of DATA) {
      await db!.run({ INSERT: { into, entries: entries.map((row) => ({ ...row })) } });
    }
  });
}

function newOracle(): Oracle {
  const oracle = new Oracle();
  for (const ID of [1, 2]) {
    const items = new Map([[ID * 10 + 1, ID]]);
    oracle.actives.set(ID, { title: "old", price: ID, note: null, items });
  }
  return oracle;
}

async function check(runtime: Runtime, steps: readonly Step[]): Promise<void> {
  await restart(runtime);
  const oracle = newOracle();
  for (const [index, step] of steps.entries()) {
    const [request, body] = requestOf(step);
    const { status } = await send(runtime, step.user, request, body);
    const told = `step ${index + 1}, ${step.user}: ${request} ${JSON.stringify(body ?? "")}`;
    assert.equal(status, oracle.run(step), told);
  }
  for (const user of USERS) {
    assert.deepEqual(await seen(runtime, user, false), expected(oracle, user, false), `drafts of ${user}`);
  }
  assert.deepEqual(await seen(runtime, "ann", true), expected(oracle, "ann", true), "active instances");
}

const WHATS = [
  ...["patch", "patch", "patchItem", "addItem", "edit", "edit", "activate", "action"] as const,
  ...["new", "deleteItem", "discard", "direct", "directItem", "delete", "activate"] as const,
];

const step: fc.Arbitrary<Step> = fc.record({
  user: fc.constantFrom("ann", "ann", "ann", "ben", "cleo"),
  id: fc.constantFrom(1, 1, 2, 3),
  what: fc.constantFrom(...WHATS),
  name: fc.constantFrom("title", "price", "note"),
  value: fc.integer({ min: 1, max: 4 }),
  item: fc.integer({ min: 1, max: 3 }),
});

for (const kind of ["sqlite", "memory", "postgres"] as const) {
  const isAway = kind === "postgres" && !server.isThere;
  Deno.test({
    name: `${kind}: random sequences of draft requests of three users leave what the rules say`,
    ignore: isAway,
    fn: async () => {
      const schema = uniqueName();
      const runtime = await open(
        kind === "postgres" ? { kind, credentials: credentials(schema) } : { kind },
      );
      try {
        const { numRuns, seed } = propertyRuns(25, 2026);
        const property = fc.asyncProperty(
          fc.array(step, { minLength: 4, maxLength: 24, size: "max" }),
          (steps) => check(runtime, steps),
        );
        await fc.assert(property, { numRuns, seed });
      } finally {
        await runtime.close();
        if (kind === "postgres") await dropSchemas(schema);
      }
    },
  });
}
