/**
 * Paths and queries for people.
 *
 * @module
 */

/**
 * A path with its query as a log shows it: the query is unescaped, the path stays as it was sent, and nothing ends the
 * line.
 *
 * @param target path and query of a request
 */
export function readableTarget(target: string): string {
  return unescapedQuery(target).replace(/\p{Cc}/gu, " ");
}

function unescapedQuery(target: string): string {
  const at = target.indexOf("?");
  if (at < 0) return target;
  try {
    return target.slice(0, at) + decodeURIComponent(target.slice(at));
  } catch {
    return target;
  }
}
