import assert from "node:assert/strict";
import { parseUrl } from "../../../src/odata/url/parse_url.ts";
import { rawOffset, splitUrl } from "../../../src/odata/url/split_url.ts";

Deno.test("parseUrl() reads options behind an empty path, which is that of the service root", () => {
  const { path, options } = parseUrl("?$format=json");
  assert.deepEqual([path, options.format], [[], "json"]);
});

/** Pieces, and where their characters stand, of those of two units both; then what is behind the end. */
const OFFSETS: Readonly<Record<string, readonly number[]>> = {
  "ab": [0, 1, 2],
  "a%20b": [0, 1, 4, 5, 5],
  "%7Fb": [0, 3, 4, 4],
  "%C2%80%DF%BFb": [0, 6, 12, 13, 13],
  "%E0%A0%80%EF%BF%BFb": [0, 9, 18, 19, 19],
  "%F0%90%80%80b%F4%8F%BF%BF": [0, 12, 12, 13, 25, 25, 25],
};

Deno.test("rawOffset() tells where a character of a decoded piece stands in the raw URL, whatever it takes there", () => {
  for (const [raw, offsets] of Object.entries(OFFSETS)) {
    const [, piece] = splitUrl(`A/${raw}`).segments;
    assert.deepEqual(offsets.map((_, at) => rawOffset(piece, at) - 2), offsets, raw);
  }
});
