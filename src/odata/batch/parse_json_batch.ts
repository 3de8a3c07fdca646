/**
 * JSON batches (JSON Format 19).
 *
 * @module
 */

import { type AnswerHeaders, HeaderList } from "../header_list.ts";
import { isJsonObject } from "../payload/reading.ts";
import { type JsonValue, parseJson } from "../payload/parse_json.ts";
import { fromBase64 } from "../payload/read_value.ts";
import { stringify } from "../payload/write_value.ts";
import { badBatch, batchMethod, type BatchPart } from "./batch_part.ts";

/**
 * Parses a JSON batch.
 *
 * @param text the body
 * @param maxDepth nesting allowed
 * @throws ServiceError 400 when the batch is broken
 */
export function parseJsonBatch(text: string, maxDepth: number): BatchPart[] {
  const body = parseJson(text, maxDepth);
  if (!isJsonObject(body) || !Array.isArray(body.requests)) {
    throw badBatch('A JSON batch must be an object with an array "requests"');
  }
  return body.requests.map(parseRequest);
}

function parseRequest(request: JsonValue, index: number): BatchPart {
  if (!isJsonObject(request)) throw badBatch(`Request ${index} of the batch is not an object`);
  const id = textMember(request, "id", index);
  const headers = headersOf(request.headers, id);
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
    ...(group === undefined ? {} : { group }),
    ...(condition === undefined ? {} : { condition }),
    dependsOn: dependenciesOf(request.dependsOn, id).filter((other) => other !== group),
  };
}

function textMember(request: { readonly [name: string]: JsonValue }, name: string, index: number): string {
  const value = request[name];
  if (typeof value === "string" && value !== "") return value;
  throw badBatch(
    value === undefined
      ? `"${name}" of request ${index} is missing`
      : `"${name}" of request ${index} must be a text`,
  );
}

function headersOf(value: JsonValue | undefined, id: string): AnswerHeaders {
  if (value === undefined || value === null) return new HeaderList();
  const headers = new Headers();
  if (!isJsonObject(value)) throw badBatch(`"headers" of request "${id}" is not an object`);
  for (const [name, text] of Object.entries(value)) {
    try {
      headers.set(name, String(text));
    } catch {
      throw badBatch(`Header "${name}" of request "${id}" is malformed`);
    }
  }
  return headers;
}

function dependenciesOf(value: JsonValue | undefined, id: string): string[] {
  if (value === undefined || value === null) return [];
  const ids = Array.isArray(value) ? value : [value];
  if (ids.every((other) => typeof other === "string")) return ids;
  throw badBatch(`"dependsOn" of request "${id}" must hold texts`);
}

/** JSON is embedded, text is a string, everything else base64url (JSON Format 19.1). */
function bodyOf(value: JsonValue | undefined, headers: AnswerHeaders): BatchPart["body"] {
  if (value === undefined || value === null) return undefined;
  const type = headers.get("content-type")?.toLowerCase() ?? "";
  if (type === "") headers.set("content-type", "application/json");
  if (typeof value === "string" && type !== "" && !type.includes("json")) {
    if (type.startsWith("text/")) return value;
    const bytes = fromBase64(value);
    if (bytes) return bytes as Uint8Array<ArrayBuffer>; // created by fromBase64, never shared
  }
  return stringify(value);
}
