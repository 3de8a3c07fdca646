/**
 * Strategies around others.
 *
 * @module
 */

import type { AuthenticationStrategy } from "./strategy.ts";

/**
 * A strategy that is another one but for how it looks at requests.
 *
 * @param strategy the other one; what it says of itself may change
 * @param authenticate looks at the credentials of a request
 */
export function decoratedStrategy(
  strategy: AuthenticationStrategy,
  authenticate: AuthenticationStrategy["authenticate"],
): AuthenticationStrategy {
  return {
    get kind() {
      return strategy.kind;
    },
    get challenge() {
      return strategy.challenge;
    },
    isEmpty: strategy.isEmpty,
    entersContext: strategy.entersContext,
    authenticate,
  };
}
