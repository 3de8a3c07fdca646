/**
 * Version of this package.
 *
 * @module
 */

/** The version in `deno.json`. */
export const VERSION = "0.1.0";
