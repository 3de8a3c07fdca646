/**
 * What of an error a client may see (spec 7.2, rules 4 and 5).
 *
 * @module
 */

import { statusText } from "../util/http_text.ts";
import type { NormalizedError } from "./normalize_error.ts";

/**
 * How the error is sent: `odata` keeps the members that OData knows and those named with `@`; `rest` keeps custom
 * members; `plain`, for answers before a protocol has the request, holds code and message only.
 */
export type ErrorFormat = "odata" | "rest" | "plain";

/** An error as it is sent, below `error` in the body. */
export interface WireError {
  /** Identifies the error for clients. */
  readonly code: string;
  /** User-readable text. */
  readonly message: string;
  /** Name of the input field or element the error relates to. */
  readonly target?: string;
  /** The single errors of an aggregate. */
  readonly details?: readonly WireError[];
  /** Custom members. */
  readonly [member: string]: unknown;
}

/** Members that OData sends under the name of an annotation. */
const COMMON_ANNOTATIONS = ["numericSeverity", "longtextUrl", "additionalTargets"] as const;
/** Members that never reach a client. */
const INTERNAL = new Set(["status", "$sanitize", "stack", "cause", "code", "message", "target", "details"]);

/**
 * The members of an error that a client may see. Errors with a 5xx status keep nothing but the phrase of the status;
 * `$sanitize: false` keeps the code and the message.
 *
 * @param error a complete error
 * @param format how it is sent
 */
export function sanitizeError(error: NormalizedError, format: ErrorFormat): WireError {
  if (error.status >= 500) {
    if (error.$sanitize === false) return { code: error.code, message: error.message };
    return { code: String(error.status), message: statusText(error.status) };
  }
  const { code, message, target, details } = error;
  if (format === "plain") return { code, message };
  return {
    code,
    message,
    ...(target === undefined ? {} : { target }),
    ...(details === undefined ? {} : { details: details.map((detail) => sanitizeError(detail, format)) }),
    ...(format === "odata" ? odataMembers(error) : restMembers(error)),
  };
}

/** `innererror` and annotations (OData JSON 4.01, 21.1); the severity of an error is 4 unless it has its own. */
function odataMembers(error: NormalizedError): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  if (error.innererror !== undefined) members.innererror = error.innererror;
  members["@Common.numericSeverity"] = 4;
  for (const name of COMMON_ANNOTATIONS) {
    if (error[name] !== undefined) members[`@Common.${name}`] = error[name];
  }
  for (const [name, value] of Object.entries(error)) {
    if (name.startsWith("@")) members[name] = value;
  }
  return members;
}

function restMembers(error: NormalizedError): Record<string, unknown> {
  return Object.fromEntries(Object.entries(error).filter(([name]) => !INTERNAL.has(name)));
}
