/**
 * Answers of a batch in both formats (OData Protocol 11.7.7, JSON Format 19).
 *
 * @module
 */

import type { Answer } from "../answer.ts";
import { statusText } from "../../util/status_text.ts";
import { toBase64Url } from "../payload/write_value.ts";

/** The answer to one part. */
export interface PartAnswer {
  readonly id: string;
  readonly named: boolean;
  readonly group?: string;
  readonly answer: Answer;
}

/** Headers that a part has of its own; all others belong to the response of the batch. */
const PART_HEADERS = new Set([
  "odata-version",
  "content-type",
  "content-disposition",
  "location",
  "etag",
  "odata-entityid",
  "preference-applied",
  "www-authenticate",
  "allow",
  "retry-after",
]);

type Entries = readonly (readonly [string, string])[];

/** Makes the text of headers in the order of their names. */
type WriteHeaders = (own: Entries) => string;

const writeJsonHeaders: WriteHeaders = (own) =>
  own.map(([name, value]) => `"${name}":${JSON.stringify(value)}`).join(",");
const writeLines: WriteHeaders = (own) => own.map(([name, value]) => `${name}: ${value}\r\n`).join("");

/** The text of headers of an answer. */
interface HeadersText {
  readonly headers: Entries;
  readonly withBody: boolean;
  readonly text: string;
}

/** The texts of the headers of successful reads, which nearly all batches begin with. */
const FIRST: Map<WriteHeaders, HeadersText> = new Map(
  [writeJsonHeaders, writeLines].map((write) => {
    const headers: Entries = [["odata-version", "4.0"], ["content-type", "application/json"]];
    return [write, { headers, withBody: true, text: write(headers.toReversed()) }];
  }),
);

/**
 * The text of the headers that a part has of its own. Most parts have the headers of the part before, and so its text.
 *
 * @param messagesHeader name of the header that holds messages
 * @param write makes the text
 */
function headersWriter(messagesHeader: string, write: WriteHeaders): (answer: Answer) => string {
  const messages = messagesHeader.toLowerCase();
  let known = FIRST.get(write)!;
  return (answer) => {
    const withBody = hasBody(answer);
    if (known.withBody !== withBody || !isSame(known.headers, answer.headers)) {
      const headers = [...answer.headers];
      const own: [string, string][] = [];
      for (const entry of headers) {
        const [name] = entry;
        const isOwn = name === "content-type" ? withBody : PART_HEADERS.has(name) || name === messages;
        if (isOwn) insertByName(own, entry);
      }
      known = { headers, withBody, text: write(own) };
    }
    return known.text;
  };
}

/** There are few, and mostly two. */
function insertByName(entries: [string, string][], entry: [string, string]): void {
  let at = entries.length;
  while (at > 0 && entries[at - 1]![0] > entry[0]) at--;
  entries.splice(at, 0, entry);
}

function isSame(known: Entries, headers: Iterable<readonly [string, string]>): boolean {
  let at = 0;
  for (const [name, value] of headers) {
    const entry = known[at++];
    if (entry === undefined || entry[0] !== name || entry[1] !== value) return false;
  }
  return at === known.length;
}

function hasBody(answer: Answer): boolean {
  return answer.body !== null && answer.status !== 204 && answer.status !== 304;
}

/**
 * A JSON batch response.
 *
 * @param answers answers in order
 * @param messagesHeader name of the header that holds messages
 */
export function writeJsonBatch(answers: readonly PartAnswer[], messagesHeader: string): string {
  const headersOf = headersWriter(messagesHeader, writeJsonHeaders);
  let text = '{"responses":[';
  let separator = "";
  for (const { id, group, answer } of answers) {
    text += `${separator}{"id":${JSON.stringify(id)},"status":${answer.status},"headers":{${
      headersOf(answer)
    }}`;
    if (group !== undefined) text += `,"atomicityGroup":${JSON.stringify(group)}`;
    text += hasBody(answer) ? `,"body":${jsonBody(answer)}}` : "}";
    separator = ",";
  }
  return `${text}]}`;
}

function jsonBody(answer: Answer): string {
  const type = answer.headers.get("content-type") ?? "";
  if (answer.body instanceof Uint8Array) {
    return JSON.stringify(
      type.startsWith("text/") ? new TextDecoder().decode(answer.body) : toBase64Url(answer.body),
    );
  }
  return type.startsWith("application/json") ? answer.body ?? "null" : JSON.stringify(answer.body);
}

/**
 * A multipart batch response.
 *
 * @param answers answers in order; those of one group form a change set
 * @param messagesHeader name of the header that holds messages
 * @param boundary delimiter that occurs in no answer
 */
export function writeMultipart(
  answers: readonly PartAnswer[],
  messagesHeader: string,
  boundary: string,
): Uint8Array<ArrayBuffer> {
  const chunks: (string | Uint8Array<ArrayBuffer>)[] = [];
  const headersOf = headersWriter(messagesHeader, writeLines);
  let open: string | undefined;
  const close = () => {
    if (open !== undefined) chunks.push(`--${open}--\r\n`);
    open = undefined;
  };
  answers.forEach((part, index) => {
    const isNewGroup = part.group !== undefined && part.group !== answers[index - 1]?.group;
    if (isNewGroup || part.group === undefined) close();
    if (isNewGroup) {
      // a delimiter may not begin with that of the whole (RFC 2046, 5.1.2)
      open = `changeset_${index}_${boundary}`;
      chunks.push(`--${boundary}\r\nContent-Type: multipart/mixed;boundary=${open}\r\n\r\n`);
    }
    chunks.push(partHead(part, headersOf(part.answer), open ?? boundary));
    if (hasBody(part.answer)) chunks.push(part.answer.body!);
    chunks.push("\r\n");
  });
  close();
  chunks.push(`--${boundary}--\r\n`);
  return concatenate(chunks);
}

/** What stands in front of the body of a part. */
function partHead({ id, named, answer: { status } }: PartAnswer, headers: string, boundary: string): string {
  return `--${boundary}\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n` +
    `${named ? `Content-ID: ${id}\r\n` : ""}\r\nHTTP/1.1 ${status} ${statusText(status)}\r\n${headers}\r\n`;
}

/**
 * An answer as HTTP message (RFC 9112, 2.1).
 *
 * @param answer the answer
 */
export function writeHttpMessage(answer: Answer): Uint8Array<ArrayBuffer> {
  const lines = [
    `HTTP/1.1 ${answer.status} ${statusText(answer.status)}`,
    ...[...answer.headers].map(([name, value]) => `${name}: ${value}`),
    "",
    "",
  ];
  return concatenate([lines.join("\r\n"), ...(hasBody(answer) ? [answer.body!] : [])]);
}

const ENCODER = new TextEncoder();

/** Texts and bytes one behind the other; texts that follow each other are encoded together. */
function concatenate(chunks: readonly (string | Uint8Array<ArrayBuffer>)[]): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let text = "";
  for (const chunk of chunks) {
    if (typeof chunk === "string") text += chunk;
    else {
      parts.push(ENCODER.encode(text), chunk);
      text = "";
    }
  }
  const last = ENCODER.encode(text);
  if (parts.length === 0) return last;
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, last.length));
  let at = 0;
  for (const part of [...parts, last]) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
