import type { EventContext } from "../context/event_context.ts";
import type { User } from "../context/user.ts";
import type { MaybePromise } from "../util/maybe_promise.ts";

/** What a strategy finds out about a request. */
export type AuthenticationResult =
  /** Valid credentials. */
  | { readonly user: User; readonly tenant?: string }
  /** No credentials this strategy knows. */
  | { readonly anonymous: true }
  /** Credentials of this strategy that are refused: 401 also at public endpoints. `reason` is for the log only. */
  | { readonly refused: true; readonly challenge: string; readonly reason: string }
  /** A custom strategy answered by itself. */
  | { readonly response: Response };

/** What is known of the client behind a request beside the request itself. */
export interface ForwardedClient {
  /** Text of the header with the client certificate, from a trusted proxy only; the request has it no more. */
  readonly certificate?: string;
  /** Host at which the client reached the application: forwarded by a trusted proxy, or of the request. */
  readonly host: string;
}

/** Finds out who is calling. */
export interface AuthenticationStrategy {
  /** Kind of the definition. */
  readonly kind: string;
  /** Value of `WWW-Authenticate` in a 401 for a request without credentials; without, it needs none. */
  readonly challenge?: string;
  /** Whether it does nothing, which switches authentication off: nobody gets 401 (spec 5.5.1). */
  readonly isEmpty?: boolean;
  /**
   * Whether it enters the context by itself (`runWithContext`) where something may ask for the current one later;
   * otherwise all it does runs in the context.
   */
  readonly entersContext?: true;
  /**
   * Looks at the credentials of a request.
   *
   * @param request the request, not to be consumed
   * @param context its context, without user yet
   * @param client what else is known of the client
   * @throws ServiceError 503 when the source of keys cannot be reached
   */
  authenticate(
    request: Request,
    context: EventContext,
    client?: ForwardedClient,
  ): MaybePromise<AuthenticationResult>;
}

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

/** Decides about paths outside the model's services. */
export interface EndpointPolicy {
  /** Nobody gets 401: mode `never`, or a strategy that does nothing. */
  readonly neverRefuses: boolean;
  /** Whether a path is served without authentication and CSRF check. */
  isPublic(pathname: string): boolean;
}

/** The first page and the files of the console, all of which are only read. */
const FIRST_PAGE = /^\/(?:index\.html|-\/console\/.*)?$/;

/** The configuration that matters here. */
interface PolicyEnvironment {
  readonly production?: boolean;
  readonly requires?: { readonly auth?: { readonly public?: readonly string[] } };
  readonly security?: { readonly authentication?: { readonly mode?: string } };
}

/**
 * Creates the policy.
 *
 * @param env configuration: `requires.auth.public` (exact paths, or prefixes that end in a slash and two asterisks), the mode, the profile
 * @param strategy the strategy in effect
 */
export function createEndpointPolicy(
  env: Readonly<Record<string, unknown>>,
  strategy?: { readonly isEmpty?: boolean },
): EndpointPolicy {
  const { production, requires, security } = env as PolicyEnvironment;
  const patterns = requires?.auth?.public ?? [];
  const prefixes = patterns.filter((path) => path.endsWith("/**")).map((path) => path.slice(0, -2));
  const exact = new Set(patterns.filter((path) => !path.endsWith("/**")));
  return {
    neverRefuses: security?.authentication?.mode === "never" || strategy?.isEmpty === true,
    isPublic: (pathname) =>
      (!production && FIRST_PAGE.test(pathname)) || exact.has(pathname) ||
      prefixes.some((prefix) => pathname.startsWith(prefix)),
  };
}

/** Who issues tokens: the two identity services, and any provider of OpenID Connect. */
export type IdentityKind = "oidc" | "oauth2" | "openid";

/** The identity services that an application is bound to. */
export type BoundKind = Exclude<IdentityKind, "openid">;

/** Kinds by the names that the configuration may give them. */
export const IDENTITY_KINDS: Readonly<Record<string, IdentityKind>> = {
  oidc: "oidc",
  ias: "oidc",
  oauth2: "oauth2",
  xsuaa: "oauth2",
  jwt: "oauth2",
  openid: "openid",
};
