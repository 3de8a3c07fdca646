import { UrlParser } from "../../../src/odata/url/url_parser.ts";

Deno.test("UrlParser has a grammar without ambiguities", () => {
  new UrlParser(true);
});
