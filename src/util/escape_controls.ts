/**
 * Texts that a terminal or a reader of lines takes as they are.
 *
 * @module
 */

/** C0, DEL, C1 with NEL, line and paragraph separators, marks that change the direction of text. */
// deno-lint-ignore no-control-regex -- they are what is looked for
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * Writes control characters, and those that change the direction of text, as in JSON: `\n`, `\u001b`.
 *
 * @param text any text
 */
export function escapeControls(text: string): string {
  return text.replace(
    CONTROLS,
    (char) => SHORT[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
