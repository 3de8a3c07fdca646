/**
 * Members of JSON that stands in texts.
 *
 * @module
 */

/** A name of a member; in JSON that is text in JSON its quotes are escaped. */
const MEMBER = /(\\*)"([\w.-]{1,100})\1"\s*:\s*/g;
const SCALAR = /[^\s,}\]]*/y;

/**
 * Masks the values of members by their names, wherever JSON stands in a text: whole, cut, or as text in other JSON.
 *
 * @param text any text
 * @param isSecret tells which names
 */
export function maskJsonMembers(text: string, isSecret: (name: string) => boolean): string {
  if (!text.includes('"')) return text;
  let result = "";
  let done = 0;
  MEMBER.lastIndex = 0;
  for (let match = MEMBER.exec(text); match !== null; match = MEMBER.exec(text)) {
    const [, escapes, name] = match;
    if (!isSecret(name)) continue;
    const start = MEMBER.lastIndex;
    const end = endOfValue(text, start, escapes.length);
    result += `${text.slice(done, start)}${escapes}"***${escapes}"`;
    done = end;
    MEMBER.lastIndex = end;
  }
  return done === 0 ? text : result + text.slice(done);
}

/** Where a value ends; what is cut ends with the text. */
function endOfValue(text: string, start: number, escapes: number): number {
  if (text.startsWith('"', start + escapes)) return endOfString(text, start + escapes + 1, escapes);
  if (text[start] !== "{" && text[start] !== "[") {
    SCALAR.lastIndex = start;
    return start + (SCALAR.exec(text)?.[0].length ?? 0);
  }
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (char === "{" || char === "[") depth++;
    else if ((char === "}" || char === "]") && --depth === 0) return at + 1;
    else if (char === '"') at = endOfString(text, at + 1, escapes) - 1;
  }
  return text.length;
}

/**
 * Where a string ends: JSON in JSON doubles all backslashes and adds one to each quote, so that the number of backslashes in
 * front of a quote tells its level.
 */
function endOfString(text: string, start: number, escapes: number): number {
  for (let at = text.indexOf('"', start); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (at - slashes > start && text[at - slashes - 1] === "\\") slashes++;
    if (slashes % (2 * (escapes + 1)) === escapes) return at + 1;
  }
  return text.length;
}
