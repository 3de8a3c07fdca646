import assert from "node:assert/strict";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { DEFAULT_LIMITS } from "../../src/config/limits.ts";
import { EventContext } from "../../src/context/event_context.ts";
import { currentContext } from "../../src/context/store.ts";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { createRuntime } from "../../src/fw/create_runtime.ts";
import type { Runtime } from "../../src/fw/runtime.ts";
import { ChannelRegistry } from "../../src/messaging/channel_registry.ts";
import { createLocalChannel } from "../../src/messaging/local_channel.ts";
import type { MessagingService } from "../../src/messaging/messaging_service.ts";
import type { Service } from "../../src/service/service.ts";
import { runInTransaction } from "../../src/service/transactions/transaction.ts";
import { eventually } from "../contract/channel.ts";
import { findService, uniqueName } from "../contract/services.ts";
import { amqpSetting } from "./brokers/amqp_setting.ts";
import { removeRabbit } from "./brokers/rabbit_cleaning.ts";
import { removeRedis } from "./brokers/redis_cleaning.ts";
import { recordingLog } from "./channels.ts";
import { inFolder } from "./services.ts";

const nats = await findService("nats");
const rabbitmq = await findService("rabbitmq");
const redis = await findService("redis");

type Entry = Readonly<Record<string, unknown>>;

/** A kind of channel that two applications share. */
interface Kind {
  readonly kind: string;
  readonly isThere?: boolean;
  /** Runs with the entries of sender and receiver; `serve` makes the receiver reachable over HTTP. */
  with(
    run: (
      setting: { readonly sender: Entry; readonly receiver: Entry; readonly more?: Entry; port?: number },
    ) => Promise<void>,
  ): Promise<void>;
}

/** A kind whose applications have the same entry. */
function shared(
  kind: string,
  isThere: boolean,
  setUp: (name: string) => Promise<{ entry: Entry; clean: () => Promise<void> }>,
): Kind {
  return {
    kind,
    isThere,
    with: async (run) => {
      const { entry, clean } = await setUp(uniqueName());
      try {
        await run({ sender: { kind, ...entry }, receiver: { kind, ...entry } });
      } finally {
        await clean();
      }
    },
  };
}

const KINDS: readonly Kind[] = [
  {
    kind: "file-based-messaging",
    with: (run) =>
      inFolder((folder) => {
        const entry = { kind: "file-based-messaging", file: `${folder}/box` };
        return run({ sender: entry, receiver: entry });
      }),
  },
  {
    kind: "composite-messaging",
    with: (run) =>
      inFolder((folder) => {
        const entry = { kind: "composite-messaging", routes: { one: ["T.*"], two: ["Other.**"] } };
        const file = (name: string) => ({ kind: "file-based-messaging", file: `${folder}/${name}` });
        return run({ sender: entry, receiver: entry, more: { one: file("one"), two: file("two") } });
      }),
  },
  {
    kind: "http-messaging",
    with: (run) => {
      const free = Deno.listen({ hostname: "127.0.0.1", port: 0 });
      const { port } = free.addr as Deno.NetAddr;
      free.close();
      const credentials = { url: `http://127.0.0.1:${port}/messaging/messaging` };
      return run({
        sender: { kind: "http-messaging", credentials },
        receiver: { kind: "http-messaging" },
        port,
      });
    },
  },
  shared("nats-messaging", nats.isThere, (stream) =>
    Promise.resolve({
      entry: { credentials: { url: nats.address }, stream },
      clean: async () => {
        const connection = await connect({ servers: nats.address });
        await (await jetstreamManager(connection)).streams.delete(stream);
        await connection.close();
      },
    })),
  shared("rabbitmq-messaging", rabbitmq.isThere, (stream) =>
    Promise.resolve({
      entry: { credentials: { url: `amqp://guest:guest@${rabbitmq.address}` }, stream },
      clean: () => removeRabbit(rabbitmq.address, stream, ["receiver"]),
    })),
  shared("redis-messaging", redis.isThere, (stream) =>
    Promise.resolve({
      entry: { credentials: { url: redis.address }, stream },
      clean: () => removeRedis(redis.address, stream),
    })),
  shared("enterprise-messaging", rabbitmq.isThere, async (name) => {
    const { clean } = await amqpSetting(rabbitmq.address, name, ["receiver"]);
    const credentials = { url: `amqp://${rabbitmq.address}`, user: "guest", password: "guest" };
    return {
      entry: { credentials, address: `/exchange/${name}`, queue: `/amq/queue/${name}.{group}` },
      clean,
    };
  }),
];

