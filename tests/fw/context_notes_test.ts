/** Notes on requests under way. */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import { ContextNotes } from "../../src/fw/context_notes.ts";

Deno.test("notes belong to a request and to what it calls, and the latest request is told once", () => {
  const notes = new ContextNotes<string>();
  const [one, two] = [new EventContext(), new EventContext()];
  const child = Object.assign(new EventContext(), { parent: one });
  const grandchild = Object.assign(new EventContext(), { parent: child });
  assert.equal(notes.takeLatest(), undefined);
  notes.begin(one, "one");
  notes.begin(two, "");
  assert.deepEqual([one, child, grandchild, two].map((context) => notes.of(context)), [
    "one",
    "one",
    "one",
    "",
  ]);
  assert.deepEqual([notes.of(new EventContext()), notes.of(undefined)], [undefined, undefined]);
  notes.begin(child, "own");
  assert.deepEqual([one, child, grandchild].map((context) => notes.of(context)), ["one", "own", "own"]);
  assert.equal(notes.takeLatest(), child);
  assert.equal(notes.takeLatest(), undefined);
});
