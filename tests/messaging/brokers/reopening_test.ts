import assert from "node:assert/strict";
import { Reopening } from "../../../src/messaging/brokers/reopening.ts";
import { eventually } from "../../contract/channel.ts";
import { recordingLog } from "../channels.ts";

function reopened(open: (attempt: number, lost: Set<() => void>) => Promise<void>) {
  const lost = new Set<() => void>();
  const counts = { opened: 0, forgotten: 0 };
  const reopening = new Reopening({
    open: () => open(++counts.opened, lost),
    forget: () => void counts.forgotten++,
    lost,
    log: recordingLog(),
  });
  return { reopening, lost, counts };
}

Deno.test("what is lost again while it is being opened again is opened once more (messaging 7)", async () => {
  const { reopening, counts } = reopened((attempt, lost) => {
    reopening.watch();
    if (attempt === 1) { for (const listener of lost) listener(); }
    return Promise.resolve();
  });
  reopening.start();
  await eventually(() => counts.opened === 2);
  await reopening.stop();
  assert.deepEqual(counts, { opened: 2, forgotten: 2 });
});

Deno.test("what cannot be opened again is tried again until it is stopped", async () => {
  const { reopening, counts } = reopened((attempt) =>
    attempt < 3 ? Promise.reject(new Error("away")) : Promise.resolve()
  );
  reopening.start();
  await eventually(() => counts.opened === 3);
  await reopening.stop();
  reopening.start();
  assert.deepEqual(counts, { opened: 3, forgotten: 2 });
});