function createApp(name: string, requires: Entry): Runtime {
  return createRuntime({
    name,
    model: { definitions: {} },
    kinds: denoKinds,
    profiles: ["test"],
    env: {
      requires: { auth: { kind: "dummy" }, db: null, ...requires },
      log: { levels: { default: "silent" } },
    },
  });
}

interface Got {
  readonly data: unknown;
  readonly id: string;
  readonly tenant: string | undefined;
  readonly isEvent: boolean;
}

/** Sends a message of each format from one application to another one with the given format. */
async function exchange(kind: Kind, format: string, topic = "T.e"): Promise<{ got: Got[]; kind: string }> {
  const got: Got[] = [];
  let running = "";
  await kind.with(async ({ sender, receiver, more, port }) => {
    const tenantHeader = "tenantid";
    const from = createApp("sender", {
      messaging: { ...sender, tenantHeader, format: "json" },
      events: { ...sender, tenantHeader, format: "cloudevents" },
      ...more,
    });
    const to = createApp("receiver", { messaging: { ...receiver, tenantHeader, format }, ...more });
    const srv = await to.connect("messaging") as MessagingService;
    running = srv.channel.kind;
    srv.on(topic, ({ data, headers }) => {
      const { id, tenant } = currentContext()!;
      got.push({ data, id, tenant, isEvent: headers.specversion === "1.0" });
    });
    await to.start();
    const server = port === undefined
      ? undefined
      : Deno.serve({ hostname: "127.0.0.1", port, onListen: () => {} }, (request) => to.fetch(request));
    await from.start();
    for (const name of ["messaging", "events"]) {
      const emitter = await from.connect(name);
      const context = new EventContext({ id: `c-${name}`, tenant: "t1" });
      await runInTransaction(context, () => emitter.emit("T.e", { name, text: "Größe" }), {
        log: recordingLog(),
      });
    }
    await eventually(() => got.length >= 2);
    await from.close();
    await server?.shutdown();
    await to.close();
  });
  return { got, kind: running };
}

Deno.test({
  name: "kind selects the messaging service: file-based, composite or enterprise messaging [2.7.kind]",
  ignore: !rabbitmq.isThere,
  fn: async () => {
    for (const name of ["file-based-messaging", "composite-messaging", "enterprise-messaging"]) {
      const { got, kind } = await exchange(KINDS.find((one) => one.kind === name)!, "json");
      assert.equal(kind, name);
      assert.equal(got.length, 2);
    }
    const app = createApp("app", { messaging: { kind: "enterprise-messagin" } });
    await assert.rejects(
      app.start(),
      /fw\.requires\.messaging\.kind is 'enterprise-messagin', expected one of/,
    );
    await app.close().catch(() => {});
  },
});

Deno.test("a messaging service that is connected after the start receives from then on, whether it is configured or not", async () => {
  const kind = "local-messaging";
  const app = createApp("app", { own: { kind }, other: { kind } });
  await app.start();
  try {
    const got: unknown[] = [];
    const services = [await app.connect("own"), await app.connectTo({ kind }, "adhoc")];
    for (const service of services) {
      service.on("a/b", ({ data }) => void got.push([service.name, data]));
      await service.emit("a/b", 1);
    }
    await eventually(() => got.length === 2);
    assert.deepEqual(got, [["own", 1], ["adhoc", 1]]);
    assert.equal(await app.connect("own"), services[0]);
  } finally {
    await app.close();
  }
});

for (const kind of KINDS) {
  Deno.test({
    name: `${kind.kind} hands every message to '*'`,
    ignore: kind.isThere === false,
    fn: async () => {
      const { got } = await exchange(kind, "json", "*");
      assert.deepEqual(got.map(({ id }) => id).toSorted(), ["c-events", "c-messaging"]);
    },
  });

  for (const format of ["json", "cloudevents"]) {
    Deno.test({
      name: `${kind.kind} with format ${format} receives both formats, with tenant and correlation id`,
      ignore: kind.isThere === false,
      fn: async () => {
        const { got } = await exchange(kind, format);
        const byId = got.toSorted((one, other) => one.id < other.id ? -1 : 1);
        assert.deepEqual(byId.map(({ data, id, tenant }) => [data, id, tenant]), [
          [{ name: "events", text: "Größe" }, "c-events", "t1"],
          [{ name: "messaging", text: "Größe" }, "c-messaging", "t1"],
        ]);
        assert.equal(byId[0]!.isEvent, true);
      },
    });
  }
}

