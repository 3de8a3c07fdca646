import assert from "node:assert/strict";
import { eventually, testChannel } from "../contract/channel.ts";
import type { Channel, Message } from "../../src/messaging/channel.ts";
import { createHttpChannel } from "../../src/messaging/http/http_channel.ts";
import {
  readEvents,
  writeBatch,
  writeBinary,
  writeStructured,
} from "../../src/messaging/http/event_format.ts";
import { EventContext } from "../../src/context/event_context.ts";
import { runWithContext } from "../../src/context/store.ts";
import { User } from "../../src/context/user.ts";
import { channelOptions } from "./channels.ts";
import { EventHub } from "./event_hub.ts";

type Answer = (request: Request) => Promise<Response>;

/** A channel, and what answers the requests to its webhook. */
function httpChannel(options: Readonly<Record<string, unknown>>, send?: Answer) {
  const routes = new Map<string, Answer>();
  const web = {
    route: (path: string, answer: Answer) => void routes.set(path, answer),
    fetch: send ?? (() => Promise.reject(new TypeError("connection refused"))),
  };
  const channel = createHttpChannel({ ...channelOptions(options), web });
  const [[path, answer]] = routes;
  const user = new User({ id: "hub", roles: ["event-sender"] });
  const receive: Answer = (request) => runWithContext(new EventContext({ user }), () => answer(request));
  return { channel, path, receive };
}

testChannel({
  name: "http channel",
  isStored: true,
  // Headers are attributes of CloudEvents; what is sent to a receiver that is closed is repeated by the outbox.
  lacks: ["headers of all types", "messages for closed receivers", "dead letters", "backlog"],
  create: () => {
    const hub = new EventHub();
    const opened: Channel[] = [];
    const open = () => {
      const { channel, receive } = httpChannel({ credentials: { url: "http://127.0.0.1/hub" } }, hub.fetch);
      const { subscribe } = channel;
      channel.subscribe = (subscription, onDelivery) => {
        const added = subscribe.call(channel, subscription, onDelivery);
        hub.add(subscription.group, receive);
        return added;
      };
      opened.push(channel);
      return Promise.resolve(channel);
    };
    const dispose = async () => {
      await hub.close();
      await Promise.all(opened.map((channel) => channel.close()));
    };
    return Promise.resolve({ open, dispose });
  },
});

const EVENT: Message = {
  topic: "T.e",
  data: { n: 1, text: "Größe" },
  headers: { specversion: "1.0", id: "1", source: "/s", type: "T.e", subject: 'a "b" %c ü €' },
};

function read(
  content: { headers: Readonly<Record<string, string>>; body: string | Uint8Array<ArrayBuffer> },
) {
  const body = typeof content.body === "string" ? new TextEncoder().encode(content.body) : content.body;
  return readEvents(new Headers(content.headers), body, { jsonDepth: 64 });
}

Deno.test("binary content: attributes are percent-encoded headers, decoded once (CloudEvents HTTP 3.1.3.2)", () => {
  const { headers, body } = writeBinary(EVENT);
  assert.equal(headers["ce-subject"], "a%20%22b%22%20%25c%20%C3%BC%20%E2%82%AC");
  assert.equal(headers["content-type"], "application/json");
  const [message] = read({ headers, body });
  assert.deepEqual(message.data, EVENT.data);
  assert.equal(message.headers.subject, EVENT.headers.subject);
  assert.equal(read({ headers: { ...headers, "ce-subject": "a%2520b" }, body })[0].headers.subject, "a%20b");
});

Deno.test("binary content: ce-datacontenttype and bytes that are no UTF-8 are refused (CloudEvents HTTP 3.1.1)", () => {
  const { headers, body } = writeBinary(EVENT);
  const wrong: Record<string, string>[] = [{ "ce-datacontenttype": "text/plain" }, { "ce-subject": "%ff" }, {
    "ce-id": "",
  }];
  for (const extra of wrong) {
    assert.throws(() => read({ headers: { ...headers, ...extra }, body }), { status: 400 });
  }
});

Deno.test("structured content: media type without regard to case, bytes as data_base64 (CloudEvents JSON 3.1)", () => {
  const bytes = new Uint8Array([0, 255, 128]);
  const { headers, body } = writeStructured({ ...EVENT, data: bytes });
  assert.deepEqual(JSON.parse(String(body)).data_base64, "AP+A");
  const [message] = read({ headers: { "content-type": "Application/CloudEvents+JSON" }, body });
  assert.deepEqual(message.data, bytes);
  assert.match(headers["content-type"], /^application\/cloudevents\+json/);
});

