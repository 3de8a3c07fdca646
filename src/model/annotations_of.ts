/**
 * The annotations of an object of the model.
 *
 * @module
 */

/**
 * All properties that start with `@`.
 *
 * @param annotated a definition, element or extension
 * @returns names and values in order
 */
export function annotationsOf(annotated: object): [`@${string}`, unknown][] {
  return Object.entries(annotated).filter(([key]) => key.startsWith("@")) as [`@${string}`, unknown][];
}
