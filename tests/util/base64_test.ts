import assert from "node:assert/strict";
import { decodeBase64, encodeBase64 } from "../../src/util/bytes.ts";

function bytesOf(length: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length }, (_, at) => at * 7 + (at >> 8));
}

Deno.test("bytes are written and read as base64, at once or in parts (RFC 4648, section 4)", () => {
  for (const length of [0, 1, 2, 3, 0x5fff, 0x6000, 0x6001, 100_000]) {
    const bytes = bytesOf(length);
    const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
    const inParts = Object.defineProperty(bytesOf(length), "toBase64", { value: undefined });
    assert.equal(encodeBase64(bytes), text);
    assert.equal(encodeBase64(inParts), text);
    assert.deepEqual(decodeBase64(text), bytes);
    assert.deepEqual(decodeBase64(text.replace(/=+$/, "")), bytes);
  }
  assert.throws(() => decodeBase64("a*b"), DOMException);
});
