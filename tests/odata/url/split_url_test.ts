import assert from "node:assert/strict";
import { parseUrl } from "../../../src/odata/url/parse_url.ts";

Deno.test("parseUrl() reads options behind an empty path, which is that of the service root", () => {
  const { path, options } = parseUrl("?$format=json");
  assert.deepEqual([path, options.format], [[], "json"]);
});
