/**
 * Media streams: properties of type `Edm.Stream` (OData Protocol 11.2.4, 11.4.8).
 *
 * @module
 */

import type { Column, Row, SelectQuery } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { LinkedElement } from "../../model/linked.ts";
import { encodeUriText } from "../../util/http_text.ts";
import { heldBytes, isStream, readAllBytes } from "../../util/bytes.ts";
import { type Answer, type AnswerParts, type Exchange, finishAnswer, inTransaction } from "../exchange.ts";
import { ErrorWithHeaders } from "../header_list.ts";
import { etagElement, isUnmodified } from "../headers/etag.ts";
import type { PropertyPlan } from "../plan/plan.ts";
import { fromBase64 } from "../payload/read_value.ts";
import { mediaTypeOf, referenceOf } from "../payload/control_information.ts";
import { readStreamBody } from "../payload/request_body.ts";
import { readRow, versionHeader, versionOf } from "./property.ts";
import { deleteEntity, updateRow } from "./update.ts";

const queries = new WeakMap<SelectQuery, SelectQuery>();

/** The query of a stream together with the elements that describe it. */
function streamQuery(plan: PropertyPlan): SelectQuery {
  const given = plan.query;
  let query = queries.get(given);
  if (!query) {
    const { element, name } = plan.property;
    const names = [
      name,
      referenceOf(element["@Core.MediaType"]),
      referenceOf(fileNameOf(element)),
      etagElement(plan.target)?.name,
    ].filter((column) => column !== undefined);
    const columns: Column[] = [...new Set(names)].map((column) => ({ ref: [column] }));
    query = { SELECT: { ...given.SELECT, columns } };
    queries.set(given, query);
  }
  return query;
}

function fileNameOf(element: LinkedElement): unknown {
  return element["@Core.ContentDisposition.Filename"] ?? element["@Core.ContentDisposition"];
}

/** Answers GET of a stream. */
export async function readStream(exchange: Exchange, plan: PropertyPlan): Promise<Answer> {
  const row = await inTransaction(exchange, () => readRow(exchange, plan, streamQuery(plan)));
  const { element, name } = plan.property;
  const bytes = await toBytes(row[name]);
  const version = versionOf(plan, row);
  const headers = versionHeader(plan, row);
  if (version !== undefined && isUnmodified(exchange.preconditions, version)) {
    return finishAnswer(exchange, { status: 304, headers });
  }
  if (bytes === undefined) return finishAnswer(exchange, { status: 204, headers });
  const contentType = contentTypeOf(row, element);
  assertAccepted(exchange.request.headers.get("accept"), contentType);
  return bytesAnswer(exchange, bytes, {
    contentType,
    headers: { ...headers, "Content-Disposition": contentDisposition(row, element) },
  });
}

/** All bytes, or the range of them that the request asks for. */
function bytesAnswer(
  exchange: Exchange,
  bytes: Uint8Array<ArrayBuffer>,
  parts: Pick<AnswerParts, "contentType" | "headers">,
): Answer {
  const headers = { ...parts.headers, "Accept-Ranges": "bytes" };
  const size = bytes.byteLength;
  const range = exchange.method === "GET" ? requestedRange(exchange.request.headers, size) : undefined;
  if (range === undefined) return finishAnswer(exchange, { ...parts, headers, status: 200, body: bytes });
  if (range === "unsatisfiable") {
    throw new ErrorWithHeaders({ status: 416 }, { "Content-Range": `bytes */${size}` });
  }
  return finishAnswer(exchange, {
    ...parts,
    status: 206,
    body: bytes.slice(range.first, range.last + 1),
    headers: { ...headers, "Content-Range": `bytes ${range.first}-${range.last}/${size}` },
  });
}

function contentTypeOf(row: Row, element: LinkedElement): string {
  const type = mediaTypeOf(row, element);
  // a stored type may be anything that a client once sent
  return typeof type === "string" && /^[\w.+-]+\/[\w.+-]+(?:\s*;[\x20-\x7e]*)?$/.test(type)
    ? type
    : "application/octet-stream";
}

