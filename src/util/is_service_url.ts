/**
 * URLs that secrets and keys may travel to.
 *
 * @module
 */

/**
 * Whether a text is an https URL, or an http URL of this machine, without user, query and fragment.
 *
 * @param text the text
 */
export function isServiceUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || url.username || url.password || /[?#]/.test(text)) return false;
  return url.protocol === "https:" || isLocalUrl(url);
}

/**
 * Whether a URL is an http URL of this machine: what goes there leaves it on no network.
 *
 * @param url the URL
 */
export function isLocalUrl({ protocol, hostname }: URL): boolean {
  return protocol === "http:" &&
    (hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname));
}
