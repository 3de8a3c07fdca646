/**
 * The strategies `mocked` and `basic`: HTTP Basic against configured users (auth 1, 3).
 *
 * @module
 */

import type { UsersEnvironment } from "../config/predefined_users.ts";
import { DEFAULT_LIMITS } from "../config/limits.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { basicUsers, type MockUser, mockUsers, OTHERS, otherUsers, toUser } from "./mock_users.ts";
import type { AuthenticationResult, AuthenticationStrategy } from "./strategy.ts";
import { BoundedCache } from "../util/bounded_cache.ts";
import { sha256 } from "@oslojs/crypto/sha2";
import { constantTimeEqual } from "@oslojs/crypto/subtle";

const CHALLENGE = 'Basic realm="Users", charset="UTF-8"';

/** What the strategy depends on. */
export interface BasicStrategyOptions {
  readonly kind: "mocked" | "basic";
  readonly env: UsersEnvironment;
  /** A foreign scheme is refused in production and counts as anonymous elsewhere. */
  readonly production: boolean;
  /** Logs the record of the resolved user (spec 2.5, rule 3). */
  readonly trace?: (record: unknown) => void;
  /** Bounds in effect; default: those of `config/limits.ts`. */
  readonly limits?: { readonly verifiedLogins: number };
  /** Takes the warning about empty passwords. */
  readonly warn?: (text: string) => void;
  /** Compares passwords; default: in a time that tells nothing about them. */
  readonly compare?: (expected: string, given: string) => boolean;
}

/**
 * Creates the strategy; `basic` knows the users of `requires.auth.users` only.
 *
 * @throws ConfigurationError in production for users of kind `basic` without password
 */
export function createBasicStrategy(options: BasicStrategyOptions): AuthenticationStrategy {
  const { env, kind, production } = options;
  const mocked = kind === "mocked";
  const users = mocked ? mockUsers(env) : basicUsers(env);
  if (production && !mocked) assertPasswords(users, options.warn);
  const { verifiedLogins } = options.limits ?? DEFAULT_LIMITS;
  const known = {
    ...options,
    users,
    others: mocked ? otherUsers(env) : undefined,
    logins: new BoundedCache<string, MockUser>(verifiedLogins),
  };
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
  /**
   * Users by the header that they logged in with. Only logins with the right password are kept, so that whoever hits the
   * cache knows it already; why a header may be a key as it is says `VerifiedTokens`. Users do not change meanwhile.
   */
  readonly logins: BoundedCache<string, MockUser>;
}

function authenticate(request: Request, known: Known): AuthenticationResult {
  const header = request.headers.get("authorization");
  const verified = header === null ? undefined : known.logins.get(header);
  if (verified) return accept(verified, known);
  const credentials = parseBasicCredentials(header);
  if (credentials === undefined) {
    return header !== null && known.production ? refused("foreign scheme") : { anonymous: true };
  }
  if (credentials === "malformed") return refused("malformed Basic credentials");
  const { name } = credentials;
  if (name === OTHERS) return refused(`nobody is called "${OTHERS}"`);
  const found = known.users.get(name) ?? (known.others && { ...known.others, name });
  // The comparison takes place for unknown names too, so that they cost the same.
  const { compare = sameText } = known;
  const matches = compare(found?.password ?? "", credentials.password);
  if (!found) return refused(`unknown user "${name}"`);
  if (found.password !== undefined) {
    if (!matches) return refused(`wrong password of "${name}"`);
    known.logins.set(header!, found);
  }
  return accept(found, known);
}

/** A new user at every request, since handlers may change it. */
function accept(found: MockUser, { env, trace }: Known): AuthenticationResult {
  const user = toUser(found, env);
  trace?.({
    id: user.id,
    name: found.name,
    roles: user.roles,
    attr: user.attr,
    features: [...user.features],
  });
  return { user, tenant: user.tenant };
}

function refused(reason: string): AuthenticationResult {
  return { refused: true, challenge: CHALLENGE, reason };
}

/** Without a password the name alone logs in, with an empty one nearly so. */
function assertPasswords(users: ReadonlyMap<string, MockUser>, warn?: (text: string) => void): void {
  const namesWith = (password: string | undefined) =>
    [...users.values()].filter((user) => user.password === password).map(({ name }) => name).join(", ");
  const open = namesWith(undefined);
  if (open !== "") {
    throw new ConfigurationError(
      `"fw.requires.auth.users" has users without password: ${open}; ` +
        'kind "basic" needs one for each in production, as "password" of the user',
    );
  }
  const empty = namesWith("");
  if (empty !== "") warn?.(`Users with an empty password log in in production by their names: ${empty}`);
}

/** Name and password. */
interface BasicCredentials {
  readonly name: string;
  readonly password: string;
}

const MAX_LENGTH = 4096;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Reads the value of an `Authorization` header, strictly: base64, UTF-8, no control characters, a name.
 *
 * @returns `undefined` for another scheme or no header, `"malformed"` for a value that breaks a rule
 */
export function parseBasicCredentials(header: string | null): BasicCredentials | "malformed" | undefined {
  if (header === null) return undefined;
  const match = /^basic(?:\s+(.*))?$/i.exec(header.trim());
  if (!match) return undefined;
  const encoded = match[1]?.trim() ?? "";
  if (encoded === "" || encoded.length > MAX_LENGTH || !BASE64.test(encoded)) return "malformed";
  try {
    const bytes = Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0));
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const colon = text.indexOf(":");
    if (colon < 1 || /\p{Cc}/u.test(text)) return "malformed";
    return { name: text.slice(0, colon), password: text.slice(colon + 1) };
  } catch {
    return "malformed";
  }
}

/** Whether two texts are equal, in a time that tells nothing about where they differ: their SHA-256 are compared. */
export function sameText(a: string, b: string): boolean {
  const encoder = new TextEncoder();
  return constantTimeEqual(sha256(encoder.encode(a)), sha256(encoder.encode(b)));
}
