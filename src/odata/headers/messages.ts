/**
 * Messages of a request as a response header (spec 2.3).
 *
 * @module
 */

/** A message as it is sent. */
export interface WireMessage {
  readonly code: string;
  readonly message: string;
  readonly numericSeverity: number;
  readonly target?: string;
  readonly longtextUrl?: string;
  readonly additionalTargets?: readonly string[];
}

/** A message as a request recorded it. */
export interface RecordedMessage {
  readonly code?: string | number;
  readonly message?: string;
  readonly numericSeverity?: number;
  readonly target?: string;
  readonly longtextUrl?: string;
  readonly additionalTargets?: readonly string[];
}

/**
 * The header value: a JSON array in ASCII, so that user input in a text can break neither the header nor its charset.
 *
 * @param messages recorded messages, texts localized
 */
export function writeMessages(messages: readonly RecordedMessage[]): string {
  return toAscii(JSON.stringify(messages.map(toWireMessage)));
}

function toWireMessage(message: RecordedMessage): WireMessage {
  return {
    code: message.code === undefined || message.code === null ? "" : String(message.code),
    message: message.message ?? "",
    numericSeverity: message.numericSeverity ?? 2,
    ...(typeof message.target === "string" ? { target: message.target } : {}),
    ...(typeof message.longtextUrl === "string" ? { longtextUrl: message.longtextUrl } : {}),
    ...(Array.isArray(message.additionalTargets) ? { additionalTargets: message.additionalTargets } : {}),
  };
}

/** JSON text with everything outside of printable ASCII as `\uXXXX`. */
export function toAscii(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
