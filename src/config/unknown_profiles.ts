/**
 * Profiles that nothing is known of, and blocks for such.
 *
 * @module
 */

import { isPlainObject } from "../util/is_plain_object.ts";
import { editDistance, nearestName } from "../util/nearest_name.ts";
import type { ConfigurationSource } from "./environment.ts";

/** Profiles that mean something without being mentioned anywhere. */
const USUAL = ["development", "production", "test", "hybrid"];

/**
 * Tells of profiles in effect that no source mentions.
 *
 * @param profiles the profiles in effect
 * @param sources the configuration
 * @returns a remark for each, with the nearest name
 */
export function unknownProfiles(
  profiles: readonly string[],
  sources: readonly ConfigurationSource[],
): readonly string[] {
  const known = new Set(USUAL);
  for (const { value } of sources) collect(value, known);
  return profiles.filter((profile) => !known.has(profile)).map((profile) => {
    const near = nearestName(profile, known);
    const hint = near === undefined ? `, only ${[...known].join(", ")}` : `; did you mean "${near}"?`;
    return `The profile "${profile}" is not known${hint}`;
  });
}

/**
 * Tells of blocks of profiles whose names are almost those of usual ones: they never have an effect.
 *
 * @param profiles the profiles in effect
 * @param sources the configuration
 * @returns a remark for each, with its source
 */
export function misspeltProfiles(
  profiles: readonly string[],
  sources: readonly ConfigurationSource[],
): readonly string[] {
  return sources.flatMap(({ name, value }) => {
    const blocks = new Set<string>();
    collect(value, blocks);
    return [...blocks].flatMap((block) => {
      if (profiles.includes(block) || USUAL.includes(block)) return [];
      const near = USUAL.find((usual) => editDistance(block.toLowerCase(), usual) <= LETTERS);
      return near === undefined ? [] : [`"[${block}]" in ${name} has no effect; did you mean "[${near}]"?`];
    });
  });
}

/** How many letters of a usual name may be wrong for that name to be meant. */
const LETTERS = 2;

function collect(value: Readonly<Record<string, unknown>>, known: Set<string>): void {
  for (const [name, member] of Object.entries(value)) {
    const [, profile] = /^\[(.*)\]$/.exec(name) ?? [];
    if (profile !== undefined) known.add(profile);
    if (isPlainObject(member)) collect(member, known);
  }
}
