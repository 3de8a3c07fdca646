import assert from "node:assert/strict";
import { ServiceError } from "../../src/errors/service_error.ts";
import { formatFor, type FormatKind, negotiateFormat, parseAccept } from "../../src/odata/headers/accept.ts";
import { isUnmodified, matchesTag, readPreconditions, writeTag } from "../../src/odata/headers/etag.ts";
import { parsePrefer, preferenceApplied } from "../../src/odata/headers/prefer.ts";
import { negotiateVersion } from "../../src/odata/headers/version.ts";

const METADATA: readonly FormatKind[] = ["xml", "json"];
const DATA: readonly FormatKind[] = ["json"];

function contentType(accept: string | undefined, offered = DATA, option?: string): string {
  return negotiateFormat(accept, option, offered).contentType;
}

function expectStatus(status: number, run: () => unknown): void {
  assert.throws(run, (error: unknown) => error instanceof ServiceError && error.status === status);
}

Deno.test("negotiateFormat() serves the first offer without Accept and for */*", () => {
  assert.equal(contentType(undefined), "application/json");
  assert.equal(contentType("*/*", METADATA), "application/xml");
  assert.equal(contentType("", METADATA), "application/xml");
  assert.equal(contentType("text/html,application/xhtml+xml,*/*;q=0.8"), "application/json");
});

Deno.test("negotiateFormat() follows quality and exclusion", () => {
  assert.equal(contentType("application/json;q=0.5, application/xml", METADATA), "application/xml");
  assert.equal(contentType("application/json, application/xml", METADATA), "application/json");
  assert.equal(contentType("*/*, application/xml;q=0", METADATA), "application/json");
  assert.match(
    contentType("application/json;odata.metadata=full;q=0, application/json"),
    /^application\/json/,
  );
  assert.equal(contentType("application/*, application/xml;q=0", METADATA), "application/json");
  assert.equal(contentType("application/xml, application/*;q=0", METADATA), "application/xml");
  expectStatus(406, () => contentType("text/html"));
  expectStatus(406, () => contentType("application/json;q=0"));
});

Deno.test("parseAccept() orders ranges by quality, then by how specific they are, then by position (RFC 9110, 12.5.1)", () => {
  const order = (text: string) => parseAccept(text).map(({ type }) => type);
  assert.deepEqual(order("*/*, text/*, text/plain, a/b"), ["text/plain", "a/b", "text/*", "*/*"]);
  assert.deepEqual(order("a/b;q=0.1, */*;q=0.5, c/d;q=2, e/f;q=x, text/*;q=0.5"), [
    ...["c/d", "text/*", "*/*", "a/b", "e/f"],
  ]);
  assert.deepEqual(order('a/b;x="1,2;3", c/d;y="\\",e/f", g/h'), ["a/b", "c/d", "g/h"]);
  assert.deepEqual(parseAccept('a/b;X="1,2";q=-1;y')[0], {
    ...{ type: "a/b", params: [["x", "1,2"], ["y", ""]], quality: 0 },
  });
});

Deno.test("formatFor() writes numbers as the project says, where the client does not (fw.features.ieee754compatible)", () => {
  const formatOf = (accept: string, offered: readonly FormatKind[], settings: object) =>
    formatFor(
      {
        request: { method: "GET", headers: new Headers({ accept }), body: null },
        preferences: {},
        scope: { settings },
      } as unknown as Parameters<typeof formatFor>[0],
      { options: {} },
      offered,
    );
  const written = (accept: string, settings: object, offered = DATA) => {
    const { ieee754, countText } = formatOf(accept, offered, settings);
    return [ieee754, countText];
  };
  const [both, counts] = [{ numbersAsText: true, countsAsText: true }, { countsAsText: true }];
  assert.deepEqual(written("*/*", both), [true, true]);
  assert.deepEqual(written("*/*", { ...counts, numbersAsText: false }), [false, true]);
  assert.deepEqual(written("application/json;IEEE754Compatible=false", both), [false, false]);
  assert.deepEqual(written("application/json;IEEE754Compatible=true", {}), [true, true]);
  assert.deepEqual(written("application/xml", both, METADATA), [false, false]);
});

