import assert from "node:assert/strict";
import { DEFAULT_LIMITS } from "../../src/config/limits.ts";
import { EventContext } from "../../src/context/event_context.ts";
import { Snapshots } from "../../src/odata/snapshots.ts";
import { withClock } from "../security/clock.ts";

Deno.test("a delta link is one of its user, tenant and collection only (Protocol 11.3)", () => {
  const snapshots = new Snapshots(DEFAULT_LIMITS);
  const contextOf = (id: string, tenant: string) => new EventContext({ user: { id }, tenant });
  const rows = new Map([["1", { keys: { ID: 1 }, tag: "a" }]]);
  const token = snapshots.add(contextOf("alice", "t1"), "Books", rows);
  assert.equal(snapshots.find(token, contextOf("alice", "t1"), "Books"), rows);
  for (
    const [context, url] of [
      [contextOf("bob", "t1"), "Books"],
      [contextOf("alice", "t2"), "Books"],
      [contextOf("alice", "t1"), "Authors"],
    ] as const
  ) assert.equal(snapshots.find(token, context, url), undefined);
});

Deno.test("a delta link holds for its time from the last answer without changes on (fw.limits.deltaMs)", () =>
  withClock((forward) => {
    const snapshots = new Snapshots({ ...DEFAULT_LIMITS, deltaMs: 1_000 });
    const context = new EventContext({ user: { id: "alice" } });
    const rows = new Map([["1", { keys: { ID: 1 }, tag: "a" }]]);
    const [kept, left] = ["Books", "Authors"].map((url) => snapshots.add(context, url, rows));
    forward(999);
    snapshots.renew(kept!);
    snapshots.renew("unknown");
    forward(1);
    assert.equal(snapshots.find(kept!, context, "Books"), rows);
    assert.equal(snapshots.find(left!, context, "Authors"), undefined);
    forward(998);
    assert.equal(snapshots.find(kept!, context, "Books"), rows);
    forward(1);
    assert.equal(snapshots.find(kept!, context, "Books"), undefined);
    return Promise.resolve();
  }));
