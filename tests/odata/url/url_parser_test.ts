import assert from "node:assert/strict";
import { UrlParser } from "../../../src/odata/url/url_parser.ts";

Deno.test("UrlParser has a grammar without ambiguities", () => {
  assert.doesNotThrow(() => new UrlParser(true));
});
