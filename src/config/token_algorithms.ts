/**
 * Algorithms of signed tokens (RFC 7518, 3.1; RFC 8037).
 *
 * @module
 */

/** Those with a public key: never `none`, and none with a key that both sides hold. */
export const TOKEN_ALGORITHMS = [
  ...["RS256", "RS384", "RS512"] as const,
  ...["PS256", "PS384", "PS512"] as const,
  ...["ES256", "ES384", "ES512"] as const,
  "EdDSA",
] as const;

/** One of them. */
export type TokenAlgorithm = typeof TOKEN_ALGORITHMS[number];
