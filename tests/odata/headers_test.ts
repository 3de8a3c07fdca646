import assert from "node:assert/strict";
import { ServiceError } from "../../src/errors/service_error.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { formatFor, type FormatKind, negotiateFormat, parseAccept } from "../../src/odata/headers/accept.ts";
import {
  isUnmodified,
  isUnmodifiedRow,
  matchesTag,
  preconditionRequired,
  readPreconditions,
  tagOf,
  withTag,
  writeTag,
} from "../../src/odata/headers/etag.ts";
import { parsePrefer, preferenceApplied } from "../../src/odata/headers/prefer.ts";
import { assertIsolation, hasVersions, negotiateVersion } from "../../src/odata/headers/version.ts";

const METADATA: readonly FormatKind[] = ["xml", "json"];
const DATA: readonly FormatKind[] = ["json"];

function contentType(accept: string | undefined, offered = DATA, option?: string): string {
  return negotiateFormat(accept, option, offered).contentType;
}

function expectStatus(status: number, run: () => unknown): void {
  assert.throws(run, (error: unknown) => error instanceof ServiceError && error.status === status);
}

/** An entity whose rows have versions, and one whose rows have none. */
function entities() {
  const model = linkModel(parseCdl(`service S {
    entity E { key ID : Integer; @odata.etag version : Integer; }
    entity F { key ID : Integer; version : Integer; }
  }`));
  const [versioned, plain] = [...model.service("S")!.entities];
  return { versioned: versioned!, plain: plain! };
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
  for (const accept of ["text/html", "text/*", "application/jsonx", "application", "application/json;q=0"]) {
    expectStatus(406, () => contentType(accept));
  }
});

