/**
 * The `Authorization` header with a token (RFC 6750, 2.1).
 *
 * @module
 */

import { TokenRefused } from "./token_refused.ts";

/**
 * Takes the token from the header. What the token looks like is not checked here; repeated headers arrive as one, with a
 * comma, which no token has.
 *
 * @param header value of the header
 * @param maxLength characters at most
 * @returns undefined without header, `"foreign"` for another scheme
 * @throws TokenRefused when the header is too long or holds no token
 */
export function bearerToken(
  header: string | null,
  maxLength: number,
): { readonly text: string } | "foreign" | undefined {
  if (header === null) return undefined;
  if (!/^bearer(?: |$)/i.test(header)) return "foreign";
  if (header.length > maxLength) throw new TokenRefused("the header is too long");
  const text = header.slice("bearer ".length).trim();
  if (text === "") throw new TokenRefused("no token");
  return { text };
}
