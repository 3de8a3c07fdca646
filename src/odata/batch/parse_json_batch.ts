/**
 * JSON batches (JSON Format 19).
 *
 * @module
 */

import { DEFAULT_LIMITS, type Limits } from "../../config/limits.ts";
import { type AnswerHeaders, type HeaderEntry, HeaderList } from "../header_list.ts";
import { isJsonObject } from "../payload/reading.ts";
import { type JsonValue, parseJson } from "../payload/parse_json.ts";
import { fromBase64 } from "../payload/read_value.ts";
import { stringify } from "../payload/write_value.ts";
import { badBatch, batchMethod, type BatchPart, JsonBody, tooManyHeaders } from "./batch_part.ts";

/** The headers of the requests so far, by their JSON: most are those of the request before. */
interface KnownHeaders {
  readonly byJson: Map<string, AnswerHeaders>;
  /** The headers of the request before, as it gave them. */
  last?: {
    readonly value: JsonValue | undefined;
    readonly hasBody: boolean;
    readonly headers: AnswerHeaders;
  };
  /** Headers that a request may have. */
  readonly most: number;
}

/**
 * Parses a JSON batch.
 *
 * @param text the body
 * @param limits nesting and headers allowed
 * @throws ServiceError 400 when the batch is broken
 */
export function parseJsonBatch(
  text: string,
  { jsonDepth, partHeaders }: Pick<Limits, "jsonDepth" | "partHeaders"> = DEFAULT_LIMITS,
): BatchPart[] {
  const body = parseJson(text, jsonDepth);
  if (!isJsonObject(body) || !Array.isArray(body.requests)) {
    throw badBatch('A JSON batch must be an object with an array "requests"');
  }
  const known: KnownHeaders = { byJson: new Map(), most: partHeaders };
  return body.requests.map((request, index) => parseRequest(request, index, known));
}

function parseRequest(request: JsonValue, index: number, known: KnownHeaders): BatchPart {
  if (!isJsonObject(request)) throw badBatch(`Request ${index} of the batch is not an object`);
  const id = textMember(request, "id", index);
  const headers = headersOf(request, id, known);
  const group = request.atomicityGroup;
  if (group !== undefined && typeof group !== "string") {
    throw badBatch(`"atomicityGroup" of request "${id}" is not text`);
  }
  const condition = request.if ?? undefined;
  if (condition !== undefined && typeof condition !== "string") {
    throw badBatch(`"if" of request "${id}" is not text`);
  }
  return {
    id,
    named: true,
    method: batchMethod(textMember(request, "method", index)),
    url: textMember(request, "url", index),
    headers,
    body: bodyOf(request.body, headers),
    group,
    condition,
    dependsOn: dependenciesOf(request, id),
  };
}

function textMember(request: JsonObject, name: string, index: number): string {
  const value = request[name];
  if (typeof value === "string" && value !== "") return value;
  throw badBatch(
    value === undefined
      ? `"${name}" of request ${index} is missing`
      : `"${name}" of request ${index} must be a text`,
  );
}

type JsonObject = { readonly [name: string]: JsonValue };

/** The headers of a request; what has a body is JSON unless it says otherwise. */
function headersOf({ headers: value, body }: JsonObject, id: string, known: KnownHeaders): AnswerHeaders {
  const hasBody = body !== undefined && body !== null;
  const { last } = known;
  if (last?.hasBody === hasBody && areSame(last.value, value)) return last.headers;
  const hasHeaders = value !== undefined && value !== null;
  const key = (hasHeaders ? stringify(value) : "") + (hasBody ? "+" : "");
  let headers = known.byJson.get(key);
  if (headers === undefined) {
    headers = hasHeaders ? readHeaders(value, id, known.most) : new HeaderList();
    if (hasBody && (headers.get("content-type") ?? "") === "") headers.set("content-type", JSON_TYPE);
    known.byJson.set(key, headers);
  }
  known.last = { value, hasBody, headers };
  return headers;
}

/** Whether two values are objects with the same texts, or the same value. */
function areSame(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === other) return true;
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  let more = 0;
  for (const name in one) {
    if (typeof one[name] !== "string" || one[name] !== other[name]) return false;
    more++;
  }
  for (const _ in other) more--;
  return more === 0;
}

const JSON_TYPE = "application/json";

function readHeaders(value: JsonValue, id: string, most: number): HeaderList {
  const headers = new Headers();
  if (!isJsonObject(value)) throw badBatch(`"headers" of request "${id}" is not an object`);
  const entries = Object.entries(value);
  if (entries.length > most) throw tooManyHeaders(most);
  for (const [name, text] of entries) {
    try {
      headers.set(name, String(text));
    } catch {
      throw badBatch(`Header "${name}" of request "${id}" is malformed`);
    }
  }
  return new HeaderList([...headers] as HeaderEntry[]);
}

const NO_IDS: readonly string[] = [];

/** The ids of what a request depends on; its own group is no such thing. */
function dependenciesOf({ dependsOn: value, atomicityGroup }: JsonObject, id: string): readonly string[] {
  if (value === undefined || value === null) return NO_IDS;
  const ids = Array.isArray(value) ? value : [value];
  if (ids.every((other) => typeof other === "string")) return ids.filter((other) => other !== atomicityGroup);
  throw badBatch(`"dependsOn" of request "${id}" must hold texts`);
}

/** JSON is embedded, text is a string, everything else base64url (JSON Format 19.1). */
function bodyOf(value: JsonValue | undefined, headers: AnswerHeaders): BatchPart["body"] {
  if (value === undefined || value === null) return undefined;
  const type = headers.get("content-type")!.toLowerCase();
  if (typeof value === "string" && !type.includes("json")) {
    if (type.startsWith("text/")) return value;
    const bytes = fromBase64(value);
    if (bytes) return bytes as Uint8Array<ArrayBuffer>; // created by fromBase64, never shared
  }
  return new JsonBody(value);
}
