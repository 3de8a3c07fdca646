/**
 * Bundle files in the properties format.
 *
 * @module
 */

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", f: "\f" };

/**
 * Keys and texts of a `.properties` file: `key = text`, `key: text` or `key text`; comments begin with `#` or `!`; a
 * backslash at the end of a line continues it; `\uXXXX`, `\n`, `\t` and `\\` are escapes.
 *
 * @param text content of the file
 */
export function parseProperties(text: string): Map<string, string> {
  const texts = new Map<string, string>();
  for (const line of logicalLines(text)) {
    const [, key, value] = /^((?:\\.|[^\\=:\s])*)\s*[=:]?\s*([^]*)$/.exec(line)!;
    texts.set(unescape(key), unescape(value));
  }
  return texts;
}

/** Lines without comments and leading white space; continued ones joined. */
function logicalLines(text: string): string[] {
  const lines: string[] = [];
  let open = "";
  for (const raw of text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/)) {
    const line = raw.trimStart();
    if (open === "" && (line === "" || /^[#!]/.test(line))) continue;
    const continued = /(?:^|[^\\])(?:\\\\)*\\$/.test(line);
    if (continued) {
      open += line.slice(0, -1);
      continue;
    }
    lines.push(open + line.trimEnd());
    open = "";
  }
  if (open !== "") lines.push(open);
  return lines;
}

function unescape(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_escape, code, char) => {
    return code === undefined ? ESCAPES[char] ?? char : String.fromCharCode(parseInt(code, 16));
  });
}
