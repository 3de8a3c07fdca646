/**
 * Lists that many are added to.
 *
 * @module
 */

/**
 * Adds all items to a list. As arguments of `push` they would have to fit on the stack, which holds some ten thousand.
 *
 * @param list gets them
 * @param items any number
 */
export function addAll<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}

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
