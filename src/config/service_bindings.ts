/**
 * Configuration from service bindings: `VCAP_SERVICES` and folders below `SERVICE_BINDING_ROOT`.
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";
import { isPlainObject } from "../util/is_plain_object.ts";
import type { ConfigurationSource } from "./environment.ts";

/** A service instance bound to the application. */
export interface ServiceBinding {
  /** Name of the binding or instance. */
  readonly name: string;
  /** Service label or type: `identity`, `xsuaa`, `postgresql-db`, … */
  readonly label: string;
  readonly credentials: Readonly<Record<string, unknown>>;
}

/** Kinds that a label of a bound identity service selects (`auth` 1). */
const IDENTITY_KINDS: Readonly<Record<string, string>> = { identity: "oidc", xsuaa: "oauth2" };

/**
 * Reads `VCAP_SERVICES`.
 *
 * @throws ConfigurationError when it is not a JSON object of lists
 */
export function parseVcapServices(json: string): readonly ServiceBinding[] {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new ConfigurationError("VCAP_SERVICES is not valid JSON", {}, { cause });
  }
  if (!isPlainObject(value)) throw new ConfigurationError("VCAP_SERVICES must hold a JSON object");
  return Object.entries(value).flatMap(([label, entries]) =>
    (Array.isArray(entries) ? entries : []).filter(isPlainObject).map((entry) => ({
      name: String(entry.name ?? label),
      label,
      credentials: isPlainObject(entry.credentials) ? entry.credentials : {},
    }))
  );
}

/**
 * The source that bindings give: an identity service selects the kind of `requires.auth`, every other binding gives
 * its credentials to the required service of the same name.
 *
 * @param bindings the bindings
 * @param pinned `requires.auth.binding`: name of the binding of the OAuth 2.0 service that counts
 * @throws ConfigurationError for two bindings of one identity service, or when the pinned one is not there
 */
export function bindingsToSource(
  bindings: readonly ServiceBinding[],
  pinned?: string,
): ConfigurationSource | undefined {
  if (bindings.length === 0) return undefined;
  const requires: Record<string, unknown> = {};
  const identity = Object.keys(IDENTITY_KINDS).flatMap((label) => identityBinding(bindings, label, pinned));
  if (identity.length === 1) {
    requires.auth = { kind: IDENTITY_KINDS[identity[0]!.label], credentials: identity[0]!.credentials };
  } else if (identity.length > 1) {
    const credentials = Object.fromEntries(identity.map((b) => [IDENTITY_KINDS[b.label], b.credentials]));
    requires.auth = { kind: identity.map((b) => IDENTITY_KINDS[b.label]), credentials };
  }
  for (const binding of bindings) {
    if (!(binding.label in IDENTITY_KINDS)) requires[binding.name] = { credentials: binding.credentials };
  }
  return { name: "service bindings", value: { requires } };
}

/** At most one binding of an identity service counts (spec 8.1). */
function identityBinding(
  bindings: readonly ServiceBinding[],
  label: string,
  pinned: string | undefined,
): readonly ServiceBinding[] {
  const all = bindings.filter((binding) => binding.label === label);
  const mayPin = IDENTITY_KINDS[label] === "oauth2" && pinned !== undefined && all.length > 0;
  const found = mayPin ? all.filter((binding) => binding.name === pinned) : all;
  const names = all.map((binding) => binding.name).join(", ");
  if (mayPin && found.length === 0) {
    throw new ConfigurationError(
      `"fw.requires.auth.binding" names "${pinned}", but the bindings of service "${label}" are ${names}`,
    );
  }
  if (found.length > 1) {
    throw new ConfigurationError(`Expected at most one binding of service "${label}", but found ${names}`);
  }
  return found;
}
