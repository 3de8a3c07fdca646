/**
 * `@requires` and `@restrict` as privileges, compiled once per definition (auth 7).
 *
 * @module
 */

import { fromExpression } from "../../algebra/from_cqn.ts";
import type { Expr, TreeStep } from "../../algebra/tree.ts";
import { walkTree } from "../../algebra/walk_tree.ts";
import type { Expression } from "../../cqn/cqn.ts";
import { parseExpression } from "../../cqn/parse_cql.ts";
import { printExpression } from "../../cqn/print_query.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import { nearestName } from "../../util/nearest_name.ts";
import { placeOf } from "../../model/problems.ts";

/** Events allowed to roles, maybe for some rows only. */
export interface Privilege {
  /** Names of events; `*` stands for all. */
  readonly grants: ReadonlySet<string>;
  /** Roles of which the user needs one; undefined for everybody who gets as far as to endpoints without restriction. */
  readonly to?: readonly string[];
  /** The rows it holds for; undefined for all. */
  readonly where?: Expr;
  /** Why it cannot be understood, and so grants nothing. */
  readonly problem?: ConfigurationError;
}

/** Privileges of one annotation: one of them is needed. */
export type Restriction = readonly Privilege[];

const COMPILED: WeakMap<object, readonly Restriction[]> = new WeakMap();
const EVERYTHING: ReadonlySet<string> = new Set(["*"]);
/** What a privilege grants that has unknown members, or a condition at a service, which has no rows. Warnings tell of it. */
const NOTHING: Privilege = { grants: new Set(), to: [] };
const MEMBERS: readonly string[] = ["grant", "to", "where"];
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  WRITE: ["CREATE", "UPDATE", "DELETE", "UPSERT"],
  INSERT: ["CREATE"],
  SELECT: ["READ"],
};

/**
 * The restrictions that a service, entity or operation carries; all of them must be met. Views without any hold those of
 * the entities they read.
 *
 * @param definition a linked definition
 * @throws ConfigurationError for an annotation that cannot be understood
 */
export function ownRestrictions(definition: object): readonly Restriction[] {
  let compiled = COMPILED.get(definition);
  if (compiled === undefined) COMPILED.set(definition, compiled = compile(definition));
  return compiled;
}

/**
 * Takes a privilege away from a definition: its condition turned out to be wrong.
 *
 * @param definition a linked definition
 * @param privilege one of its restrictions
 */
export function withdrawPrivilege(definition: object, privilege: Privilege): void {
  const left = ownRestrictions(definition).map((restriction) =>
    restriction.map((one) => one === privilege ? NOTHING : one)
  );
  COMPILED.set(definition, left);
}

/** Whether a service, entity or operation carries a restriction itself. */
export function hasOwnRestriction(definition: object): boolean {
  return ownRestrictions(definition).length > 0;
}

/** Whether somebody without login passes: one of the privileges of each restriction names `any`. */
export function admitsAny(restrictions: readonly Restriction[]): boolean {
  return restrictions.length > 0 &&
    restrictions.every((restriction) => restriction.some(({ to }) => to?.includes("any") === true));
}

function compile(definition: object): readonly Restriction[] {
  const annotations = definition as { readonly "@requires"?: unknown; readonly "@restrict"?: unknown };
  const restrictions: Restriction[] = [];
  const requires = annotations["@requires"];
  if (requires !== undefined && requires !== null) {
    restrictions.push([{ grants: EVERYTHING, to: names(requires, { definition, what: "@requires" }) }]);
  }
  const restrict = annotations["@restrict"];
  if (restrict !== undefined && restrict !== null) {
    const privileges = Array.isArray(restrict) ? restrict : [restrict];
    restrictions.push(privileges.map((privilege) => compilePrivilege(privilege, definition)));
  }
  return restrictions;
}

