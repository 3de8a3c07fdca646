/**
 * The security descriptor of an application, derived from its model (spec 2.6, auth 7).
 *
 * @module
 */

import type { Expr } from "../algebra/tree.ts";
import { walkTree } from "../algebra/walk_tree.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import type { LinkedDefinition, LinkedModel } from "../model/linked.ts";
import { ownRestrictions } from "./authorization/restrictions.ts";
import { placeOf } from "../model/problems.ts";

/** A scope: the permission that a token carries. */
export interface DescriptorScope {
  /** `$APPNAME.<role>`. */
  readonly name: string;
  /** For administrators. */
  readonly description: string;
}

/** An attribute of users that conditions compare with. */
export interface DescriptorAttribute {
  /** Its name, as in `$user.<name>`. */
  readonly name: string;
  /** For administrators. */
  readonly description: string;
  /** `s`: a text. */
  readonly valueType: string;
  /** Whether a role must give it a value. */
  readonly valueRequired: boolean;
}

/** What roles are made from. */
export interface DescriptorRoleTemplate {
  /** The exact name of the role in the model. */
  readonly name: string;
  /** For administrators. */
  readonly description: string;
  /** Name of the role that is made without being asked for. */
  readonly "default-role-name"?: string;
  /** Names of scopes. */
  readonly "scope-references": readonly string[];
  /** Names of attributes. */
  readonly "attribute-references": readonly string[];
}

/** The security descriptor: a JSON file that instances of the OAuth 2.0 service are made with. */
export interface SecurityDescriptor {
  /** One per role. */
  readonly scopes: readonly DescriptorScope[];
  /** One per attribute. */
  readonly attributes: readonly DescriptorAttribute[];
  /** One per scope, and one that references all attributes. */
  readonly "role-templates": readonly DescriptorRoleTemplate[];
}

/** Stands for the name of the application, which is removed from scopes at runtime. */
export const APPLICATION_PREFIX = "$APPNAME";

const PSEUDO_ROLES: ReadonlySet<string> = new Set([
  "any",
  "authenticated-user",
  "identified-user",
  "internal-user",
  "system-user",
]);
const KINDS: ReadonlySet<string> = new Set(["service", "entity", "action", "function", "event"]);
/** Members of `$user` that are no attributes of the descriptor. */
const MEMBERS: ReadonlySet<string> = new Set(["id", "tenant"]);

/**
 * The descriptor of a model: scopes and role templates from the roles of `@requires` and `@restrict`, attributes from
 * their conditions, each once in the order of the model.
 *
 * @param model the linked model
 * @throws ConfigurationError for a restriction that cannot be understood, and for an attribute of an attribute
 */
export function securityDescriptor(model: LinkedModel): SecurityDescriptor {
  const roles = new Set<string>();
  const attributes = new Set<string>();
  for (const definition of restrictable(model)) {
    for (const { to, where } of ownRestrictions(definition).flat()) {
      to?.filter((role) => !PSEUDO_ROLES.has(role)).forEach((role) => roles.add(role));
      for (const path of where ? userPaths(where) : []) addAttribute(attributes, path, definition);
    }
  }
  const templates = [...roles].map((role) => template(role, [`${APPLICATION_PREFIX}.${role}`]));
  return {
    scopes: [...roles].map((role) => ({ name: `${APPLICATION_PREFIX}.${role}`, description: role })),
    attributes: [...attributes].map((name) => ({
      name,
      description: name,
      valueType: "s",
      valueRequired: false,
    })),
    "role-templates": attributes.size === 0 ? templates : [...templates, userAttributes([...attributes])],
  };
}

function* restrictable(model: LinkedModel): Iterable<object> {
  for (const definition of model.each((found: LinkedDefinition) => KINDS.has(found.kind))) {
    yield definition;
    if (definition.kind === "entity") yield* definition.actions;
  }
}

function template(name: string, scopes: readonly string[]): DescriptorRoleTemplate {
  return { name, description: "generated", "scope-references": scopes, "attribute-references": [] };
}

function userAttributes(names: readonly string[]): DescriptorRoleTemplate {
  return {
    name: "userattributes",
    description: "generated",
    "default-role-name": "Attributes of a User",
    "scope-references": [],
    "attribute-references": names,
  };
}

function addAttribute(attributes: Set<string>, path: readonly string[], definition: object): void {
  if (path.length > 2) {
    throw new ConfigurationError(
      `Expected an attribute of the user in a restriction of ${definition}, but found ${path.join(".")}`,
      placeOf(definition),
    );
  }
  if (path.length === 2 && !MEMBERS.has(path[1])) attributes.add(path[1]);
}

/** Paths that start at `$user`, at any depth of a condition. */
function userPaths(condition: Expr): readonly (readonly string[])[] {
  const paths: (readonly string[])[] = [];
  walkTree(condition, (one) => {
    if (one.kind === "variable" && one.path[0] === "$user") paths.push(one.path);
  });
  return paths;
}