Deno.test("parseAccept() orders ranges by quality, then by how specific they are, then by position (RFC 9110, 12.5.1)", () => {
  const order = (text: string) => parseAccept(text).map(({ type }) => type);
  assert.deepEqual(order("*/*, text/*, text/plain, a/b"), ["text/plain", "a/b", "text/*", "*/*"]);
  assert.deepEqual(order("a/b;q=0.1, */*;q=0.5, c/d;q=2, e/f;q=x, text/*;q=0.5"), [
    ...["c/d", "text/*", "*/*", "a/b", "e/f"],
  ]);
  assert.deepEqual(order("a/b;q=1, c/d, e/f;q=1"), ["a/b", "c/d", "e/f"]);
  assert.deepEqual(order("a/b, c/d;q=2"), ["a/b", "c/d"]);
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

Deno.test("formatFor() leaves out nulls and writes annotations where clients prefer that (Protocol 8.2.8.4, 8.2.8.6)", () => {
  const annotations = parsePrefer('include-annotations="My.*"').annotations!;
  const asked = (prefer: string) => {
    const { omitNulls, annotations } = formatFor(
      {
        request: { method: "GET", headers: new Headers(), body: null },
        preferences: parsePrefer(prefer),
        scope: { settings: {} },
      } as unknown as Parameters<typeof formatFor>[0],
      { options: {} },
    );
    return { omitNulls, annotations };
  };
  assert.deepEqual(asked(""), { omitNulls: undefined, annotations: undefined });
  assert.deepEqual(asked("omit-values=nulls"), { omitNulls: true, annotations: undefined });
  assert.deepEqual(asked("omit-values=defaults").omitNulls, undefined);
  assert.deepEqual(asked('include-annotations="My.*"'), { omitNulls: false, annotations });
  assert.deepEqual(asked('omit-values=nulls,include-annotations="My.*"'), { omitNulls: true, annotations });
});

Deno.test("negotiateFormat() repeats exactly the parameters asked for", () => {
  assert.equal(contentType("application/json;odata.metadata=full"), "application/json;odata.metadata=full");
  assert.equal(contentType("application/json;metadata=none"), "application/json;metadata=none");
  assert.equal(
    contentType("application/json;IEEE754Compatible=true;charset=UTF-8"),
    "application/json;IEEE754Compatible=true;charset=utf-8",
  );
  for (const name of ["streaming", "odata.streaming", "ExponentialDecimals"]) {
    assert.equal(contentType(`application/json;${name}=true`), "application/json");
    assert.equal(contentType(`application/json;${name}=false`), `application/json;${name}=false`);
  }
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
  assert.throws(() => contentType("text/html", METADATA), {
    message: "Not acceptable, available is application/xml, application/json",
  });
});

Deno.test("negotiateVersion() answers 4.0, and 4.01 to clients that understand it", () => {
  assert.equal(negotiateVersion(new Headers()), "4.0");
  assert.equal(negotiateVersion(new Headers({ "odata-maxversion": "4.0" })), "4.0");
  assert.equal(negotiateVersion(new Headers({ "odata-maxversion": "4.01" })), "4.01");
  assert.equal(negotiateVersion(new Headers({ "odata-maxversion": "5.0" })), "4.01");
  expectStatus(406, () => negotiateVersion(new Headers({ "odata-maxversion": "3.0" })));
  expectStatus(400, () => negotiateVersion(new Headers({ "odata-maxversion": "x" })));
  assert.equal(negotiateVersion(new Headers({ "odata-version": "4.01" })), "4.0");
  for (const version of ["4.02", "5.0"]) {
    expectStatus(400, () => negotiateVersion(new Headers({ "odata-version": version })));
  }
});

Deno.test("tags in bodies count for clients of 4.01 only (Protocol 11.4.3)", () => {
  const cases: readonly (readonly [version: string | undefined, counts: boolean])[] = [
    [undefined, false],
    ["4.0", false],
    ["4.01", true],
    [" 4.01 ", true],
  ];
  for (const [version, counts] of cases) {
    const headers = { get: (name: string) => name === "odata-version" ? version ?? null : null };
    assert.equal(hasVersions(headers), counts, version);
  }
});

Deno.test("snapshot isolation is refused, by both names of its header (Protocol 8.2.4)", () => {
  assertIsolation(new Headers());
  for (const name of ["isolation", "odata-isolation"]) {
    expectStatus(412, () => assertIsolation(new Headers({ [name]: "snapshot" })));
  }
});

Deno.test("parsePrefer() reads each preference, malformed values count as absent (Protocol 8.2.8, RFC 7240)", () => {
  const cases: readonly (readonly [header: string, read: object])[] = [
    ["", {}],
    ["other", {}],
    ["return=all", {}],
    ["return=representation", { return: "representation" }],
    ['return="minimal"', { return: "minimal" }],
    ['return="minimal', {}],
    ['return=minimal"', {}],
    ["maxpagesize=10", { maxPageSize: 10 }],
    ["maxpagesize", {}],
    ["maxpagesize=-1", {}],
    ["maxpagesize=1234567890", {}],
    ["continue-on-error", { continueOnError: true }],
    ["continue-on-error=TRUE", { continueOnError: true }],
    ["continue-on-error=false", { continueOnError: false }],
    ["continue-on-error=x", {}],
    ['continue-on-error=""', { continueOnError: true }],
    ['continue-on-error="', {}],
    ["=true", {}],
    ["omit-values=Nulls", { omitValues: "nulls" }],
    ["omit-values=defaults", { omitValues: "defaults" }],
    ["omit-values=all", {}],
    ["respond-async", { respondAsync: true }],
    ["wait=0", { wait: 0 }],
    ["respond-async, wait=10", { respondAsync: true, wait: 10 }],
    ["wait", {}],
    ["wait=1.5", {}],
    ['wait="12', {}],
    ['wait=12"', {}],
    ["wait=1234567890", {}],
    ["odata.track-changes", { trackChanges: true }],
  ];
  for (const [header, read] of cases) {
    const { written: _written, ...preferences } = parsePrefer(header);
    assert.deepEqual(preferences, read, header);
  }
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

Deno.test("withTag() asks for both versions, that of the header and that of the body (Protocol 11.4.3)", () => {
  const cases:
    readonly (readonly [header: string | undefined, body: string, both: "*" | readonly string[]])[] = [
      [undefined, 'W/"1"', ["1"]],
      [undefined, "*", "*"],
      ["*", 'W/"1"', ["1"]],
      ["*", "*", "*"],
      ['"1","2"', "*", ["1", "2"]],
      ['"1","2"', 'W/"2"', ["2"]],
      ['"1","2"', 'W/"3"', []],
    ];
  for (const [header, body, both] of cases) {
    const { ifMatch } = withTag(readPreconditions(new Headers(header ? { "if-match": header } : {})), body);
    assert.deepEqual(ifMatch, both, `${header} ${body}`);
  }
  for (const malformed of ['"1","2"', "1", ""]) expectStatus(400, () => withTag({}, malformed));
});

Deno.test("isUnmodifiedRow() holds for rows of entities with versions only (Protocol 11.4.1.1)", () => {
  const { versioned, plain } = entities();
  const known = readPreconditions(new Headers({ "if-none-match": '"1"' }));
  assert.equal(isUnmodifiedRow(known, versioned, { ID: 1, version: 1 }), true);
  assert.equal(isUnmodifiedRow(known, versioned, { ID: 1, version: 2 }), false);
  assert.equal(isUnmodifiedRow(known, plain, { ID: 1, version: 1 }), false);
  const { status, message } = preconditionRequired();
  assert.deepEqual([status, message], [428, "Precondition Required"]);
});

Deno.test("tagOf() gives the tag of rows that have a version (Protocol 8.3.1)", () => {
  const { versioned, plain } = entities();
  assert.equal(tagOf(versioned, { ID: 1, version: 0 }), 'W/"0"');
  for (const row of [{ ID: 1, version: null }, { ID: 1 }, null, undefined]) {
    assert.equal(tagOf(versioned, row), undefined);
  }
  assert.equal(tagOf(plain, { ID: 1, version: 1 }), undefined);
});