Deno.test("structured content: data and data_base64 together are refused (messaging-009)", () => {
  const { headers, body } = writeStructured(EVENT);
  const both = JSON.stringify({ ...JSON.parse(String(body)), data_base64: "AA==" });
  assert.throws(() => read({ headers, body: both }), { status: 400 });
});

Deno.test("a batch is an array of events; other formats and encodings are refused", () => {
  const content = writeBatch([EVENT, { ...EVENT, headers: { ...EVENT.headers, id: "2" } }]);
  assert.deepEqual(read(content).map(({ headers }) => headers.id), ["1", "2"]);
  const { body } = content;
  for (const type of ["application/cloudevents+avro", "application/cloudevents+json; charset=utf-16"]) {
    assert.throws(() => read({ headers: { "content-type": type }, body }), { status: 415 });
  }
  assert.throws(() => read({ headers: content.headers, body: "{}" }), { status: 400 });
});

Deno.test("events that break a rule of CloudEvents are refused (CloudEvents 3.1)", () => {
  const { headers, body } = writeStructured(EVENT);
  const broken: Record<string, unknown>[] = [
    { specversion: "0.3" },
    { id: "" },
    { source: 1 },
    { type: undefined },
    { time: "yesterday" },
    { "bad-name": "x" },
    { extension: { a: 1 } },
    { data: JSON.parse(`${"[".repeat(100)}${"]".repeat(100)}`) },
  ];
  for (const change of broken) {
    const text = JSON.stringify({ ...JSON.parse(String(body)), ...change });
    assert.throws(() => read({ headers, body: text }), { status: 400 }, JSON.stringify(change).slice(0, 60));
  }
});

Deno.test("bytes of other types stay what they are", () => {
  const bytes = new Uint8Array([1, 2, 3]);
  const { headers, body } = writeBinary({ ...EVENT, data: bytes });
  assert.equal(headers["content-type"], "application/octet-stream");
  assert.deepEqual(read({ headers, body })[0].data, bytes);
  const text = writeBinary({
    ...EVENT,
    data: "x",
    headers: { ...EVENT.headers, datacontenttype: "text/plain" },
  });
  assert.equal(read(text)[0].data, "x");
});

Deno.test("a handshake is answered with the origin that asks (CloudEvents Web Hooks 4.1)", async () => {
  const { receive, path, channel } = httpChannel({});
  assert.equal(path, "/messaging/messaging");
  const answer = await receive(
    new Request("http://x/y", {
      method: "OPTIONS",
      headers: { "webhook-request-origin": "events.example.com", "webhook-request-rate": "120" },
    }),
  );
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("webhook-allowed-origin"), "events.example.com");
  assert.equal(answer.headers.get("webhook-allowed-rate"), "*");
  await assert.rejects(receive(new Request("http://x/y")), { status: 405, allow: "OPTIONS, POST" });
  await channel.close();
});

Deno.test("the answer tells the sender what became of an event", async () => {
  const { receive, channel } = httpChannel({});
  const outcomes = { ok: 204, later: 503, dead: 422, unknown: 204, throws: 503 };
  await channel.subscribe({ group: "g", topics: Object.keys(outcomes), concurrency: 1 }, async (delivery) => {
    const { topic } = delivery.message;
    if (topic === "ok" || topic === "unknown") await delivery.ack();
    if (topic === "later") await delivery.nack({ delayMs: 4_200 });
    if (topic === "dead") await delivery.nack({ dead: true });
    if (topic === "throws") throw new Error("handler");
  });
  const post = (type: string) => {
    const { headers, body } = writeBinary({ ...EVENT, headers: { ...EVENT.headers, type } });
    return receive(new Request("http://x/y", { method: "POST", headers, body }));
  };
  for (const [topic, status] of Object.entries(outcomes)) {
    const answer = await post(topic);
    assert.equal(answer.status, status, topic);
    if (topic === "later") assert.equal(answer.headers.get("retry-after"), "5");
  }
  await channel.close();
  assert.equal((await post("ok")).status, 503);
});

