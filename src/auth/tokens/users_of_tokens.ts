/**
 * Users of tokens that come again and again.
 *
 * @module
 */

import { User, type UserProperties } from "../../context/user.ts";
import { deepFreeze } from "../../util/deep_freeze.ts";
import type { ParsedToken } from "./token.ts";
import type { TokenUser } from "./token_kind.ts";

/** What a token says about its user: the same at every request. */
export interface UserBasis {
  /** What the user is made from; it is frozen, only the user itself may be changed by handlers. */
  readonly properties: UserProperties;
  /** Tenant of the request; undefined outside multitenant operation. */
  readonly tenant?: string;
}

/**
 * Reads each token once, as long as it is kept, and makes a new user at every call.
 *
 * @param read reads the claims of a verified token
 */
export function usersOfTokens(read: (token: ParsedToken) => UserBasis): (token: ParsedToken) => TokenUser {
  const known = new WeakMap<ParsedToken, UserBasis>();
  return (token) => {
    let basis = known.get(token);
    if (!basis) {
      basis = deepFreeze(read(token));
      known.set(token, basis);
    }
    return { user: new User(basis.properties), tenant: basis.tenant };
  };
}
