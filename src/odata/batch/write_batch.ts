/**
 * Answers of a batch in both formats (OData Protocol 11.7.7, JSON Format 19).
 *
 * @module
 */

import { type Answer, JSON_HEADERS } from "../exchange.ts";
import { type AnswerHeaders, type HeaderEntry, HeaderList } from "../header_list.ts";
import { statusText } from "../../util/http_text.ts";
import { toBase64Url } from "../payload/write_value.ts";
import { concatBytes } from "../../util/bytes.ts";

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
  "content-language",
  "location",
  "etag",
  "odata-entityid",
  "preference-applied",
  "www-authenticate",
  "allow",
  "retry-after",
]);

/** Makes the text in front of the body of an answer: its status, and headers in the order of their names. */
type WriteHead = (status: number, own: readonly HeaderEntry[]) => string;

const writeJsonHead: WriteHead = (status, own) => {
  let text = `"status":${status},"headers":{`;
  for (let at = 0; at < own.length; at++) {
    const [name, value] = own[at]!;
    text += `${at > 0 ? "," : ""}"${name}":${JSON.stringify(value)}`;
  }
  return `${text}}`;
};
const writeMessageHead: WriteHead = (status, own) => {
  const lines = own.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return `HTTP/1.1 ${status} ${statusText(status)}\r\n${lines}\r\n`;
};

/** What stands in front of the body of an answer. */
interface Head {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly hasBody: boolean;
  /** Whether the body is JSON, as its content type says. */
  readonly isJson: boolean;
  readonly text: string;
}

/** The heads of successful reads, which nearly all batches begin with. */
const FIRST: Map<WriteHead, Head> = new Map(
  [writeJsonHead, writeMessageHead].map((write) => {
    const headers = JSON_HEADERS["4.0"];
    const text = write(200, [...headers].reverse());
    return [write, { status: 200, headers, hasBody: true, isJson: true, text }];
  }),
);

/**
 * Gives the head of an answer with the headers that a part has of its own. Most parts have the head of the part before.
 *
 * @param messagesHeader name of the header that holds messages
 * @param write makes the text
 */
function headWriter(messagesHeader: string, write: WriteHead): (answer: Answer) => Head {
  const messages = messagesHeader.toLowerCase();
  let known = FIRST.get(write)!;
  return (answer) => {
    if (hasHead(answer, known)) return known;
    const { status, headers } = answer;
    const withBody = hasBody(answer);
    const own: HeaderEntry[] = [];
    for (const entry of headers) {
      const [name] = entry;
      const isOwn = name === "content-type" ? withBody : PART_HEADERS.has(name) || name === messages;
      if (isOwn) insertByName(own, entry);
    }
    const isJson = headers.get("content-type")?.startsWith("application/json") === true;
    return known = { status, headers, hasBody: withBody, isJson, text: write(status, own) };
  };
}

function hasHead(answer: Answer, known: Head): boolean {
  const { headers } = answer;
  return answer.status === known.status && hasBody(answer) === known.hasBody &&
    headers instanceof HeaderList && headers.equals(known.headers);
}

/** There are few, and mostly two. */
function insertByName(entries: HeaderEntry[], entry: HeaderEntry): void {
  let at = entries.length;
  for (; at > 0 && entries[at - 1]![0] > entry[0]; at--) entries[at] = entries[at - 1]!;
  entries[at] = entry;
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
  const headOf = headWriter(messagesHeader, writeJsonHead);
  let text = '{"responses":[';
  let separator = "";
  for (const { id, group, answer } of answers) {
    const head = headOf(answer);
    text += `${separator}{"id":${JSON.stringify(id)},${head.text}`;
    if (group !== undefined) text += `,"atomicityGroup":${JSON.stringify(group)}`;
    text += head.hasBody ? `,"body":${jsonBody(answer, head)}}` : "}";
    separator = ",";
  }
  return `${text}]}`;
}

function jsonBody({ headers, body }: Answer, { isJson }: Head): string {
  if (body instanceof Uint8Array) {
    const isText = headers.get("content-type")?.startsWith("text/") === true;
    return JSON.stringify(isText ? new TextDecoder().decode(body) : toBase64Url(body));
  }
  return isJson ? body ?? "null" : JSON.stringify(body);
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
  const headOf = headWriter(messagesHeader, writeMessageHead);
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
    const head = headOf(part.answer);
    chunks.push(partHead(part, head, open ?? boundary));
    if (head.hasBody) chunks.push(part.answer.body!);
    chunks.push("\r\n");
  });
  close();
  chunks.push(`--${boundary}--\r\n`);
  return concatenate(chunks);
}

/** What stands in front of the body of a part. */
function partHead({ id, named }: PartAnswer, { text }: Head, boundary: string): string {
  return `--${boundary}\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n` +
    `${named ? `Content-ID: ${id}\r\n` : ""}\r\n${text}`;
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
  return concatBytes([...parts, ENCODER.encode(text)]);
}
