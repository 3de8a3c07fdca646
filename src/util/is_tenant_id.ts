/**
 * The shape of tenants.
 *
 * @module
 */

/**
 * Whether a text may name a tenant: letters of ASCII, digits, `_`, `.` and `-`, beginning with a letter or digit, at most
 * 64 characters. So it can stand in names of files, databases and headers. Tenants are compared exactly.
 */
export function isTenantId(value: unknown): value is string {
  return typeof value === "string" && /^[A-Za-z0-9][\w.-]{0,63}$/.test(value);
}
