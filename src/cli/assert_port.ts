/**
 * The option `--port`.
 *
 * @module
 */

import type { Command } from "./parse_command.ts";
import { UsageError } from "./usage_error.ts";

/**
 * Refuses a `--port` that is no number of a port.
 *
 * @param options the options of a command
 * @throws UsageError
 */
export function assertPort({ port }: Command["options"]): void {
  if (port === undefined) return;
  const number = Number(port);
  if (Number.isInteger(number) && number >= 0 && number < 65536) return;
  throw new UsageError(`Expected a port number after --port, but found "${port}"`);
}
