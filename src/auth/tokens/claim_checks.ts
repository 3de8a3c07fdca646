/**
 * Checks of claims that all identity services have in common (auth 5 "types", "time").
 *
 * @module
 */

import type { Claims } from "./token.ts";
import { TokenRefused } from "./token_refused.ts";

/** Seconds that clocks may differ. */
const TOLERANCE_S = 60;

/**
 * Checks the types of the registered claims.
 *
 * @param claims claims of a token
 * @throws TokenRefused for a missing or empty `sub`, a missing `exp`, or a claim of a wrong type
 */
export function assertClaimTypes({ sub, aud, scope, exp, nbf, iat, azp }: Claims): void {
  if (typeof sub !== "string" || sub === "") throw new TokenRefused(`"sub" must be a text that is not empty`);
  if (!isTextOrTexts(aud)) throw new TokenRefused(`"aud" must be a text or a list of texts`);
  if (!isTextOrTexts(scope)) throw new TokenRefused(`"scope" must be a text or a list of texts`);
  if (azp !== undefined && typeof azp !== "string") throw new TokenRefused(`"azp" must be a text`);
  if (typeof exp !== "number") throw new TokenRefused(`"exp" must be a number`);
  for (const time of [nbf, iat]) {
    if (time !== undefined && typeof time !== "number") {
      throw new TokenRefused(`"nbf" and "iat" must be numbers`);
    }
  }
}

/**
 * Checks that a token is valid now.
 *
 * @param claims claims whose types are checked
 * @param now milliseconds since the epoch
 * @throws TokenRefused when it has expired (`exp`), or begins in the future (`nbf`, without it `iat`)
 */
export function assertTime({ exp, nbf, iat }: Claims, now: number): void {
  const seconds = now / 1000;
  if ((exp as number) + TOLERANCE_S <= seconds) throw new TokenRefused("expired");
  const start = (nbf ?? iat) as number | undefined;
  if (start !== undefined && start - TOLERANCE_S > seconds) throw new TokenRefused("not valid yet");
}

/**
 * The entries of a claim that is a text or a list of texts.
 *
 * @param claim a checked claim
 * @param separator splits a text, for `scope`
 */
export function textsOf(claim: unknown, separator?: string): readonly string[] {
  if (typeof claim !== "string") return (claim ?? []) as readonly string[];
  return separator === undefined ? [claim] : claim.split(separator).filter((entry) => entry !== "");
}

function isTextOrTexts(claim: unknown): boolean {
  return claim === undefined || typeof claim === "string" ||
    (Array.isArray(claim) && claim.every((entry) => typeof entry === "string"));
}
