/**
 * Nobody reads drafts of others, or from own drafts what is hidden: whatever the query is, its answer is the same whatever
 * these rows hold (drafts "Bad input": restrictions hold in drafts as in active instances).
 *
 * That others have a draft, and who, is told by design; so both states have the same drafts.
 *
 * @module
 */

import assert from "node:assert/strict";
import fc from "fast-check";
import { createRuntime, type Runtime } from "../../../mod.ts";
import { denoKinds } from "../../../src/deno/deno_kinds.ts";
import { compileCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { uniqueName } from "../../contract/services.ts";
import { credentials, dropSchemas, server } from "../../db/postgres.ts";
import { propertyRuns } from "../../property_runs.ts";
import { DRAFTS_CDL, randomRead } from "./random_reads.ts";
import { sendLine } from "./send_line.ts";

const READS = 50;

async function open(db: object): Promise<Runtime> {
  const model = compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? DRAFTS_CDL : undefined });
  const runtime = createRuntime({
    model,
    kinds: denoKinds,
    env: {
      requires: { auth: { kind: "mocked", id_prefix: "", users: { ann: {}, ben: {} } }, db },
      log: { levels: { default: "silent" } },
    },
    handlers: {
      Shop: (srv) => {
        for (const target of [srv.entities.Orders, srv.entities.Orders.drafts]) {
          srv.on("weight", target as never, async (req) => {
            const rows = await srv.run({ SELECT: { from: { ref: [...req.subject.ref, "items"] } } });
            return (rows as { amount: number }[]).reduce((sum, { amount }) => sum + (amount ?? 0), 0);
          });
        }
      },
    },
    data: new Map<string, Record<string, unknown>[]>([
      [
        "my.Orders",
        [1, 2, 3, 5].map((ID) => ({
          ID,
          title: "first",
          note: "n",
          price: 5 * ID,
          owner: ID === 5 ? "ben" : "all",
          vault_ID: ID % 2 + 1,
        })),
      ],
      ["my.Items", [1, 2, 3, 5].map((ID) => ({ ID, order_ID: ID, label: "first", amount: ID }))],
      ["my.Remarks", [1, 2, 5].map((ID) => ({ ID, item_ID: ID, text: "first" }))],
      [
        "my.Visits",
        [1, 2, 3].map((ID) => ({ ID, place: "first", stars: ID, order_ID: 2 * ID - 1, item_ID: ID + 2 })),
      ],
      ["my.Vaults", [1, 2].map((ID) => ({ ID, code: "first", worth: ID, owner: ID === 1 ? "ann" : "ben" }))],
    ]),
  });
  await runtime.start();
  await send(runtime, "ann", "POST Orders(ID=1,IsActiveEntity=true)/draftEdit", {});
  await send(runtime, "ben", "POST Orders(ID=2,IsActiveEntity=true)/draftEdit", {});
  const parts = [{ ID: 4, label: "first", amount: 1, remarks: [{ ID: 4, text: "first" }] }];
  await send(runtime, "ben", "POST Orders", { ID: 4, title: "first", price: 1, items: parts });
  return runtime;
}

async function send(runtime: Runtime, user: string, request: string, body?: unknown): Promise<string> {
  const { status, text } = await sendLine(runtime, request, { user, body });
  return `${status} ${text}`;
}

/** Changes what ben alone may see, without a trace in the administrative data of his drafts. */
async function fill(runtime: Runtime, texts: string, numbers: number): Promise<void> {
  const db = runtime.db!;
  const set = async (name: string, ids: readonly number[], data: Record<string, unknown>) => {
    const list = { list: ids.map((val) => ({ val })) };
    await db.run({ UPDATE: { entity: `Shop.${name}.drafts`, data, where: [{ ref: ["ID"] }, "in", list] } });
  };
  const setActive = async (name: string, ID: number, data: Record<string, unknown>) => {
    const where = [{ ref: ["ID"] }, "=", { val: ID }];
    await db.run({ UPDATE: { entity: `my.${name}`, data, where } });
  };
  await set("Orders", [2, 4], { title: texts, note: texts, price: numbers });
  await set("Items", [2, 4], { label: texts, amount: numbers });
  await set("Remarks", [2, 4], { text: texts });
  await setActive("Orders", 5, { title: texts, note: texts, price: numbers });
  await setActive("Items", 5, { label: texts, amount: numbers });
  await setActive("Remarks", 5, { text: texts });
  await setActive("Vaults", 2, { code: texts, worth: numbers });
}

for (const kind of ["sqlite", "memory", "postgres"] as const) {
  const ignore = kind === "postgres" && !server.isThere;
  Deno.test(`${kind}: no query tells what drafts of others and hidden rows hold`, { ignore }, async () => {
    const schema = uniqueName();
    const runtime = await open(
      kind === "postgres" ? { kind, credentials: credentials(schema) } : { kind },
    );
    let answered = 0;
    let total = 0;
    try {
      const { numRuns, seed } = propertyRuns(200, 2026);
      const property = fc.asyncProperty(
        fc.array(randomRead, { minLength: READS, maxLength: READS }),
        async (urls) => {
          const answersOf = async () => {
            const answers: string[] = [];
            for (const url of urls) answers.push(await send(runtime, "ann", `GET ${url}`));
            return answers;
          };
          await fill(runtime, "secret", 1000);
          const before = await answersOf();
          await fill(runtime, "other", 7);
          const after = await answersOf();
          for (const [index, url] of urls.entries()) {
            assert.equal(after[index], before[index], url);
            assert.doesNotMatch(before[index]!, /"secret"/, url);
            assert.doesNotMatch(before[index]!, /^500/, url);
            if (before[index]!.startsWith("20")) answered++;
          }
          total += urls.length;
        },
      );
      await fc.assert(property, { numRuns: Math.ceil(numRuns / READS), seed, endOnFailure: true });
      assert.ok(answered > total / 2, `${answered} of ${total} were answered`);
    } finally {
      await runtime.close();
      if (kind === "postgres") await dropSchemas(schema);
    }
  });
}
