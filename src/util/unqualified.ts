/**
 * Names without their namespaces.
 *
 * @module
 */

/**
 * The part of a name behind its last dot.
 *
 * @param name a name in full: `sap.common.Countries`
 * @returns `Countries`; the name itself where there is no dot in it
 */
export function unqualified(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1);
}
