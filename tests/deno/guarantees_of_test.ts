import assert from "node:assert/strict";
import type { Environment } from "../../src/config/environment.ts";
import { guaranteesOf } from "../../src/deno/guarantees_of.ts";

/** What the channels of a configuration promise. */
function promised(requires: Readonly<Record<string, unknown>>, production = false) {
  const env = { requires, production } as unknown as Environment;
  return guaranteesOf({ env, root: "/srv/shop", application: "shop" });
}

Deno.test("messaging services are told with what they promise, others and those that lack something are not", async () => {
  const found = await promised({
    db: { kind: "sqlite" },
    local: { kind: "local-messaging" },
    boxes: { kind: "file-based-messaging" },
    broker: { kind: "redis-messaging" },
    off: false,
    none: null,
    absent: undefined,
    messaging: true,
  });
  assert.deepEqual(Object.keys(found).sort(), ["boxes", "local", "messaging"]);
  assert.equal(found.local!.delivery, "at-most-once");
  assert.match(found.local!.notice!, /lost when it ends/);
  assert.deepEqual([found.boxes!.delivery, found.boxes!.deadLetters], ["at-least-once", true]);
  assert.deepEqual(found.messaging, found.boxes, "messaging is kept in files by default");
});

Deno.test("a channel that cannot be made for another reason than its configuration is a mistake of the framework", async () => {
  const broken = {
    get kind(): string {
      throw new RangeError("broken");
    },
  };
  await assert.rejects(promised({ broken }), RangeError);
});
