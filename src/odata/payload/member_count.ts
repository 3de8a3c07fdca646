/**
 * Numbers of members beside collections of values (JSON Format 4.5.4).
 *
 * @module
 */

/**
 * The name of the column and of the annotation that holds the number.
 *
 * @param name the collection
 * @returns `tags@odata.count`
 */
export function memberCountName(name: string): string {
  return `${name}@odata.count`;
}
