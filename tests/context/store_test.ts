import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import {
  andThenWithin,
  currentContext,
  replaceContext,
  RequestEntries,
  runBriefly,
  runInRequest,
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

/** Work of a request that goes on behind its end, once `go` is called. */
function leaveBehind(context: EventContext): { go: () => void; seen: Promise<EventContext | undefined> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let seen!: Promise<EventContext | undefined>;
  runInRequest(context, () => {
    seen = promise.then(() => currentContext());
  });
  return { go: resolve, seen };
}

function request(id: string): EventContext {
  const http = { req: {}, res: {} } as unknown as NonNullable<EventContext["http"]>;
  const context = new EventContext({ id, tenant: "t1", user: "alice", locale: "de", http });
  context.entries = new RequestEntries();
  return context;
}

function endOthers(): void {
  for (let i = 0; i < 40; i++) {
    const other = request(`other ${i}`);
    runInRequest(other, () => {});
    other.entries!.end();
  }
}

Deno.test("what a request has left behind sees its context as long as it has not ended", async () => {
  const context = request("r1");
  const { go, seen } = leaveBehind(new EventContext({}, context));
  endOthers();
  go();
  assert.equal((await seen)?.parent, context);
});

Deno.test("what a request has left behind keeps its user, tenant and locale, and not the request", async () => {
  const context = request("r2");
  const { go, seen } = leaveBehind(context);
  context.entries!.end();
  endOthers();
  go();
  const found = (await seen)!;
  const { id, tenant, user, locale, http } = found;
  assert.deepEqual([id, tenant, user.id, locale, http], ["r2", "t1", "alice", "de", undefined]);
});

Deno.test("work of a request that has not ended keeps its context, whatever else has ended", async () => {
  const context = request("r3");
  const { promise, resolve } = Promise.withResolvers<void>();
  const work = runInRequest(context, async () => {
    await promise;
    return currentContext();
  });
  context.entries!.end();
  endOthers();
  resolve();
  assert.equal(await work, context);
  const failing = runInRequest(context, () => Promise.reject(new Error("failed")));
  await assert.rejects(failing, /failed/);
});
