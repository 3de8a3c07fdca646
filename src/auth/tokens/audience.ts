/**
 * Who a token is for, and who asked for it (auth 4 "client id", 5 "audience").
 *
 * @module
 */

import { textsOf } from "./claim_checks.ts";
import type { Claims } from "./token.ts";
import { TokenRefused } from "./token_refused.ts";

/**
 * Whether one of the audiences is this application. Audiences with a dot are cut at the first dot; an instance that
 * brokers clones (its id contains `!b`) accepts those of its clones, which end with `|<id>`.
 *
 * @param audiences audiences of a token
 * @param ids client id and, if there is one, `xsappname`
 */
export function isAudience(audiences: readonly string[], ids: readonly string[]): boolean {
  return audiences.some((audience) => {
    const at = audience.indexOf(".");
    const cut = at < 0 ? audience : audience.slice(0, at);
    return ids.some((id) => cut === id || (id.includes("!b") && cut.endsWith(`|${id}`)));
  });
}

/**
 * The client that a token was issued to: `azp`, without it the only entry of `aud`.
 *
 * @param claims claims whose types are checked
 * @throws TokenRefused when the token names none
 */
export function clientIdOf({ azp, aud }: Claims): string {
  if (typeof azp === "string" && azp !== "") return azp;
  const audiences = textsOf(aud);
  if (audiences.length === 1 && audiences[0] !== "") return audiences[0]!;
  throw new TokenRefused("the token does not say which client it was issued to");
}
