/**
 * Files and folders that cannot be used.
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";

/**
 * The error to throw for what the platform threw.
 *
 * @param cause what was thrown
 * @param file path of the file or folder
 * @param what was not possible: "Cannot be read"
 */
export function fileError(cause: unknown, file: string, what: string): ConfigurationError {
  const { message } = cause as Error;
  // the platform names its function and the path once more
  const reason = message.replace(/: \w+ '.*'(?: -> '.*')?$/s, "");
  return new ConfigurationError(`${what}: ${reason}`, { file }, { cause });
}