Deno.test("a channel that waits for a running handler takes no event more, and asks to come again", async () => {
  const { channel, receive } = httpChannel({});
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const got: unknown[] = [];
  await channel.subscribe({ group: "g", topics: "*", concurrency: 1 }, async ({ message, ack }) => {
    got.push(message.headers.id);
    await gate;
    await ack();
  });
  const post = (id: string, body?: string) => {
    const event = writeBinary({ ...EVENT, headers: { ...EVENT.headers, id } });
    return receive(new Request("http://x/y", { method: "POST", ...event, ...body && { body } }));
  };
  const first = post("1");
  await eventually(() => got.length === 1);
  const closing = channel.close({ drainMs: 60_000 });
  const late = Promise.all([post("2"), post("2", "{no json")]);
  setTimeout(open, 5);
  for (const { status, headers } of await late) {
    assert.deepEqual([status, headers.get("retry-after")], [503, "1"]);
  }
  assert.equal((await first).status, 204);
  await closing;
  assert.deepEqual(got, ["1"]);
  assert.equal((await post("3", "{no json")).status, 503);
});

Deno.test("an event above the limit is refused by size", async () => {
  const { receive, channel } = httpChannel({});
  const headers = { ...writeBinary(EVENT).headers };
  const body = "x".repeat(2 * 1024 * 1024);
  await assert.rejects(receive(new Request("http://x/y", { method: "POST", headers, body })), {
    status: 413,
  });
  await channel.close();
});

Deno.test("publishing fails as long as a receiver does not have the event, for good where it refuses it", async () => {
  const statuses: Record<string, number> = { "/a": 204, "/b": 503 };
  const sent: string[] = [];
  const { channel } = httpChannel(
    {
      credentials: {
        url: ["https://one.example/a", "https://two.example/b?x=1"],
        username: "u",
        password: "p",
      },
    },
    (request) => {
      const { pathname } = new URL(request.url);
      assert.equal(request.headers.get("authorization"), `Basic ${btoa("u:p")}`);
      sent.push(pathname);
      return Promise.resolve(new Response(null, { status: statuses[pathname] }));
    },
  );
  const failing = (error: { unrecoverable?: boolean; message: string }) => {
    assert.match(error.message, /^https:\/\/two\.example\/b answered 503$/);
    return error.unrecoverable === undefined;
  };
  await assert.rejects(channel.publish([{ topic: "t", data: 1, headers: {} }]), failing);
  assert.deepEqual(sent, ["/a", "/b"]);
  statuses["/b"] = 415;
  await assert.rejects(channel.publish([{ topic: "t", data: 1, headers: {} }]), { unrecoverable: true });
  await channel.close();
});

Deno.test("what is sent again is the same event of the application, whatever its format (messaging 5, 6)", async () => {
  const sent: Request[] = [];
  const web = {
    route: () => {},
    fetch: (request: Request) =>
      Promise.resolve(new Response(null, { status: sent.push(request) ? 204 : 0 })),
  };
  const options = channelOptions({ credentials: { url: "http://h/x" } });
  const channel = createHttpChannel({ ...options, application: "shop", web });
  const message = { topic: "T.e", data: 1, headers: { "x-message-id": "m1" } };
  for (let i = 0; i < 2; i++) await channel.publish([message]);
  const identities = sent.map(({ headers }) => [headers.get("ce-source"), headers.get("ce-id")]);
  assert.deepEqual(identities, [["/shop", "m1"], ["/shop", "m1"]]);
  await channel.close();
});

Deno.test("headers that are no attributes, the topic with its prefix and the correlation id arrive", async () => {
  let answer: Answer = () => Promise.resolve(new Response());
  const sender = httpChannel({ credentials: { url: "http://h/x" } }, (request) => answer(request));
  const receiver = httpChannel({});
  answer = receiver.receive;
  const got: Message[] = [];
  await receiver.channel.subscribe({ group: "g", topics: "*", concurrency: 1 }, async ({ message, ack }) => {
    got.push(message);
    await ack();
  });
  const headers = { "x-my": "v", "x-correlation-id": "c1", type: "T.e", __proto__: null };
  await sender.channel.publish([{ topic: "default/T.e", data: 1, headers }]);
  await eventually(() => got.length === 1);
  assert.equal(got[0].topic, "default/T.e");
  assert.equal(got[0].headers["x-my"], "v");
  assert.equal(got[0].headers.correlationid, "c1");
  assert.equal(got[0].headers.type, "T.e");
  await Promise.all([sender.channel.close(), receiver.channel.close()]);
});

Deno.test("a wrong path or URL stops the start", () => {
  for (const options of [{ path: "x" }, { path: "/a?b" }, { credentials: { url: "ftp://x" } }]) {
    assert.throws(() => httpChannel(options), { name: "ConfigurationError" });
  }
});
