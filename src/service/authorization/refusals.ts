/**
 * The answers to those who may not do what they ask for (auth 2).
 *
 * @module
 */

import type { User } from "../../context/user.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { AuthenticationSettings } from "./authentication_need.ts";

/** Whether somebody has logged in. */
export function isAuthenticated(user: User): boolean {
  return user.is("authenticated-user");
}

/** 401; the http layer adds the challenge of the strategy. */
export function unauthorized(): ServiceError {
  return new ServiceError({ status: 401, code: "401", message: "Unauthorized" });
}

/** 403; says nothing about what is missing. */
export function forbidden(): ServiceError {
  return new ServiceError({ status: 403, code: "403", message: "Forbidden" });
}

/**
 * The refusal of a user who lacks a role: 401 for somebody without login, unless nobody gets 401.
 *
 * @param user who asked
 * @param settings the settings in effect
 */
export function refusal(user: User, settings: AuthenticationSettings): ServiceError {
  return isAuthenticated(user) || settings.neverRefuses ? forbidden() : unauthorized();
}
