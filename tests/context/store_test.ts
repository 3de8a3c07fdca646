import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import {
  andThenWithin,
  currentContext,
  replaceContext,
  runBriefly,
  runWithContext,
} from "../../src/context/store.ts";

const outer = new EventContext({ id: "outer" });
const inner = new EventContext({ id: "inner" });

Deno.test("runBriefly() has a current context until the step returns", async () => {
  const seen: (EventContext | undefined)[] = [];
  const later = runBriefly(outer, async () => {
    seen.push(currentContext());
    await Promise.resolve();
    seen.push(currentContext());
  });
  seen.push(currentContext());
  await later;
  assert.deepEqual(seen, [outer, undefined, undefined]);
});

Deno.test("runBriefly() restores the context when the step throws", () => {
  runWithContext(outer, () => {
    assert.throws(() =>
      runBriefly(inner, () => {
        throw new Error("failed");
      })
    );
    assert.equal(currentContext(), outer);
  });
});

Deno.test("runWithContext() within a brief step counts, and stays for what goes on later", async () => {
  let later: Promise<EventContext | undefined> | undefined;
  runBriefly(outer, () => {
    later = runWithContext(inner, async () => {
      await Promise.resolve();
      return currentContext();
    });
    assert.equal(currentContext(), outer);
  });
  assert.equal(await later, inner);
});

Deno.test("replaceContext() of what runs within does not change what runs around it", () => {
  runWithContext(outer, () => {
    runBriefly(inner, () => replaceContext(undefined));
    assert.equal(currentContext(), outer);
    runBriefly(inner, () => runWithContext(outer, () => replaceContext(undefined)));
    assert.equal(currentContext(), outer);
  });
});

Deno.test("andThenWithin() goes on at once, or later in the context", async () => {
  assert.deepEqual(andThenWithin(outer, 1, (value) => [value, currentContext()]), [1, undefined]);
  const later = andThenWithin(outer, Promise.resolve(1), (value) => [value, currentContext()]);
  assert.deepEqual(await later, [1, outer]);
});
