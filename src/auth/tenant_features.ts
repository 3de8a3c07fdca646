/**
 * Feature toggles of tenants (spec 2.5, auth 3).
 *
 * @module
 */

import type { UserProperties } from "../context/user.ts";
import { isPlainObject } from "../util/is_plain_object.ts";

/**
 * The feature toggles that the configuration gives to a tenant: those of its users who have none of their own.
 *
 * @param tenants `requires.auth.tenants`: a map of name to `{features}`, or a list of `{name, features}`
 * @param tenant the tenant
 */
export function tenantFeatures(tenants: unknown, tenant: string | undefined): UserProperties["features"] {
  if (tenant === undefined) return undefined;
  const entry = Array.isArray(tenants)
    ? tenants.find((one) => isPlainObject(one) && one.name === tenant)
    : isPlainObject(tenants) && Object.hasOwn(tenants, tenant)
    ? tenants[tenant]
    : undefined;
  return isPlainObject(entry) ? featuresIn(entry.features) : undefined;
}

/**
 * Feature toggles as configured.
 *
 * @param value a list of names, one name, or names with `true`; anything else stands for none given
 */
export function featuresIn(value: unknown): UserProperties["features"] {
  if (Array.isArray(value) || isPlainObject(value)) return value;
  return typeof value === "string" ? [value] : undefined;
}
