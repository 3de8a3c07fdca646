/**
 * Which endpoints beside the services an anonymous request may reach (auth 2, design 15 rows 3, 4, 18).
 *
 * @module
 */

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
