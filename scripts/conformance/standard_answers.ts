/**
 * What the standard, or sound behaviour, asks for where a recording departs from it: one expectation per case marked
 * `cap_deviates`, from its note and from the corrections of section 12 of the wire behaviour.
 *
 * @module
 */

import type { ReadAnswer } from "./compare_response.ts";

/** What an answer must be. */
export interface StandardAnswer {
  readonly status: number;
  /** Values of headers that must be there. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Members that the body must have; arrays have as many entries, null stands for a missing member too. */
  readonly body?: unknown;
  /** Text that must not occur: internals. */
  readonly without?: RegExp;
}

const INTERNALS = /SQL|constraint|UNIQUE|SELECT|errcode|stack/;

const invalid = (target: string, code = "ASSERT_DATA_TYPE"): StandardAnswer => ({
  status: 400,
  body: { error: { code, target } },
});
const rows = (...keys: readonly number[]): StandardAnswer => ({
  status: 200,
  body: { value: keys.map((ID) => ({ ID })) },
});
const refused: StandardAnswer = { status: 400, body: { error: { code: "400" } }, without: INTERNALS };
const conflict: StandardAnswer = {
  status: 409,
  body: { error: { code: "ENTITY_ALREADY_EXISTS" } },
  without: INTERNALS,
};
const responses = (...parts: readonly unknown[]): StandardAnswer => ({
  status: 200,
  body: { responses: parts },
});
const parts = (...bodies: readonly unknown[]): StandardAnswer => ({
  status: 200,
  body: { $multipart: bodies.map((body) => ({ status: 200, body })) },
});

const GENRE = "11aaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa";
const order = (number: number) => `00000000-0000-4000-8000-00000000000${number}`;

const outOfRange = (message: string): StandardAnswer => ({
  status: 400,
  body: { error: { code: "ASSERT_RANGE", target: "age", message } },
});

/** Expectations by `group/case`. */
export const STANDARD_ANSWERS: Readonly<Record<string, StandardAnswer>> = {
  "rules-constraints-messages/004": outOfRange("own: age between 0 and 130"),
  "rules-constraints-messages/005": outOfRange("own: Alter zwischen 0 und 130"),
  "rules-hcql-basic/013": { status: 400, body: { errors: [{}] }, without: INTERNALS },
  "bookshop-create-books/006": conflict,
  "bookshop-errors-dev/007": { status: 406, body: { error: { code: "406" } } },
  "bookshop-errors-dev/011": { status: 200, headers: { "odata-version": "4.01" }, body: { ID: 201 } },
  "bookshop-navigation-dev/011": { status: 200, body: { "@odata.id": "Authors(101)" } },
  // without method only custom aggregates are aggregated, and stock is none
  "bookshop-query-apply-dev/013": refused,
  // the transformation is executed: no internals and no client error is left to ask for
  "bookshop-query-apply-dev/014": {
    status: 200,
    body: { value: [{ ID: 207, stock: 11 }, { ID: 201, stock: 12 }] },
    without: INTERNALS,
  },
  "bookshop-query-expand-dev/004": { status: 200, body: { books: [{ ID: 252 }] } },
  "bookshop-query-expand-dev/005": { status: 200, body: { "books@odata.count": 2, books: [{}, {}] } },
  "bookshop-query-expand-dev/006": { status: 200, body: { books: [{ ID: 251, title: "The Raven" }] } },
  "bookshop-query-expand-dev/007": { status: 200, body: { genre: { "@odata.id": `Genres(${GENRE})` } } },
  "bookshop-query-expand-dev/008": { status: 200, body: { "books@odata.count": 2, books: null } },
  "bookshop-query-filter-dev/021": rows(201),
  "bookshop-query-filter-dev/022": rows(201),
  "bookshop-query-filter-dev/023": rows(201),
  "bookshop-query-filter-dev/024": rows(251, 252),
  "bookshop-query-filter-dev/053": rows(251, 252),
  "bookshop-query-filter-dev/054": rows(201, 207, 251, 252, 271),
  "bookshop-query-filter-dev/055": rows(201),
  "bookshop-query-filter-dev/063": refused,
  "bookshop-query-paging-dev/005": refused,
  "bookshop-query-paging-dev/006": refused,
  "bookshop-query-search-dev/003": rows(201, 207),
  "bookshop-query-search-dev/004": rows(252, 271),
  "bookshop-query-search-dev/005": rows(201, 207, 271),
  "bookshop-query-select-dev/007": { status: 200, body: { value: "Wuthering Heights" } },
  "bookshop-read-dev/016": { status: 200, headers: { "odata-version": "4.0" } },
  // the recording is right: JSON batches go on after an error
  "conf-batch-json-reads/002": responses({ id: "1", status: 404 }, { id: "2", status: 200, body: { ID: 2 } }),
  "conf-batch-json-reads/006": responses({ id: "1", status: 400 }, { id: "2", status: 200, body: { ID: 1 } }),
  "conf-batch-json-reads/008": responses({ id: "1", status: 200, body: { ID: 1 } }),
  "conf-batch-json-reads/009": responses({ id: "1", status: 200, body: { $Version: "4.0" } }),
  "conf-batch-json-reads/019": responses(
    { id: "1", status: 200, body: { name: "Stift" } },
    { id: "2", status: 200, body: { name: "Pen" } },
  ),
  "conf-batch-json-reads/024": responses({ id: "1", status: 401 }, { id: "2", status: 401 }),
  "conf-batch-multipart-reads/007": parts({ ID: 1 }),
  "conf-batch-multipart-reads/008": parts({ ID: 1 }),
  "conf-batch-multipart-reads/014": parts({ ID: 1 }),
  "conf-batch-multipart-reads/015": parts({ name: "Stift" }),
  "conf-create-defaults-types/006": { status: 201, body: { int64: 9007199254740993n } },
  "conf-create-defaults-types/009": invalid("bool"),
  "conf-create-defaults-types/010": invalid("uint8"),
  "conf-create-defaults-types/014": invalid("int32"),
  "conf-create-defaults-types/015": invalid("int32"),
  "conf-create-defaults-types/016": invalid("dbl"),
  "conf-create-defaults-types/019": invalid("tim"),
  // the recording is right: a time may leave out its seconds
  "conf-create-defaults-types/020": { status: 201, body: { tim: "12:30:00" } },
  "conf-create-defaults-types/022": invalid("dtm"),
  "conf-create-defaults-types/024": invalid("tms"),
  "conf-create-defaults-types/025": invalid("uuid"),
  "conf-create-defaults-types/030": invalid("int32"),
  "conf-create-defaults-types/031": invalid("bin"),
  "conf-create-defaults-types/033": invalid("ID", "ASSERT_NOT_NULL"),
  "conf-create-defaults-types/034": invalid("ID", "ASSERT_NOT_NULL"),
  "conf-etag-int-etag/022": { status: 412, body: { error: { code: "412" } }, without: INTERNALS },
  "conf-lifecycle-changeset/008": responses(
    { id: "1", status: 424 },
    { id: "2", status: 400, body: { error: { message: "rejected in on" } } },
  ),
  "conf-query-filter-dev/002": rows(1),
  "conf-query-filter-dev/028": { status: 200, body: { value: [{ ID: order(1) }] } },
  "conf-query-filter-dev/030": { status: 200, body: { value: [2, 3, 4].map((n) => ({ ID: order(n) })) } },
  "conf-query-orderby-dev/003": rows(1, 2, 3, 4),
  "conf-query-select-dev/006": { status: 200, body: { name: "Ada", email: null, country: null } },
  "conf-read-dev/030": { status: 200, body: { value: { 0: { "@odata.type": "#conf.MainService.Types" } } } },
  "conf-rest-writes/019": conflict,
  "conf-validation-accepted/012": conflict,
};

