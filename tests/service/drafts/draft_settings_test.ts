/** The settings of drafts (`fw.fiori`), and when the task runs that deletes old drafts (drafts 9). */

import assert from "node:assert/strict";
import { ConfigurationError, createRuntime, type Row, type Runtime, SELECT } from "../../../mod.ts";
import { denoKinds } from "../../../src/deno/deno_kinds.ts";
import { OUTBOX_MESSAGES } from "../../../src/messaging/outbox/queue_model.ts";
import { compileCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { draftSettings } from "../../../src/service/drafts/draft_settings.ts";
import { withClock } from "../../security/clock.ts";
import { sendTo } from "../../send_to.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

Deno.test("draftSettings() has messages, changes without draft, locks of 15 minutes and 30 days for each draft", () => {
  const usual = {
    ...{ messages: true, newAction: false, bypass: true },
    ...{ lockMs: 15 * MINUTE_MS, deletionMs: 30 * DAY_MS },
  };
  assert.deepEqual(draftSettings({}), usual);
  assert.deepEqual(
    draftSettings({ fiori: { draft_messages: 1, draft_new_action: 1, bypass_draft: 1 } }),
    usual,
  );
  const env = {
    fiori: {
      ...{ draft_messages: false, draft_new_action: true, bypass_draft: false },
      ...{ draft_lock_timeout: "10min", draft_deletion_timeout: 5 },
    },
  };
  assert.deepEqual(draftSettings(env), {
    ...{ messages: false, newAction: true, bypass: false, lockMs: 10 * MINUTE_MS, deletionMs: 5 },
  });
  assert.equal(draftSettings(env), draftSettings(env)); // read once
});

Deno.test("draftSettings() keeps drafts for a hundred years where they are never to be deleted", () => {
  const { deletionMs } = draftSettings({ fiori: { draft_deletion_timeout: false } });
  assert.equal(deletionMs, 100 * 365 * DAY_MS);
});

Deno.test("draftSettings() names the setting that is no duration", () => {
  for (const name of ["draft_lock_timeout", "draft_deletion_timeout"]) {
    assert.throws(() => draftSettings({ fiori: { [name]: "soon" } }), (error) => {
      assert.ok(error instanceof ConfigurationError);
      assert.match(error.message, new RegExp(`^"fw.fiori.${name}": .*found "soon"`));
      assert.ok(error.cause instanceof TypeError);
      return true;
    });
  }
});

const SOURCE = `
  entity my.Orders { key ID : Integer; }
  service Shop { @odata.draft.enabled entity Orders as projection on my.Orders; }`;

async function withShop(
  fiori: object,
  run: (runtime: Runtime) => Promise<void>,
  source = SOURCE,
): Promise<void> {
  const runtime = createRuntime({
    model: compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? source : undefined }),
    kinds: denoKinds,
    env: {
      requires: { auth: { kind: "mocked" }, db: { kind: "sqlite" } },
      fiori,
      log: { levels: { default: "silent" } },
    },
  });
  await runtime.start();
  try {
    await run(runtime);
  } finally {
    await runtime.close();
  }
}

const post = async (runtime: Runtime, path: string, body: unknown) =>
  await sendTo(runtime, { method: "POST", path: `/odata/v4/shop/${path}`, body, user: "alice" });

/** The tasks that are stored: after how many milliseconds they are due, and repeated. */
async function tasksOf(runtime: Runtime): Promise<unknown[]> {
  const rows = await runtime.db!.run(SELECT.from(OUTBOX_MESSAGES)) as Row[];
  return rows.map(({ task, due, msg }) => {
    return [task, Date.parse(String(due)) - Date.now(), JSON.parse(String(msg)).every];
  });
}

Deno.test("old drafts are looked for as often as drafts last, once a minute at most and once a day at least", () =>
  withClock(async () => {
    for (
      const [draft_deletion_timeout, every] of [
        [1, MINUTE_MS],
        ["10 min", 10 * MINUTE_MS],
        ["2 days", DAY_MS],
        [false, DAY_MS],
      ] as const
    ) {
      await withShop({ draft_deletion_timeout }, async (runtime) => {
        assert.equal((await post(runtime, "Orders", { ID: 1 })).status, 201);
        assert.deepEqual(await tasksOf(runtime), [["draftCleanup", every, every]]);
      });
    }
  }));

Deno.test("further drafts do not put off the look for old ones, which a draft that failed does not begin", () =>
  withClock((forward) =>
    withShop({}, async (runtime) => {
      const part = (ID: number, url: string) => ({
        ...{ id: `${ID}`, atomicityGroup: "g", method: "POST", url, body: { ID } },
        headers: { "content-type": "application/json" },
      });
      await post(runtime, "$batch", { requests: [part(1, "Orders"), part(2, "Nothing")] });
      assert.deepEqual(await tasksOf(runtime), []);
      await post(runtime, "Orders", { ID: 3 });
      assert.deepEqual(await tasksOf(runtime), [["draftCleanup", DAY_MS, DAY_MS]]);
      forward(1_000);
      await post(runtime, "Orders", { ID: 4 });
      assert.deepEqual(await tasksOf(runtime), [["draftCleanup", DAY_MS - 1_000, DAY_MS]]);
    })
  ));

Deno.test("a service without drafts has nothing to look for: the event is its own", () =>
  withShop({}, async (runtime) => {
    await assert.rejects(async () => await runtime.services.Shop!.send("draftCleanup"), { status: 501 });
  }, SOURCE.replace("@odata.draft.enabled", "")));
