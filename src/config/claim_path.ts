/**
 * Paths to claims of tokens.
 *
 * @module
 */

/** Steps at the longest. */
const MAX_STEPS = 16;
/** A name up to the next point or bracket, or one in quotes and brackets; a quote in it is doubled. */
const STEP = /\.?([^.[\]"'\s]+)|\["((?:[^"]|"")+)"\]|\['((?:[^']|'')+)'\]/y;

/**
 * Reads a path: names with points between them, `realm_access.roles`. A name with points or other signs stands in quotes
 * and brackets, `resource_access["shop.api"].roles`; a URL (`https://example.com/roles`) and a URN are one name.
 *
 * @param text the path
 * @returns the names, or undefined if it is no path
 */
export function parseClaimPath(text: string): readonly string[] | undefined {
  if (/^(?:[a-z][a-z\d+.-]*:\/\/|urn:)[^\s"']+$/i.test(text)) return [text];
  const names: string[] = [];
  STEP.lastIndex = 0;
  for (let at = 0; at < text.length; at = STEP.lastIndex) {
    const match = STEP.exec(text);
    if (!match || names.length === MAX_STEPS) return undefined;
    // only names behind others have a point in front of them
    if (match[1] !== undefined && match[0].startsWith(".") === (names.length === 0)) return undefined;
    names.push(match[1] ?? match[2]?.replaceAll('""', '"') ?? match[3]!.replaceAll("''", "'"));
  }
  return names.length === 0 ? undefined : names;
}
