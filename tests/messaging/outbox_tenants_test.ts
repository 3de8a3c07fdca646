import assert from "node:assert/strict";
import { OUTBOX_MESSAGES } from "../../src/messaging/outbox/queue_model.ts";
import { isUnreachable } from "../../src/messaging/patient_channel.ts";
import type { Runtime } from "../../src/fw/runtime.ts";
import { eventually } from "../contract/channel.ts";
import { createShop, TestChannel } from "./outbox_app.ts";
import { inFolder } from "./services.ts";

const down = () => Object.assign(new Error("down"), { unreachable: true });

async function emit(runtime: Runtime, tenant: string | undefined, n: number): Promise<void> {
  const messaging = await runtime.connect("messaging");
  await messaging.tx({ tenant, user: "alice" }, (tx) => tx.emit("Shop.note", { n }));
}

function open(file: string, channel: TestChannel): Runtime {
  const requires = {
    auth: { kind: "mocked" },
    multitenancy: true,
    db: { kind: "sqlite", credentials: { url: file } },
    messaging: { kind: "test-messaging", tenantHeader: "x-tenant" },
  };
  return createShop({ channel, env: { requires } });
}

Deno.test("messages of tenants are stored in their own databases, and leave with their tenant", async () => {
  await inFolder(async (folder) => {
    const channel = new TestChannel();
    channel.failure = down;
    const runtime = open(`${folder}/shop.sqlite`, channel);
    await runtime.start();
    await emit(runtime, "t1", 1);
    await emit(runtime, "t2", 2);
    for (const [tenant, n] of [["t1", 1], ["t2", 2]]) {
      const rows = await runtime.db!.tx({ tenant: String(tenant) }, (tx) =>
        tx.run(
          { SELECT: { from: { ref: [OUTBOX_MESSAGES] } } },
        )) as { msg: string }[];
      assert.deepEqual(rows.map(({ msg }) => JSON.parse(msg).data), [{ n }]);
    }
    channel.failure = () => undefined;
    await eventually(() => channel.published.length === 2);
    assert.deepEqual(
      channel.published.map(({ data, headers }) => [data, headers["x-tenant"]]).toSorted(),
      [[{ n: 1 }, "t1"], [{ n: 2 }, "t2"]],
    );
    await runtime.close();
  });
});

Deno.test("what a process left for a tenant leaves when the database of the tenant is opened", async () => {
  await inFolder(async (folder) => {
    const before = new TestChannel();
    before.failure = down;
    const first = open(`${folder}/shop.sqlite`, before);
    await first.start();
    await emit(first, "t1", 1);
    await first.close();
    const channel = new TestChannel();
    const second = open(`${folder}/shop.sqlite`, channel);
    await second.start();
    await second.db!.tx({ tenant: "t1" }, (tx) => tx.read("db.Orders"));
    await eventually(() => channel.published.length === 1);
    await second.close();
  });
});

Deno.test("a tenant whose database is closed is left behind what is under way, and nothing of it leaves any more", () =>
  inFolder(async (folder) => {
    const channel = new TestChannel();
    const runtime = open(`${folder}/shop.sqlite`, channel);
    await runtime.start();
    const { promise, resolve } = Promise.withResolvers<void>();
    const publish = channel.publish.bind(channel);
    let isAsked = false;
    channel.publish = async (messages) => {
      isAsked = true;
      await promise;
      await publish(messages);
    };
    await emit(runtime, "t1", 1);
    await eventually(() => isAsked);
    await emit(runtime, "t1", 2);
    let isLeft = false;
    const leaving = runtime.queue!.leave("t1").then(() => void (isLeft = true));
    await runtime.queue!.leave("nobody");
    for (let turns = 0; turns < 20; turns++) await new Promise((go) => setTimeout(go, 1));
    assert.equal(isLeft, false);
    resolve();
    await leaving;
    assert.deepEqual(channel.data, [{ n: 1 }]);
    assert.deepEqual(await runtime.queue!.states(), []);
    await runtime.close();
  }));

Deno.test("without tenant there is no database: the message leaves after the commit", async () => {
  await inFolder(async (folder) => {
    const channel = new TestChannel();
    const runtime = open(`${folder}/shop.sqlite`, channel);
    await runtime.start();
    await emit(runtime, undefined, 3);
    assert.deepEqual(channel.data, [{ n: 3 }]);
    await runtime.close();
  });
});

Deno.test("a channel that cannot be reached is told by a flag, a code, or a cause", () => {
  const cause = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
  for (const error of [down(), cause, { code: "CHANNEL_UNREACHABLE" }, new Error("x", { cause })]) {
    assert.equal(isUnreachable(error), true);
  }
  for (const error of [new Error("x"), undefined, "ECONNREFUSED", { code: 7 }]) {
    assert.equal(isUnreachable(error), false);
  }
});

Deno.test("a start with tenants warns where messages do not tell theirs (messaging 1, handler context)", async () => {
  const { warn } = console;
  const lines: string[] = [];
  console.warn = (line: string) => void lines.push(line);
  try {
    for (const more of [{}, { tenantHeader: "x-tenant" }, { multitenancy: false }]) {
      const { multitenancy = true, ...messaging } = more as { multitenancy?: boolean };
      const requires = {
        auth: { kind: "mocked" },
        multitenancy,
        messaging: { kind: "test-messaging", ...messaging },
      };
      const runtime = createShop({ env: { requires, log: { levels: { default: "warn" } } } });
      await runtime.start();
      await runtime.close();
    }
  } finally {
    console.warn = warn;
  }
  assert.equal(lines.length, 1);
  assert.match(lines[0], /messages do not tell their tenant.*"fw\.requires\.messaging\.tenantHeader"/);
});
