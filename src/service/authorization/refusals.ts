/**
 * The answers to those who may not do what they ask for (auth 2).
 *
 * @module
 */

import type { User } from "../../context/user.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { AuthenticationSettings } from "./authentication_need.ts";

/** What was missing, for the log of the developer: told only when it is logged. */
class MissingPermission {
  readonly describe: () => string;

  constructor(describe: () => string) {
    this.describe = describe;
  }
}

/** Whether somebody has logged in. */
export function isAuthenticated(user: User): boolean {
  return user.is("authenticated-user");
}

/** 401; the http layer adds the challenge of the strategy. */
export function unauthorized(): ServiceError {
  return new ServiceError({ status: 401, code: "401", message: "Unauthorized" });
}

/**
 * 403; says nothing about what is missing.
 *
 * @param missing what is missing, for the log
 */
export function forbidden(missing: () => string): ServiceError {
  const cause = new MissingPermission(missing);
  return new ServiceError({ status: 403, code: "403", message: "Forbidden", cause });
}

/**
 * The refusal of a user who lacks a role: 401 for somebody without login, unless nobody gets 401.
 *
 * @param caller who asked, and the settings in effect
 * @param missing what is missing, for the log
 */
export function refusal(
  { user, settings }: { readonly user: User; readonly settings: AuthenticationSettings },
  missing: () => string,
): ServiceError {
  return isAuthenticated(user) || settings.neverRefuses ? forbidden(missing) : unauthorized();
}

/**
 * What a user lacked who was refused by a restriction.
 *
 * @param error what was thrown
 * @returns undefined for any other error
 */
export function missingPermission(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof MissingPermission ? cause.describe() : undefined;
}
