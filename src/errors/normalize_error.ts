/**
 * Any thrown value as a complete error: status, code and localized message (spec 7.2, rules 1 to 3).
 *
 * @module
 */

import { fillPlaceholders } from "../util/fill_placeholders.ts";
import { statusText } from "../util/status_text.ts";
import { errorStatus } from "./error_status.ts";
import type { ErrorProperties } from "./service_error.ts";
import type { TextOptions } from "./text_lookup.ts";

/** A complete error; custom members are kept, `cause` is left to the log. */
export interface NormalizedError {
  /** HTTP status. */
  readonly status: number;
  /** Always text on the wire. */
  readonly code: string;
  /** In the language of the caller, as far as there is a text. */
  readonly message: string;
  /** Name of the input field or element the error relates to. */
  readonly target?: string;
  /** Values of the placeholders of the text. */
  readonly args?: readonly unknown[];
  /** The single errors of an aggregate. */
  readonly details?: readonly NormalizedError[];
  /** `false` keeps the message of an error with a 5xx status. */
  readonly $sanitize?: boolean;
  /** Custom members. */
  readonly [custom: string]: unknown;
}

/**
 * Completes an error: status from a code, text from the bundles, code from the key or the status. A thrown value
 * that is no `Error` is a plain 500, and nothing of it is used.
 *
 * @param error what was thrown
 * @param options where texts come from, and the locale
 */
export function normalizeError(error: unknown, options: TextOptions = {}): NormalizedError {
  if (!(error instanceof Error)) return normalizeMembers({}, options);
  const { name: _name, cause: _cause, stack: _stack, ...members } = { ...error } as Record<string, unknown>;
  return normalizeMembers({ ...members, message: error.message }, options);
}

function normalizeMembers(members: ErrorProperties, options: TextOptions): NormalizedError {
  const { statusCode: _statusCode, cause: _cause, stack: _stack, details: givenDetails, ...others } = members;
  const status = errorStatus(members);
  const details = Array.isArray(givenDetails)
    ? givenDetails.map((detail) => normalizeDetail(detail, status, options))
    : undefined;
  const text = isSingleAggregate(members, details)
    ? { code: "MULTIPLE_ERRORS", message: details[0].message }
    : textOf(members, status, options);
  return { ...others, status, ...text, ...(details === undefined ? {} : { details }) } as NormalizedError;
}

function normalizeDetail(detail: unknown, status: number, options: TextOptions): NormalizedError {
  const members = detail instanceof Error
    ? { ...(detail as unknown as ErrorProperties), message: detail.message }
    : { ...(detail as ErrorProperties) };
  delete (members as { name?: unknown }).name;
  const own = members.status ?? members.statusCode ?? numeric(members.code);
  return normalizeMembers(own === undefined ? { ...members, status } : members, options);
}

function numeric(code: unknown): number | undefined {
  return typeof code === "number" || (typeof code === "string" && /^\d{3}$/.test(code))
    ? Number(code)
    : undefined;
}

/** An aggregate of one recorded error has the message of that error. */
function isSingleAggregate(
  members: ErrorProperties,
  details: readonly NormalizedError[] | undefined,
): details is readonly [NormalizedError] {
  return members.code === "MULTIPLE_ERRORS" && !members.message && details?.length === 1;
}

function textOf(
  members: ErrorProperties,
  status: number,
  options: TextOptions,
): { code: string; message: string } {
  const { message, args } = members;
  const look = (key: string) => options.texts?.(key, options.locale, args);
  const code = members.code === undefined || members.code === null || members.code === ""
    ? undefined
    : String(members.code);
  const byCode = typeof members.code === "string" && code !== undefined ? look(code) : undefined;
  if (byCode !== undefined) return { code: code!, message: byCode };
  if (message) {
    const byMessage = look(message);
    if (byMessage !== undefined) return { code: code ?? message, message: byMessage };
    return { code: code ?? String(status), message: fillPlaceholders(message, args) };
  }
  const byStatus = (code === undefined ? undefined : look(code)) ?? look(String(status));
  return { code: code ?? String(status), message: byStatus ?? statusText(status) };
}
