/**
 * `@requires` and `@restrict` as privileges, compiled once per definition (auth 7).
 *
 * @module
 */

import type { Expression, Xo } from "../../cqn/cqn.ts";
import { parseExpression } from "../../cqn/parse_cql.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import { placeOf } from "../place_of.ts";

/** Events allowed to roles, maybe for some rows only. */
export interface Privilege {
  /** Names of events; `*` stands for all. */
  readonly grants: ReadonlySet<string>;
  /** Roles of which the user needs one. */
  readonly to: readonly string[];
  /** The rows it holds for; undefined for all. */
  readonly where?: readonly Xo[];
}

/** Privileges of one annotation: one of them is needed. */
export type Restriction = readonly Privilege[];

const COMPILED: WeakMap<object, readonly Restriction[]> = new WeakMap();
const EVERYTHING: ReadonlySet<string> = new Set(["*"]);
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  WRITE: ["CREATE", "UPDATE", "DELETE", "UPSERT"],
  INSERT: ["CREATE"],
  SELECT: ["READ"],
};

/**
 * The restrictions of a service, entity or operation; all of them must be met. None means that the definition is not
 * restricted.
 *
 * @param definition a linked definition
 * @throws ConfigurationError for an annotation that cannot be understood
 */
export function restrictionsOf(definition: object): readonly Restriction[] {
  let compiled = COMPILED.get(definition);
  if (compiled === undefined) COMPILED.set(definition, compiled = compile(definition));
  return compiled;
}

/** Whether a definition carries a restriction at all. */
export function isRestricted(definition: object): boolean {
  return restrictionsOf(definition).length > 0;
}

/** Whether somebody without login passes one of the privileges of each restriction. */
export function isOpenToAny(definition: object): boolean {
  const restrictions = restrictionsOf(definition);
  return restrictions.length > 0 &&
    restrictions.every((restriction) => restriction.some(({ to }) => to.includes("any")));
}

function compile(definition: object): readonly Restriction[] {
  const annotations = definition as { readonly "@requires"?: unknown; readonly "@restrict"?: unknown };
  const restrictions: Restriction[] = [];
  const requires = annotations["@requires"];
  if (requires !== undefined && requires !== null) {
    restrictions.push([{ grants: EVERYTHING, to: names(requires, definition) }]);
  }
  const restrict = annotations["@restrict"];
  if (restrict !== undefined && restrict !== null) {
    const privileges = Array.isArray(restrict) ? restrict : [restrict];
    restrictions.push(privileges.map((privilege) => compilePrivilege(privilege, definition)));
  }
  return restrictions;
}

function compilePrivilege(given: unknown, definition: object): Privilege {
  if (typeof given !== "object" || given === null) throw misunderstood(definition);
  const { grant, to, where } = given as { grant?: unknown; to?: unknown; where?: unknown };
  const grants = grant === undefined || grant === null ? ["*"] : names(grant, definition);
  const condition = where === undefined || where === null || where === true
    ? undefined
    : compileCondition(where, definition);
  return {
    grants: new Set(grants.flatMap((name) => ALIASES[name] ?? [name])),
    to: to === undefined || to === null ? ["any"] : names(to, definition),
    ...(condition === undefined ? {} : { where: condition }),
  };
}

function compileCondition(where: unknown, definition: object): readonly Xo[] {
  if (typeof where === "string") return parseCondition(where, definition);
  if (typeof where !== "object" || where === null) throw misunderstood(definition);
  const { "=": text, ...expression } = where as { readonly "="?: unknown } & Record<string, unknown>;
  if (Array.isArray(expression.xpr)) return expression.xpr as readonly Xo[];
  if (Object.keys(expression).length > 0) return [expression as unknown as Expression];
  if (typeof text === "string") return parseCondition(text, definition);
  throw misunderstood(definition);
}

function parseCondition(text: string, definition: object): readonly Xo[] {
  try {
    return parseExpression(text);
  } catch (cause) {
    throw new ConfigurationError(
      `The condition "${text}" of a restriction of ${String(definition)} is no expression: ${
        (cause as Error).message
      }`,
      placeOf(definition),
      { cause },
    );
  }
}

/** A name or a list of names; anything else admits nobody by accident, so it stops the start. */
function names(value: unknown, definition: object): readonly string[] {
  const list = Array.isArray(value) ? value : [value];
  return list.map((name) => {
    if (typeof name === "string") return name;
    const symbol = typeof name === "object" && name !== null ? (name as { "="?: unknown })["="] : undefined;
    if (typeof symbol === "string") return symbol;
    throw misunderstood(definition);
  });
}

function misunderstood(definition: object): ConfigurationError {
  return new ConfigurationError(
    `A restriction of ${String(definition)} cannot be understood`,
    placeOf(definition),
  );
}
