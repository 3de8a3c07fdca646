/**
 * SQL text that handlers write.
 *
 * @module
 */

/** Literals, quoted names and comments: the source of a regular expression. */
export const ASIDE: string = String.raw`'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[^]*?\*\/`;

const ASIDES = new RegExp(ASIDE, "g");
const GIVES_ROWS = /^\s*(?:select|with|values|explain|show|pragma)\b/i;
/** `WITH … DELETE`, `SELECT … INTO`, `SELECT … FOR UPDATE`; the words are names nowhere unless they are quoted. */
const WRITES = /\b(?:insert|update|delete|into|for\s+(?:key\s+)?share)\b/i;

/**
 * Whether a text is that of a query.
 *
 * @param text SQL
 */
export function givesRows(text: string): boolean {
  return GIVES_ROWS.test(text);
}

/**
 * Whether a text is that of a query that neither changes nor locks rows.
 *
 * @param text SQL
 */
export function onlyReads(text: string): boolean {
  return givesRows(text) && !WRITES.test(text.replace(ASIDES, " "));
}
