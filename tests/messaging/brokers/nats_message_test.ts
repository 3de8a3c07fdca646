/** Messages and names in NATS. */

import { headers as natsHeaders } from "@nats-io/transport-node";
import assert from "node:assert/strict";
import { DEFAULT_LIMITS } from "../../../src/config/limits.ts";
import type { ServiceError } from "../../../src/errors/service_error.ts";
import { natsConnection } from "../../../src/messaging/brokers/nats/nats_channel.ts";
import {
  fromNats,
  groupOfNats,
  isTooLarge,
  toPublishError,
} from "../../../src/messaging/brokers/nats/nats_message.ts";
import { NatsNames, PARTITIONS } from "../../../src/messaging/brokers/nats/nats_names.ts";

const names = new NatsNames("fw", "e");

function headersOf(given: Readonly<Record<string, string>>) {
  const headers = natsHeaders();
  for (const [name, value] of Object.entries(given)) headers.append(name, value);
  return headers;
}

function read(given: Readonly<Record<string, string>>, body: string, subject = "fw.t.T.e") {
  const input = { subject, headers: headersOf(given), data: new TextEncoder().encode(body) };
  return fromNats(input, { names, limits: DEFAULT_LIMITS });
}

Deno.test("headers of NATS are attributes, headers of our own, and those of other programs", () => {
  const given = {
    "ce-specversion": "1.0",
    "CE-Source": "/%C3%A4%20b",
    "ce-bad": "%zz",
    "Nats-Msg-Id": "1",
    "Fw-Key": '"k"',
    "fw-headers": '{"n":7}',
    "fw-group": "g",
    "X-Own": "x",
  };
  assert.deepEqual(read(given, '{"a":1}'), {
    message: {
      topic: "T.e",
      data: { a: 1 },
      headers: { specversion: "1.0", source: "/ä b", bad: "%zz", "X-Own": "x", n: 7 },
      key: "k",
    },
  });
  assert.equal(read({ "ce-datacontenttype": "text/plain" }, "x").message.data, "x");
  assert.deepEqual(read({ "fw-data": "bytes" }, "x").message.data, new Uint8Array([120]));
  const bare = fromNats({ subject: "other", headers: undefined, data: new Uint8Array() }, {
    names,
    limits: DEFAULT_LIMITS,
  });
  assert.deepEqual(bare.message.headers, {});
});

Deno.test("the one group that a message is for stands in the last header of that name, whatever its case", () => {
  assert.equal(groupOfNats(undefined), undefined);
  assert.equal(groupOfNats(headersOf({ a: "b" })), undefined);
  assert.equal(groupOfNats(headersOf({ "Fw-Group": "g" })), "g");
  assert.equal(groupOfNats(headersOf({ "Fw-Group": "one", "fw-group": "two" })), "two");
});

Deno.test("what a server refuses for its size is known by name or code", () => {
  const cases: readonly [unknown, boolean][] = [
    [{ name: "InvalidArgumentError" }, true],
    [{ name: "JetStreamApiError", code: 10054 }, true],
    [{ name: "JetStreamApiError", code: 10055 }, false],
    [new Error("other"), false],
  ];
  for (const [error, expected] of cases) assert.equal(isTooLarge(error), expected);
});

Deno.test("streams have letters, digits, - and _ in their names", () => {
  assert.equal(new NatsNames("a-B_9", "e").all, "a-B_9.>");
  for (const stream of ["", "a.b", "a b", "ä", "a*"]) {
    assert.throws(() => new NatsNames(stream, "fw.requires.m"), {
      name: "ConfigurationError",
      message: `fw.requires.m.stream is '${stream}', expected letters, digits, - and _`,
    });
  }
});

Deno.test("subjects hold the topic behind its partition, and give it back", () => {
  const cases: readonly [topic: string, encoded: string][] = [
    ["T.e", "T.e"],
    ["a b*c>d", "a%20b%2Ac%3Ed"],
    [".a..b.", "%2Ea%2E.b%2E"],
    ["ä%", "%C3%A4%25"],
    ["a/!$&)+=?~", "a/!$&)+=?~"],
    ["a\x7f", "a%7F"],
  ];
  for (const [topic, encoded] of cases) {
    assert.equal(names.subject(topic, undefined), `fw.t.${encoded}`);
    assert.equal(names.topic(`fw.t.${encoded}`), topic);
    assert.equal(names.topic(`fw.k.7.${encoded}`), topic);
  }
  assert.equal(names.subject("\ud800", undefined), "fw.t.%EF%BF%BD");
  assert.equal(names.topic("fw.t.%zz"), "%zz");
  assert.equal(names.topic("fw.other"), "other");
});

