/** What is said of payloads that do not match the declaration of their event (messaging, `payloads`). */

import assert from "node:assert/strict";
import { badPayload, declaredEvents, payloadFault, topicOf } from "../../src/messaging/event_topic.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import type { Service } from "../../src/service/service.ts";

const MODEL = linkModel(parseCdl(`service S {
  event E { n : Integer; t : String(2); }
  @topic: 'other' event F { n : Integer; }
  @topic: '' event G { n : Integer; }
  event H : projection on A;
  entity A { key ID : Integer; }
}`));

/** What is said of a payload, and what goes to the log. */
function fault(data: unknown, topic: string, payloads?: string) {
  const told: string[] = [];
  const host = {
    model: MODEL,
    env: {},
    log: (name: string) => ({ warn: (text: string) => told.push(`${name} ${text}`) }),
  };
  const service = { host, options: payloads === undefined ? {} : { payloads }, name: "messaging" };
  const found = payloadFault(service as unknown as Service, data, declaredEvents(MODEL).get(topic));
  return { found, told };
}

Deno.test("the topic of an event is its name, unless another one is given", () => {
  const topics = ["S.E", "S.F", "S.G"].map((name) => topicOf({ name, ...MODEL.definitions[name] as object }));
  assert.deepEqual(topics, ["S.E", "other", "S.G"]);
  assert.equal(topicOf({ name: "a", "@topic": 1 }), "a");
});

Deno.test("payloads that do not match are told in the log, or rejected; others and those of unknown events are not", () => {
  const text = "The payload of S.E does not match its declaration: ";
  const { found, told } = fault({ n: "x" }, "S.E", "reject");
  assert.deepEqual([found?.slice(0, text.length), told], [text, []]);
  assert.match(found!, /declaration: n \(\w+\)$/);
  for (const payloads of ["log", undefined]) {
    assert.deepEqual(fault({ n: "x" }, "S.E", payloads), {
      ...{ found: undefined, told: [`messaging messaging: ${found}`] },
    });
  }
  const nothing = { found: undefined, told: [] };
  assert.deepEqual(fault({ n: "x" }, "S.E", "pass"), nothing);
  assert.deepEqual(fault({ n: 1, t: "ab" }, "S.E", "reject"), nothing);
  assert.deepEqual(fault({ n: "x" }, "S.Unknown", "reject"), nothing);
  assert.match(fault({ n: "x", t: "abc" }, "S.E", "reject").found!, /: n \(\w+\), t \(\w+\)$/);
});

Deno.test("an emitter whose payload is rejected gets an error for which nothing is tried again", () => {
  const { status, code, message, ...more } = badPayload("no");
  assert.deepEqual([status, code, message], [500, "BAD_PAYLOAD", "no"]);
  assert.equal((more as { readonly unrecoverable?: unknown }).unrecoverable, true);
});
