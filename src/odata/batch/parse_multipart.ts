/**
 * Multipart batches (OData Protocol 11.7.7; RFC 2046 5.1).
 *
 * @module
 */

import { DEFAULT_LIMITS, type Limits } from "../../config/limits.ts";
import { badBatch, batchMethod, type BatchPart, tooManyHeaders } from "./batch_part.ts";
import { binaryBytes } from "../../util/bytes.ts";

/** The headers found so far, by their lines: most parts have those of the part before. */
interface KnownHeaders {
  readonly byLines: Map<string, Headers>;
  /** Headers that a part may have. */
  readonly most: number;
}

/** A body part: its headers, and its content as text of which each character is one byte. */
interface BodyPart {
  readonly headers: Headers;
  readonly content: string;
}

/**
 * Parses a multipart batch. Bare LF is taken as line end, too.
 *
 * @param bytes the body
 * @param contentType value of the `Content-Type` header: holds the boundary
 * @param limits headers allowed
 * @throws ServiceError 400 when the batch is broken
 */
export function parseMultipart(
  bytes: Uint8Array,
  contentType: string,
  { partHeaders }: Pick<Limits, "partHeaders"> = DEFAULT_LIMITS,
): BatchPart[] {
  const known: KnownHeaders = { byLines: new Map(), most: partHeaders };
  const parsing: Parsing = { parts: [], groups: 0, known };
  for (const part of splitParts(latin1(bytes), boundaryOf(contentType), parsing.known)) {
    const type = part.headers.get("content-type") ?? "";
    if (/^multipart\/mixed\b/i.test(type)) addChangeset(part, type, parsing);
    else addRequest(part, undefined, parsing);
  }
  if (parsing.parts.length === 0) throw badBatch("A multipart batch must hold at least one request");
  return parsing.parts;
}

/** A batch of which some parts are known. */
interface Parsing {
  readonly parts: BatchPart[];
  groups: number;
  readonly known: KnownHeaders;
}

function addChangeset(part: BodyPart, contentType: string, parsing: Parsing): void {
  const group = `changeset_${++parsing.groups}`;
  const members = splitParts(part.content, boundaryOf(contentType), parsing.known);
  if (members.length === 0) throw badBatch("A change set must hold at least one request");
  for (const member of members) addRequest(member, group, parsing);
}

function boundaryOf(contentType: string): string {
  const match = /;\s*boundary\s*=\s*(?:"([^"]{1,70})"|([^\s";]{1,70}))/i.exec(contentType);
  const boundary = match?.[1] ?? match?.[2];
  if (!boundary) throw badBatch("The content type multipart/mixed needs a boundary");
  return boundary;
}

/** The parts between the delimiters. The line end before a delimiter belongs to the delimiter. */
function splitParts(text: string, boundary: string, known: KnownHeaders): BodyPart[] {
  const escaped = boundary.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const delimiter = new RegExp(`(?:^|\\r?\\n)--${escaped}(--)?[ \\t]*(?=\\r?\\n|$)`, "g");
  const parts: BodyPart[] = [];
  let start: number | undefined;
  for (const match of text.matchAll(delimiter)) {
    if (start !== undefined) parts.push(parsePart(text.slice(start, match.index), known));
    start = match.index + match[0].length;
    if (match[1]) return parts;
  }
  throw badBatch(
    start === undefined
      ? `The batch does not hold its boundary "${boundary}"`
      : `The batch does not end with its boundary "--${boundary}--"`,
  );
}

function parsePart(text: string, known: KnownHeaders): BodyPart {
  const afterDelimiter = text.replace(/^\r?\n/, "");
  const { headers, rest } = parseHeaders(afterDelimiter, known);
  return { headers, content: rest };
}

/** Header lines up to an empty line, and what follows it. */
function parseHeaders(text: string, known: KnownHeaders): { headers: Headers; rest: string } {
  const end = /(?:^|\n)\r?(?:\n|$)/.exec(text);
  const at = end ? end.index + end[0].length : text.length;
  const lines = text.slice(0, at);
  let headers = known.byLines.get(lines);
  if (headers === undefined) known.byLines.set(lines, headers = readHeaders(lines, known.most));
  return { headers, rest: text.slice(at) };
}

function readHeaders(text: string, most: number): Headers {
  const headers = new Headers();
  const lines = text.split(/\r?(?:\n|$)/).filter((line) => line !== "");
  if (lines.length > most) throw tooManyHeaders(most);
  for (const line of lines) {
    const colon = line.indexOf(":");
    try {
      headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
    } catch {
      throw badBatch(`"${line.slice(0, 80)}" is not a header of a batch part`);
    }
  }
  return headers;
}

function addRequest(part: BodyPart, group: string | undefined, { parts, known }: Parsing): void {
  const type = part.headers.get("content-type") ?? "";
  if (!/^application\/http\b/i.test(type)) {
    throw badBatch(`A batch part must be application/http or multipart/mixed, found "${type}"`);
  }
  const text = part.content.replace(/^(?:\r?\n)+/, "");
  const [line] = /^[^\n]*/.exec(text)!;
  const { method, url } = parseRequestLine(line.trim());
  const { headers, rest } = parseHeaders(text.slice(line.length + 1), known);
  const id = part.headers.get("content-id") ?? headers.get("content-id");
  parts.push({
    id: id ?? `r${parts.length + 1}`,
    named: id !== null,
    method: batchMethod(method),
    url: utf8(url),
    headers,
    body: bodyOf(rest, headers),
    group,
    condition: undefined,
    dependsOn: [],
  });
}

/** `GET Books(1) HTTP/1.1`; the version may be missing. */
function parseRequestLine(line: string): { method: string; url: string } {
  const [method = ""] = line.split(" ", 1);
  const rest = line.slice(method.length).trim();
  const last = rest.lastIndexOf(" ");
  const url = /^HTTP\/\d(?:\.\d)?$/.test(rest.slice(last + 1))
    ? rest.slice(0, Math.max(last, 0)).trim()
    : rest;
  if (!/^[A-Za-z]+$/.test(method) || url === "") {
    throw badBatch(`"${line.slice(0, 80)}" is not a request line`);
  }
  return { method, url };
}

function bodyOf(text: string, headers: Headers): BatchPart["body"] {
  const length = headers.get("content-length") ?? "";
  const body = /^\d+$/.test(length) ? text.slice(0, Number(length)) : text;
  if (body.trim() === "") return undefined;
  return binaryBytes(body);
}

const DECODER = new TextDecoder();

/** Each byte as one character. */
function latin1(bytes: Uint8Array): string {
  // most batches hold nothing but ASCII, for which all encodings agree
  if (bytes.every((byte) => byte < 0x80)) return DECODER.decode(bytes);
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return text;
}

function utf8(text: string): string {
  return /[\x80-\xff]/.test(text) ? DECODER.decode(binaryBytes(text)) : text;
}
