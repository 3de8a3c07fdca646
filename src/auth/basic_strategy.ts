/**
 * The strategies `mocked` and `basic`: HTTP Basic against configured users (auth 1, 3).
 *
 * @module
 */

import { sameText } from "../util/same_text.ts";
import { parseBasicCredentials } from "./basic_credentials.ts";
import { type MockUser, type MockUserEnvironment, mockUsers, otherUsers, toUser } from "./mock_users.ts";
import type { AuthenticationResult, AuthenticationStrategy } from "./strategy.ts";

const CHALLENGE = 'Basic realm="Users", charset="UTF-8"';

/** What the strategy depends on. */
export interface BasicStrategyOptions {
  readonly kind: "mocked" | "basic";
  readonly env: MockUserEnvironment;
  /** A foreign scheme is refused in production and counts as anonymous elsewhere. */
  readonly production: boolean;
  /** Logs the record of the resolved user (spec 2.5, rule 3). */
  readonly trace?: (record: unknown) => void;
  /** Compares passwords; default: in a time that tells nothing about them. */
  readonly compare?: (expected: string, given: string) => boolean;
}

/** Creates the strategy; `basic` knows configured users only. */
export function createBasicStrategy(options: BasicStrategyOptions): AuthenticationStrategy {
  const { env, kind } = options;
  const mocked = kind === "mocked";
  const users = mockUsers(mocked ? env : withoutPredefined(env));
  const known = { ...options, users, others: mocked ? otherUsers(env) : undefined };
  return {
    kind,
    challenge: CHALLENGE,
    entersContext: true,
    authenticate: (request) => authenticate(request, known),
  };
}

interface Known extends BasicStrategyOptions {
  readonly users: ReadonlyMap<string, MockUser>;
  /** What every other name stands for; undefined if none is admitted. */
  readonly others: MockUser | undefined;
}

function authenticate(request: Request, known: Known): AuthenticationResult {
  const header = request.headers.get("authorization");
  const credentials = parseBasicCredentials(header);
  if (credentials === undefined) {
    return header !== null && known.production ? refused("foreign scheme") : { anonymous: true };
  }
  if (credentials === "malformed") return refused("malformed Basic credentials");
  const { name } = credentials;
  const found = known.users.get(name) ?? (known.others && { ...known.others, name });
  // The comparison takes place for unknown names too, so that they cost the same.
  const { compare = sameText } = known;
  const matches = compare(found?.password ?? "", credentials.password);
  if (!found) return refused(`unknown user "${name}"`);
  if (found.password !== undefined && !matches) return refused(`wrong password of "${name}"`);
  const user = toUser(found, known.env);
  known.trace?.({
    id: user.id,
    name,
    roles: user.roles,
    attr: user.attr,
    features: [...user.features],
  });
  return { user, tenant: user.tenant };
}

function refused(reason: string): AuthenticationResult {
  return { refused: true, challenge: CHALLENGE, reason };
}

function withoutPredefined(env: MockUserEnvironment): MockUserEnvironment {
  const security = (env.security ?? {}) as { mock?: Record<string, unknown> };
  return { ...env, security: { ...security, mock: { ...security.mock, defaultUsers: false } } };
}
