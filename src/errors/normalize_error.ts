/**
 * Any thrown value as a complete error: status, code and localized message (spec 7.2, rules 1 to 3).
 *
 * The language that the message of an error is written in (OData Protocol 9.4, RFC 9110 8.5).
 *
 * @module
 */

import { fillPlaceholders, toText } from "../util/fill_placeholders.ts";
import { statusText } from "../util/http_text.ts";
import {
  type ErrorProperties,
  filledText,
  givenMessage,
  isServiceError,
  ServiceError,
  type TextLookup,
  type TextOptions,
} from "./service_error.ts";

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
  return normalizeMembers(error instanceof Error ? membersOf(error) : {}, options, 0);
}

/** Details of details of … are cut off here, so that an error that contains itself does no harm. */
const DEPTH_LIMIT = 8;

/** Members of an error as they were given; of a foreign error anything may stand there. */
type GivenMembers = Readonly<Record<string, unknown>>;

/** Members in the form that is expected of them. */
interface KnownMembers {
  readonly status: number;
  readonly code: string | number | undefined;
  readonly message: string | undefined;
  readonly args: readonly unknown[] | undefined;
  /** The text, or its key, that a model declares for a check; the code stays that of the check. */
  readonly declared: string | undefined;
}

/** Other errors may carry the status of an answer that could not be read: that one was no failure, this one is. */
function membersOf(error: Error): GivenMembers {
  const { name: _name, ...members } = { ...error } as Record<string, unknown>;
  const isFailure = isServiceError(error) || errorStatus(members) >= 300;
  return { ...members, ...(isFailure ? {} : { status: 500 }), message: givenMessage(error) };
}

function normalizeMembers(given: GivenMembers, options: TextOptions, depth: number): NormalizedError {
  const { statusCode: _statusCode, cause: _cause, stack: _stack, code, message, ...others } = given;
  const { args, target, details, $sanitize, $message, ...custom } = others;
  const known: KnownMembers = {
    status: errorStatus(given),
    code: (typeof code === "string" && code !== "") || typeof code === "number" ? code : undefined,
    message: message === undefined || message === null ? undefined : toText(message),
    args: Array.isArray(args) ? args : undefined,
    declared: typeof $message === "string" && $message !== "" ? $message : undefined,
  };
  const single = Array.isArray(details) && depth < DEPTH_LIMIT
    ? details.filter(isObject).map((detail) =>
      normalizeDetail(detail, { ...options, depth, status: known.status })
    )
    : undefined;
  return {
    ...custom,
    status: known.status,
    ...(isSingleAggregate(known, single)
      ? { code: known.code!, message: single[0].message }
      : textOf(known, options)),
    ...(typeof target === "string" ? { target } : {}),
    ...(known.args === undefined ? {} : { args: known.args }),
    ...(single === undefined ? {} : { details: single }),
    ...(typeof $sanitize === "boolean" ? { $sanitize } : {}),
  } as NormalizedError;
}

interface DetailOptions extends TextOptions {
  readonly depth: number;
  /** Status of the whole, for details without one. */
  readonly status: number;
}