Deno.test("negotiateFormat() repeats exactly the parameters asked for", () => {
  assert.equal(contentType("application/json;odata.metadata=full"), "application/json;odata.metadata=full");
  assert.equal(contentType("application/json;metadata=none"), "application/json;metadata=none");
  assert.equal(
    contentType("application/json;IEEE754Compatible=true;charset=UTF-8"),
    "application/json;IEEE754Compatible=true;charset=utf-8",
  );
  const format = negotiateFormat(
    "application/json;odata.metadata=none;ieee754compatible=true",
    undefined,
    DATA,
  );
  assert.equal(format.metadata, "none");
  assert.equal(format.ieee754, true);
});

Deno.test("negotiateFormat() refuses parameter values nobody can serve", () => {
  expectStatus(406, () => contentType("application/json;odata.metadata=much"));
  for (const name of ["charset=iso-8859-1", "IEEE754Compatible=1", "streaming=1", "ExponentialDecimals=1"]) {
    expectStatus(406, () => contentType(`application/json;${name}`));
  }
  assert.equal(contentType("application/json;odata.metadata=much, */*;q=0.1"), "application/json");
});

Deno.test("negotiateFormat() lets $format overrule Accept", () => {
  assert.equal(contentType("application/xml", METADATA, "json"), "application/json");
  assert.equal(
    contentType("text/html", DATA, "application/json;odata.metadata=full"),
    "application/json;odata.metadata=full",
  );
  expectStatus(406, () => contentType(undefined, DATA, "xml"));
  expectStatus(406, () => contentType(undefined, DATA, "csv"));
});

Deno.test("negotiateVersion() answers 4.0, and 4.01 to clients that understand it", () => {
  assert.equal(negotiateVersion(new Headers()), "4.0");
  assert.equal(negotiateVersion(new Headers({ "odata-maxversion": "4.0" })), "4.0");
  assert.equal(negotiateVersion(new Headers({ "odata-maxversion": "4.01" })), "4.01");
  assert.equal(negotiateVersion(new Headers({ "odata-maxversion": "5.0" })), "4.01");
  expectStatus(406, () => negotiateVersion(new Headers({ "odata-maxversion": "3.0" })));
  expectStatus(400, () => negotiateVersion(new Headers({ "odata-maxversion": "x" })));
  expectStatus(400, () => negotiateVersion(new Headers({ "odata-version": "5.0" })));
});

Deno.test("parsePrefer() takes names with and without prefix, the first wins", () => {
  const preferences = parsePrefer(
    'odata.maxpagesize=2, Return=minimal; x=y, return=representation, foo="a,b"',
  );
  assert.equal(preferences.return, "minimal");
  assert.equal(preferences.maxPageSize, 2);
  assert.equal(
    preferenceApplied(preferences, ["return", "maxpagesize"]),
    "Return=minimal, odata.maxpagesize=2",
  );
  assert.equal(preferenceApplied(preferences, ["omit-values"]), undefined);
  assert.equal(parsePrefer("maxpagesize=0").maxPageSize, undefined);
});

Deno.test("parsePrefer() reads continue-on-error with and without value", () => {
  assert.equal(parsePrefer("odata.continue-on-error").continueOnError, true);
  assert.equal(parsePrefer("continue-on-error=false").continueOnError, false);
  assert.equal(parsePrefer(null).continueOnError, undefined);
});

Deno.test("writeTag() quotes a version and encodes what a tag may not hold", () => {
  assert.equal(writeTag(7), 'W/"7"');
  assert.equal(writeTag("2024-01-01T00:00:00.000Z"), 'W/"2024-01-01T00:00:00.000Z"');
  assert.equal(writeTag('a"ü %'), 'W/"a%22%C3%BC%20%25"');
});

Deno.test("readPreconditions() compares weakly and knows lists", () => {
  const { ifMatch, ifNoneMatch } = readPreconditions(
    new Headers({ "if-match": 'W/"9", "2"', "if-none-match": "*" }),
  );
  assert(matchesTag(ifMatch!, 2) && matchesTag(ifMatch!, 9) && !matchesTag(ifMatch!, 1));
  assert.equal(ifNoneMatch, "*");
  expectStatus(400, () => readPreconditions(new Headers({ "if-match": "2" })));
});

Deno.test("isUnmodified() is true for the version the client has, and refuses other versions of If-Match", () => {
  assert.equal(isUnmodified(readPreconditions(new Headers({ "if-none-match": '"1"' })), 1), true);
  assert.equal(isUnmodified(readPreconditions(new Headers({ "if-none-match": '"1"' })), 2), false);
  expectStatus(412, () => isUnmodified(readPreconditions(new Headers({ "if-match": '"1"' })), 2));
});
