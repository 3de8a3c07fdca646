/**
 * Comparison of an answer with a recorded one, by the rules that `conformance http` adds.
 *
 * @module
 */

/** A recorded case. */
export interface RecordedCase {
  readonly id: string;
  readonly note?: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
  };
  readonly expect: {
    readonly status: number;
    readonly headers?: Readonly<Record<string, unknown>>;
    readonly body?: unknown;
    readonly contains?: readonly string[];
  };
  readonly volatile?: readonly string[];
  /** Values of the answer that later cases need: JSON pointers by name. */
  readonly capture?: Readonly<Record<string, string>>;
  readonly cap_deviates?: boolean;
  /** What is right where the recording is not. */
  readonly standard?: string;
}

/** Our answer, read completely. */
export interface ReadAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** JSON value, text, or `{$multipart}`. */
  readonly body: unknown;
}

/** Where the request went. */
export interface CompareContext {
  readonly requestUrl: string;
  /** Root of the service the request addressed, with trailing slash. */
  readonly serviceRoot: string;
  readonly group: string;
}

const FRAMEWORK_CODE = /^(ASSERT_|ENTITY_|MULTIPLE_ERRORS$|DRAFT_|INVALID_|UNIQUE_|FK_)/;
const UNCOMPARED = new Set([
  "@odata.context",
  "@odata.metadataEtag",
  "@Core.Links",
  "@Core.ContentID",
  "@Common.numericSeverity",
]);

type Json = Readonly<Record<string, unknown>>;

/**
 * Compares.
 *
 * @returns the first difference, or undefined
 */
export function compareResponse(
  recorded: RecordedCase,
  answer: ReadAnswer,
  context: CompareContext,
): string | undefined {
  const { expect } = recorded;
  if (answer.status !== expect.status) {
    return `status ${answer.status} instead of ${expect.status}: ${answer.text.slice(0, 300)}`;
  }
  const skip = new Set(recorded.volatile ?? []);
  const header = compareHeaders(expect.headers ?? {}, { answer, context, skip });
  if (header) return header;
  for (const part of expect.contains ?? []) {
    if (!answer.text.includes(part)) return `does not contain ${JSON.stringify(part)}`;
  }
  return compareBody(expect, answer, { skip, group: context.group });
}

interface HeaderComparison {
  readonly answer: ReadAnswer;
  readonly context: CompareContext;
  readonly skip: ReadonlySet<string>;
}

function compareHeaders(expected: Json, comparison: HeaderComparison): string | undefined {
  for (const [name, value] of Object.entries(expected)) {
    if (comparison.skip.has(`/headers/${name}`)) continue;
    const problem = compareHeader(name, value, comparison);
    if (problem) return problem;
  }
  return undefined;
}

function compareHeader(
  name: string,
  value: unknown,
  { answer, context }: HeaderComparison,
): string | undefined {
  const ours = answer.headers.get(name === "sap-messages" ? "fw-messages" : name);
  if (name === "content-type") {
    if (answer.status === 401 && mediaType(String(value)) === "text/plain") return undefined;
    return mediaType(ours ?? "") === mediaType(String(value))
      ? undefined
      : `content-type ${ours} instead of ${value}`;
  }
  if (ours === null) return `header ${name} is missing`;
  if (name === "www-authenticate" || (name === "etag" && isDocument(context))) return undefined;
  if (name === "sap-messages") return difference(value, JSON.parse(ours), { path: "/headers/fw-messages" });
  if (name === "location") {
    if (isOfDrafts(value)) return undefined;
    // recordings tell places of new rows from the service root, results of actions from the request
    const from = String(value).startsWith("../") ? context.requestUrl : context.serviceRoot;
    const wanted = new URL(String(value), `http://fw${from}`).pathname;
    const got = new URL(ours, `http://fw${context.requestUrl}`).pathname;
    return undot(wanted) === undot(got) ? undefined : `location ${ours} instead of ${value}`;
  }
  return ours === String(value) ? undefined : `header ${name}: ${ours} instead of ${value}`;
}