/**
 * Judges an answer to a request whose recording deviates.
 *
 * @param id `group/case`
 * @param answer ours
 * @returns what is wrong, undefined when nothing is; a case without expectation is wrong
 */
export function compareStandard(id: string, answer: ReadAnswer): string | undefined {
  const expected = STANDARD_ANSWERS[id];
  if (!expected) return "no expectation";
  if (answer.status !== expected.status) return `status ${answer.status} instead of ${expected.status}`;
  for (const [name, value] of Object.entries(expected.headers ?? {})) {
    if (answer.headers.get(name) !== value) return `${name}: ${answer.headers.get(name)} instead of ${value}`;
  }
  const internals = expected.without?.exec(answer.text);
  if (internals) return `tells ${internals[0]}`;
  return missing(expected.body, answer.body, { path: "", text: answer.text });
}

interface Place {
  readonly path: string;
  /** The whole body as it was sent. */
  readonly text: string;
}

function missing(expected: unknown, actual: unknown, { path, text }: Place): string | undefined {
  if (typeof expected === "bigint") {
    // as text: JSON.parse would round
    const member = `"${path.slice(path.lastIndexOf("/") + 1)}":${expected}`;
    return text.includes(member) ? undefined : `no ${member}`;
  }
  if (expected === null || typeof expected !== "object") {
    return expected === undefined || expected === (actual ?? null) ? undefined : `${path} is ${actual}`;
  }
  if (typeof actual !== "object" || actual === null) return `${path} is ${actual}`;
  if (Array.isArray(expected) && expected.length !== (actual as unknown[]).length) {
    return `${path} has ${(actual as unknown[]).length} entries instead of ${expected.length}`;
  }
  for (const [name, value] of Object.entries(expected)) {
    const problem = missing(value, (actual as Record<string, unknown>)[name], {
      path: `${path}/${name}`,
      text,
    });
    if (problem) return problem;
  }
  return undefined;
}
