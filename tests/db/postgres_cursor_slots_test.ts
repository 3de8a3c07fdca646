/** How many cursors may be open at once. */

import assert from "node:assert/strict";
import { CursorSlots } from "../../src/db/postgres/postgres_cursor.ts";

Deno.test("cursors may have half of the connections, rounded down, and a slot that is given back is free", () => {
  for (const [connections, expected] of [[1, 0], [2, 1], [3, 1], [10, 5]] as const) {
    const slots = new CursorSlots(connections);
    const taken = Array.from({ length: connections }, () => slots.take()).filter(Boolean);
    assert.equal(taken.length, expected, String(connections));
    if (expected === 0) continue;
    slots.give();
    assert.deepEqual([slots.take(), slots.take()], [true, false]);
  }
});
