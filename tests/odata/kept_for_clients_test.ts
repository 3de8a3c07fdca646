/** How what is kept for clients leaves again. */

import assert from "node:assert/strict";
import { LaterCleanup } from "../../src/odata/kept_for_clients.ts";
import { recordingLog } from "../messaging/channels.ts";

const turn = () => new Promise<void>((resolve) => setTimeout(resolve, 1));

/** A cleanup whose runs are told, and last until they are let go. */
function open(isMore: boolean) {
  const log = recordingLog();
  const cleanup = new LaterCleanup(() => log);
  const [begun, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const told: string[] = [];
  const after = (tenant: string | undefined, fails = false) =>
    cleanup.after(tenant, 0, {
      root: { log },
      run: async () => {
        told.push(`${tenant} begins`);
        begun.resolve();
        await letGo.promise;
        told.push(`${tenant} ends`);
        if (fails) throw new Error("The database is away");
        return isMore && told.length < 4;
      },
    });
  return { cleanup, after, told, begun: begun.promise, letGo: letGo.resolve, log };
}

Deno.test("a tenant is cleaned up once at a time, and again where more is left", async () => {
  const { cleanup, after, told, begun, letGo } = open(true);
  after("t1");
  after("t1");
  await begun;
  letGo();
  while (told.length < 4) await turn();
  await cleanup.close();
  assert.deepEqual(told, ["t1 begins", "t1 ends", "t1 begins", "t1 ends"]);
});

Deno.test("whoever fails to clean up tells so, and tries again", async () => {
  const { cleanup, after, told, letGo, log } = open(false);
  after(undefined, true);
  letGo();
  while (told.length < 3) await turn();
  await cleanup.close();
  assert.match(String(log.lines[0]![0]), /^Cannot remove what is kept for clients too long/);
});

Deno.test("once it is closed nothing is cleaned up any more, and what runs has ended", async () => {
  const { cleanup, after, told, begun, letGo } = open(true);
  after("t1");
  await begun;
  after("t2");
  const closed = cleanup.close().then(() => told.push("closed"));
  letGo();
  await closed;
  for (let count = 0; count < 3; count++) await turn();
  assert.deepEqual(told, ["t1 begins", "t1 ends", "closed"]);
});
