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

/**
 * A number of rows as JSON text (JSON Format 4.5.5).
 *
 * @param count the number
 * @param format whether it is text, as other numbers that JavaScript may round
 */
export function writeCount(count: number, { countText }: { readonly countText?: boolean }): string {
  return countText ? `"${count}"` : String(count);
}
