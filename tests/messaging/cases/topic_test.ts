import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { eventually } from "../../contract/channel.ts";
import { boxMessages, fileMessaging, withPlace } from "./place.ts";

const OWN = "service OwnService { @topic: 'my.custom.topic' event OwnEvent { ID: UUID; } }";

Deno.test("the topic of an event is its fully qualified name [2.7.fqn] (MSG-001)", () =>
  withPlace(async ({ box, emit }) => {
    const model =
      "namespace my.namespace; service SomeEventEmitter { event SomeEvent { ID: UUID; payload: String; } }";
    const service = "my.namespace.SomeEventEmitter";
    await emit({ model, emit: [{ service, event: "SomeEvent", data: { ID: "1" } }] });
    assert.deepEqual(boxMessages(box).map(({ topic, data }) => [topic, data]), [
      ["my.namespace.SomeEventEmitter.SomeEvent", { ID: "1" }],
    ]);
  }));

Deno.test("@topic overrides the topic of an event [2.7.topic] (MSG-002)", () =>
  withPlace(async ({ box, emit }) => {
    await emit({ model: OWN, emit: [{ service: "OwnService", event: "OwnEvent", data: { ID: "1" } }] });
    assert.deepEqual(boxMessages(box).map(({ topic }) => topic), ["my.custom.topic"]);
    assert.ok(!Deno.readTextFileSync(box).includes("OwnService.OwnEvent "));
  }));

Deno.test("receivers register with the local name while the channel carries @topic [6.3.2] (MSG-003)", () =>
  withPlace(async ({ emit, receive }) => {
    await emit({ model: OWN, emit: [{ service: "OwnService", event: "OwnEvent", data: { ID: "1" } }] });
    const model = `@cds.external ${OWN}`;
    const { handled } = await receive({ model, receive: [{ service: "OwnService", events: "OwnEvent" }] });
    const entries = await handled(1);
    assert.deepEqual(entries.map(({ event, data }) => [event, data]), [["OwnEvent", { ID: "1" }]]);
  }));

Deno.test("publishPrefix and subscribePrefix are on the wire only (MSG-004)", () =>
  withPlace(async ({ box, emit, receive }) => {
    const prefix = "default/a/1/";
    const requires = fileMessaging(box, { publishPrefix: prefix, subscribePrefix: prefix });
    await emit({ requires, emit: [{ event: "x/y", data: { n: 1 } }] });
    assert.deepEqual(boxMessages(box).map(({ topic }) => topic), ["default/a/1/x/y"]);
    const { handled } = await receive({ requires, receive: [{ events: "x/y" }] });
    assert.deepEqual((await handled(1)).map(({ event }) => event), ["x/y"]);
  }));

Deno.test("the object form of emit carries headers of one's own [6.3.8] (MSG-005)", () =>
  withPlace(async ({ emit, receive }) => {
    await emit({ emit: [{ event: "a/b", data: { n: 1 }, headers: { "x-my": "v" } }] });
    const [{ data, headers }] = await (await receive({ receive: [{ events: "a/b" }] })).handled(1);
    assert.deepEqual([data, headers["x-my"]], [{ n: 1 }, "v"]);
  }));

Deno.test("every handler of an event runs once (MSG-009)", () =>
  withPlace(async ({ emit, receive }) => {
    const { handled } = await receive({
      receive: [{ events: "T.e", handler: "h1" }, { events: "T.e", handler: "h2" }],
    });
    await emit({ emit: [{ event: "T.e", data: 1 }, { event: "T.e", data: 2 }] });
    const entries = await handled(4);
    assert.deepEqual(entries.map(({ handler, data }) => `${handler} ${data}`).toSorted(), [
      "h1 1",
      "h1 2",
      "h2 1",
      "h2 2",
    ]);
  }));

Deno.test("an array of topics registers each (MSG-010)", () =>
  withPlace(async ({ emit, receive }) => {
    const { handled } = await receive({ receive: [{ events: ["a/b", "a/c"] }] });
    await emit({ emit: ["a/b", "a/c", "a/d"].map((event) => ({ event, data: {} })) });
    assert.deepEqual((await handled(2)).map(({ event }) => event), ["a/b", "a/c"]);
  }));

Deno.test("'*' receives every message without a subscription for any topic (MSG-011)", () =>
  withPlace(async ({ box, emit, receive }) => {
    const { handled } = await receive({ receive: [{ events: "*" }] });
    await emit({
      model: "service T { event e { n: Integer; } }",
      emit: [{ event: "a/b", data: {} }, { service: "T", event: "e", data: { n: 1 } }],
    });
    assert.deepEqual((await handled(2)).map(({ event }) => event), ["a/b", "T.e"]);
    // the receiver writes it behind its handlers
    const cursor = `${box}.d/receiver.cur`;
    await eventually(() => existsSync(cursor));
    assert.equal(JSON.parse(Deno.readTextFileSync(cursor)).topics, "*");
  }));

Deno.test("format cloudevents adds no header with a name that is no attribute; the correlation id is kept (MSG-033)", () =>
  withPlace(async ({ box, emit }) => {
    const emitted = { event: "T.e", data: {}, headers: { "x-my": "v" }, context: { id: "c1" } };
    await emit({ requires: fileMessaging(box, { format: "cloudevents" }), emit: [emitted] });
    const [{ headers }] = boxMessages(box);
    assert.deepEqual(Object.keys(headers).filter((name) => !/^[a-z0-9]+$/.test(name)), []);
    assert.equal(headers.correlationid, "c1");
  }));

Deno.test("two emits have one source and different ids; a restart keeps the source (MSG-034)", () =>
  withPlace(async ({ box, emit }) => {
    const requires = fileMessaging(box, { format: "cloudevents" });
    const event = { event: "T.e", data: {} };
    await emit({ requires, emit: [event, event] });
    await emit({ requires, emit: [event] });
    const headers = boxMessages(box).map((one) => one.headers);
    assert.equal(new Set(headers.map(({ id }) => id)).size, 3);
    assert.deepEqual([...new Set(headers.map(({ source }) => source))], ["/sender"]);
  }));

Deno.test("emitting and receiving are logged with event name and payload [6.3.6] (MSG-040)", () =>
  withPlace(async ({ emit, receive }) => {
    const { process } = await receive({ receive: [{ events: "T.e" }] });
    const sent = await emit({ emit: [{ event: "T.e", data: { n: 1 } }] });
    assert.match(sent, /\[messaging\].*emitting T\.e \{"n":1\}/);
    await process.waitFor(/\[messaging\].*received T\.e \{"n":1\}/);
  }));
