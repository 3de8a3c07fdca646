/**
 * Values that the configuration finds in claims by paths.
 *
 * @module
 */

import { parseClaimPath } from "../../config/claim_path.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import type { Claims } from "./token.ts";
import { TokenRefused } from "./token_refused.ts";

/** A path to a claim, read. */
export interface ClaimPath {
  /** As it is configured. */
  readonly text: string;
  /** Names of members, from the token downwards. */
  readonly names: readonly string[];
}

/**
 * Reads a path of the configuration, whose schema has checked it.
 *
 * @param text the path
 */
export function claimPath(text: string): ClaimPath {
  return { text, names: parseClaimPath(text) ?? [text] };
}

/**
 * The value at a path.
 *
 * @param claims claims of a token
 * @param path the path
 * @returns undefined where nothing is, or `null`
 */
export function claimAt(claims: Claims, { names }: ClaimPath): unknown {
  let value: unknown = claims;
  for (const name of names) {
    if (!isPlainObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value ?? undefined;
}

/**
 * The names of roles at paths: of a text those between its spaces, of a list its entries.
 *
 * @param claims claims of a verified token
 * @param paths where roles are
 * @throws TokenRefused for anything but texts, which is not taken for no roles
 */
export function rolesAt(claims: Claims, paths: readonly ClaimPath[]): readonly string[] {
  return paths.flatMap((path): readonly string[] => {
    const value = claimAt(claims, path);
    if (value === undefined) return [];
    if (typeof value === "string") return value.split(/\s+/).filter((role) => role !== "");
    if (Array.isArray(value) && value.every((role) => typeof role === "string")) return value;
    throw new TokenRefused(`the roles at ${path.text} must be a text or a list of texts`);
  });
}

/**
 * Paths of the configuration.
 *
 * @param value one, several or none
 */
export function claimPaths(value: string | readonly string[] | undefined): readonly ClaimPath[] {
  return [value ?? []].flat().map(claimPath);
}
