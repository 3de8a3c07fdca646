import assert from "node:assert/strict";
import { RepeatedText } from "../../src/db/render/equal_texts.ts";

const LONG = "x".repeat(150_000);

Deno.test("RepeatedText bounds what a statement repeats, more narrowly than what a view does", () => {
  const repeat = (isView: boolean, times: number) => {
    const use = new RepeatedText(isView).watch();
    for (let count = 0; count < times; count++) assert.equal(use("a", LONG), LONG);
  };
  repeat(false, 1);
  assert.throws(() => repeat(false, 2), { status: 400, message: /nested too deeply/ });
  repeat(true, 10);
  assert.throws(() => repeat(true, 20), { status: 400, message: /nested too deeply/ });
});
