/**
 * Credentials that `fw token` works with: a service key file, or what a project is bound to.
 *
 * @module
 */

import type { IdentityKind } from "../auth/token_client/token_credentials.ts";
import type { Environment } from "../config/environment.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { readTextIfExists } from "../deno/read_text_if_exists.ts";

/** Kinds of `requires.auth` whose credentials are those of an identity service. */
const KINDS: Readonly<Record<string, IdentityKind>> = {
  oidc: "oidc",
  ias: "oidc",
  oauth2: "oauth2",
  xsuaa: "oauth2",
  jwt: "oauth2",
};

/**
 * The content of a service key file. Lines before the object, as the platform's command line prints them, are skipped.
 *
 * @param file its path
 * @throws ConfigurationError when there is no such file, or no JSON object in it
 */
export function readServiceKey(file: string): unknown {
  const text = readTextIfExists(file);
  if (text === undefined) throw new ConfigurationError("No such file", { file });
  try {
    return JSON.parse(text.slice(Math.max(text.indexOf("{"), 0)));
  } catch {
    // The reason would show parts of the text.
    throw new ConfigurationError("Not valid JSON", { file });
  }
}

/**
 * The credentials of the identity service that a project is bound to.
 *
 * @param env its configuration
 * @param kind which one, where there are two
 * @throws ConfigurationError when there is none, or two and no choice
 */
export function identityCredentials(
  env: Environment,
  kind?: IdentityKind,
): { readonly credentials: unknown; readonly kind: IdentityKind } {
  const { kind: configured, credentials } = env.requires.auth ?? {};
  const found = [configured ?? []].flat().flatMap((name) => Object.hasOwn(KINDS, name) ? KINDS[name] : []);
  if (credentials === undefined || found.length === 0) {
    throw new ConfigurationError("The project is bound to no identity service: name a service key file");
  }
  if (kind === undefined && found.length > 1) {
    throw new ConfigurationError("The project is bound to two identity services: choose by --kind");
  }
  const chosen = kind ?? found[0];
  if (!found.includes(chosen)) {
    throw new ConfigurationError(`The project is bound to no service of kind ${chosen}`);
  }
  return { credentials: found.length > 1 ? credentials[chosen] : credentials, kind: chosen };
}
