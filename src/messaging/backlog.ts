/**
 * What waits in channels for a consumer group.
 *
 * @module
 */

import type { Backlog } from "./channel.ts";

/**
 * What waits in a channel, or in a part of it.
 *
 * @param waiting how many messages
 * @param times since when some of them wait (milliseconds since 1970), the oldest among them, as far as that can be told
 */
export function backlogSince(waiting: number, times: readonly (number | undefined)[]): Backlog {
  const known = times.filter((time) => time !== undefined);
  return {
    waiting,
    ...known.length > 0 && { oldestAgeMs: Math.max(0, Date.now() - Math.min(...known)) },
  };
}

/**
 * What waits in several channels, or in all parts of a channel, together.
 *
 * @param parts undefined for a part that does not know the group
 * @returns undefined where no part knows it
 */
export function joinBacklogs(parts: readonly (Backlog | undefined)[]): Backlog | undefined {
  const known = parts.filter((part) => part !== undefined);
  if (known.length === 0) return undefined;
  const ages = known.flatMap(({ oldestAgeMs }) => oldestAgeMs === undefined ? [] : [oldestAgeMs]);
  return {
    waiting: known.reduce((sum, { waiting }) => sum + waiting, 0),
    ...ages.length > 0 && { oldestAgeMs: Math.max(...ages) },
  };
}
