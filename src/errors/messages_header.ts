/**
 * Messages beside a response, as the value of a header (spec 2.3, `fw-messages`).
 *
 * @module
 */

import { fillPlaceholders } from "../util/fill_placeholders.ts";
import { type ErrorProperties, filledText, type TextOptions } from "./service_error.ts";

/** Severities of `notify`, `info` and `warn`. */
export const SEVERITIES: Readonly<Record<"notify" | "info" | "warn", number>> = {
  notify: 1,
  info: 2,
  warn: 3,
};

/** A recorded message. */
export interface RequestMessage extends ErrorProperties {
  /** 1 notification, 2 information, 3 warning. */
  readonly numericSeverity: number;
}

/** Where texts come from, and how long the header may be. */
export interface MessagesHeaderOptions extends TextOptions {
  /** The limit; messages that do not fit are left out. */
  readonly maxBytes: number;
}

/** The part of a header that the text of one message may fill, one byte for each character. */
const SHARE_OF_TEXT = 8;

/**
 * Recorded messages as the value of the messages header: localized JSON in ASCII, `undefined` without messages. Escaping
 * everything beyond ASCII and all control characters keeps user input from breaking out of the header. Texts that are too
 * long are cut; where messages are left out, the last entry says how many.
 *
 * @param messages what was recorded
 * @param options where texts come from, the locale, and the limit
 */
export function messagesHeader(
  messages: readonly RequestMessage[],
  options: MessagesHeaderOptions,
): string | undefined {
  if (messages.length === 0) return undefined;
  const kept: { readonly message: RequestMessage; readonly text: string }[] = [];
  const leftOut: RequestMessage[] = [];
  // two brackets, and a comma less than there are messages
  let room = options.maxBytes - 1;
  for (const message of messages) {
    const text = room <= 0 ? undefined : wireText(message, options);
    if (text === undefined || text.length + 1 > room) leftOut.push(message);
    else {
      kept.push({ message, text });
      room -= text.length + 1;
    }
  }
  if (leftOut.length === 0) return `[${kept.map(({ text }) => text).join(",")}]`;
  let last = wireText(countOf(leftOut), options);
  while (last.length + 1 > room && kept.length > 0) {
    const { message, text } = kept.pop()!;
    leftOut.push(message);
    room += text.length + 1;
    last = wireText(countOf(leftOut), options);
  }
  return `[${[...kept.map(({ text }) => text), last].join(",")}]`;
}

/** What stands for messages that were left out: as severe as the worst of them. */
function countOf(leftOut: readonly RequestMessage[]): RequestMessage {
  return {
    code: "MESSAGES_LEFT_OUT",
    message: "{0} more messages were left out",
    args: [leftOut.length],
    numericSeverity: leftOut.reduce((worst, { numericSeverity }) => Math.max(worst, numericSeverity), 1),
  };
}

function wireText(message: RequestMessage, options: MessagesHeaderOptions): string {
  const wire = wireMessage(message, options);
  const most = Math.floor(options.maxBytes / SHARE_OF_TEXT);
  const text = String(wire.message);
  return toAscii(
    JSON.stringify(
      text.length > most ? { ...wire, message: `${text.slice(0, most).toWellFormed()}…` } : wire,
    ),
  );
}

function wireMessage(given: RequestMessage, options: TextOptions): Record<string, unknown> {
  const { code, status, message, args, target, numericSeverity, longtextUrl, additionalTargets } = given;
  const look = (key: string | undefined) => filledText(key, args, options);
  const ownCode = code ?? status;
  const byCode = typeof code === "string" ? look(code) : undefined;
  const byMessage = byCode === undefined ? look(message) : undefined;
  return {
    code: ownCode !== undefined ? String(ownCode) : byMessage !== undefined ? message : "",
    message: byCode ?? byMessage ?? fillPlaceholders(message ?? "", args),
    numericSeverity,
    ...(target === undefined ? {} : { target }),
    ...(longtextUrl === undefined ? {} : { longtextUrl }),
    ...(additionalTargets === undefined ? {} : { additionalTargets }),
  };
}

function toAscii(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
