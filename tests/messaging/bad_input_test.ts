import assert from "node:assert/strict";
import { connect } from "@nats-io/transport-node";
import { jetstreamManager } from "@nats-io/jetstream";
import { freePort } from "../../scripts/faults/server_command.ts";
import { TcpProxy } from "../../scripts/faults/tcp_proxy.ts";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { createRuntime } from "../../src/fw/create_runtime.ts";
import type { Runtime } from "../../src/fw/runtime.ts";
import { OUTBOX_MESSAGES } from "../../src/messaging/outbox/queue_model.ts";
import { toWire } from "../../src/messaging/brokers/wire_message.ts";
import { eventually } from "../contract/channel.ts";
import { findService, uniqueName } from "../contract/services.ts";
import { captureConsole } from "../security/app.ts";
import { amqpSetting } from "./brokers/amqp_setting.ts";
import { withPlace } from "./cases/place.ts";
import { fileChannel } from "./channels.ts";
import { boxLines, environment, inFolder, messaging } from "./services.ts";

const nats = await findService("nats");
const rabbitmq = await findService("rabbitmq");

/** Runs a test with an application that has a database, an outbox with a tiny retry window, and a messaging service. */
async function withApp(
  messaging: Readonly<Record<string, unknown>>,
  run: (app: Runtime, lines: readonly string[]) => Promise<void>,
): Promise<void> {
  const lines: string[] = [];
  const restore = captureConsole(lines);
  const app = createRuntime({
    name: "app",
    model: { definitions: {} },
    kinds: denoKinds,
    profiles: ["test"],
    env: {
      requires: {
        auth: { kind: "dummy" },
        db: { kind: "sqlite", credentials: { url: ":memory:" } },
        messaging: { maxAttempts: 1, ...messaging },
      },
      outbox: { maxAttempts: 1, maxAgeMs: 1 },
      log: { levels: { default: "info" } },
    },
  });
  try {
    await run(app, lines);
  } finally {
    await app.close();
    restore();
  }
}

/** Emits numbers, every one in a transaction of its own. */
async function emit(app: Runtime, count: number): Promise<number[]> {
  const numbers = Array.from({ length: count }, (_, n) => n);
  const srv = await app.connect("messaging");
  for (const n of numbers) await srv.emit("T.e", n, { partitionkey: "k" });
  return numbers;
}

async function outboxRows(app: Runtime): Promise<{ attempts: number; status: string | null }[]> {
  return await app.db!.read(OUTBOX_MESSAGES) as unknown as { attempts: number; status: string | null }[];
}

