/** What is measured, how long work took, and what errors are called where they are counted. */

import assert from "node:assert/strict";
import { errorType, GAUGES, HISTOGRAMS, NO_SPAN, timed } from "../../src/telemetry/telemetry.ts";

Deno.test("an error is called by its code, else by its class, and never by its text", () => {
  class OwnError extends Error {
    override name = "OwnError";
  }
  const coded = (code: unknown) => Object.assign(new OwnError("Secret"), { code });
  for (
    const [error, name] of [
      [coded("UNIQUE"), "UNIQUE"],
      [coded("a.b-c_1"), "a.b-c_1"],
      [coded("x".repeat(64)), "x".repeat(64)],
      [coded("x".repeat(65)), "OwnError"],
      [coded("not a code"), "OwnError"],
      [coded("ok\n"), "OwnError"],
      [coded(""), "OwnError"],
      [coded(42), "OwnError"],
      [new TypeError("Secret"), "TypeError"],
      [{ name: "" }, "_OTHER"],
      [{ name: 1 }, "_OTHER"],
      [{}, "_OTHER"],
      ["Secret", "_OTHER"],
      [null, "_OTHER"],
      [undefined, "_OTHER"],
    ] as const
  ) assert.equal(errorType(error), name);
});

/** What work gave, and what was told of it. */
async function told(work: () => unknown) {
  const ends: { readonly seconds: number; readonly error: unknown }[] = [];
  const { performance } = globalThis;
  const now = performance.now.bind(performance);
  let ms = 1_000;
  performance.now = () => ms;
  const outcome: { result?: unknown; thrown?: unknown } = {};
  try {
    const result = timed(() => {
      ms += 250;
      return work();
    }, (seconds, error) => void ends.push({ seconds, error }));
    const isWaiting = result instanceof Promise;
    assert.equal(ends.length, isWaiting ? 0 : 1, "a promise is waited for");
    if (isWaiting) ms += 250;
    outcome.result = await result;
  } catch (thrown) {
    outcome.thrown = thrown;
  } finally {
    performance.now = now;
  }
  return { outcome, ends };
}

Deno.test("work is told once with its seconds and its error, whether it waits for something or not", async () => {
  const error = new Error("no");
  assert.deepEqual(await told(() => 7), {
    outcome: { result: 7 },
    ends: [{ seconds: 0.25, error: undefined }],
  });
  assert.deepEqual(await told(() => Promise.resolve(7)), {
    outcome: { result: 7 },
    ends: [{ seconds: 0.5, error: undefined }],
  });
  assert.deepEqual(
    await told(() => {
      throw error;
    }),
    { outcome: { thrown: error }, ends: [{ seconds: 0.25, error: { thrown: error } }] },
  );
  assert.deepEqual(await told(() => Promise.reject(undefined)), {
    outcome: { thrown: undefined },
    ends: [{ seconds: 0.5, error: { thrown: undefined } }],
  });
});

Deno.test("instruments have names, units and attributes of the semantic conventions, and buckets that grow", () => {
  const messaging = [
    ...["messaging.system", "messaging.operation.name", "messaging.destination.name", "error.type"],
  ];
  const expected = {
    "http.server.request.duration": [
      ...["http.request.method", "http.route", "http.response.status_code", "url.scheme"],
    ],
    "http.client.request.duration": [
      ...["http.request.method", "server.address", "http.response.status_code", "error.type"],
    ],
    "db.client.operation.duration": [
      ...["db.system.name", "db.operation.name", "db.collection.name", "error.type"],
    ],
    "messaging.client.operation.duration": messaging,
    "messaging.process.duration": messaging,
  };
  assert.deepEqual(
    Object.fromEntries(Object.entries(HISTOGRAMS).map(([name, { attributes }]) => [name, attributes])),
    expected,
  );
  for (const [name, { unit, buckets, description }] of Object.entries(HISTOGRAMS)) {
    assert.equal(unit, "s", name);
    assert.match(description, /^Duration of /);
    assert.deepEqual(buckets, buckets.toSorted((one, other) => one - other), name);
    assert.deepEqual(
      [buckets[0], buckets.at(-1)],
      [name.startsWith("db.") ? 0.0001 : 0.005, 10],
      name,
    );
  }
  assert.deepEqual(
    Object.entries(GAUGES).map(([name, { unit, attributes }]) => [name, unit, ...attributes]),
    [
      ["fw.outbox.messages", "", "target"],
      ["fw.outbox.oldest_age", "s", "target"],
      ["fw.channel.messages", "", "target"],
      ["fw.channel.oldest_age", "s", "target"],
      ["fw.dead_letters", "", "target"],
      ["fw.cache.entries", "", "cache"],
      ["fw.replica.lag", "s", "server.address"],
      ["fw.replica.used", "", "server.address"],
      ["db.client.connection.count", "", "db.client.connection.state"],
      ["db.client.connection.max", ""],
      ["db.client.connection.pending_requests", ""],
    ],
  );
  for (const { description } of Object.values(GAUGES)) assert.match(description, /^[A-Z].*[a-z01]$/);
});

Deno.test("a span at which nobody looks takes everything", () => {
  assert.deepEqual([NO_SPAN.set({ a: 1 }), NO_SPAN.rename("n"), NO_SPAN.fail("E")], [
    undefined,
    undefined,
    undefined,
  ]);
});