/** Whether a location is none that can be requested: of these, only the presence is compared. */
function isOfDrafts(location: unknown): boolean {
  return /\.drafts\(/.test(String(location));
}

/** Whether the service document or the metadata was asked for: their tags are not compared. */
function isDocument({ requestUrl, serviceRoot }: CompareContext): boolean {
  const path = requestUrl.replace(/\?.*$/, "");
  return path === `${serviceRoot}$metadata` || `${path.replace(/\/$/, "")}/` === serviceRoot;
}

function undot(pathname: string): string {
  return decodeURIComponent(pathname).replaceAll(".", "_");
}

function mediaType(contentType: string): string {
  return contentType.split(";")[0].trim().toLowerCase();
}

function compareBody(
  expect: RecordedCase["expect"],
  answer: ReadAnswer,
  options: { skip: ReadonlySet<string>; group: string },
): string | undefined {
  if (!("body" in expect)) return undefined;
  if (expect.status === 401) return isUnauthorized(answer) ? undefined : "is no JSON 401 with challenge";
  if (typeof expect.body === "string" && /^\s*<(!doctype|html)/i.test(expect.body)) return undefined;
  if (options.group === "conf-lifecycle-changeset" && isLog(expect.body)) {
    return difference(byMember(expect.body.value), byMember((answer.body as Json)?.value), { path: "/body" });
  }
  if (options.group.startsWith("draft-") && isTrace(expect.body)) {
    return difference(withoutReads(expect.body.value), withoutReads((answer.body as Json)?.value), {
      path: "/body",
    });
  }
  return difference(expect.body, answer.body, { path: "/body", skip: options.skip, status: expect.status });
}

function isUnauthorized(answer: ReadAnswer): boolean {
  const error = (answer.body as Json | undefined)?.error as Json | undefined;
  return error?.code === "401" && answer.headers.has("www-authenticate");
}

function isLog(body: unknown): body is { value: unknown } {
  const value = (body as Json | null)?.value;
  return Array.isArray(value) && value.some((entry) => typeof entry === "string" && / \d+/.test(entry));
}

function isTrace(body: unknown): body is { value: readonly unknown[] } {
  const value = (body as Json | null)?.value;
  return Array.isArray(value) && value.some((entry) => /^(before|on|after) [A-Z]+ /.test(String(entry)));
}

/**
 * Events in their sequence, but for READ: the recorded server asks itself for drafts beside actives, in queries of their
 * own; how many queries an answer takes is not what clients and handlers build on.
 */
function withoutReads(entries: unknown): unknown[] {
  return Array.isArray(entries) ? entries.filter((entry) => !/^\w+ READ /.test(String(entry))) : [];
}

/** Entries of a log by the number they hold; their order is kept per number. */
function byMember(entries: unknown): Record<string, string[]> {
  const members: Record<string, string[]> = {};
  for (const entry of Array.isArray(entries) ? entries : []) {
    (members[/\d+/.exec(String(entry))?.[0] ?? ""] ??= []).push(String(entry));
  }
  return members;
}

interface Place {
  readonly path: string;
  readonly skip?: ReadonlySet<string>;
  readonly status?: number;
}

function difference(expected: unknown, actual: unknown, place: Place): string | undefined {
  if (place.skip?.has(place.path)) return undefined;
  if (isNumeric(expected) || isNumeric(actual)) {
    if (sameNumber(expected, actual)) return undefined;
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return `${place.path}: ${show(actual)} instead of an array`;
    if (expected.length !== actual.length) {
      return `${place.path}: ${actual.length} entries instead of ${expected.length}: ${show(actual)}`;
    }
    for (let i = 0; i < expected.length; i++) {
      const problem = difference(expected[i], actual[i], { ...place, path: `${place.path}/${i}` });
      if (problem) return problem;
    }
    return undefined;
  }
  if (typeof expected === "object" && expected !== null) {
    if (typeof actual !== "object" || actual === null) {
      return `${place.path}: ${show(actual)} instead of an object`;
    }
    return differenceOfObjects(expected as Json, actual as Json, place);
  }
  return expected === actual ? undefined : `${place.path}: ${show(actual)} instead of ${show(expected)}`;
}

function differenceOfObjects(expected: Json, actual: Json, place: Place): string | undefined {
  if ("error" in expected && "error" in actual) {
    return differenceOfErrors(expected.error as Json, actual.error as Json, place);
  }
  if ("numericSeverity" in expected && FRAMEWORK_CODE.test(String(expected.code))) {
    const { message: _expected, ...left } = expected;
    const { message: _actual, ...right } = actual;
    if (_expected !== undefined && _actual !== undefined) return differenceOfObjects(left, right, place);
  }
  const status = typeof expected.status === "number" ? expected.status : place.status;
  const partHeaders = place.path.endsWith("/headers") && place.path !== "/headers";
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const inner = { ...place, path: `${place.path}/${key}`, status };
    if (UNCOMPARED.has(key) || place.skip?.has(inner.path)) continue;
    if (key === "@odata.nextLink") {
      if (key in expected !== key in actual) return `${inner.path}: ${show(actual[key])}`;
      continue;
    }
    const [left, right] = partHeaders ? partHeader(key, expected, actual) : [expected[key], actual[key]];
    const problem = difference(left, right, inner);
    if (problem) return problem;
  }
  return undefined;
}

