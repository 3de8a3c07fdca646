import assert from "node:assert/strict";
import { Emitter } from "../../src/fw/emitter.ts";

Deno.test("an emitter calls listeners in their order, synchronous ones at once, and waits for all", async () => {
  const emitter = new Emitter();
  const calls: unknown[] = [];
  emitter.on("a", async (value: number) => {
    calls.push(["begun", value]);
    await Promise.resolve();
    calls.push("ended");
  });
  emitter.on("a", (_: number, other: string) => void calls.push(other));
  const pending = emitter.emit("a", 1, "x");
  assert.deepEqual(calls, [["begun", 1], "x"]);
  assert.equal(await pending, undefined);
  assert.deepEqual(calls, [["begun", 1], "x", "ended"]);
  await emitter.emit("nobody listens");
  emitter.on("b", () => Promise.reject(new Error("no")));
  await assert.rejects(emitter.emit("b"), /no/);
});

Deno.test("listeners are called once where they ask for it, and no longer when they are taken away", async () => {
  const emitter = new Emitter();
  const calls: string[] = [];
  const stays = () => void calls.push("stays");
  const goes = () => void calls.push("goes");
  assert.equal(emitter.has("a"), false);
  emitter.once("a", () => void calls.push("once"));
  assert.equal(emitter.has("a"), true);
  emitter.on("a", stays);
  emitter.on("a", goes);
  await emitter.emit("a");
  emitter.off("a", goes);
  emitter.off("nothing", goes);
  await emitter.emit("a");
  assert.deepEqual(calls, ["once", "stays", "goes", "stays"]);
  emitter.off("a", stays);
  assert.equal(emitter.has("a"), false);
});

Deno.test("an emitter takes the listeners of another one, as they are given to it", async () => {
  const [one, other] = [new Emitter(), new Emitter()];
  const calls: string[] = [];
  one.on("a", () => void calls.push("own"));
  other.on("a", () => void calls.push("kept"));
  other.once("a", () => void calls.push("once"));
  other.on("b", () => void calls.push("left out"));
  one.addAll(other, (listener, event) =>
    event === "b" ? undefined : (...values) => {
      calls.push("wrapped");
      return listener(...values);
    });
  await one.emit("a");
  await one.emit("a");
  await one.emit("b");
  const wrapped = (name: string) => ["wrapped", name];
  assert.deepEqual(calls, ["own", ...wrapped("kept"), ...wrapped("once"), "own", ...wrapped("kept")]);
  assert.equal(one.has("b"), false);
});
