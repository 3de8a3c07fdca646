import assert from "node:assert/strict";
import {
  badPayload,
  declaredEvents,
  type EventDefinition,
  mistypedTopics,
  partitionKey,
  payloadFault,
  ReceivedEvent,
  topicOf,
  undeclaredEvents,
} from "../../src/messaging/event_topic.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { Service } from "../../src/service/service.ts";
import { environment } from "./services.ts";

const REMOTE = linkModel({
  definitions: {
    "R": { kind: "service" },
    "R.ordered": { kind: "event", elements: {} },
    "R.renamed": { kind: "event", "@topic": "x/renamed", elements: {} },
    "R.reset": { kind: "action" },
    "R.Books": {
      kind: "entity",
      elements: { ID: { key: true, type: "cds.Integer" } },
      actions: { sold: { kind: "action" } },
    },
  },
});

const host = { ...environment(), model: REMOTE };
const remote = new Service({ name: "R", host, definition: REMOTE.service("R") });
const modelless = new Service({ name: "R", host });

Deno.test("a topic of a single character is one", () => {
  assert.equal(topicOf({ name: "T.e", "@topic": "t" }), "t");
});

Deno.test("handlers of a remote service are told of events that its model does not declare, and of what may be meant", () => {
  const start = (event: string) =>
    `R: a handler waits for "${event}", which the model of the service does not declare, so no message calls it`;
  const cases: readonly [events: readonly string[], remarks: readonly string[]][] = [
    [["ordered", "reset", "sold", "READ", "*"], []],
    [["orderd"], [`${start("orderd")}; did you mean "ordered"?`]],
    [["ordered", "quite.another"], [
      `${start("quite.another")}: extend service R with { event quite.another { … } }`,
    ]],
    [["toString"], [`${start("toString")}: extend service R with { event toString { … } }`]],
  ];
  for (const [events, remarks] of cases) {
    assert.deepEqual(undeclaredEvents(remote, new Set(events)), remarks);
  }
  assert.deepEqual(undeclaredEvents(remote, "*"), []);
  assert.deepEqual(undeclaredEvents(modelless, new Set(["orderd"])), []);
});

Deno.test("handlers of topics that are almost those of declared events are told so, and of local names", () => {
  const remark = (topic: string, near: string) => [
    `R: a handler waits for "${topic}", which the model does not declare; did you mean "${near}"?`,
  ];
  const cases: readonly [topic: string, remarks: readonly string[]][] = [
    ["R.ordered", []],
    ["x/renamed", []],
    ["*", []],
    ["quite/another", []],
    ["ordered", remark("ordered", "R.ordered")],
    ["renamed", remark("renamed", "x/renamed")],
    ["R.orderd", remark("R.orderd", "R.ordered")],
  ];
  for (const [topic, remarks] of cases) {
    assert.deepEqual(mistypedTopics(remote, new Set([topic])), remarks, topic);
  }
  assert.deepEqual(mistypedTopics(remote, new Set(["ordered", "quite/another", "renamed"])).length, 2);
  assert.deepEqual(mistypedTopics(remote, "*"), []);
});

Deno.test("declared events are found by their topics; nothing else is", () => {
  const found = [...declaredEvents(REMOTE)].map(([topic, { name }]) => [topic, name]);
  assert.deepEqual(found, [["R.ordered", "R.ordered"], ["x/renamed", "R.renamed"]]);
  assert.equal(declaredEvents(REMOTE), declaredEvents(REMOTE));
});

Deno.test("the key elements of an event are looked for once", () => {
  let looked = 0;
  const event: EventDefinition = {
    name: "e",
    get elements() {
      looked++;
      return [{ name: "ID", key: true }];
    },
  };
  assert.deepEqual([1, 2].map((ID) => partitionKey({}, { ID }, event)), ["1", "2"]);
  assert.equal(looked, 1);
});

Deno.test("a payload that does not match its declaration is rejected, logged or passed, as the configuration says", () => {
  const fault = "The payload of T.e does not match its declaration: n (ASSERT_DATA_TYPE)";
  const cases: readonly [payloads: string | undefined, fault: string | undefined, lines: number][] = [
    ["reject", fault, 0],
    ["log", undefined, 1],
    [undefined, undefined, 1],
    ["pass", undefined, 0],
  ];
  for (const [payloads, expected, lines] of cases) {
    const host = environment();
    const definition = declaredEvents(host.model).get("T.e")!;
    const service = { name: "T", host, options: payloads === undefined ? {} : { payloads } };
    const faultOf = (data: unknown, event: EventDefinition | undefined = definition) =>
      payloadFault(service as unknown as Service, data, event);
    assert.equal(faultOf({ n: "x" }), expected);
    assert.deepEqual(host.lines, lines === 0 ? [] : [[`T: ${fault}`]]);
    assert.equal(faultOf({ n: 1 }), undefined);
    assert.equal(payloadFault(service as unknown as Service, { n: "x" }, undefined), undefined);
    assert.equal(faultOf({ n: "x" }, { name: "T.e" }), undefined);
    assert.equal(host.lines.length, lines);
  }
});

Deno.test("whoever emits a payload that is rejected gets a failure of the server that no other attempt changes", () => {
  const { status, code, message, unrecoverable } = badPayload("no") as ReturnType<typeof badPayload> & {
    readonly unrecoverable?: boolean;
  };
  assert.deepEqual([status, code, message, unrecoverable], [500, "BAD_PAYLOAD", "no", true]);
});

Deno.test("an event that came from a channel says so", () => {
  assert.equal(new ReceivedEvent({ event: "e", data: 1 } as never).inbound, true);
});
