/**
 * Whether a database outlives the process that opens it.
 *
 * @module
 */

/**
 * Tells databases in files or on servers from those in memory.
 *
 * @param entry `fw.requires.db`
 */
export function isStored({ kind, credentials }: Readonly<Record<string, unknown>>): boolean {
  const { url, database = url } = (credentials ?? {}) as {
    readonly url?: unknown;
    readonly database?: unknown;
  };
  return kind === "postgres" ||
    (kind !== "memory" && typeof database === "string" && database !== ":memory:");
}
