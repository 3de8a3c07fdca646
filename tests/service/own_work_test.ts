import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import { currentContext, runWithContext } from "../../src/context/store.ts";
import { runDetached } from "../../src/service/own_work.ts";

Deno.test("work of the framework has a context of its own, which the runtime adopts, and gives its result", () => {
  const adopted: EventContext[] = [];
  const outer = new EventContext({ user: "alice", tenant: "t1" });
  const adopt = (context: EventContext) => void adopted.push(context);
  const log = { error: () => {} };
  const seen = () => {
    const context = currentContext()!;
    return { context, own: [context.user.id, context.tenant, context.id === outer.id] };
  };
  const { context, own } = runWithContext(outer, () => runDetached({ adopt, log }, seen));
  assert.deepEqual(own, ["privileged", undefined, false]);
  assert.deepEqual(adopted, [context]);
  assert.notEqual(runDetached({ log }, seen).context, context);
});
