/**
 * Loggers with levels by component, correlation id and tenant, in plain text or JSON lines.
 *
 * @module
 */

import type { FormattedLogger, LogLevel, LogOptions } from "./logger.ts";
import { applicationFrames, callersFirst, splitStack } from "../util/caller_frames.ts";
import { redact, redactText } from "./redact.ts";

/** How logging is set up. */
export interface LoggingOptions {
  /** Level by component; `default` for all others. Default: `info`. */
  readonly levels?: Readonly<Record<string, LogLevel>>;
  /** Lines of text, or of JSON. */
  readonly format?: "plain" | "json";
  /** Correlation id and tenant of the running request; handed in because this room knows no context. */
  readonly context?: () => { readonly id?: string; readonly tenant?: string } | undefined;
  /** Whether plain text marks warnings and errors by colours. */
  readonly colours?: boolean;
  /** Whether plain text shows of a stack the frames of the application only, where it has some. */
  readonly shortStacks?: boolean;
  /** What programs have set for all loggers; read with each line. */
  readonly shared?: SharedLogging;
  /** Takes finished lines; default: the console. */
  readonly write?: (level: LogLevel, line: string) => void;
}

/** What a logger writes, made of its id, the number of the level and what it was given. */
export type LogFormat = (id: string, level: number, ...values: readonly unknown[]) => readonly unknown[];

/** Makes what writes the lines of a component, with the methods of `console`. */
export type LoggerFactory = (
  label: string,
  level: number,
) => Readonly<
  Record<"trace" | "debug" | "log" | "info" | "warn" | "error", (...values: readonly unknown[]) => void>
>;

/** What programs set for all loggers. */
export interface SharedLogging {
  /** In place of the format of lines. */
  format?: LogFormat;
  /** In place of the console. */
  Logger?: LoggerFactory;
}

/** Levels by the numbers that existing code knows them by. */
export const LOG_LEVELS = {
  SILENT: 0,
  ERROR: 1,
  WARN: 2,
  INFO: 3,
  DEBUG: 4,
  TRACE: 5,
  SILLY: 5,
  VERBOSE: 5,
} as const;

const BY_NUMBER: readonly LogLevel[] = ["silent", "error", "warn", "info", "debug", "trace"];

/** A level by its name in any case, or by its number. */
function levelOf(given: LogLevel | number | undefined): LogLevel | undefined {
  if (given === undefined) return undefined;
  const level = typeof given === "number" ? BY_NUMBER[given] : given.toLowerCase() as LogLevel;
  if (level !== undefined && Object.hasOwn(ORDER, level)) return level;
  throw new TypeError(`Expected one of ${Object.keys(ORDER).join(", ")} as level of a log, found "${given}"`);
}

const ORDER: Readonly<Record<LogLevel, number>> = {
  trace: 0,
  debug: 1,
  info: 2,
  warn: 3,
  error: 4,
  silent: 5,
};

/**
 * Sets up logging.
 *
 * @returns a function that gives the logger of a component, the same one for the same id; it throws a TypeError for an
 *   unknown level
 */
export function createLogging(given: LoggingOptions = {}): Logging {
  const shared: SharedLogging = {};
  return Object.assign(loggersOf({ ...given, shared }), { shared });
}

/** Gives the logger of a component, the same one for the same id. */
export interface Logging {
  /** The logger of a component; names behind `|` count for its level, too. */
  (id?: string, given?: LogLevel | number | LogOptions): FormattedLogger;
  /** What programs set for all loggers. */
  readonly shared: SharedLogging;
}

function loggersOf(
  options: LoggingOptions,
): (id?: string, given?: LogLevel | number | LogOptions) => FormattedLogger {
  const loggers = new Map<string, FormattedLogger>();
  return (names = "cds", given) => {
    const places = names.split("|");
    const [id] = places;
    const known = loggers.get(id);
    if (known !== undefined && given === undefined) return known;
    const { level: asked, label }: LogOptions = typeof given === "object" ? given : { level: given };
    const level = levelOf(asked);
    if (known) {
      Object.assign(
        known,
        membersFor({ id, label: label ?? known.label!, level: level ?? known.level }, options, known),
      );
      return known;
    }
    const configured = places.map((name) => options.levels?.[name]).find((found) => found !== undefined);
    const logger = createLogger({
      id,
      label: label ?? id,
      level: level ?? configured ?? options.levels?.default ?? "info",
    }, options);
    loggers.set(id, logger);
    return logger;
  };
}

interface LoggerSettings {
  readonly id: string;
  readonly label: string;
  readonly level: LogLevel;
}

function createLogger(settings: LoggerSettings, options: LoggingOptions): FormattedLogger {
  // existing handlers call loggers like functions
  const logger = ((...values: readonly unknown[]) => logger.info(...values)) as unknown as FormattedLogger;
  return Object.assign(logger, membersFor(settings, options, logger));
}

/** The members of a logger, which change with its level: who holds it already writes what counts from now on. */
function membersFor(
  { id, label, level }: LoggerSettings,
  options: LoggingOptions,
  logger: FormattedLogger,
): Partial<FormattedLogger> {
  const render = options.format === "json" ? renderJson : renderPlain;
  const write = options.write ?? writeToConsole;
  const isOn = (wanted: LogLevel) => ORDER[wanted] >= ORDER[level];
  const method = (of: LogLevel) => {
    if (!isOn(of)) return () => {};
    return (...values: readonly unknown[]) => {
      const format = FORMATS.get(logger) ?? options.shared?.format;
      const number = BY_NUMBER.indexOf(of);
      const { Logger } = options.shared ?? {};
      if (Logger) return Logger(label, BY_NUMBER.indexOf(level))[of as "info"](...values);
      if (format) return CONSOLE[of as "info"](...format(label, number, ...values));
      write(of, render(label, of, { values, context: options.context?.(), options }));
    };
  };
  const info = method("info");
  return {
    ...{ id, label, level, info, log: info },
    ...{ trace: method("trace"), debug: method("debug"), warn: method("warn"), error: method("error") },
    ...{
      _trace: isOn("trace"),
      _debug: isOn("debug"),
      _info: isOn("info"),
      _warn: isOn("warn"),
      _error: isOn("error"),
    },
    setFormat(format: LogFormat): FormattedLogger {
      FORMATS.set(logger, format);
      return logger;
    },
  };
}

