/**
 * The ranks of the rooms: a file imports from a lower rank only (style 1).
 *
 * @module
 */

/** Rank of each room of `src/`; a room is a folder or a file. */
export const RANKS: Readonly<Record<string, number>> = {
  "util": 0,
  "errors": 1,
  "telemetry": 1,
  "platform": 1,
  "cqn": 2,
  "algebra": 2.5,
  "config": 2,
  "i18n": 2,
  "log": 2,
  "model": 3,
  "context": 3,
  "auth": 4,
  "service": 4,
  "odata": 5,
  "db": 5,
  "messaging": 5,
  "http": 6,
  "hcql": 6,
  "mcp": 6,
  "rest": 6,
  "console": 7,
  "fw.ts": 7,
  "fw": 7,
  "deno": 8,
  "globals.ts": 8,
  "cli": 9,
  "lint": 9,
  "test": 9,
};

/** Rooms and files where `Deno.*` and `node:*` may appear; ranks 8 and 9 may as well. */
export const PLATFORM_PLACES: readonly string[] = [
  "platform/",
  "context/store.ts",
  "db/sqlite/",
  "db/postgres/",
  "messaging/file/",
  "messaging/brokers/",
];

/** The room of a path below `src/`; `fw.ts` and the folder `fw` are one room. */
export function roomOf(pathInSrc: string): string {
  const first = pathInSrc.split("/")[0];
  return first === "fw.ts" ? "fw" : first;
}

/** Whether a file below `src/` may use the platform. */
export function mayUsePlatform(pathInSrc: string): boolean {
  return PLATFORM_PLACES.some((place) => pathInSrc.startsWith(place)) || (RANKS[roomOf(pathInSrc)] ?? 0) >= 8;
}
