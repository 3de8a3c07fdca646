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

Deno.test("steps that are named twice have one place; unknown ones and what is no function are refused", () => {
  const middlewares = new Middlewares();
  assert.deepEqual([middlewares.isEmpty, middlewares.split()], [true, { outer: [], inner: [] }]);
  middlewares.add(first!, { before: "context", after: "model" }).add(second!, { at: 1, before: "model" });
  assert.deepEqual(middlewares.before, [first, second, "context", "auth", "model"]);
  assert.throws(() => middlewares.add(third!, { after: "nothing" as never }), {
    name: "TypeError",
    message: 'Expected one of context, auth, model, but found "nothing"',
  });
  assert.throws(() => middlewares.add("auth" as never), {
    name: "TypeError",
    message: "A function is expected as middleware",
  });
  assert.equal(middlewares.before.length, 5);
  assert.equal(middlewares.isEmpty, false);
  assert.equal(new Middlewares().add(first!, { before: "auth" }).isEmpty, false);
  assert.equal(new Middlewares().add(first!).isEmpty, false);
});

Deno.test("the list can be written anew from its steps, and holds auth", () => {
  const middlewares = new Middlewares();
  const list = [middlewares.context(), first!, middlewares.auth(), second!, middlewares.ctx_model()];
  middlewares.before = list;
  assert.deepEqual(middlewares.before, ["context", first, "auth", second, "model"]);
  assert.deepEqual(middlewares.split(), { outer: [first], inner: [second] });
  list.length = 0;
  assert.equal(middlewares.before.length, 5, "it is another list");
  middlewares.before = ["auth"];
  assert.equal(middlewares.isEmpty, true);
  for (const wrong of [[], ["context", "model"]] as const) {
    assert.throws(() => void (middlewares.before = wrong), {
      name: "ConfigurationError",
      message: '"fw.middlewares.before" must hold "auth": requests are authenticated',
    });
  }
  assert.throws(() => void (middlewares.before = ["auth", "nothing" as never]), {
    name: "TypeError",
    message: "Expected middleware, but found nothing",
  });
  let went = 0;
  middlewares.trace()({} as never, {} as never, () => went++);
  assert.equal(went, 1);
});