/** `attachment` with file name; RFC 6266: ASCII form and exact form. */
function contentDisposition(row: Row, element: LinkedElement): string {
  const annotation = fileNameOf(element);
  const reference = referenceOf(annotation);
  const name = reference === undefined ? annotation : row[reference];
  const kind = element["@Core.ContentDisposition.Type"] === "inline" ? "inline" : "attachment";
  if (typeof name !== "string" || name === "") return kind;
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/gu, (char) => encodeUriText(char));
  if (ascii === name) return `${kind}; filename="${ascii}"`;
  const exact = encodeUriText(name).replaceAll(":", "%3A").replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${exact}`;
}

/** Whether a media range of `Accept` holds the type of the stream. */
function assertAccepted(accept: string | null, contentType: string): void {
  if (!accept) return;
  const type = contentType.split(";", 1)[0]!.trim().toLowerCase();
  const accepted = accept.split(",").some((range) => {
    const [name = "", ...params] = range.split(";").map((part) => part.trim().toLowerCase());
    if (params.some((param) => /^q=0(?:\.0*)?$/.test(param))) return false;
    return name === "*/*" || name === type || (name.endsWith("/*") && type.startsWith(name.slice(0, -1)));
  });
  if (!accepted) throw new ServiceError({ status: 406, message: `Not acceptable, available is ${type}` });
}

/** Bytes of a stream as databases (base64) and handlers (bytes, streams) give it; undefined when it is empty. */
async function toBytes(value: unknown): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (value === null || value === undefined) return undefined;
  const held = heldBytes(value);
  if (held) return new Uint8Array(held);
  if (isStream(value)) return await readAllBytes(value);
  if (typeof value === "string") return new Uint8Array(fromBase64(value) ?? new TextEncoder().encode(value));
  const inner = (value as { value?: unknown }).value;
  return inner === value ? undefined : toBytes(inner);
}

/** Answers PUT and DELETE of a stream. */
export async function writeStream(exchange: Exchange, plan: PropertyPlan): Promise<Answer> {
  const { element, name } = plan.property;
  // with the stream of a media entity goes the entity (OData Protocol 11.4.7.3)
  if (plan.media && exchange.method === "DELETE") return await deleteEntity(exchange, plan);
  const data = exchange.method === "PUT" ? await readStreamBody(exchange, element) : { [name]: null };
  const silent = { ...exchange, preferences: { ...exchange.preferences, return: "minimal" as const } };
  const updated = await inTransaction(silent, () => updateRow(silent, plan, { row: data }));
  return finishAnswer(exchange, { status: 204, headers: versionHeader(plan, updated.row) });
}

/** The bytes that are asked for: first and last position. */
interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * The range that a request asks for.
 *
 * @param headers headers of a GET request; with `If-Range` there is none, as our tags are weak
 * @param length bytes there are
 * @returns undefined for the whole (also for several ranges and for units other than bytes), `unsatisfiable` for a
 *   range behind the end
 */
export function requestedRange(
  headers: Pick<Headers, "get">,
  length: number,
): ByteRange | "unsatisfiable" | undefined {
  const value = headers.get("range");
  if (value === null || headers.get("if-range") !== null) return undefined;
  const [, from, to] = /^\s*bytes\s*=\s*(\d{0,15})\s*-\s*(\d{0,15})\s*$/i.exec(value) ?? [];
  if (from === undefined || to === undefined || (from === "" && to === "")) return undefined;
  if (from === "") {
    const wanted = Math.min(Number(to), length);
    return wanted === 0 ? "unsatisfiable" : { first: length - wanted, last: length - 1 };
  }
  const first = Number(from);
  const last = to === "" ? length - 1 : Math.min(Number(to), length - 1);
  if (to !== "" && Number(to) < first) return undefined;
  return first >= length ? "unsatisfiable" : { first, last };
}
