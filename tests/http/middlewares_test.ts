import assert from "node:assert/strict";
import { type ClassicMiddleware, Middlewares } from "../../src/http/middlewares.ts";

const [first, second, third, last]: readonly ClassicMiddleware[] = [1, 2, 3, 4].map(() => () => {});

Deno.test("middleware stands before or behind its step, at its index, or behind all (api 12)", () => {
  const middlewares = new Middlewares()
    .add(first!, { before: "auth" })
    .add(second!, { after: "auth" })
    .add(third!, { at: 0 })
    .add(last!);
  assert.deepEqual(middlewares.before, [third, "context", first, "auth", second, "model", last]);
  assert.deepEqual(middlewares.split(), { outer: [third, first], inner: [second, last] });
});
