/**
 * Messages beside a response, as the value of a header (spec 2.3, `fw-messages`).
 *
 * @module
 */

import { fillPlaceholders } from "../util/fill_placeholders.ts";
import { filledText } from "./filled_text.ts";
import type { ErrorProperties } from "./service_error.ts";
import type { TextOptions } from "./text_lookup.ts";

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

/**
 * Recorded messages as the value of the messages header: localized JSON in ASCII, `undefined` without messages.
 * Escaping everything beyond ASCII and all control characters keeps user input from breaking out of the header.
 *
 * @param messages what was recorded
 * @param options where texts come from, and the locale
 */
export function messagesHeader(
  messages: readonly RequestMessage[],
  options: TextOptions,
): string | undefined {
  if (messages.length === 0) return undefined;
  return toAscii(JSON.stringify(messages.map((message) => wireMessage(message, options))));
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
