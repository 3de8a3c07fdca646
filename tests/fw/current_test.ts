/** Which runtime is the current one, and who hears its events. */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import { runWithContext } from "../../src/context/store.ts";
import type * as current from "../../src/fw/current.ts";
import {
  currentRuntime,
  ownContext,
  recordListeners,
  setLatestRuntime,
  withEvents,
} from "../../src/fw/current.ts";
import { Emitter } from "../../src/fw/emitter.ts";
import type { Runtime } from "../../src/fw/runtime.ts";

const runtime = () => ({ events: new Emitter() }) as unknown as Runtime;

Deno.test("listeners from before the first runtime are those of the first one, and of no other", async () => {
  // other tests of this process have had runtimes: this is another instance of the module
  const fresh = new URL("../../src/fw/current.ts?fresh", import.meta.url).href;
  const { currentRuntime, hasRuntime, setLatestRuntime, withEvents }: typeof current = await import(fresh);
  assert.equal(hasRuntime(), false);
  assert.throws(() => currentRuntime(), TypeError);
  const heard: Emitter[] = [];
  withEvents((events) => void heard.push(events));
  assert.equal(heard.length, 0);
  const [first, second] = [runtime(), runtime()];
  setLatestRuntime(first);
  assert.equal(heard.length, 1);
  assert.equal(heard[0], first.events);
  setLatestRuntime(second);
  assert.equal(heard.length, 1);
  assert.equal(currentRuntime(), second);
  withEvents((events) => void heard.push(events));
  assert.equal(heard[1], second.events);
});

Deno.test("listeners are taken down instead where somebody asks for it, until that ends", () => {
  const latest = runtime();
  setLatestRuntime(latest);
  const recorder = new Emitter();
  const heard: Emitter[] = [];
  const end = recordListeners(recorder);
  withEvents((events) => void heard.push(events));
  end();
  withEvents((events) => void heard.push(events));
  assert.deepEqual(heard.map((one) => one === recorder), [true, false]);
  assert.equal(heard[1], latest.events);
});

Deno.test("the runtime of a request is the current one, whichever was created last", () => {
  const [own, latest] = [runtime(), runtime()];
  const context = new EventContext();
  ownContext(context, own);
  setLatestRuntime(latest);
  assert.equal(runWithContext(context, () => currentRuntime()), own);
  assert.equal(runWithContext(new EventContext(), () => currentRuntime()), latest);
  assert.equal(currentRuntime(), latest);
});
