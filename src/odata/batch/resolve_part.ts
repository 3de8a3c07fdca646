/**
 * References of a request to the answers before it: versions, values in its query and values in its body (OData Protocol
 * 11.7.5, 11.7.6).
 *
 * In a body a reference is a text of its own, `"$1/ID"`: the standard knows values, no texts that hold some, so that a
 * longer text is what it says. It counts where the request says that it refers to another one: in JSON batches those in
 * `dependsOn`, which lists what is referred to (JSON Format 19.1); in multipart batches those with a `Content-ID`, unless
 * the body is one of OData 4.0, which has no such references.
 *
 * @module
 */

import type { Exchange } from "../exchange.ts";
import { type BatchPart, JsonBody } from "./batch_part.ts";
import type { BatchResults } from "./batch_results.ts";
import type { Limits } from "../../config/limits.ts";
import { isServiceError, ServiceError } from "../../errors/service_error.ts";
import { ExactNumber, type JsonValue } from "../payload/parse_json.ts";
import { badRequest, notImplemented } from "../plan/plan_error.ts";
import type { BinaryExpr, CommonExpr } from "../url/ast.ts";
import { parseExpressionText } from "../url/parse_url.ts";

const TAG_HEADERS = ["if-match", "if-none-match"] as const;

/** What a part may refer to. */
export interface Referable {
  /** The request that holds the batch. */
  readonly outer: Exchange;
  /** All parts of the batch. */
  readonly parts: readonly BatchPart[];
  readonly results: BatchResults;
}

/**
 * The part with values in place of references in its query, its body and the versions it asks for.
 *
 * @param batch the batch so far
 * @param part a part of it
 * @returns the same part if it refers to nothing
 * @throws ServiceError 424 when a request that is referred to failed, 400 when its answer has no version, 413 when values
 *   make the body too long, 414 when they make the URL too long
 */
export function resolvePart(batch: Referable, part: BatchPart): BatchPart {
  const url = batch.results.query(part.url, batch.outer.scope.host.limits);
  const { body, headers, dependsOn } = part;
  const mayRefer = body instanceof Uint8Array || (body !== undefined && dependsOn.length > 0) ||
    headers.get("if-match") !== null || headers.get("if-none-match") !== null;
  return mayRefer || url !== part.url ? resolved(batch, part, url) : part;
}

/** The part with another URL, and with values in its body and the versions it asks for. */
function resolved(batch: Referable, part: BatchPart, url: string): BatchPart {
  const { results } = batch;
  const tags = TAG_HEADERS.flatMap((name): [string, string][] => {
    const header = part.headers.get(name);
    return header === null ? [] : [[name, results.tag(header)]];
  });
  const body = resolvedBody(batch, part);
  const isSame = url === part.url && body === part.body;
  if (isSame && tags.every(([name, value]) => part.headers.get(name) === value)) return part;
  const headers = new Headers([...part.headers]);
  for (const [name, value] of tags) headers.set(name, value);
  return { ...part, url, headers, body };
}

const DOLLAR = 0x24;

function resolvedBody(batch: Referable, part: BatchPart): BatchPart["body"] {
  const { body } = part;
  if (body === undefined || !isJson(part)) return body;
  const { results, outer } = batch;
  const maxBytes = outer.scope.settings.body.bytes;
  if (!(body instanceof Uint8Array)) {
    if (part.dependsOn.length === 0) return body;
    const text = body instanceof JsonBody ? body.text : body;
    const resolved = results.body(text, dependencies(batch, part), maxBytes);
    return resolved === text ? body : resolved;
  }
  if (!body.includes(DOLLAR) || versionOf(batch, part) === "4.0") return body;
  const text = new TextDecoder().decode(body);
  const resolved = results.body(text, namedBefore(batch, part), maxBytes);
  return resolved === text ? body : resolved;
}

function isJson({ headers }: BatchPart): boolean {
  return headers.get("content-type")?.toLowerCase().includes("json") ?? true;
}

/** The version that the body of a part has. */
function versionOf({ outer }: Referable, { headers }: BatchPart): string | undefined {
  return (headers.get("odata-version") ?? outer.request.headers.get("odata-version"))?.trim();
}

