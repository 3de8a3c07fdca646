/**
 * `.env` files.
 *
 * @module
 */

/** Reads lines `NAME=value`, with optional `export`, quotes and `#` comments; other lines are ignored. */
export function parseDotenv(text: string): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const line of text.split(/\r?\n/)) {
    const match = /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*=\s*(.*?)\s*$/.exec(line);
    if (!match) continue;
    const quoted = /^(["'])(.*?)\1\s*(?:#.*)?$/.exec(match[2]);
    variables[match[1]] = quoted ? quoted[2] : match[2].replace(/\s+#.*$/, "");
  }
  return variables;
}
