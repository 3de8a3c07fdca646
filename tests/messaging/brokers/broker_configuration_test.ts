import assert from "node:assert/strict";
import { createRuntime } from "../../../src/fw/create_runtime.ts";
import { denoKinds } from "../../../src/deno/deno_kinds.ts";
import { freePort } from "../../../scripts/faults/server_command.ts";
import { channelOptions } from "../channels.ts";

const KINDS = ["nats-messaging", "rabbitmq-messaging", "redis-messaging", "enterprise-messaging"];

async function factory(kind: string) {
  return await denoKinds.channels![kind]();
}

for (const kind of KINDS) {
  Deno.test(`${kind} without credentials stops the start with a clear message`, async () => {
    const create = await factory(kind);
    assert.throws(() => create(channelOptions({})), {
      name: "ConfigurationError",
      message:
        `fw.requires.messaging.credentials is missing: ${kind} needs {"url": "…"} in the configuration ` +
        "or a binding named 'messaging'",
    });
    assert.throws(() => create(channelOptions({ credentials: { user: "u", password: "secret" } })), {
      name: "ConfigurationError",
      message: "fw.requires.messaging.credentials.url is missing, expected the address of the broker",
    });
  });

  Deno.test(`${kind}: a broker that does not answer is an error without any secret`, async () => {
    const create = await factory(kind);
    const credentials = { url: `127.0.0.1:${freePort()}`, user: "u", password: "s3cret" };
    const channel = await create(channelOptions({ credentials, timeoutMs: 50 }));
    await assert.rejects(channel.connect(), (error: Error) => {
      assert.equal((error as { code?: unknown }).code, "CHANNEL_UNREACHABLE");
      assert.match(error.message, / does not answer$/);
      assert.ok(!Deno.inspect(error).includes("s3cret"));
      return true;
    });
    await channel.close();
  });

  Deno.test(`${kind}: a signal ends the attempt to connect`, async () => {
    const create = await factory(kind);
    const channel = await create(channelOptions({ credentials: { url: `127.0.0.1:${freePort()}` } }));
    await assert.rejects(channel.connect(AbortSignal.timeout(20)), { name: "TimeoutError" });
    await channel.close();
  });
}

/** Nobody is called in these tests. */
const OWN = { kind: "own", challenge: "", authenticate: () => Promise.reject(new Error("Not called")) };

/** What starting says with `requires.messaging: true` in a profile. */
async function startWith(profile: string): Promise<string> {
  const runtime = createRuntime({
    model: { definitions: {} },
    kinds: { ...denoKinds, strategies: { own: () => OWN } },
    profiles: [profile],
    env: {
      requires: { auth: { kind: "own" }, db: null, messaging: true },
      log: { levels: { default: "silent" } },
    },
  });
  const failure = await runtime.start().then(() => "", (error: Error) => error.message);
  await runtime.close().catch(() => {});
  return failure;
}

Deno.test("messaging is a broker in production, and a missing binding stops the start", async () => {
  assert.match(await startWith("production"), /enterprise-messaging needs \{"url": "…"\}/);
});
