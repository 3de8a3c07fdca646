/**
 * How errors and messages get their texts.
 *
 * @module
 */

/** Texts by key, locale and arguments; `undefined` when no bundle has the key. */
export type TextLookup = (key: string, locale?: string, args?: readonly unknown[]) => string | undefined;

/** Where the texts of an error or message come from. */
export interface TextOptions {
  /** Texts by key; without it keys are not looked up. */
  readonly texts?: TextLookup;
  /** Locale of the caller. */
  readonly locale?: string;
}
