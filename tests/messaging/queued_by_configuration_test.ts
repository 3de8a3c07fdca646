import assert from "node:assert/strict";
import { createRuntime } from "../../src/fw.ts";
import { ConfigurationError } from "../../src/errors/configuration_error.ts";
import { OUTBOX_MESSAGES } from "../../src/messaging/outbox/queue_model.ts";
import { unqueued } from "../../src/service/queue/queued_service.ts";
import { Service } from "../../src/service/service.ts";
import { eventually } from "../contract/channel.ts";
import { SHOP } from "./outbox_app.ts";

/** A runtime that requires a service that runs elsewhere, with what was sent there. */
function requiring(entry: Readonly<Record<string, unknown>>, sent: unknown[]) {
  return createRuntime({
    model: SHOP,
    env: {
      requires: {
        auth: { kind: "mocked" },
        db: { kind: "memory" },
        Audit: { kind: "test-remote", ...entry },
      },
      log: { levels: { default: "silent" } },
    },
    kinds: {
      services: {
        "test-remote": () => (options) => {
          const service = new Service(options);
          service.on("log", ({ data }) => {
            sent.push(data);
            if (sent.length === 1) throw new Error("not yet");
            return "done";
          });
          return service;
        },
      },
    },
  });
}

Deno.test("calls of a required service with outboxed: true are stored, and made until they succeed", async () => {
  const sent: unknown[] = [];
  const runtime = requiring({ outboxed: true }, sent);
  await runtime.start();
  const audit = await runtime.connect("Audit");
  await runtime.db!.tx(async () => {
    assert.equal(await audit.send("log", { n: 1 }), undefined);
    assert.deepEqual(sent, []);
  });
  await eventually(() => sent.length === 2);
  await runtime.queue!.flush();
  assert.deepEqual(sent, [{ n: 1 }, { n: 1 }]);
  assert.deepEqual(await runtime.db!.read(OUTBOX_MESSAGES), []);
  assert.equal(await unqueued(audit).send("log", { n: 2 }), "done");
  await runtime.close();
});

Deno.test("maxAttempts of the entry decides when a call is given up", async () => {
  const sent: unknown[] = [];
  const runtime = requiring({ outboxed: { maxAttempts: 1 } }, sent);
  await runtime.start();
  await (await runtime.connect("Audit")).send("log", { n: 1 });
  await eventually(() => sent.length === 1);
  await runtime.queue!.flush();
  const [letter] = await runtime.queue!.deadLetters();
  assert.deepEqual([letter.target, letter.attempts, letter.work?.event], ["Audit", 1, "log"]);
  await runtime.close();
});

Deno.test("wrong values of the outbox stop the start", () => {
  const start = (env: Readonly<Record<string, unknown>>) => () => createRuntime({ model: SHOP, env });
  assert.throws(start({ outbox: { maxAttempt: 3 } }), ConfigurationError);
  assert.throws(start({ outbox: "no" }), ConfigurationError);
  assert.throws(start({ requires: { messaging: { payloads: "refuse" } } }), ConfigurationError);
  assert.throws(start({ requires: { messaging: { outboxed: { maxAgeMs: "1d" } } } }), ConfigurationError);
});