/** Formats of single loggers. */
const FORMATS: WeakMap<FormattedLogger, LogFormat> = new WeakMap();

interface LogEntry {
  readonly values: readonly unknown[];
  readonly context: { readonly id?: string; readonly tenant?: string } | undefined;
  readonly options: LoggingOptions;
}

/** Yellow and red, as terminals know them. */
const COLOURS: Partial<Readonly<Record<LogLevel, number>>> = { warn: 33, error: 31 };

function renderPlain(id: string, level: LogLevel, entry: LogEntry): string {
  const { colours = false, shortStacks = false } = entry.options;
  const word = colours ? `\x1b[${COLOURS[level]}m${level.toUpperCase()}\x1b[0m` : level.toUpperCase();
  const mark = ORDER[level] >= ORDER.warn ? `${word} ` : "";
  const correlation = ORDER[level] >= ORDER.warn && entry.context?.id ? ` (${entry.context.id})` : "";
  const texts = entry.values.map((value) => toText(value, shortStacks).map(escapeControls).join("\n"));
  return `[${escapeControls(id)}] - ${mark}${texts.join(" ")}${escapeControls(correlation)}`;
}

function renderJson(id: string, level: LogLevel, entry: LogEntry): string {
  return escapeControls(JSON.stringify({
    timestamp: new Date().toISOString(),
    level,
    logger: id,
    correlation_id: entry.context?.id,
    tenant: entry.context?.tenant,
    msg: entry.values.map((value) => toText(value).join("\n")).join(" "),
  }));
}

/** A value as lines: those of a stack are its frames, anything else is one, whatever it holds. */
function toText(value: unknown, shortStacks = false): readonly string[] {
  try {
    return linesOf(value, 0, shortStacks).map(redactText);
  } catch {
    return ["(a value that cannot be shown)"]; // members of foreign objects may throw
  }
}

function linesOf(value: unknown, depth: number, shortStacks: boolean): readonly string[] {
  if (typeof value === "string") return [value];
  if (value instanceof Error) return errorLines(value, depth, shortStacks);
  if (typeof value === "object" && value !== null) {
    return [JSON.stringify(redact(value), toJson) ?? String(value)];
  }
  return [String(value)];
}

/** Causes of causes are cut off here, so that an error that is its own cause does no harm. */
const CAUSES = 8;

function errorLines(error: Error, depth: number, shortStacks: boolean): readonly string[] {
  const own = Object.entries(error).filter((member) => !isInMessage(member));
  const members = own.length > 0 ? ` ${JSON.stringify(redact(Object.fromEntries(own)), toJson)}` : "";
  const lines = stackOf(error, shortStacks && depth === 0 ? "first" : shortStacks ? "cause" : undefined);
  const last = `${lines.at(-1)}${members}`;
  if (error.cause === undefined || depth >= CAUSES) return [...lines.slice(0, -1), last];
  const [first, ...others] = linesOf(error.cause, depth + 1, shortStacks);
  return [...lines.slice(0, -1), last, `  caused by: ${first}`, ...others];
}

/** Members of errors that their first line says: the name, and the parts that the message is made of. */
function isInMessage([key, value]: readonly [string, unknown]): boolean {
  if (key === "stack" || key === "message" || key === "name" || key === "text") return true;
  return value === undefined || (Array.isArray(value) && value.length === 0);
}

/**
 * The first line of an error without message says its code or status; each frame is a line, those of the application first.
 * Where stacks are short, a cause shows no frames but those of the application.
 */
function stackOf(error: Error, short: "first" | "cause" | undefined): readonly string[] {
  const { name, message, stack } = error;
  const { code, status } = error as { code?: unknown; status?: unknown };
  const first = `${name}: ${message || (code ?? status ?? "")}`;
  if (typeof stack !== "string") return [first];
  const { head, frames } = splitStack(stack, message);
  const shown = short === undefined ? callersFirst(frames) : applicationFrames(frames, short === "cause");
  return [message === "" ? first : head, ...shown];
}

function toJson(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}

const CONSOLE = {
  trace: (...values: readonly unknown[]) => console.trace(...values),
  debug: (...values: readonly unknown[]) => console.debug(...values),
  info: (...values: readonly unknown[]) => console.info(...values),
  warn: (...values: readonly unknown[]) => console.warn(...values),
  error: (...values: readonly unknown[]) => console.error(...values),
};

function writeToConsole(level: LogLevel, line: string): void {
  if (level === "error") console.error(line);
  else if (level === "warn") console.warn(line);
  else console.log(line);
}

/** C0, DEL, C1 with NEL, line and paragraph separators, marks that change the direction of text. */
// deno-lint-ignore no-control-regex -- they are what is looked for
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * Writes control characters, and those that change the direction of text, as in JSON: `\n`, `\u001b`.
 *
 * @param text any text
 */
function escapeControls(text: string): string {
  return text.replace(
    CONTROLS,
    (char) => SHORT[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
