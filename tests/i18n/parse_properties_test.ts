import assert from "node:assert/strict";
import { parseProperties } from "../../src/i18n/text_bundles.ts";

function expectTexts(text: string, expected: Record<string, string>): void {
  assert.deepEqual(Object.fromEntries(parseProperties(text)), expected);
}

Deno.test("parseProperties() reads keys and texts separated by =, : or white space", () => {
  expectTexts("a = 1\nb:2\nc 3\nd=\n404 = Nothing", { a: "1", b: "2", c: "3", d: "", "404": "Nothing" });
});

Deno.test("parseProperties() skips comments and blank lines", () => {
  expectTexts("# one\n! two\n\n  # three\na=1", { a: "1" });
});

Deno.test("parseProperties() joins continued lines without their indentation", () => {
  expectTexts("a = one \\\n    two\\\n  three\r\nb=x\\\\\nc=y", { a: "one twothree", b: "x\\", c: "y" });
});

Deno.test("parseProperties() reads escapes", () => {
  expectTexts("a\\=b = x\\u00e4\\ny\\tz\\\\", { "a=b": "xä\ny\tz\\" });
});

Deno.test("parseProperties() keeps separators inside texts and ignores a byte order mark", () => {
  expectTexts("\ufeffurl = http://x?a=b", { url: "http://x?a=b" });
});
