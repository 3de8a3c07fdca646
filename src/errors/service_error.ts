/** Members of an error (spec 2.4). Names that start with `@` reach OData clients as they are. */
export interface ErrorProperties {
  /** HTTP status. */
  readonly status?: number;
  /** Identifies the error for clients; also the key of its text. */
  readonly code?: string | number;
  /** User-readable text, or the key of one. */
  readonly message?: string;
  /** Name of the input field or element. */
  readonly target?: string;
  /** Values for the placeholders `{0}`, `{1}`, … of the text. */
  readonly args?: readonly unknown[];
  /** The single errors of an aggregate. */
  readonly details?: readonly ErrorProperties[];
  /** What led to the error; for the log only. */
  readonly cause?: unknown;
  /** `false` keeps the message of an error with a 5xx status (spec 7.2.5). */
  readonly $sanitize?: boolean;
  /** A text, or the key of one, that counts before that of the code: models declare it for checks. */
  readonly $message?: string;
  /** Custom members. */
  readonly [custom: string]: unknown;
}

/** Details that an error keeps: bodies may hold mistakes in each of many thousand rows. */
const MOST_DETAILS = 100;
const BRAND: unique symbol = Symbol.for("fw.ServiceError") as never;

/**
 * A failure that is answered to the client after normalizing, localizing and sanitizing (spec 2.4, 7.2).
 */
export class ServiceError extends Error {
  /** HTTP status. */
  declare status?: number;
  /** Identifies the error for clients. */
  declare code?: string | number;
  /** Name of the input field or element the error relates to. */
  declare target?: string;
  /** Values of the placeholders of the text. */
  declare args?: readonly unknown[];
  /** The single errors of an aggregate. */
  declare details?: readonly ErrorProperties[];
  /** `false` keeps the message of an error with a 5xx status. */
  declare $sanitize?: boolean;

  /**
   * Creates an error.
   *
   * @param properties the members of the error; custom ones are kept, and the first hundred details
   */
  constructor(properties: ErrorProperties) {
    const { message, cause, ...others } = withFewDetails(properties);
    const said = message || summaryOf(others);
    super(said, cause === undefined ? undefined : { cause });
    this.name = "ServiceError";
    Object.assign(this, others);
    Object.defineProperty(this, BRAND, { value: message ? true : said });
  }
}

function withFewDetails(properties: ErrorProperties): ErrorProperties {
  const { details } = properties;
  if (!Array.isArray(details) || details.length <= MOST_DETAILS) return properties;
  return { ...properties, details: details.slice(0, MOST_DETAILS) };
}

/** What an error without text shows in logs and to those who catch it: `ASSERT_MANDATORY title`, `404`. */
function summaryOf({ status, code, target, details }: ErrorProperties, depth = 0): string {
  const own = [code ?? status, target].filter((part) => part !== undefined).join(" ");
  if (!Array.isArray(details) || depth > 0) return own;
  const parts = details.map((detail) => detail?.message || summaryOf(detail ?? {}, depth + 1));
  return `${own}: ${parts.join(", ")}`;
}

/**
 * The text that an error was given, empty if none: what it shows then is for no client.
 *
 * @param error the error
 */
export function givenMessage(error: Error): string {
  return (error as { [BRAND]?: unknown })[BRAND] === error.message ? "" : error.message;
}

/** Whether a thrown value is a `ServiceError`, of this or another copy of the package. */
export function isServiceError(value: unknown): value is ServiceError {
  try {
    return value instanceof Error && BRAND in value;
  } catch {
    return false; // a proxy of the application
  }
}

/**
 * The error for an answer that is larger than the limit.
 *
 * @param most the limit
 */
export function answerTooLarge(most: number): ServiceError {
  return new ServiceError({ status: 413, code: "ANSWER_TOO_LARGE", args: [most] });
}

/**
 * The error for what the framework does not do; clients may read why.
 *
 * @param message what it is
 * @param target the input field or element it relates to
 */
export function unsupported(message: string, target?: string): ServiceError {
  return new ServiceError({ status: 501, message, $sanitize: false, ...(target && { target }) });
}

/** Texts by key, locale and arguments. */
export interface TextLookup {
  /** The text; `undefined` when no bundle has the key. */
  (key: string, locale?: string, args?: readonly unknown[]): string | undefined;
  /** The locale of the bundle that has the text of a key; `undefined` when none has it. */
  readonly localeOf?: (key: string, locale?: string) => string | undefined;
  /** All texts of a locale by key. */
  readonly all?: (locale?: string) => ReadonlyMap<string, string>;
  /** The locale of texts that no bundle has: those of handlers. */
  readonly defaultLocale?: string;
}

/** Where the texts of an error or message come from. */
export interface TextOptions {
  /** Texts by key; without it keys are not looked up. */
  readonly texts?: TextLookup;
  /** Locale of the caller. */
  readonly locale?: string;
}

/**
 * The text of a key with its placeholders filled.
 *
 * @param key the key; without one there is no text
 * @param args values of the placeholders
 * @param options where texts come from, and the locale
 * @returns undefined when no bundle has the key, and for a text with placeholders that have no value: nobody shall read them
 */
export function filledText(
  key: string | undefined,
  args: readonly unknown[] | undefined,
  { texts, locale }: TextOptions,
): string | undefined {
  const text = key ? texts?.(key, locale) : undefined;
  if (text === undefined) return undefined;
  for (const [, index] of text.matchAll(/\{(\d+)\}/g)) {
    if (args?.[Number(index)] === undefined) return undefined;
  }
  return args === undefined ? text : texts!(key!, locale, args);
}
