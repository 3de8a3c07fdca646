import assert from "node:assert/strict";
import {
  concatBytes,
  exceedsBytes,
  heldBytes,
  holdingBytes,
  isStream,
  readAllBytes,
  readBoundedText,
  utf8Text,
} from "../../src/util/bytes.ts";

const bytes = (...values: readonly number[]) => Uint8Array.from(values);

Deno.test("exceedsBytes() counts the bytes of a text in UTF-8, whatever its characters", () => {
  for (const [text, count] of [["", 0], ["abc", 3], ["äöü", 6], ["€€", 6], ["😀a", 5]] as const) {
    for (const most of [count, count + 1, 3 * count + 3]) assert.equal(exceedsBytes(text, most), false, text);
    if (count > 0) assert.equal(exceedsBytes(text, count - 1), true, text);
  }
});

Deno.test("concatBytes() joins parts in their order, and gives a single one as it is", () => {
  assert.deepEqual(concatBytes([bytes(1, 2), bytes(), bytes(3)]), bytes(1, 2, 3));
  assert.deepEqual(concatBytes([]), bytes());
  const one = bytes(1);
  assert.equal(concatBytes([one]), one);
});

Deno.test("utf8Text() reads UTF-8, and nothing else", () => {
  assert.equal(utf8Text(new TextEncoder().encode("\ufeffä€😀")), "ä€😀");
  assert.equal(utf8Text(bytes(0xff, 0xfe)), undefined);
});

Deno.test("readBoundedText() reads a text up to its bound, of characters in two parts, too", async () => {
  const [head, tail] = [bytes(0x61, 0xe2, 0x82), bytes(0xac)];
  const answer = () => new Response(ReadableStream.from([head, tail]));
  assert.equal(await readBoundedText(answer(), 4), "a€");
  assert.equal(await readBoundedText(answer(), 3), undefined);
  assert.equal(await readBoundedText(new Response(null), 0), "");
  await assert.rejects(readBoundedText(answer(), 4, AbortSignal.abort(new Error("over"))), /over/);
});

Deno.test("heldBytes() finds bytes and what holds them, and nothing in other values", () => {
  const bytes = new Uint8Array([1]);
  for (const value of [bytes, holdingBytes({}, bytes)]) assert.equal(heldBytes(value), bytes);
  for (const value of [null, undefined, "x", 1, {}]) assert.equal(heldBytes(value), undefined);
});

Deno.test("isStream() knows what gives its parts one after the other, readAllBytes() takes bytes and texts of it", async () => {
  const generate = async function* (...parts: readonly unknown[]) {
    for (const part of parts) yield await part;
  };
  const values = [generate(), new ReadableStream(), null, undefined, {}, [], "text", new Uint8Array(1)];
  assert.deepEqual(values.map(isStream), [true, true, false, false, false, false, false, false]);
  assert.deepEqual([...await readAllBytes(generate(Uint8Array.of(1, 2), "a", Uint8Array.of(3)))], [
    1,
    2,
    97,
    3,
  ]);
  assert.deepEqual([...await readAllBytes(generate())], []);
  for (const [wrong, found] of [[5, "number"], [null, "object"], [{}, "object"]] as const) {
    await assert.rejects(readAllBytes(generate("a", wrong)), {
      name: "TypeError",
      message: `Expected bytes from a stream, found ${found}`,
    });
  }
});