Deno.test("a key has the same partition in every process, one of eight", () => {
  assert.equal(PARTITIONS, 8);
  // FNV-1a, 32 bits: "" is 811c9dc5, "a" is e40c292c, "foobar" is bf9cf968
  assert.equal(names.subject("t", ""), "fw.k.5.t");
  assert.equal(names.subject("t", "a"), "fw.k.4.t");
  assert.equal(names.subject("t", "foobar"), "fw.k.0.t");
  const used = new Set(Array.from({ length: 100 }, (_, n) => names.subject("t", `key ${n}`)));
  assert.deepEqual([...used].sort(), Array.from({ length: 8 }, (_, n) => `fw.k.${n}.t`));
});

Deno.test("consumers, filters and dead letters of a group have names that NATS takes", () => {
  assert.deepEqual([names.filter(undefined), names.filter(0)], ["fw.t.>", "fw.k.0.>"]);
  assert.deepEqual([names.consumer("app", undefined), names.consumer("app", 0)], ["app", "app-k0"]);
  assert.equal(names.consumer("a.b*~'()!ä", undefined), "a=2eb=2a=7e=27=28=29=21=25C3=25A4");
  assert.equal(names.dead("a.b"), "fw.dead.a=2eb");
});

Deno.test("what the server will never take is not published again; other errors stay as they are", () => {
  const text = "NATS does not take a message of event 'T.e': as it is";
  const outcomes = [
    [{ name: "InvalidArgumentError" }, "MESSAGE_TOO_LARGE"],
    [{ code: 10054 }, "MESSAGE_TOO_LARGE"],
    [{ name: "PermissionViolationError" }, "NOT_ALLOWED"],
  ] as const;
  for (const [error, expectedCode] of outcomes) {
    const found = toPublishError(Object.assign(new Error("refused"), error, { message: "as it is" }), "T.e");
    const { status, message, unrecoverable, code } = found as ServiceError & {
      readonly unrecoverable?: boolean;
    };
    assert.deepEqual([status, message, unrecoverable, code], [500, text, true, expectedCode]);
  }
  for (const error of [new Error("away"), Object.assign(new Error("timeout"), { code: 503 })]) {
    assert.equal(toPublishError(error, "T.e"), error);
  }
});

Deno.test("servers of a cluster stand side by side, with the login in the address or beside it", () => {
  const of = (credentials: Readonly<Record<string, unknown>>) =>
    natsConnection({ credentials, attemptMs: 7 });
  const common = {
    ...{ timeout: 7, maxReconnectAttempts: -1, reconnectTimeWait: 250 },
    ...{ ignoreAuthErrorAbort: true, noAsyncTraces: true },
  };
  const cases: readonly (readonly [given: Readonly<Record<string, unknown>>, expected: object])[] = [
    [{ url: "a:1" }, { servers: ["a:1"] }],
    [{ url: "nats://a:1, nats://b:2,c" }, { servers: ["a:1", "b:2", "c"] }],
    [{ url: "nats://ann:p%40ss@a:1" }, { servers: ["a:1"], user: "ann", pass: "p@ss" }],
    [{ url: "nats://ann:@a" }, { servers: ["a"], user: "ann", pass: "" }],
    [{ url: "nats://t0%2Fken@a:1" }, { servers: ["a:1"], token: "t0/ken" }],
    [{ url: "nats://@a:1" }, { servers: ["a:1"] }],
    [{ url: "nats://ann:one@a,nats://ann:one@b" }, { servers: ["a", "b"], user: "ann", pass: "one" }],
    [{ url: "a", user: "ann", password: "one" }, { servers: ["a"], user: "ann", pass: "one" }],
    [{ url: "a", username: "ann", pass: "one" }, { servers: ["a"], user: "ann", pass: "one" }],
    [{ url: "nats://bob:two@a", user: "ann" }, { servers: ["a"], user: "ann", pass: "two" }],
    [{ url: "a", token: "t" }, { servers: ["a"], token: "t" }],
    [{ url: "tls://a" }, { servers: ["a"], tls: {} }],
    [{ url: "a", tls: true }, { servers: ["a"], tls: {} }],
    [{ url: "a", tls: { ca: "x" } }, { servers: ["a"], tls: { ca: "x" } }],
  ];
  for (const [given, expected] of cases) {
    assert.deepEqual(of(given), { ...common, ...expected }, JSON.stringify(given));
  }
});
