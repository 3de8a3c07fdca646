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
