/**
 * Headers that every answer gets (auth 11).
 *
 * @module
 */

import type { User } from "../context/user.ts";

/** What the headers depend on. */
export interface FinishOptions {
  /** Correlation id. */
  readonly id: string;
  readonly user: User;
  /** True behind https. */
  readonly secure: boolean;
}

const ALWAYS: readonly (readonly [string, string])[] = [
  ["x-content-type-options", "nosniff"],
  ["referrer-policy", "no-referrer"],
  ["cross-origin-resource-policy", "same-origin"],
  ["x-frame-options", "DENY"],
];

const API_POLICY = "default-src 'none'; frame-ancestors 'none'";
/** Answers without their own policy: the welcome page brings one. */
const POLICY = "content-security-policy";

/** Adds the correlation id and the headers that protect browsers; keeps what is there. */
export function finishResponse(response: Response, options: FinishOptions): void {
  const { headers } = response;
  headers.set("x-correlation-id", options.id);
  for (const [name, value] of ALWAYS) headers.set(name, value);
  if (!headers.has(POLICY)) headers.set(POLICY, API_POLICY);
  if (options.secure) headers.set("strict-transport-security", "max-age=31536000; includeSubDomains");
  const isCacheable = headers.has("etag") || headers.has("cache-control");
  if (!isCacheable && options.user.is("authenticated-user")) headers.set("cache-control", "no-store");
}
