/** Attributes of CloudEvents in headers (CloudEvents HTTP 3.1.3.2). */

import assert from "node:assert/strict";
import { decodeAttribute, encodeAttribute } from "../../src/messaging/http/event_format.ts";

const ATTRIBUTES: readonly (readonly [value: unknown, header: string])[] = [
  ["plain", "plain"],
  ["!#$&'()*+,-./:;<=>?@[]^_`{|}~", "!#$&'()*+,-./:;<=>?@[]^_`{|}~"],
  [' "%', "%20%22%25"],
  ["\x7f\x1f\n", "%7F%1F%0A"],
  ["ü€😀", "%C3%BC%E2%82%AC%F0%9F%98%80"],
  ["\ud800", "%EF%BF%BD"],
  ["a%20b", "a%2520b"],
  [7, "7"],
  [true, "true"],
  ["", ""],
];

Deno.test("attributes are percent-encoded UTF-8, and decoded once", () => {
  for (const [value, header] of ATTRIBUTES) {
    assert.equal(encodeAttribute(value), header);
    assert.equal(decodeAttribute(header), String(value).toWellFormed());
  }
});

Deno.test("what others write into headers is read: quotation marks, lower case, characters as they are", () => {
  for (
    const [header, value] of [
      ['"a b"', "a b"],
      ['"a \\"b\\" \\\\ c"', 'a "b" \\ c'],
      ['"%C3%BC"', "ü"],
      ['""', ""],
      ['"', '"'],
      ['a"b"', 'a"b"'],
      ['"a"b"', '"a"b"'],
      ["%c3%bc", "ü"],
      ["a b", "a b"],
      ["100%", "100%"],
      ["%4", "%4"],
      ["%zz", "%zz"],
      ["\u00c3\u00bc", "ü"],
    ] as const
  ) assert.equal(decodeAttribute(header), value, header);
  for (const header of ["%ff", "\u00ff", "\u0100", "%C3", '"%ff"']) {
    assert.equal(decodeAttribute(header), undefined, header);
  }
});
