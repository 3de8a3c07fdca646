/**
 * The name of the table or view of an entity: its full name with `.` replaced by `_`.
 *
 * @param entity the entity, or its full name
 */
export function sqlName(entity: { readonly name: string } | string): string {
  return (typeof entity === "string" ? entity : entity.name).replaceAll(".", "_");
}

/** Literals, quoted names and comments: the source of a regular expression. */
export const ASIDE: string = String.raw`'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[^]*?\*\/`;

const ASIDES = new RegExp(ASIDE, "g");
const GIVES_ROWS = /^\s*(?:select|with|values|explain|show|pragma)\b/i;
/** `WITH … DELETE`, `SELECT … INTO`, `SELECT … FOR UPDATE`; the words are names nowhere unless they are quoted. */
const WRITES = /\b(?:insert|update|delete|into|for\s+(?:key\s+)?share)\b/i;

/** What stands in front of a parenthesis: words of SQL, and functions and types that change nothing. */
const HARMLESS: ReadonlySet<string> = new Set(
  ("all and any array as avg between by cast ceil char coalesce concat count current_date current_schema " +
    "current_setting current_timestamp date date_part date_trunc decimal else except exists extract filter floor " +
    "from generate_series group having in intersect interval is join json_agg jsonb_agg lateral left length like " +
    "limit lower max min not now nullif numeric offset on or order over partition pg_backend_pid pg_sleep position rank replace right " +
    "round row row_number select some string_agg substring sum then time timestamp to_char to_json trim union " +
    "upper using values varchar version when where")
    .split(" "),
);
const NAME = '""';
const CALLS = /([\w$]+|"")\s*\(/g;

/**
 * Whether a query calls functions that may write, as far as the text tells: all but well-known ones.
 *
 * @param text SQL
 */
export function callsFunctions(text: string): boolean {
  const calls = text.replace(ASIDES, (aside) => aside.startsWith('"') ? NAME : " ").matchAll(CALLS);
  return [...calls].some(([, name]) => !HARMLESS.has(name.toLowerCase()));
}

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

/** Literals, quoted names and comments, which stay as they are; or a placeholder. */
const PARTS = new RegExp(String.raw`${ASIDE}|\?`, "g");

/**
 * Replaces `?` by `$1`, `$2`, …
 *
 * @param text SQL
 */
export function numberedPlaceholders(text: string): string {
  let count = 0;
  return text.replace(PARTS, (part) => part === "?" ? `$${++count}` : part);
}
