/**
 * Modules that models use without a file: those that CDS projects know by these names, in our own words.
 *
 * @module
 */

import { COMMON_MODULE_TEXT } from "./common_module.ts";

/** The common definitions. */
const COMMON = "@sap/cds/common";
/** Messages that wait to be sent, as a table that services of applications may show. */
const OUTBOX = "@sap/cds/srv/outbox";
/** The code lists of the common definitions; whoever has the package gets its data, too. */
const COMMON_CONTENT = "@sap/cds-common-content";

const OUTBOX_MODULE_TEXT = `
namespace cds.outbox;

entity Messages {
  key ID               : UUID;
  timestamp            : Timestamp;
  target               : String;
  msg                  : LargeString;
  attempts             : Integer default 0;
  partition            : Integer default 0;
  lastError            : LargeString;
  lastAttemptTimestamp : Timestamp @cds.on.update: $now;
  status               : String(23);
}
`;

const TEXTS: ReadonlyMap<string, string> = new Map([
  [COMMON, COMMON_MODULE_TEXT],
  [OUTBOX, OUTBOX_MODULE_TEXT],
  [COMMON_CONTENT, `using from '${COMMON}';`],
]);

/**
 * The text of a module.
 *
 * @param name its name, as `ownModule` gives it
 * @returns CDL; undefined when the name is that of a file
 */
export function ownModuleText(name: string): string | undefined {
  return TEXTS.get(name);
}

/** The names of all modules. */
export function ownModuleNames(): Iterable<string> {
  return TEXTS.keys();
}

/**
 * The module that a name stands for, with or without the suffix of a file.
 *
 * @param name as models write it
 * @returns its name; undefined when we have no such module
 */
export function ownModule(name: string): string | undefined {
  const bare = name.replace(/\.cds$/, "");
  return TEXTS.has(bare) ? bare : undefined;
}

/**
 * Whether a package of this name takes the place of our module.
 *
 * @param name of our module
 */
export function yieldsToPackage(name: string): boolean {
  return name === COMMON_CONTENT;
}