Deno.test("services of one application that receive from one place do not take each other's messages away", () =>
  inFolder(async (folder) => {
    const file = { kind: "file-based-messaging", file: `${folder}/box` };
    const app = createApp("app", {
      messaging: { kind: "composite-messaging", routes: { box: ["a", "b"] } },
      box: file,
      audit: { ...file, format: "cloudevents" },
    });
    const got: string[] = [];
    for (const [name, topic] of [["messaging", "a"], ["box", "a"], ["audit", "b"]] as const) {
      (await app.connect(name)).on(topic, ({ data }) => void got.push(`${name} ${data}`));
    }
    await app.start();
    const srv = await app.connect("messaging");
    const numbers = Array.from({ length: 100 }, (_, n) => n);
    for (const n of numbers) for (const topic of ["a", "b"]) await srv.emit(topic, n);
    await eventually(() => got.length >= 300);
    const expected = ["messaging", "box", "audit"].flatMap((name) => numbers.map((n) => `${name} ${n}`));
    assert.deepEqual(got.toSorted(), expected.toSorted());
    await app.close();
    const groups = [...Deno.readDirSync(`${folder}/box.d`)].map(({ name }) => name);
    assert.deepEqual(groups.filter((name) => name.endsWith(".cur")).toSorted(), [
      "app%2Eaudit.cur",
      "app%2Ebox.cur",
      "app.cur",
    ]);
  }));

Deno.test("several messaging services of one application are independent of each other [2.7.names]", () =>
  inFolder(async (folder) => {
    const file = (name: string, more: Entry = {}) => ({
      kind: "file-based-messaging",
      file: `${folder}/${name}`,
      ...more,
    });
    const app = createApp("app", {
      messaging: file("one"),
      audit: file("two", { format: "cloudevents", publishPrefix: "p/" }),
      "my-own": { kind: "local-messaging" },
    });
    const got: string[] = [];
    const names = ["messaging", "audit", "my-own"];
    for (const name of names) {
      const srv = await app.connect(name);
      srv.on(["a", "p/a"], ({ event, data }) => void got.push(`${name} ${event} ${data}`));
      srv.before("*", (msg) => {
        if (!("inbound" in msg)) (msg as { data: unknown }).data = `${msg.data} by ${name}`;
      });
    }
    await app.start();
    for (const name of names) await (await app.connect(name)).emit("a", 1);
    await eventually(() => got.length === 3);
    assert.deepEqual(got.toSorted(), [
      "audit p/a 1 by audit",
      "messaging a 1 by messaging",
      "my-own a 1 by my-own",
    ]);
    await app.close();
  }));

Deno.test("a messaging service that is switched off is no hint for itself", async () => {
  const registry = new ChannelRegistry({
    requires: { messaging: false, massaging: { kind: "local-messaging" } },
    kinds: { "local-messaging": () => createLocalChannel },
    limits: DEFAULT_LIMITS,
    log: recordingLog(),
  });
  await assert.rejects(registry.get("messaging"), {
    name: "ConfigurationError",
    message: "fw.requires.messaging is switched off, expected a messaging service",
  });
  await assert.rejects(registry.get("messagin"), {
    message: /^fw\.requires\.messagin is missing, .*'massaging'$/,
  });
});

Deno.test("a failing receiver of a topic in the emitter's own process never fails the emitter", async () => {
  for (const kind of ["file-based-messaging", "local-messaging"]) {
    await inFolder(async (folder) => {
      const runtime = createRuntime({
        name: "own",
        model: {
          definitions: { A: { kind: "service" }, "A.e": { kind: "event" }, "A.go": { kind: "action" } },
        },
        kinds: denoKinds,
        env: {
          requires: {
            auth: { kind: "dummy" },
            messaging: { kind, ...kind.startsWith("file") ? { file: `${folder}/box` } : {} },
          },
          log: { levels: { default: "silent" } },
        },
        handlers: {
          A: (service: Service) => void service.on("go", () => service.emit("e", { n: 1 })),
        },
      });
      await runtime.start();
      let calls = 0;
      (await runtime.connect("messaging")).on("A.e", () => {
        calls++;
        throw new Error("receiver");
      });
      const headers = { "content-type": "application/json" };
      const request = new Request("http://localhost/odata/v4/a/go", { method: "POST", headers, body: "{}" });
      const { status } = await runtime.fetch(request);
      await eventually(() => calls > 0);
      await runtime.close();
      assert.equal(status, 204, kind);
    });
  }
});
