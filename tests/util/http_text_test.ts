import assert from "node:assert/strict";
import {
  assertHeaderValue,
  encodeUriText,
  isLocalUrl,
  isServiceUrl,
  readableTarget,
  splitQuoted,
  statusText,
} from "../../src/util/http_text.ts";

Deno.test("assertHeaderValue() takes the tab as only control character (RFC 9110, 5.5)", () => {
  for (const value of ["", "plain", "a\tb", "~", " ", "\x80", "ä", "\uffff"]) assertHeaderValue("X-A", value);
  for (const value of ["a\nb", "a\rb", "\0", "\x1f", "\x7f"]) {
    assert.throws(() => assertHeaderValue("X-A", value), {
      ...{ name: "TypeError", message: "The value of header X-A has a control character" },
    });
  }
});

Deno.test("statusText() is the phrase of the standard (RFC 9110, 15)", () => {
  assert.deepEqual([200, 404, 503, 299].map(statusText), [
    "OK",
    "Not Found",
    "Service Unavailable",
    "Unknown",
  ]);
});

Deno.test("readableTarget() unescapes the query only, and ends no line", () => {
  const cases = {
    ...{
      "/a%20b": "/a%20b",
      "/a%20b?c=d%20e": "/a%20b?c=d e",
      "/a?b=%0Ac": "/a?b= c",
      "/a?b=%E0%A4%A": "/a?b=%E0%A4%A",
    },
    ...{ "?a=%20": "?a= ", "/\u0085": "/ ", "/a%20?b?%20": "/a%20?b? " },
  };
  for (const [target, text] of Object.entries(cases)) assert.equal(readableTarget(target), text, target);
});

Deno.test("encodeUriText() encodes all but letters, digits and a few signs, and replaces half surrogates", () => {
  const cases = {
    ...{
      "": "",
      "aZ_0.~:-": "aZ_0.~:-",
      "a b": "a%20b",
      "a:b c": "a:b%20c",
      "ä": "%C3%A4",
      "a/b": "a%2Fb",
      "'": "'",
    },
    ...{
      "😀": "%F0%9F%98%80",
      "\ud800": "%EF%BF%BD",
      "a\udc00\ud800": "a%EF%BF%BD%EF%BF%BD",
      "%3A x": "%253A%20x",
    },
  };
  for (const [text, encoded] of Object.entries(cases)) assert.equal(encodeUriText(text), encoded, text);
});

Deno.test("isServiceUrl() takes https, and http of this machine, without user, query and fragment", () => {
  const right = [
    ...[
      "https://a.example",
      "https://a.example/b/",
      "http://localhost:4004/a",
      "http://127.0.0.1",
      "http://127.1.2.3/x",
    ],
    ...["http://[::1]:8080", "HTTPS://A.example"],
  ];
  const wrong = [
    ...[
      "http://a.example",
      "ftp://localhost",
      "ws://localhost",
      "https://u@a.example",
      "https://:p@a.example",
      "a.example",
    ],
    ...[
      "https://u:p@a.example",
      "https://a.example?b",
      "https://a.example/#",
      "",
      "http://localhost.example",
    ],
    ...["http://128.0.0.1", "http://127.0.0.1.example", "https://a.example/?", "wss://a.example"],
  ];
  for (const text of right) assert.equal(isServiceUrl(text), true, text);
  for (const text of wrong) assert.equal(isServiceUrl(text), false, text);
});

Deno.test("isLocalUrl() takes http of this machine only, whatever stands behind it", () => {
  const isLocal = (url: string) => isLocalUrl(new URL(url));
  for (const url of ["http://localhost?a", "http://127.255.0.1:1", "http://[::1]/#b"]) {
    assert.ok(isLocal(url), url);
  }
  for (const url of ["https://localhost", "http://10.0.0.1", "http://[::2]", "http://127.example"]) {
    assert.ok(!isLocal(url), url);
  }
});

Deno.test("splitQuoted() splits outside of quoted strings, in which a backslash quotes", () => {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ["", ",", [""]],
    ["a", ",", ["a"]],
    ["a,b,", ",", ["a", "b", ""]],
    [',"a,b",c', ",", ["", '"a,b"', "c"]],
    ['"a\\",b",c', ",", ['"a\\",b"', "c"]],
    ['"a\\\\",b', ",", ['"a\\\\"', "b"]],
    ["a\\,b", ",", ["a\\", "b"]],
    ['"a,b', ",", ['"a,b']],
    ['a;b="c;d";e', ";", ["a", 'b="c;d"', "e"]],
  ];
  for (const [text, separator, parts] of cases) assert.deepEqual(splitQuoted(text, separator), parts, text);
});
