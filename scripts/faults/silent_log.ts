/**
 * A logger for processes whose journal tells everything.
 *
 * @module
 */

import type { Logger } from "../../src/log/logger.ts";

const none = () => {};
/** Writes nothing. */
export const SILENT: Logger = {
  id: "faults",
  level: "silent",
  ...{ trace: none, debug: none, info: none, log: none, warn: none, error: none },
  ...{ _trace: false, _debug: false, _info: false, _warn: false, _error: false },
};
