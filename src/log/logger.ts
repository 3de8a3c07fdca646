/**
 * Loggers as the framework and handlers use them.
 *
 * @module
 */

/** Levels in ascending order of importance. */
export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "silent";

/** How a component logs from now on. */
export interface LogOptions {
  /** Least level that is written; default: the configured one. */
  readonly level?: LogLevel | number;
  /** What stands in front of each line; default: the id of the component. */
  readonly label?: string;
}

/** A logger of one component. Arguments are written like those of `console`; an `Error` with stack and cause. */
export interface Logger {
  /** Name of the component. */
  readonly id: string;
  /** What stands in front of each line. */
  readonly label?: string;
  /** Least level that is written. */
  readonly level: LogLevel;
  /** The finest steps. */
  trace(...values: readonly unknown[]): void;
  /** Steps that explain a behaviour. */
  debug(...values: readonly unknown[]): void;
  /** What an operator wants to see. */
  info(...values: readonly unknown[]): void;
  /** The same as `info`. */
  log(...values: readonly unknown[]): void;
  /** Something that deserves a look. */
  warn(...values: readonly unknown[]): void;
  /** A failure. */
  error(...values: readonly unknown[]): void;
  /** Whether a level is on, to skip costly arguments. */
  readonly _trace: boolean;
  /** Whether `debug` is on. */
  readonly _debug: boolean;
  /** Whether `info` is on. */
  readonly _info: boolean;
  /** Whether `warn` is on. */
  readonly _warn: boolean;
  /** Whether `error` is on. */
  readonly _error: boolean;
}

/** A logger whose lines may be formed anew. */
export interface FormattedLogger extends Logger {
  /** Sets how this logger forms its lines: from its label, the number of the level and the values. */
  setFormat(
    format: (label: string, level: number, ...values: readonly unknown[]) => readonly unknown[],
  ): FormattedLogger;
}
