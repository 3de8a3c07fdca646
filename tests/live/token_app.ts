/**
 * A strategy whose tokens end soon.
 *
 * @module
 */

import { User } from "../../mod.ts";
import type { Kinds } from "../../src/fw/kinds.ts";

/** Everybody is bob, for a moment. */
export const CustomTokens: Kinds["strategies"] = {
  "test-tokens": () => ({
    kind: "test-tokens",
    challenge: "Bearer",
    authenticate: () => ({
      user: new User({ id: "bob", authInfo: { exp: Date.now() / 1000 + 0.05 } }),
    }),
  }),
};
