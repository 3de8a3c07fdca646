import type { Backlog } from "./channel.ts";

/** What waits in one part of a channel, and since when (milliseconds since 1970) where that can be told. */
export interface PartBacklog {
  readonly waiting: number;
  readonly oldest?: number | undefined;
}

/**
 * What waits in all parts of a channel together.
 *
 * @param parts undefined for a part that does not know the group
 * @returns undefined where no part knows it
 */
export function joinBacklogs(parts: readonly (PartBacklog | undefined)[]): Backlog | undefined {
  const known = parts.filter((part) => part !== undefined);
  if (known.length === 0) return undefined;
  const times = known.flatMap(({ oldest }) => oldest === undefined ? [] : [oldest]);
  return {
    waiting: known.reduce((sum, { waiting }) => sum + waiting, 0),
    ...times.length > 0 && { oldestAgeMs: Math.max(0, Date.now() - Math.min(...times)) },
  };
}
