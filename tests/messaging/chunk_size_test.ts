import assert from "node:assert/strict";
import { type ChunkCost, ChunkSize } from "../../src/messaging/outbox/dispatch_state.ts";

/** The sizes that follow from full chunks of some costs, one after the other. */
function sizesOf(...costs: readonly Partial<ChunkCost>[]): number[] {
  const size = new ChunkSize();
  return costs.map((cost) => {
    size.learn({ rows: size.rows, characters: 0, elapsedMs: 0, isBlocking: true, ...cost });
    return size.rows;
  });
}

const times = (count: number, cost: Partial<ChunkCost> = {}) => Array.from({ length: count }, () => cost);

Deno.test("chunks grow twofold from the second full one on, to 1,000 rows at most (messaging 6.3)", () => {
  assert.equal(new ChunkSize().rows, 10);
  assert.deepEqual(sizesOf(...times(9)), [10, 20, 40, 80, 160, 320, 640, 1_000, 1_000]);
});

Deno.test("chunks grow that take at most half of their time: 6 ms of the event loop, or a second of waiting", () => {
  for (const [aimMs, isBlocking] of [[6, true], [1_000, false]] as const) {
    const cost = (elapsedMs: number) => ({ elapsedMs, isBlocking });
    assert.deepEqual(sizesOf(...times(3, cost(aimMs / 2))), [10, 20, 40]);
    assert.deepEqual(sizesOf(...times(3, cost(aimMs / 2 + 0.01))), [10, 10, 10]);
    const grown = times(4);
    assert.equal(sizesOf(...grown, cost(aimMs * 2)).at(-1), 80, "as long as it should be");
    assert.equal(sizesOf(...grown, cost(aimMs * 2 + 0.01)).at(-1), 40, "too long");
  }
});

Deno.test("a chunk that was slow, but not too slow, does not count as part of a backlog", () => {
  assert.deepEqual(sizesOf({ elapsedMs: 4 }, {}, {}), [10, 10, 20]);
});

Deno.test("chunks have 10 rows at least, however long they take", () => {
  assert.deepEqual(sizesOf({}, {}, ...times(3, { elapsedMs: 1_000 })), [10, 20, 10, 10, 10]);
});

Deno.test("a chunk brings 8 MiB of stored calls into memory at most, as far as the one before it tells", () => {
  const characters = 8 * 1024 * 1024;
  const grown = times(8);
  assert.equal(sizesOf(...grown, { rows: 100, characters }).at(-1), 100);
  assert.equal(sizesOf(...grown, { rows: 100, characters: characters + 100 }).at(-1), 99);
  assert.equal(
    sizesOf(...grown, { rows: 1_000, characters: 500 }).at(-1),
    1_000,
    "less than a character each",
  );
});

Deno.test("chunks become small again where one of them is refused, and grow as they did at first", () => {
  const size = new ChunkSize();
  const learn = () => size.learn({ rows: size.rows, characters: 0, elapsedMs: 0, isBlocking: true });
  assert.equal(size.reset(), false);
  for (let chunks = 0; chunks < 3; chunks++) learn();
  assert.deepEqual([size.rows, size.reset(), size.rows, size.reset()], [40, true, 10, false]);
  learn();
  assert.equal(size.rows, 10);
  learn();
  assert.equal(size.rows, 20);
});
