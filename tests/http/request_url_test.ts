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

Deno.test("a percent sign without code is told with its offset in path and query, be there a slash in front or not", () => {
  const cases: Readonly<Record<string, number>> = {
    ...{ "data:%zz": 0, "http://a/%": 1, "http://a/x?%4": 3, "http://a/%41/%4g": 5 },
  };
  for (const [url, offset] of Object.entries(cases)) {
    assert.throws(() => urlReader()(url), {
      status: 400,
      message: `Expected two hexadecimal digits after "%" at offset ${offset} of the URL`,
    });
  }
});

Deno.test("URLs with a user name or a password are refused, those that are none are malformed", () => {
  for (const url of ["http://u@a/x", "http://:p@a/x", "http://u:p@a/x"]) {
    assert.throws(() => urlReader()(url), { status: 400, message: "The URL must not hold a user name" });
  }
  for (const url of ["", "/x", "http://", "http://a:b/x"]) {
    assert.throws(() => urlReader()(url), { status: 400, message: "The URL is malformed" });
  }
});

Deno.test("the origin of a URL is its own, also where the platform knows none", () => {
  const read = urlReader();
  const seen = (url: string) => {
    const { origin, pathname, search } = read(url);
    return [origin.url.protocol, origin.hostname, origin.isSecure, pathname, search];
  };
  assert.deepEqual(seen("https://A.example:8443/x?y"), ["https:", "a.example", true, "/x", "?y"]);
  assert.deepEqual(seen("data:x?y"), ["data:", "", false, "x", "?y"]);
  assert.deepEqual(seen("http://b/"), ["http:", "b", false, "/", ""]);
});