/** Sends a CloudEvent to the webhook of an application. */
async function post(
  app: Runtime,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<Response> {
  const request = new Request("http://localhost/messaging/messaging", { method: "POST", headers, body });
  return await app.fetch(request);
}

function binary(type: string, id = "1"): Record<string, string> {
  return {
    ...{ "ce-specversion": "1.0", "ce-id": id, "ce-source": "/s", "ce-type": type },
    "content-type": "application/json",
  };
}

Deno.test("a message may have as many bytes as its broker takes, and not one more", () => {
  for (const data of ["a", new Uint8Array(3)]) {
    const message = { topic: "t", data, headers: {} };
    assert.equal(toWire(message, 5).body.length, 3);
    assert.throws(() => toWire(message, 4), { code: "MESSAGE_TOO_LARGE" });
  }
});

Deno.test("torn and foreign lines of a box are set aside one by one, with a line in the log for each", () =>
  inFolder(async (folder) => {
    const box = `${folder}/box`;
    const foreign = [
      "T.e",
      "T.e {",
      'T.e {"data":1',
      "\u0000\u0001\u0002",
      "T.e null",
      "T.e [1,2]",
      "T.e 1",
      '{"T.e":1}',
      'T.e {"data":1e999}',
    ];
    const bytes = new Uint8Array([0xff, 0xfe, 0x20, 0xc3, 0x28, 0x0a]);
    const latin1 = Uint8Array.from(`T.e {"data":"\u00e4"}\n`, (char) => char.charCodeAt(0));
    Deno.writeTextFileSync(box, `${foreign.join("\n")}\n`);
    for (const line of [bytes, latin1]) Deno.writeFileSync(box, line, { append: true });
    Deno.writeTextFileSync(box, 'T.e {"data":"good"}\n', { append: true });
    const host = environment();
    const srv = messaging(fileChannel(box), { host });
    const got: unknown[] = [];
    srv.on("*", ({ data }) => void got.push(data));
    await srv.start();
    await eventually(() => got.length === 1);
    await srv.close();
    assert.deepEqual(got, ["good"]);
    assert.equal(boxLines(`${box}.d/app.bad`).length, foreign.length + 2);
  }));

Deno.test("a message nobody has a handler for is acknowledged with a line in the log, or a dead letter if configured", async () => {
  for (const noHandler of ["ack", "dead"]) {
    await withApp({ kind: "http-messaging", noHandler }, async (app, lines) => {
      (await app.connect("messaging")).on("T.e", () => {});
      await app.start();
      assert.equal((await post(app, binary("T.unknown"), "1")).status, 204);
      assert.ok(lines.some((line) => line.includes("No handler for message T.unknown")));
      const dead = (await outboxRows(app)).map(({ status }) => status);
      assert.deepEqual(dead, noHandler === "dead" ? ["dead"] : []);
    });
  }
});

Deno.test({
  name:
    "a queue that holds messages nobody has a handler for is emptied all the same, with a line in the log for each",
  ignore: !rabbitmq.isThere,
  fn: async () => {
    const name = uniqueName();
    const setting = await amqpSetting(rabbitmq.address, name, ["app"]);
    const entry = {
      kind: "enterprise-messaging",
      credentials: { url: `amqp://${rabbitmq.address}`, user: "guest", password: "guest" },
      ...{ address: `/exchange/${name}`, queue: `/amq/queue/${name}.{group}` },
    };
    await withApp(entry, async (app, lines) => {
      const got: unknown[] = [];
      const srv = await app.connect("messaging");
      srv.on("T.e", ({ data }) => void got.push(data));
      await app.start();
      await srv.emit("T.unknown", 1);
      await srv.emit("T.e", 2);
      await eventually(() => got.length === 1);
      await eventually(() => lines.some((line) => line.includes("No handler for message T.unknown")));
      assert.deepEqual(got, [2]);
    });
    await setting.clean();
  },
});

Deno.test("what is no CloudEvent is refused, or a dead letter where it cannot be refused", async () => {
  await withApp({ kind: "http-messaging" }, async (app) => {
    const got: unknown[] = [];
    (await app.connect("messaging")).on("*", ({ data }) => void got.push(data));
    await app.start();
    const type = "application/cloudevents+json";
    const broken: [Record<string, string>, string][] = [
      [{ "content-type": type }, "{"],
      [{ "content-type": type }, "[]"],
      [{ "content-type": type }, '{"specversion":"0.3","id":"1","source":"/s","type":"T.e"}'],
      [{ "content-type": type }, '{"specversion":"1.0","id":"","source":"/s","type":"T.e"}'],
      [
        { "content-type": type },
        '{"specversion":"1.0","id":"1","source":"/s","type":"T.e","data":1,"data_base64":"AA=="}',
      ],
      [{ ...binary("T.e"), "ce-time": "yesterday" }, "1"],
      [{ ...binary("T.e"), "ce-id": "a%00" }, "1"],
      [{ "content-type": type }, '{"specversion":"1.0","id":"\\ud800","source":"/s","type":"T.e"}'],
      [binary("T.e"), "[1e999]"],
      [{ ...binary("T.e"), "ce-subject": "%FF" }, "1"],
      [binary("T.e"), "{"],
    ];
    for (const [headers, body] of broken) {
      const response = await post(app, headers, body);
      assert.equal(response.status, 400, body);
      assert.match(await response.text(), /"message":"/);
    }
    assert.equal((await post(app, binary("T.e"), '"good"')).status, 204);
    assert.deepEqual(got, ["good"]);
  });
  await inFolder(async (folder) => {
    const host = environment();
    const line = (headers: object, data: unknown) => `T.e ${JSON.stringify({ data, headers })}\n`;
    const event = { specversion: "1.0", id: "1", source: "/s", type: "T.e" };
    Deno.writeTextFileSync(
      `${folder}/box`,
      line({ ...event, specversion: "0.3" }, 1) + line({ ...event, source: 7 }, 2) + line(event, "good"),
    );
    const srv = messaging(fileChannel(`${folder}/box`), { host });
    const got: unknown[] = [];
    srv.on("T.e", ({ data }) => void got.push(data));
    await srv.start();
    await eventually(() => got.length === 1);
    await srv.close();
    const letters = boxLines(`${folder}/box.d/app.dead`).map((text) => JSON.parse(text));
    assert.deepEqual(letters.map(({ data }) => data), [1, 2]);
    assert.match(letters[0].lastError, /specversion/);
    assert.ok(host.lines.flat().join("\n").includes("Refused message T.e: "));
    assert.deepEqual(got, ["good"]);
  });
});

Deno.test("a message whose tenant is no id of one is a dead letter, whether it is a CloudEvent or not (messaging 1)", () =>
  inFolder(async (folder) => {
    const wrong = [5, true, ["t1"], { id: "t1" }, "", "../t1", "t 1", "t1\n", "x".repeat(65)];
    const right = ["t1", null, undefined];
    const event = { specversion: "1.0", id: "1", source: "/s", type: "T.e" };
    const lines = [...wrong, ...right].map((tenantid, data) =>
      `T.e ${JSON.stringify({ data, headers: { tenantid } })}\n` +
      `T.e ${
        JSON.stringify({ data, headers: { ...event, id: String(data), tenantid: tenantid ?? undefined } })
      }\n`
    );
    Deno.writeTextFileSync(`${folder}/box`, lines.join(""));
    const srv = messaging(fileChannel(`${folder}/box`), { options: { tenantHeader: "tenantid" } });
    const got: unknown[] = [];
    srv.on("T.e", ({ data, tenant }) => void got.push([data, tenant]));
    await srv.start();
    await eventually(() => got.length === 2 * right.length);
    await srv.close();
    const [t1, none, missing] = right.map((tenant, index) => [wrong.length + index, tenant ?? undefined]);
    assert.deepEqual(got, [t1, t1, none, none, missing, missing]);
    const letters = boxLines(`${folder}/box.d/app.dead`).map((text) => JSON.parse(text));
    assert.deepEqual(letters.map(({ data }) => data), wrong.flatMap((_, data) => [data, data]));
    assert.match(letters[0].lastError, /tenantid is no id of a tenant/);
  }));

Deno.test({
  name:
    "messages outlast a broker that is down for longer than the retry window: all leave in order, none is given up",
  ignore: !nats.isThere,
  fn: async () => {
    const stream = uniqueName();
    const proxy = new TcpProxy(nats.address);
    await withApp(
      { kind: "nats-messaging", credentials: { url: proxy.address }, stream, timeoutMs: 5_000 },
      async (app, lines) => {
        const got: unknown[] = [];
        (await app.connect("messaging")).on("T.e", ({ data }) => void got.push(data));
        await app.start();
        proxy.refuse();
        const emitted = await emit(app, 20);
        await eventually(() => lines.some((line) => line.includes("messages wait")));
        assert.deepEqual(
          new Set((await outboxRows(app)).map(({ attempts, status }) => `${attempts} ${status}`)),
          new Set(["0 null"]),
        );
        proxy.admit();
        await eventually(() => new Set(got).size === 20);
        assert.deepEqual([...new Set(got)], emitted);
        await app.queue!.flush();
        assert.deepEqual(await outboxRows(app), []);
      },
    );
    await proxy.close();
    const connection = await connect({ servers: nats.address });
    await (await jetstreamManager(connection)).streams.delete(stream);
    await connection.close();
  },
});

Deno.test("messages outlast an HTTP receiver that is down for longer than the retry window", async () => {
  const port = freePort();
  const url = `http://127.0.0.1:${port}/hook`;
  await withApp({ kind: "http-messaging", credentials: { url } }, async (app, lines) => {
    await app.start();
    const emitted = await emit(app, 5);
    await eventually(() => lines.some((line) => line.includes("messages wait")));
    assert.ok((await outboxRows(app)).every(({ attempts, status }) => attempts === 0 && status === null));
    const got: unknown[] = [];
    const server = Deno.serve({ hostname: "127.0.0.1", port, onListen: () => {} }, async (request) => {
      got.push(await request.json());
      return new Response(null, { status: 204 });
    });
    await eventually(() => got.length === 5);
    assert.deepEqual(got, emitted);
    await server.shutdown();
  });
});

Deno.test("an event that arrives before the handlers do is sent again by its sender, not lost", async () => {
  await withApp({ kind: "http-messaging" }, async (app) => {
    const srv = await app.connect("messaging");
    const response = await post(app, binary("T.e"), "1");
    assert.deepEqual([response.status, response.headers.get("retry-after")], [503, "1"]);
    const got: unknown[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    srv.on("T.e", async ({ data }) => {
      got.push(data);
      if (data === 1) await promise;
    });
    await app.start();
    const first = post(app, binary("T.e"), "1");
    await eventually(() => got.length === 1);
    // A further handler replaces the subscription, which waits for the handlers that run.
    srv.on("T.other", ({ data }) => void got.push(data));
    await new Promise((next) => setTimeout(next, 0));
    assert.equal((await post(app, binary("T.e", "2"), "2")).status, 503);
    resolve();
    assert.equal((await first).status, 204);
    await eventually(() => got.length === 1);
    while ((await post(app, binary("T.e", "2"), "2")).status !== 204);
    assert.deepEqual(got, [1, 2]);
  });
});

Deno.test("of two processes of one group, the other one goes on when one is killed", () =>
  withPlace(async ({ emit, receive }) => {
    const first = await receive({ receive: [{ events: "T.e" }] });
    const second = await receive({ receive: [{ events: "T.e" }] });
    const events = Array.from({ length: 300 }, (_, n) => ({ event: "T.e", data: n }));
    const emitting = emit({ emit: events });
    await eventually(() => first.entries().length + second.entries().length > 0);
    first.process.kill("SIGKILL");
    await emitting;
    const handled = () => new Set([...first.entries(), ...second.entries()].map(({ data }) => data));
    await eventually(() => handled().size === 300);
  }));

Deno.test({
  name:
    "a broker that is down holds up the messages of its own routes only, and repeats none of the others [6.3.4b]",
  ignore: !nats.isThere,
  fn: () =>
    inFolder(async (folder) => {
      const stream = uniqueName();
      const proxy = new TcpProxy(nats.address);
      const app = createRuntime({
        name: "app",
        model: { definitions: {} },
        kinds: denoKinds,
        profiles: ["test"],
        env: {
          requires: {
            auth: { kind: "dummy" },
            db: { kind: "sqlite", credentials: { url: ":memory:" } },
            messaging: {
              kind: "composite-messaging",
              routes: { broker: ["far.*", "both"], file: ["near.*", "both"] },
            },
            broker: { kind: "nats-messaging", credentials: { url: proxy.address }, stream, timeoutMs: 5_000 },
            file: { kind: "file-based-messaging", file: `${folder}/box` },
          },
          log: { levels: { default: "silent" } },
        },
      });
      const srv = await app.connect("messaging");
      const got: string[] = [];
      srv.on("far.e", ({ data }) => void got.push(`far ${data}`));
      await app.start();
      proxy.refuse();
      const numbers = Array.from({ length: 15 }, (_, n) => n);
      for (const n of numbers) {
        await srv.emit("far.e", n, { partitionkey: "k" });
        await srv.emit("near.e", n, { partitionkey: "k" });
        await srv.emit("both", n, { partitionkey: "k" });
      }
      await eventually(() => boxLines(`${folder}/box`).length === 30);
      await app.queue!.flush();
      const waiting = await app.db!.read(OUTBOX_MESSAGES) as unknown as {
        target: string;
        attempts: number;
      }[];
      assert.deepEqual(
        waiting.map(({ target, attempts }) => `${target} ${attempts}`),
        Array(30).fill("messaging/broker 0"),
      );
      proxy.admit();
      await eventually(() => new Set(got).size === 15);
      assert.deepEqual([...new Set(got)], numbers.map((n) => `far ${n}`));
      assert.equal(boxLines(`${folder}/box`).length, 30);
      await app.close();
      await proxy.close();
      const connection = await connect({ servers: nats.address });
      await (await jetstreamManager(connection)).streams.delete(stream);
      await connection.close();
    }),
});
