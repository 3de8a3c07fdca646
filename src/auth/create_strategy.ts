/**
 * Selecting the authentication strategy (spec 5.1, auth 1).
 *
 * @module
 */

import type { Limits } from "../config/limits.ts";
import { User } from "../context/user.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { nearestName } from "../util/nearest_name.ts";
import { createBasicStrategy } from "./basic_strategy.ts";
import { createCustomStrategy } from "./custom_strategy.ts";
import { type AuthenticationStrategy, IDENTITY_KINDS } from "./strategy.ts";
import type { UsersEnvironment } from "../config/predefined_users.ts";
import type { SendRequest } from "./token_client/token_credentials.ts";

/** What the selection depends on. */
export interface StrategyOptions {
  /** Effective configuration: `requires.auth`, `security`. */
  readonly env: UsersEnvironment;
  readonly production: boolean;
  /** Strategies of the application by kind. */
  readonly strategies?: Readonly<
    Record<string, () => AuthenticationStrategy | Promise<AuthenticationStrategy>>
  >;
  /** Imports a module of the project by path. */
  readonly importModule?: (path: string) => Promise<unknown>;
  /** Logs the record of each resolved user. */
  readonly trace?: (record: unknown) => void;
  readonly warn: (text: string) => void;
  /** Sends requests to identity services; default: `fetch`. */
  readonly fetch?: SendRequest;
  /** Bounds in effect; default: those of `config/limits.ts`. */
  readonly limits?: Limits;
}

const MOCKED_IN_PRODUCTION =
  'Mock users log in in production, those without a password by their names: "fw.requires.auth.kind" is "mocked"';

const KINDS = ["mocked", "basic", "dummy", "custom", ...Object.keys(IDENTITY_KINDS)];

/** `requires.auth`. */
interface Authentication extends Readonly<Record<string, unknown>> {
  readonly kind?: string | readonly string[];
  readonly impl?: unknown;
}

/**
 * Creates the configured strategy. Nothing ever falls back to no authentication.
 *
 * @throws ConfigurationError in production without a kind, for `dummy` in production, for an unknown kind, or for an
 *   implementation that cannot be loaded
 */
export async function createStrategy(options: StrategyOptions): Promise<AuthenticationStrategy> {
  const auth = (options.env.requires?.auth ?? {}) as Authentication;
  if (auth.impl !== undefined) return await customStrategy(auth, options);
  if (auth.kind === undefined) {
    throw new ConfigurationError(
      `"fw.requires.auth.kind" is missing: in production it must be set, or an identity service be bound`,
    );
  }
  const names = [auth.kind].flat();
  const kind = names.join(" and ");
  const own = options.strategies?.[kind];
  if (own) return await own();
  if (kind === "mocked" || kind === "basic") {
    if (kind === "mocked" && options.production) options.warn(MOCKED_IN_PRODUCTION);
    return createBasicStrategy({ ...options, kind });
  }
  if (kind === "dummy") return dummyStrategy(options.production);
  if (names.length > 0 && names.every((name) => Object.hasOwn(IDENTITY_KINDS, name))) {
    // nothing of it is loaded where nobody sends tokens
    const { createConfiguredTokenStrategy } = await import("./tokens/configured_tokens.ts");
    return await createConfiguredTokenStrategy(names, options);
  }
  const nearest = nearestName(kind, KINDS);
  const hint = nearest ? `; did you mean "${nearest}"?` : "";
  throw new ConfigurationError(
    `"fw.requires.auth.kind" must be one of ${KINDS.join(", ")}, but is "${kind}"${hint}`,
  );
}

async function customStrategy(
  auth: Authentication,
  options: StrategyOptions,
): Promise<AuthenticationStrategy> {
  const implementations = await Promise.all(
    [auth.impl].flat().map(async (one) => {
      if (typeof one !== "string") return one;
      if (!options.importModule) {
        throw new ConfigurationError(
          `"fw.requires.auth.impl" names the file ${one}, but no files can be loaded here`,
        );
      }
      try {
        return await options.importModule(one);
      } catch (cause) {
        throw new ConfigurationError(`"fw.requires.auth.impl" names ${one}, which cannot be loaded`, {}, {
          cause,
        });
      }
    }),
  );
  return await createCustomStrategy({ implementations, options: auth, warn: options.warn });
}

/** Every request is a privileged user; for tests, never in production. */
function dummyStrategy(production: boolean): AuthenticationStrategy {
  if (production) throw new ConfigurationError(`"fw.requires.auth.kind" may not be "dummy" in production`);
  const user = new User.Privileged();
  return { kind: "dummy", entersContext: true, authenticate: () => ({ user }) };
}
