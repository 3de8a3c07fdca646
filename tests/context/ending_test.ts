import assert from "node:assert/strict";
import { Ending } from "../../src/context/ending.ts";
import { EventContext } from "../../src/context/event_context.ts";

const late = new Error("late");

Deno.test("an ending tells its listeners once, and no longer those that were removed", () => {
  const told: unknown[] = [];
  const listener = (name: string) => ({ onEnding: (reason: unknown) => void told.push([name, reason]) });
  const [stays, goes] = [listener("stays"), listener("goes")];
  const ending = new Ending();
  ending.add(stays);
  ending.add(goes);
  ending.remove(goes);
  ending.throwIfOver();
  ending.end(late);
  ending.end(new Error("later"));
  assert.deepEqual(told, [["stays", late]]);
  assert.throws(() => ending.throwIfOver(), late);
});

Deno.test("the signal of an ending is aborted with it, also where somebody asks for it behind the end", () => {
  const [asked, unasked] = [new Ending(), new Ending()];
  const { signal } = asked;
  assert.equal(signal.aborted, false);
  for (const ending of [asked, unasked]) {
    ending.end(late);
    assert.equal(ending.signal.reason, late);
  }
  assert.equal(signal.aborted, true);
});

Deno.test("a context ends with the signal that it was given, as do those derived from it", () => {
  const controller = new AbortController();
  const context = new EventContext({}, new EventContext({ signal: controller.signal }));
  assert.equal(context.signal, controller.signal);
  let reason: unknown;
  context.ending!.add({ onEnding: (given) => reason = given });
  controller.abort(late);
  assert.equal(reason, late);
  const after = new EventContext({ signal: controller.signal });
  assert.throws(() => after.ending!.throwIfOver(), late);
  assert.equal(new EventContext().signal, undefined);
});

Deno.test("all listeners hear of the end, also where one of them listens no more then", () => {
  const ending = new Ending();
  const heard: string[] = [];
  const first = {
    onEnding: () => {
      heard.push("first");
      ending.remove(first);
    },
  };
  ending.add(first);
  ending.add({ onEnding: (reason) => heard.push(String(reason)) });
  ending.end("late");
  ending.end("again");
  assert.deepEqual(heard, ["first", "late"]);
});
