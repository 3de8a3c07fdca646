/**
 * Which endpoints of services somebody without login may reach (auth 2, spec 5.2.6 to 5.2.10).
 *
 * @module
 */

import { ConfigurationError } from "../../errors/configuration_error.ts";
import type { LinkedService } from "../../model/linked.ts";
import { hasOwnRestriction } from "./restrictions.ts";

/** What the rules depend on. */
export interface AuthenticationSettings {
  /** Nobody gets 401 (mode `never`, or a strategy that does nothing). */
  readonly neverRefuses: boolean;
  /** Services that carry no restriction themselves need authentication. */
  readonly restrictsAll: boolean;
  /** `$metadata` of every service is public. */
  readonly publicMetadata: boolean;
}

interface Environment {
  readonly requires?: {
    readonly auth?: { readonly kind?: unknown; readonly restrict_all_services?: boolean };
  };
  readonly security?: {
    readonly authentication?: { readonly mode?: string; readonly authenticateMetadataEndpoints?: boolean };
  };
}

/** What the settings are taken from; a runtime fits. */
export interface AuthenticationHost {
  /** Configuration below `fw`. */
  readonly env: Readonly<Record<string, unknown>>;
  readonly production: boolean;
  /** Whether the strategy in effect does nothing. */
  readonly isAuthenticationOff?: boolean;
}

const SETTINGS: WeakMap<object, AuthenticationSettings> = new WeakMap();

/**
 * The settings that a configuration stands for.
 *
 * @param host configuration, profile and strategy
 * @throws ConfigurationError when the mode contradicts `restrict_all_services`
 */
export function authenticationSettings(host: AuthenticationHost): AuthenticationSettings {
  let settings = SETTINGS.get(host);
  if (settings === undefined) SETTINGS.set(host, settings = readSettings(host));
  return settings;
}

function readSettings(host: AuthenticationHost): AuthenticationSettings {
  const { production } = host;
  const env: Environment = host.env;
  const { mode, authenticateMetadataEndpoints } = env.security?.authentication ?? {};
  const { kind, restrict_all_services: configured } = env.requires?.auth ?? {};
  const byMode = mode === undefined ? undefined : mode === "standard";
  if (byMode !== undefined && configured !== undefined && byMode !== configured) {
    throw new ConfigurationError(
      `"fw.security.authentication.mode" is "${mode}", which contradicts "fw.requires.auth.restrict_all_services"`,
    );
  }
  // Explicitly configured mocked authentication in production opens services without restriction (spec 5.2.10).
  const byProfile = production && kind !== "mocked";
  return {
    neverRefuses: mode === "never" || host.isAuthenticationOff === true,
    restrictsAll: configured ?? byMode ?? byProfile,
    publicMetadata: authenticateMetadataEndpoints === false,
  };
}

/**
 * Whether what carries no restriction itself needs authentication in a service: in a restricted one always, as
 * spec 5.2.7 says, in others as configured.
 *
 * @param service the service
 * @param settings the settings in effect
 */
export function needsAuthentication(
  service: LinkedService | undefined,
  settings: AuthenticationSettings,
): boolean {
  if (settings.neverRefuses) return false;
  return (service !== undefined && hasOwnRestriction(service)) || settings.restrictsAll;
}
