/**
 * Opening a file of SQLite.
 *
 * @module
 */

import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import { nodeModule } from "../../platform/node_module.ts";

/**
 * Opens a file.
 *
 * @param file its path, or `:memory:`
 * @param options those of the driver
 * @throws ConfigurationError for a file that cannot be opened, or is no database
 */
export function openFile(
  file: string,
  options: { readonly readOnly: boolean; readonly timeout: number },
): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file, options);
    // opening looks at the name only
    db.exec("PRAGMA schema_version");
    return db;
  } catch (cause) {
    db?.close();
    const { message } = cause as Error;
    const folder = dirname(file);
    if (/^unable to open/.test(message) && !nodeModule("node:fs").existsSync(folder)) {
      throw new ConfigurationError(`The database file cannot be opened: there is no folder for ${file}`, {}, {
        cause,
      });
    }
    const reason = message.endsWith(`: ${file}`) ? message : `${message}: ${file}`;
    throw new ConfigurationError(`The database file cannot be opened: ${reason}`, {}, { cause });
  }
}