/** Headers of batch parts: media type only, `content-length` and `content-language` not at all, messages under our name, 401 challenges by presence. */
function partHeader(key: string, expected: Json, actual: Json): [unknown, unknown] {
  if (key === "content-length" || key === "content-language" || key === "fw-messages") {
    return [undefined, undefined];
  }
  if (key === "content-type") return [mediaType(String(expected[key])), mediaType(String(actual[key]))];
  if (key === "www-authenticate") return [undefined, undefined];
  if (key === "location" && isOfDrafts(expected[key]) && actual[key]) return [undefined, undefined];
  if (key === "sap-messages") return [expected[key], JSON.parse(String(actual["fw-messages"] ?? "null"))];
  return [expected[key], actual[key]];
}

function differenceOfErrors(expected: Json, actual: Json, place: Place): string | undefined {
  const path = `${place.path}/error`;
  if ((place.status ?? 0) >= 500 && actual.code === String(place.status) && Object.keys(actual).length <= 3) {
    return undefined;
  }
  if (expected.code === "403" || expected.code === 403) {
    return actual.message === "Forbidden" && actual.code === "403" ? undefined : `${path}: ${show(actual)}`;
  }
  const details = actual.details as readonly Json[] | undefined;
  if (actual.code === "MULTIPLE_ERRORS" && expected.code !== "MULTIPLE_ERRORS" && details?.length === 1) {
    return differenceOfErrors(expected, details[0], place);
  }
  const left = withoutFrameworkText(expected);
  const right = withoutFrameworkText(actual);
  return difference(left, right, { ...place, path });
}

function withoutFrameworkText(error: Json): Json {
  const details = error.details as readonly Json[] | undefined;
  const { message, ...others } = details ? { ...error, details: details.map(withoutFrameworkText) } : error;
  return FRAMEWORK_CODE.test(String(error.code)) ? others : { ...others, message };
}

function isNumeric(value: unknown): boolean {
  return typeof value === "number" ||
    (typeof value === "string" && /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value));
}

function sameNumber(a: unknown, b: unknown): boolean {
  if (!isNumeric(a) || !isNumeric(b)) return false;
  return String(a) === String(b) || Number(a).toPrecision(15) === Number(b).toPrecision(15);
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 300);
}
