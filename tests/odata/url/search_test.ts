import assert from "node:assert/strict";
import { parseUrl } from "../../../src/odata/url/parse_url.ts";

Deno.test("$search is read behind its blanks, and places in it are those of the URL", () => {
  for (const blanks of ["", " ", "%20%09", "+ %20"]) {
    const begin = `Books?$search=${blanks}`;
    const { search } = parseUrl(`${begin}a`).options;
    assert.deepEqual([search?.offset, (search as { text?: string }).text], [begin.length, "a"], blanks);
    assert.equal(parseUrl(`${begin}`).options.search, undefined, blanks);
    assert.throws(() => parseUrl(`${begin}a%20(b`), {
      message: new RegExp(`at offset ${begin.length + 6}:`),
    });
    assert.throws(() => parseUrl(`${begin})`), { message: new RegExp(`at offset ${begin.length}:`) });
  }
});