/** The requests that a part of a JSON batch depends on, and the members of groups it depends on. */
function dependencies({ parts }: Referable, { dependsOn }: BatchPart): ReadonlySet<string> {
  const ids = new Set(dependsOn);
  for (const { id, group } of parts) if (group !== undefined && ids.has(group)) ids.add(id);
  return ids;
}

/** The requests before a part of a multipart batch that have a `Content-ID`. */
function namedBefore({ parts }: Referable, part: BatchPart): ReadonlySet<string> {
  const before = parts.slice(0, parts.indexOf(part));
  return new Set(before.filter(({ named }) => named).map(({ id }) => id));
}

/**
 * Whether a condition holds. A comparison with a value that is missing does not, but for `eq null`.
 *
 * @param text the condition
 * @param results the answers before
 * @param limits bounds of expressions
 * @throws ServiceError 400 with the offset for what is no condition, 501 for what is not evaluated
 */
export function isMet(text: string, results: BatchResults, limits: Limits): boolean {
  if (text.length > limits.urlLength) {
    throw new ServiceError({ status: 400, message: `"if" is longer than ${limits.urlLength} characters` });
  }
  const values = new Map<string, JsonValue>();
  // names of the same length, so that offsets are those of the condition
  const names = results.replace(text, (reference, id, path) => {
    if (results.succeeded(id) === undefined) {
      throw badRequest(`"if" refers to "${id}", which is no preceding request`, text.indexOf(reference));
    }
    const name = `_${values.size.toString(36)}`.padEnd(reference.length, "_");
    values.set(name, results.value(id, path));
    return name;
  });
  try {
    const expr = parseExpressionText({ text: names, raw: names, base: 0 }, limits);
    return evaluate(expr, values) === true;
  } catch (error) {
    if (!isServiceError(error) || !error.message.startsWith("Syntax error")) throw error;
    throw new ServiceError({ status: 400, message: `"if": ${error.message}`, cause: error });
  }
}

type Values = ReadonlyMap<string, JsonValue>;

function evaluate(expr: CommonExpr, values: Values): JsonValue {
  switch (expr.kind) {
    case "primitiveLiteral":
      return typeof expr.value === "bigint" ? new ExactNumber(expr.text) : expr.value;
    case "memberExpr": {
      const [step] = expr.steps;
      const value = step?.kind === "memberName" ? values.get(step.name) : undefined;
      if (value !== undefined) return value;
      throw badRequest('"if" may refer to preceding requests only', expr.offset);
    }
    case "notExpr": {
      const value = evaluate(expr.expr, values);
      return value === null ? null : value !== true;
    }
    case "negateExpr":
      return -Number(evaluate(expr.expr, values));
    case "binaryExpr":
      return evaluateBinary(expr, values);
    default:
      throw notImplemented('This kind of expression in "if"', expr.offset);
  }
}

function evaluateBinary({ operator, left, right, offset }: BinaryExpr, values: Values): JsonValue {
  const first = evaluate(left, values);
  switch (operator) {
    case "and":
      return first === true && evaluate(right, values) === true;
    case "or":
      return first === true || evaluate(right, values) === true;
    case "in":
      if (right.kind !== "listExpr" && right.kind !== "array") break;
      return right.items.some((item) => compare(first, evaluate(item, values)) === 0);
    case "eq":
      return compare(first, evaluate(right, values)) === 0;
    case "ne":
      return compare(first, evaluate(right, values)) !== 0;
    case "lt":
    case "le":
    case "gt":
    case "ge":
      return isOrdered(operator, compare(first, evaluate(right, values)));
  }
  throw notImplemented(`"${operator}" in "if"`, offset);
}

function isOrdered(operator: "lt" | "le" | "gt" | "ge", order: number | undefined): boolean {
  if (order === undefined) return false;
  if (operator === "lt") return order < 0;
  if (operator === "le") return order <= 0;
  return operator === "gt" ? order > 0 : order >= 0;
}

/** Below 0, 0 or above 0; undefined for values without order between them. */
function compare(left: JsonValue, right: JsonValue): number | undefined {
  const [a, b] = [left, right].map((value) => value instanceof ExactNumber ? Number(value.text) : value);
  if (a === null && b === null) return 0;
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : a > b ? 1 : 0;
  return undefined;
}
