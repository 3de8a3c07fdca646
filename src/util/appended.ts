/**
 * Lists that mostly stay short.
 *
 * @module
 */

/**
 * A list with one more at its end. What is added is mostly the second: a literal of two costs least, as a list that grows
 * takes space for many.
 *
 * @param list the list, which stays as it is
 * @param last the last one from now on
 */
export function appended<T>(list: readonly T[], last: T): T[] {
  return list.length === 1 ? [list[0]!, last] : [...list, last];
}
