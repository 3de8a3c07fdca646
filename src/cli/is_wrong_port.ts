/**
 * The option `--port`.
 *
 * @module
 */

import type { Command } from "./parse_command.ts";

/**
 * Whether `--port` is given, but no number of a port; it is told then.
 *
 * @param options the options of a command
 */
export function isWrongPort({ port }: Command["options"]): boolean {
  if (port === undefined) return false;
  const number = Number(port);
  if (Number.isInteger(number) && number >= 0 && number < 65536) return false;
  console.error(`Expected a port number after --port, but found "${port}"`);
  return true;
}
