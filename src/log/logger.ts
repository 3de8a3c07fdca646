/**
 * Loggers as the framework and handlers use them.
 *
 * @module
 */

/** Levels in ascending order of importance. */
export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "silent";

/** A logger of one component. Arguments are written like those of `console`; an `Error` with stack and cause. */
export interface Logger {
  readonly id: string;
  readonly level: LogLevel;
  trace(...values: readonly unknown[]): void;
  debug(...values: readonly unknown[]): void;
  info(...values: readonly unknown[]): void;
  log(...values: readonly unknown[]): void;
  warn(...values: readonly unknown[]): void;
  error(...values: readonly unknown[]): void;
  /** Whether a level is on, to skip costly arguments. */
  readonly _trace: boolean;
  readonly _debug: boolean;
  readonly _info: boolean;
  readonly _warn: boolean;
  readonly _error: boolean;
}
