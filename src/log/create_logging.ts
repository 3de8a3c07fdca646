/**
 * Loggers with levels by component, correlation id and tenant, in plain text or JSON lines.
 *
 * @module
 */

import type { Logger, LogLevel, LogOptions } from "./logger.ts";
import { applicationFrames, callersFirst, splitStack } from "../util/caller_frames.ts";
import { escapeControls } from "../util/escape_controls.ts";
import { redact, redactText } from "./redact.ts";

/** How logging is set up. */
export interface LoggingOptions {
  /** Level by component; `default` for all others. Default: `info`. */
  readonly levels?: Readonly<Record<string, LogLevel>>;
  readonly format?: "plain" | "json";
  /** Correlation id and tenant of the running request; handed in because this room knows no context. */
  readonly context?: () => { readonly id?: string; readonly tenant?: string } | undefined;
  /** Whether plain text marks warnings and errors by colours. */
  readonly colours?: boolean;
  /** Whether plain text shows of a stack the frames of the application only, where it has some. */
  readonly shortStacks?: boolean;
  /** Takes finished lines; default: the console. */
  readonly write?: (level: LogLevel, line: string) => void;
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
export function createLogging(
  options: LoggingOptions = {},
): (id: string, given?: LogLevel | LogOptions) => Logger {
  const loggers = new Map<string, Logger>();
  return (id, given) => {
    const known = loggers.get(id);
    if (known !== undefined && given === undefined) return known;
    const { level, label }: LogOptions = typeof given === "object" ? given : { level: given };
    if (level !== undefined && !Object.hasOwn(ORDER, level)) {
      throw new TypeError(
        `Expected one of ${Object.keys(ORDER).join(", ")} as level of a log, found "${level}"`,
      );
    }
    if (known && (!level || known.level === level) && (!label || known.label === label)) return known;
    const logger = createLogger({
      id,
      label: label ?? known?.label ?? id,
      level: level ?? known?.level ?? options.levels?.[id] ?? options.levels?.default ?? "info",
    }, options);
    loggers.set(id, logger);
    return logger;
  };
}

function createLogger(
  { id, label, level }: { readonly id: string; readonly label: string; readonly level: LogLevel },
  options: LoggingOptions,
): Logger {
  const render = options.format === "json" ? renderJson : renderPlain;
  const write = options.write ?? writeToConsole;
  const isOn = (wanted: LogLevel) => ORDER[wanted] >= ORDER[level];
  const method = (of: LogLevel) => {
    if (!isOn(of)) return () => {};
    return (...values: readonly unknown[]) =>
      write(of, render(label, of, { values, context: options.context?.(), options }));
  };
  const info = method("info");
  // existing handlers call loggers like functions
  const call = (...values: readonly unknown[]) => info(...values);
  return Object.assign(call, {
    id,
    label,
    level,
    trace: method("trace"),
    debug: method("debug"),
    info,
    log: info,
    warn: method("warn"),
    error: method("error"),
    _trace: isOn("trace"),
    _debug: isOn("debug"),
    _info: isOn("info"),
    _warn: isOn("warn"),
    _error: isOn("error"),
  });
}

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
  const own = Object.entries(error).filter(([key]) => key !== "stack" && key !== "message");
  const members = own.length > 0 ? ` ${JSON.stringify(redact(Object.fromEntries(own)), toJson)}` : "";
  const lines = stackOf(error, shortStacks);
  const last = `${lines.at(-1)}${members}`;
  if (error.cause === undefined || depth >= CAUSES) return [...lines.slice(0, -1), last];
  const [first, ...others] = linesOf(error.cause, depth + 1, shortStacks);
  return [...lines.slice(0, -1), last, `  caused by: ${first}`, ...others];
}

/** The first line of an error without message says its code or status; each frame is a line, those of the application first. */
function stackOf(error: Error, shortStacks: boolean): readonly string[] {
  const { name, message, stack } = error;
  const { code, status } = error as { code?: unknown; status?: unknown };
  const first = `${name}: ${message || (code ?? status ?? "")}`;
  if (typeof stack !== "string") return [first];
  const { head, frames } = splitStack(stack, message);
  return [message === "" ? first : head, ...(shortStacks ? applicationFrames : callersFirst)(frames)];
}

function toJson(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}

function writeToConsole(level: LogLevel, line: string): void {
  if (level === "error") console.error(line);
  else if (level === "warn") console.warn(line);
  else console.log(line);
}
