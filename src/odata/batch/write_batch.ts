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

function partHeaders(answer: Answer, messagesHeader: string): [string, string][] {
  const own: [string, string][] = [];
  const messages = messagesHeader.toLowerCase();
  for (const entry of answer.headers) {
    const name = entry[0];
    if (!PART_HEADERS.has(name) && name !== messages) continue;
    if (name !== "content-type" || hasBody(answer)) insertByName(own, entry);
  }
  return own;
}

/** There are few, and mostly two. */
function insertByName(entries: [string, string][], entry: [string, string]): void {
  let at = entries.length;
  while (at > 0 && entries[at - 1]![0] > entry[0]) at--;
  if (at === entries.length) entries.push(entry);
  else entries.splice(at, 0, entry);
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
  const responses = answers.map(({ id, group, answer }) => {
    let text = `{"id":${JSON.stringify(id)},"status":${answer.status},"headers":{`;
    let separator = "";
    for (const [name, value] of partHeaders(answer, messagesHeader)) {
      text += `${separator}"${name}":${JSON.stringify(value)}`;
      separator = ",";
    }
    text += "}";
    if (group !== undefined) text += `,"atomicityGroup":${JSON.stringify(group)}`;
    return hasBody(answer) ? `${text},"body":${jsonBody(answer)}}` : `${text}}`;
  });
  return `{"responses":[${responses.join(",")}]}`;
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
  const chunks: (string | Uint8Array)[] = [];
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
    chunks.push(...writePart(part, messagesHeader, open ?? boundary));
  });
  close();
  chunks.push(`--${boundary}--\r\n`);
  return concatenate(chunks);
}

function writePart(part: PartAnswer, messagesHeader: string, boundary: string): (string | Uint8Array)[] {
  const { answer } = part;
  const lines = [
    `--${boundary}`,
    "Content-Type: application/http",
    "Content-Transfer-Encoding: binary",
    ...(part.named ? [`Content-ID: ${part.id}`] : []),
    "",
    `HTTP/1.1 ${answer.status} ${statusText(answer.status)}`,
    ...partHeaders(answer, messagesHeader).map(([name, value]) => `${name}: ${value}`),
    "",
    "",
  ];
  return [lines.join("\r\n"), ...(hasBody(answer) ? [answer.body!] : []), "\r\n"];
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

function concatenate(chunks: readonly (string | Uint8Array)[]): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const parts = chunks.map((chunk) => typeof chunk === "string" ? encoder.encode(chunk) : chunk);
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
