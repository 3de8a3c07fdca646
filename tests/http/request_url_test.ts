import assert from "node:assert/strict";
import fc from "fast-check";
import { urlReader } from "../../src/http/request_url.ts";
import { propertyRuns } from "../property_runs.ts";

/** What a reader makes of URLs, one after the other. */
function readAll(urls: readonly string[]): string[] {
  const read = urlReader();
  return urls.map((url) => {
    try {
      const { origin, pathname, search } = read(url);
      return `${origin.url.href} ${pathname} ${search}`;
    } catch (error) {
      return String(error);
    }
  });
}

Deno.test("URLs of requests are the same whether the origin is known or not (auth 9)", () => {
  const hosts = [
    "http://a",
    "http://a:8080",
    "https://a",
    "http://a:80",
    "http://A",
    "http://ab",
    "http://[::1]",
    "file://",
    "data:",
    "",
  ];
  const paths = [
    ..."/ /x /x/y.z /x/../y /x/./y /. /.. /.x /x. //x /x//y /a\\b /%41 /%zz /%2e%2e/x /x;y=1 /x(1) /x('a')"
      .split(" "),
    ..."/x? /x?? /x?a=b /x?a='b' /x?a=/../b /x?a=.. /x?a=\\ /x#f /x?a#f /x|y /x^y /x`y /{x} /ä /x?ä ?a=b #f x @b/x"
      .split(" "),
    ...["", "/x y", "/x?a b", '/x"y', '/x?"', "/<x>", "/x\ty", "/x\ny", ":1/x", ".b/x"],
  ];
  const urls = hosts.flatMap((host) => paths.map((path) => host + path));
  const alone = urls.map((url) => readAll([url])[0]);
  assert.deepEqual(readAll(urls), alone);
  assert.deepEqual(readAll(urls.toReversed()).toReversed(), alone);
});

Deno.test("any URL of a request is the same whether the origin is known or not (auth 9)", () => {
  const text = fc.string({ unit: fc.constantFrom(..."/.?#%:@\\'\"2eEax \t;(") });
  fc.assert(
    fc.property(text, (rest) => {
      const urls = ["http://a/", `http://a${rest}`, `http://a/${rest}`, `http://a/?${rest}`];
      assert.deepEqual(readAll(urls), urls.map((url) => readAll([url])[0]));
    }),
    propertyRuns(1000, 3),
  );
});