function normalizeDetail(detail: object, { depth, status, ...options }: DetailOptions): NormalizedError {
  const members: GivenMembers = detail instanceof Error ? membersOf(detail) : { ...detail };
  const own = members.status ?? members.statusCode ?? numericCode(members.code);
  return normalizeMembers(own === undefined ? { ...members, status } : members, options, depth + 1);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** An aggregate of one recorded error has the message of that error. */
function isSingleAggregate(
  { code, message }: KnownMembers,
  details: readonly NormalizedError[] | undefined,
): details is readonly [NormalizedError] {
  return code === "MULTIPLE_ERRORS" && !message && details?.length === 1;
}

function textOf(known: KnownMembers, options: TextOptions): { code: string; message: string } {
  const { message, args, status, declared } = known;
  const look = (key: string) => filledText(key, args, options);
  const code = known.code === undefined ? undefined : String(known.code);
  if (declared !== undefined) {
    return { code: code ?? String(status), message: look(declared) ?? fillPlaceholders(declared, args) };
  }
  const byCode = typeof known.code === "string" ? look(known.code) : undefined;
  if (byCode !== undefined) return { code: code!, message: byCode };
  if (message) {
    const byMessage = look(message);
    if (byMessage !== undefined) return { code: code ?? message, message: byMessage };
    return { code: code ?? String(status), message: fillPlaceholders(message, args) };
  }
  const byStatus = (code === undefined ? undefined : look(code)) ?? look(String(status));
  return { code: code ?? String(status), message: byStatus ?? statusText(status) };
}

/**
 * The error that rejects a request with recorded errors: code `MULTIPLE_ERRORS`, the errors as details in order.
 * A single one lends its status, message and target; otherwise the status is the common one, 500 if there is a 5xx,
 * else 400.
 *
 * @param errors at least one recorded error
 */
export function aggregateErrors(errors: readonly ErrorProperties[]): ServiceError {
  const statuses = new Set(errors.map((error) => errorStatus(error)));
  const [first] = statuses;
  const common = statuses.size === 1 ? first : [...statuses].some((status) => status >= 500) ? 500 : 400;
  if (errors.length > 1) {
    return new ServiceError({ status: common, code: "MULTIPLE_ERRORS", details: errors });
  }
  const [{ target, $sanitize }] = errors;
  return new ServiceError({
    status: common,
    code: "MULTIPLE_ERRORS",
    details: errors,
    ...(target === undefined ? {} : { target }),
    ...($sanitize === undefined ? {} : { $sanitize }),
  });
}

/** The members that decide on the status. */
interface StatusMembers {
  /** HTTP status. */
  readonly status?: unknown;
  /** HTTP status. */
  readonly statusCode?: unknown;
  /** Identifies the error for clients. */
  readonly code?: unknown;
}

/**
 * The status given, else a code from 300 to 599 as number or numeric text, else 500. No response can carry 600.
 *
 * @param error the members of the error
 */
function errorStatus(error: StatusMembers): number {
  const given = error.status ?? error.statusCode;
  if (given !== undefined && given !== null) return inRange(Number(toText(given)), 200) ?? 500;
  return inRange(numericCode(error.code), 300) ?? 500;
}

/** A numeric code, or the number that a code of three digits says. */
function numericCode(code: unknown): number | undefined {
  if (typeof code === "number") return code;
  return typeof code === "string" && /^\d{3}$/.test(code) ? Number(code) : undefined;
}

function inRange(status: number | undefined, lowest: number): number | undefined {
  return Number.isInteger(status) && status! >= lowest && status! <= 599 ? status : undefined;
}

/**
 * What was thrown, or a plain error in its place where nothing can be read of it: whoever looks at such a value fails
 * instead of what it is about.
 *
 * @param thrown any value
 */
export function readableError(thrown: unknown): unknown {
  if ((typeof thrown !== "object" && typeof thrown !== "function") || thrown === null) return thrown;
  try {
    const { message, name, cause } = thrown as Partial<Error>;
    String([message, name, typeof cause]);
    if (!hasStackOfEngine(thrown)) String((thrown as Partial<Error>).stack);
    // the members of what is no error are never looked at
    if (thrown instanceof Error) Object.values(thrown);
    return thrown;
  } catch {
    return unreadable();
  }
}

/**
 * Makes something of a thrown value, or of a plain error where that fails.
 *
 * @param thrown any value
 * @param make takes what was thrown
 */
export function fromReadable<T>(thrown: unknown, make: (error: unknown) => T): T {
  try {
    return make(thrown);
  } catch {
    return make(unreadable());
  }
}

const STACK = "stack";
/** What the engine reads the stack of an error by; undefined where it has no such function. */
const STACK_OF_ENGINE = Object.getOwnPropertyDescriptor(new Error(), STACK)?.get;

/** Whether the engine itself tells the stack, whose text takes longer to make than most requests: only logs ask for it. */
function hasStackOfEngine(thrown: object): boolean {
  return STACK_OF_ENGINE !== undefined &&
    Object.getOwnPropertyDescriptor(thrown, STACK)?.get === STACK_OF_ENGINE;
}

function unreadable(): Error {
  return new Error("What was thrown cannot be read: its members throw, too");
}

/** A complete error, and the value of `Content-Language` for its message. */
export interface LanguageError {
  readonly error: NormalizedError;
  readonly language: string;
}

/** Status phrases are not translated. */
const PHRASES = "en";

/**
 * `normalizeError`, with the language of the message: that of the bundle which has the text, else the default language,
 * as texts of handlers are written in it.
 *
 * @param error what was thrown
 * @param options where texts come from, and the locale
 */
export function normalizeWithLanguage(error: unknown, options: TextOptions): LanguageError {
  const { texts } = options;
  const locales = new Map<string, string>();
  const normalized = normalizeError(error, texts ? { ...options, texts: tracked(texts, locales) } : options);
  const { status, message, $sanitize } = normalized;
  const isPhrase = status >= 500 && $sanitize !== false;
  const found = isPhrase
    ? PHRASES
    : locales.get(message) ?? (message === statusText(status) ? PHRASES : undefined);
  return { error: normalized, language: (found ?? texts?.defaultLocale ?? PHRASES).replaceAll("_", "-") };
}

/** A lookup that notes the locales of the texts it gives. */
function tracked(texts: TextLookup, locales: Map<string, string>): TextLookup {
  const look = (key: string, locale?: string, args?: readonly unknown[]) => {
    const text = texts(key, locale, args);
    const found = text === undefined ? undefined : texts.localeOf?.(key, locale);
    if (found !== undefined) locales.set(text!, found);
    return text;
  };
  return Object.assign(look, { localeOf: texts.localeOf, defaultLocale: texts.defaultLocale });
}