function compilePrivilege(given: unknown, definition: object): Privilege {
  if (!isPlainObject(given)) {
    throw misunderstood(definition, "expected entries with grant, to and where");
  }
  const members = Object.keys(given);
  if (members.length === 0) {
    throw misunderstood(definition, "expected grant, to or where, but found an empty entry");
  }
  const unknown = members.find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) return { ...NOTHING, problem: unknownMember(definition, unknown) };
  const { grant, to, where } = given;
  const grants = "grant" in given ? someNames(grant, { definition, what: "grant" }) : ["*"];
  const condition = "where" in given ? compileCondition(where, definition) : undefined;
  if (condition !== undefined && isService(definition)) return NOTHING;
  return {
    grants: new Set(grants.flatMap((name) => ALIASES[name] ?? [name])),
    ...("to" in given ? { to: someNames(to, { definition, what: "to" }) } : {}),
    ...(condition === undefined ? {} : { where: condition }),
  };
}

function isService(definition: object): boolean {
  return (definition as { readonly kind?: unknown }).kind === "service";
}

/** The condition of a privilege; undefined where it is `true`. */
function compileCondition(where: unknown, definition: object): Expr | undefined {
  if (where === true) return undefined;
  if (typeof where === "string") return parseCondition(where, definition);
  if (!isPlainObject(where)) throw noCondition(definition, where);
  const { "=": text, ...expression } = where;
  if (Object.keys(expression).length === 0) {
    if (typeof text === "string") return parseCondition(text, definition);
    throw noCondition(definition, where);
  }
  return readCondition(expression as unknown as Expression) ?? fail(definition, where);
}

/** What an expression of a model means; undefined for what no grammar gives: what can be written can be read again. */
function readCondition(expression: Expression): Expr | undefined {
  try {
    const condition = fromExpression(expression);
    walkTree(condition, (one) => {
      if (one.kind === "reference") one.ref.forEach(assertStep);
    });
    parseExpression(printExpression(expression));
    return condition;
  } catch {
    return undefined;
  }
}

function assertStep(step: TreeStep): void {
  if (typeof step !== "string" && typeof step?.id !== "string") throw new TypeError("A step without name");
}

function parseCondition(text: string, definition: object): Expr {
  try {
    return fromExpression({ xpr: parseExpression(text) });
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

interface NamesPlace {
  readonly definition: object;
  /** What the names belong to. */
  readonly what: string;
}

/** A name or a list of names; anything else admits nobody by accident, so it stops the start. */
function names(value: unknown, { definition, what }: NamesPlace): readonly string[] {
  const list = Array.isArray(value) ? value : [value];
  return list.map((name) => {
    const symbol = isPlainObject(name) ? name["="] : name;
    if (typeof symbol === "string" && symbol.trim() !== "") return symbol;
    throw misunderstood(definition, `expected a name or a list of names in ${what}, but found ${text(name)}`);
  });
}

/** Names as `names` reads them, at least one. */
function someNames(value: unknown, place: NamesPlace): readonly string[] {
  const list = names(value, place);
  if (list.length > 0) return list;
  throw misunderstood(
    place.definition,
    `expected a name or a list of names in ${place.what}, but found an empty list`,
  );
}

function unknownMember(definition: object, name: string): ConfigurationError {
  const near = nearestName(name, MEMBERS) ?? (name.toLowerCase().startsWith("role") ? "to" : undefined);
  const hint = near === undefined ? `, expected ${MEMBERS.join(", ")}` : `, did you mean "${near}"?`;
  return misunderstood(definition, `it has an unknown member "${name}"${hint}`);
}

function noCondition(definition: object, where: unknown): ConfigurationError {
  return new ConfigurationError(
    `The condition ${text(where)} of a restriction of ${String(definition)} is no expression`,
    placeOf(definition),
  );
}

function fail(definition: object, where: unknown): never {
  throw noCondition(definition, where);
}

function misunderstood(definition: object, why: string): ConfigurationError {
  return new ConfigurationError(
    `A restriction of ${String(definition)} cannot be understood: ${why}`,
    placeOf(definition),
  );
}

function text(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
