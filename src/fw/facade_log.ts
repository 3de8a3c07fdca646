/**
 * `fw.log`: loggers of the current runtime, and what programs set for all of them (api 1).
 *
 * @module
 */

import { LOG_LEVELS, type LogFormat, type LoggerFactory } from "../log/create_logging.ts";
import type { FormattedLogger, LogLevel, LogOptions } from "../log/logger.ts";
import { runtimeOrBare } from "./bare_runtime.ts";

/** Loggers by component. */
export interface Loggers {
  /** The logger of a component; a level or options count from now on. */
  (id?: string, given?: LogLevel | number | LogOptions): FormattedLogger;
  /** Levels by name, as numbers. */
  readonly levels: Readonly<Record<string, number>>;
  /** What lines are made of: from the label, the number of the level and the values. */
  format: LogFormat | undefined;
  /** Makes what writes the lines of a component, in place of the console. */
  Logger: LoggerFactory | undefined;
}

/** `fw.log`. */
export const loggers: Loggers = Object.defineProperties(
  (id?: string, given?: LogLevel | number | LogOptions) => runtimeOrBare().log(id, given),
  {
    levels: { value: LOG_LEVELS },
    format: {
      get: () => runtimeOrBare().log.shared.format,
      set: (format: LogFormat | undefined) => runtimeOrBare().log.shared.format = format,
    },
    Logger: {
      get: () => runtimeOrBare().log.shared.Logger,
      set: (factory: LoggerFactory | undefined) => runtimeOrBare().log.shared.Logger = factory,
    },
  },
) as Loggers; // with the members just defined
