/**
 * Merging a generated security descriptor into one that is kept by hand (auth 7).
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";
import { isPlainObject } from "../util/is_plain_object.ts";
import { APPLICATION_PREFIX, type SecurityDescriptor } from "./security_descriptor.ts";

type Named = Readonly<Record<string, unknown>> & { readonly name: string };

const SECTIONS = ["scopes", "attributes", "role-templates"] as const;

/**
 * The members of the base, its entries, and of the generated ones those whose names the base has not.
 *
 * @param generated what a model gives
 * @param base the descriptor kept by hand
 * @throws ConfigurationError when the base is no descriptor, or a role collection of it names a role template that is
 *   missing or references attributes
 */
export function mergeDescriptor(generated: SecurityDescriptor, base: unknown): SecurityDescriptor {
  if (!isPlainObject(base)) throw new ConfigurationError("The base descriptor must be a JSON object");
  const { scopes: _scopes, attributes: _attributes, "role-templates": _templates, ...others } = base;
  const sections = SECTIONS.map((section) => {
    const own = namedEntries(base, section);
    const names = new Set(own.map(({ name }) => name));
    return [section, [...own, ...generated[section].filter(({ name }) => !names.has(name))]] as const;
  });
  const merged = { ...others, ...Object.fromEntries(sections) as unknown as SecurityDescriptor };
  assertRoleCollections(namedEntries(base, "role-collections"), merged);
  return merged;
}

function namedEntries(base: Readonly<Record<string, unknown>>, section: string): readonly Named[] {
  const entries = base[section] ?? [];
  const isNamed = (entry: unknown) => isPlainObject(entry) && typeof entry.name === "string";
  if (Array.isArray(entries) && entries.every(isNamed)) return entries;
  throw new ConfigurationError(`"${section}" of the base descriptor must be a list of objects with a name`);
}

/** A role collection is made without anybody who could give attributes their values (spec 2.6). */
function assertRoleCollections(
  collections: readonly Named[],
  { "role-templates": templates }: SecurityDescriptor,
) {
  for (const { name, "role-template-references": references = [] } of collections) {
    if (!Array.isArray(references)) {
      throw new ConfigurationError(`"role-template-references" of role collection "${name}" must be a list`);
    }
    for (const reference of references) {
      const found = templates.find((template) => reference === `${APPLICATION_PREFIX}.${template.name}`);
      const fault = !found
        ? "which does not exist"
        : (found["attribute-references"] ?? []).length > 0
        ? "which references attributes"
        : undefined;
      if (fault) {
        throw new ConfigurationError(
          `Role collection "${name}" names role template "${reference}", ${fault}`,
        );
      }
    }
  }
}
