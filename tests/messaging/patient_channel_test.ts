import assert from "node:assert/strict";
import { isUnreachable, patiently } from "../../src/messaging/patient_channel.ts";
import { recordingLog } from "./channels.ts";
import { TestChannel } from "./outbox_app.ts";

const refused = () => Object.assign(new Error("connect"), { code: "ECONNREFUSED" });

/** An error behind so many others. */
function behind(depth: number, error: unknown): unknown {
  return depth === 0 ? error : new Error("no", { cause: behind(depth - 1, error) });
}

Deno.test("a channel cannot be reached where an error, or one of four causes, says so or has the code of a failed connection", () => {
  for (
    const code of [
      ...[
        "ECONNREFUSED",
        "ECONNRESET",
        "ECONNABORTED",
        "EHOSTUNREACH",
        "ENETUNREACH",
        "ENOTFOUND",
        "EAI_AGAIN",
      ],
      ...["ENOTCONN", "EPIPE", "ETIMEDOUT", "CHANNEL_UNREACHABLE"],
    ]
  ) assert.equal(isUnreachable({ code }), true, code);
  assert.equal(isUnreachable({ unreachable: true }), true);
  for (const other of [{ code: "EACCES" }, { unreachable: 1 }, {}, null, undefined, "ECONNREFUSED"]) {
    assert.equal(isUnreachable(other), false);
  }
  assert.deepEqual([0, 1, 4, 5].map((depth) => isUnreachable(behind(depth, refused()))), [
    true,
    true,
    true,
    false,
  ]);
});

Deno.test("pauses between attempts to connect grow to ten seconds at most, and end with the channel", async () => {
  const [{ setTimeout }, { random }] = [globalThis, Math];
  const channel = new TestChannel();
  const pauses: number[] = [];
  const log = recordingLog();
  Math.random = () => 0;
  globalThis.setTimeout = ((go: () => void, ms = 0) => {
    if (ms === 60_000) return setTimeout(() => {}, 0);
    pauses.push(ms);
    if (pauses.length < 8) queueMicrotask(go);
    return 0;
  }) as unknown as typeof setTimeout;
  try {
    let attempts = 0;
    channel.connect = () => (attempts++, Promise.reject(refused()));
    const patient = patiently(channel, { name: "messaging", startMs: 60_000, log });
    await patient.connect();
    for (let step = 0; step < 300; step++) await Promise.resolve();
    assert.deepEqual(pauses, [500, 1250, 2375, 4063, 6594, 10_000, 10_000, 10_000]);
    assert.deepEqual([attempts, patient.isAway?.()], [9, true]);
    await assert.rejects(patient.publish([]), {
      status: 503,
      code: "CHANNEL_UNREACHABLE",
      unreachable: true,
    });
    await patient.close({ drainMs: 0 });
    assert.equal(attempts, 9);
    assert.ok(
      log.lines.every(([text]) => text === "messaging: test-messaging cannot be reached, trying again:"),
    );
  } finally {
    Math.random = random;
    globalThis.setTimeout = setTimeout;
  }
});
