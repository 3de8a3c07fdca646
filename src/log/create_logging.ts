/**
 * Loggers with levels by component, correlation id and tenant, in plain text or JSON lines.
 *
 * @module
 */

import type { Logger, LogLevel, LogOptions } from "./logger.ts";
import { redact } from "./redact.ts";

/** How logging is set up. */
export interface LoggingOptions {
  /** Level by component; `default` for all others. Default: `info`. */
  readonly levels?: Readonly<Record<string, LogLevel>>;
  readonly format?: "plain" | "json";
  /** Correlation id and tenant of the running request; handed in because this room knows no context. */
  readonly context?: () => { readonly id?: string; readonly tenant?: string } | undefined;
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
      write(of, render(label, of, { values, context: options.context?.() }));
  };
  return {
    id,
    label,
    level,
    trace: method("trace"),
    debug: method("debug"),
    info: method("info"),
    log: method("info"),
    warn: method("warn"),
    error: method("error"),
    _trace: isOn("trace"),
    _debug: isOn("debug"),
    _info: isOn("info"),
    _warn: isOn("warn"),
    _error: isOn("error"),
  };
}

interface LogEntry {
  readonly values: readonly unknown[];
  readonly context: { readonly id?: string; readonly tenant?: string } | undefined;
}

function renderPlain(id: string, level: LogLevel, entry: LogEntry): string {
  const mark = ORDER[level] >= ORDER.warn ? `${level.toUpperCase()} ` : "";
  const correlation = ORDER[level] >= ORDER.warn && entry.context?.id ? ` (${entry.context.id})` : "";
  return `[${id}] - ${mark}${entry.values.map(toText).join(" ")}${correlation}`;
}

function renderJson(id: string, level: LogLevel, entry: LogEntry): string {
  return JSON.stringify({
    timestamp: new Date().toISOString(),
    level,
    logger: id,
    correlation_id: entry.context?.id,
    tenant: entry.context?.tenant,
    msg: entry.values.map(toText).join(" "),
  });
}

function toText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value instanceof Error) return errorText(value);
  if (typeof value === "object" && value !== null) {
    return JSON.stringify(redact(value), toJson) ?? String(value);
  }
  return String(value);
}

function errorText(error: Error): string {
  const own = Object.entries(error).filter(([key]) => key !== "stack" && key !== "message");
  const members = own.length > 0 ? ` ${JSON.stringify(redact(Object.fromEntries(own)), toJson)}` : "";
  const cause = error.cause === undefined ? "" : `\n  caused by: ${toText(error.cause)}`;
  return `${stackOf(error)}${members}${cause}`;
}

/** The first line of an error without message says its code or status. */
function stackOf(error: Error): string {
  const { name, message, stack } = error;
  const { code, status } = error as { code?: unknown; status?: unknown };
  const first = `${name}: ${message || (code ?? status ?? "")}`;
  if (stack === undefined) return first;
  return message === "" ? stack.replace(/^.*/, () => first) : stack;
}

function toJson(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}

function writeToConsole(level: LogLevel, line: string): void {
  if (level === "error") console.error(line);
  else if (level === "warn") console.warn(line);
  else console.log(line);
}
