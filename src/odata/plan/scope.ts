/**
 * Parameter aliases → the expressions they stand for (OData 4.01 Part 2, section 5.3).
 *
 * @module
 */

import { NUMBER_TYPES } from "../../model/builtin_types.ts";
import type { FlatElement, LinkedElement, LinkedEntity } from "../../model/linked.ts";
import type {
  AggregateExpr,
  AliasAndValue,
  CommonExpr,
  MemberExpr,
  MemberStep,
  QueryOptions,
} from "../url/ast.ts";
import type { Bindings } from "./shapes/bindings.ts";
import type { ValueType } from "./expressions/literal_values.ts";
import type { ServiceIndex } from "./service_index.ts";
import { allOf, call, cast } from "../../algebra/build.ts";
import type { Expr, Reference, TreeStep } from "../../algebra/tree.ts";
import { badRequest } from "./plan_error.ts";

/** A planned value: its expression, its type as far as known, and whether it may be null. */
export interface Typed {
  readonly expr: Expr;
  readonly type?: ValueType;
  readonly nullable: boolean;
  /** A literal between two values of its type, of which the smaller one stands for it. */
  readonly finer?: true;
}

/** Plans expressions inside of expressions. */
export interface ExpressionPlanner {
  /** A condition, which is never unknown with `exact`. */
  readonly condition: (expr: CommonExpr, scope: Scope, exact?: boolean) => Expr;
  /** A value; `hint` is the type of literals where it is not their own. */
  readonly value: (expr: CommonExpr, scope: Scope, hint?: ValueType) => Typed;
}

/** The place of an expression. */
export interface Scope {
  /** Here, as paths contain expressions and expressions contain paths. */
  readonly plan: ExpressionPlanner;
  readonly entity: LinkedEntity;
  readonly bindings: Bindings;
  /** Values of `@name`. */
  readonly aliases: ReadonlyMap<string, CommonExpr>;
  /** Names that `$compute` or `$apply` made. */
  readonly computed: ReadonlyMap<string, Typed>;
  /** After `$apply`: names other than the computed ones do not exist any more. */
  readonly closed?: boolean;
  /** Inside of `aggregate` paths may lead through collections; those that do are added here. */
  readonly flattened?: Set<string>;
  /** Names of `$compute` of the rows outside of a lambda expression. */
  readonly outer?: ((name: string, offset: number) => Typed | undefined) | undefined;
  /** `$these` in `$apply`: an aggregate of all rows that there are. */
  readonly these?: ((aggregate: AggregateExpr) => Typed) | undefined;
  /** Nodes that the groups of `rolluprecursive` stand for, in the order of the hierarchies. */
  readonly rollups?: readonly RollupNode[];
  /** Names of `join` in `$apply`, with the path they stand for. */
  readonly joined?: ReadonlyMap<string, JoinedPath>;
  /** The row of the entity: conditions inside of other rows refer to it by name. */
  readonly row: RowName;
  /** The derived type of the rows, where the path asks for one. */
  readonly type?: string | undefined;
  /** What lambda variables stand for. */
  readonly variables?: ReadonlyMap<string, Place>;
  /** Where names without a variable start inside of a lambda expression; the row of the entity otherwise. */
  readonly base?: Place;
  /** `$it`: the instance that the path of the URL addresses; the row of the entity unless given. */
  readonly it?: Place;
  /** `$this`: the member of a collection of values; the row of the entity unless given. */
  readonly member?: Place;
  /** The entities that `$root` leads to. */
  readonly index: ServiceIndex;
}

/** The node of a group of `rolluprecursive`. */
export interface RollupNode {
  /** The source of its properties; their columns have it in front of their names. */
  readonly alias: string;
  readonly entity: LinkedEntity;
}

/** Instances that `join` puts beside those of the entity. */
export interface JoinedPath {
  readonly ref: readonly TreeStep[];
  readonly element: LinkedElement;
  readonly target: LinkedEntity;
}

/** The name of a row in a query; it has none until a condition inside of another row needs it. */
export interface RowName {
  name?: string;
}

/** What a path can start at: the row of an entity, a member of a collection of values, or nothing. */
export type Place = RowPlace | ItemPlace | NoPlace;

/** Names start at none of several rows: each has to be behind the name of its set, as with `$crossjoin`. */
export interface NoPlace {
  readonly kind: "none";
}

/** The row of an entity. */
export interface RowPlace {
  readonly kind: "row";
  readonly entity: LinkedEntity;
  readonly row: RowName;
  /** The derived type of the row, where its path asks for one. */
  readonly type?: string | undefined;
}

/** A member of a collection of values, or a part of one. */
export interface ItemPlace {
  readonly kind: "item";
  /** The element with the type of the member. */
  readonly element: LinkedElement;
  /** The JSON value that holds it. */
  readonly value: Expr;
  /** Position in it and names of structures. */
  readonly path: readonly (string | number)[];
}

/**
 * The row that a scope stands for.
 *
 * @param scope the scope
 * @returns the place where its names start
 */
export function rowOf(scope: Scope): RowPlace {
  return { kind: "row", entity: scope.entity, row: scope.row, type: scope.type };
}

/**
 * The scope of the rows of an entity inside of another scope.
 *
 * @param entity the entity
 * @param outer the scope around it
 * @returns the scope, which knows nothing of the rows outside
 */
export function scopeOfRow(entity: LinkedEntity, { plan, bindings, aliases, index }: Scope): Scope {
  return { plan, entity, bindings, aliases, index, computed: new Map(), row: {} };
}

/**
 * A query whose rows have a name, at every place that reads them.
 *
 * @param query the query
 * @param from the source of the rows, the same object wherever it stands
 * @param row the name, if one is needed
 * @returns the query with the name
 */
export function namedRows<T>(query: T, from: Reference, { name }: RowName): T {
  if (name === undefined) return query;
  const named = { ...from, as: name };
  const replaced = <N>(node: N): N => {
    if (node === from as unknown) return named as N;
    if (typeof node !== "object" || node === null || node instanceof Uint8Array) return node;
    if (Array.isArray(node)) return node.map(replaced) as N;
    return Object.fromEntries(Object.entries(node).map(([key, member]) => [key, replaced(member)])) as N;
  };
  return replaced(query);
}

/**
 * A step with the name that conditions inside of other rows know it by, if they do.
 *
 * @param step the step
 * @param row its row
 * @returns the step, with `as` where it is needed
 */
export function namedStep(step: TreeStep, { name }: RowName): TreeStep {
  if (name === undefined) return step;
  return { ...(typeof step === "string" ? { id: step } : step), as: name };
}

/**
 * A path whose last step has one more condition.
 *
 * @param ref the path
 * @param condition a condition on the entity reached last, if there is one
 * @param row the row that it is about
 */
export function restrictedTo(
  ref: readonly TreeStep[],
  condition: Expr | undefined,
  row: RowName = {},
): TreeStep[] {
  const last = namedStep(ref.at(-1)!, row); // paths have steps
  const step = typeof last === "string" ? { id: last } : last;
  const where = allOf([step.where, condition]);
  return [...ref.slice(0, -1), where ? { ...step, where } : last];
}

/**
 * The aliases of a URL as a map.
 *
 * @param aliases `@name=value` in source order; inner ones come last and win
 * @returns values by name
 */
export function aliasMap(aliases: readonly AliasAndValue[] | undefined): ReadonlyMap<string, CommonExpr> {
  return new Map(aliases?.map(({ name, value }) => [name, value]));
}

/**
 * The aliases of a scope with those that nested options assign: inner ones win.
 *
 * @param scope the scope around
 * @param options the nested options
 */
export function innerAliases({ aliases }: Scope, options: QueryOptions): Scope["aliases"] {
  return options.aliases === undefined ? aliases : new Map([...aliases, ...aliasMap(options.aliases)]);
}

/**
 * The type of the values of a flat element.
 *
 * @param flat the element
 * @returns its type, or undefined for collections and maps
 */
export function typeOf(flat: Pick<FlatElement, "element">): ValueType | undefined {
  const { builtin, items } = flat.element.$type;
  return builtin === undefined || items !== undefined || builtin === "cds.Map"
    ? undefined
    : { builtin, element: flat.element };
}

/** Whether a value is the literal null. */
export function isNull({ expr }: Typed): boolean {
  return expr.kind === "literal" && expr.val === null;
}

/** Whether a value stands in the query. */
export function isLiteral({ expr }: Typed): boolean {
  return expr.kind === "literal" || (expr.kind === "cast" && expr.arg.kind === "literal");
}

/**
 * An expression that tells its type.
 *
 * @param expr any expression
 * @param builtin the type
 */
export function told(expr: Expr, builtin: string): Expr {
  return expr.kind === "cast" && expr.type === builtin ? expr : cast(expr, { type: builtin });
}

/** Kinds of types whose values can be compared with each other. */
export type TypeGroup = "text" | "number" | "boolean" | "instant" | "time" | "binary" | "duration";

const GROUPS: Readonly<Record<string, TypeGroup>> = {
  "cds.String": "text",
  "cds.LargeString": "text",
  "cds.UUID": "text",
  "cds.Boolean": "boolean",
  "cds.Date": "instant",
  "cds.DateTime": "instant",
  "cds.Timestamp": "instant",
  "cds.Time": "time",
  "cds.Binary": "binary",
  "cds.LargeBinary": "binary",
};

/**
 * The group of a type.
 *
 * @param type the type
 * @returns its group, or undefined if nothing is known
 */
export function groupOf(type: ValueType | undefined): TypeGroup | undefined {
  if (type === undefined) return undefined;
  if (isDuration(type)) return "duration";
  return NUMBER_TYPES.has(type.builtin) ? "number" : GROUPS[type.builtin];
}

function isDuration({ extended, element }: ValueType): boolean {
  return (extended ?? element?.$type.extended) === "Edm.Duration";
}

/** The type of durations: seconds. */
export const DURATION: ValueType = { builtin: "cds.Decimal", extended: "Edm.Duration" };
/** The type of conditions. */
export const BOOLEAN: ValueType = { builtin: "cds.Boolean" };
/** The type of texts. */
export const STRING: ValueType = { builtin: "cds.String" };
/** The type of small whole numbers. */
export const INTEGER: ValueType = { builtin: "cds.Integer" };
/** The type of large whole numbers, and of counts. */
export const INT64: ValueType = { builtin: "cds.Int64" };
/** The type of sums and the like. */
export const DECIMAL: ValueType = { builtin: "cds.Decimal" };
/** The type of quotients, and of what is calculated of them. */
export const ROUNDED: ValueType = { builtin: "cds.Decimal", rounded: true };

/**
 * Whether a type is that of quotients.
 *
 * @param type any type
 */
export function isRounded(type: ValueType | undefined): boolean {
  return type?.rounded === true;
}

/**
 * A decimal with 15 digits at most.
 *
 * @param expr any decimal
 * @returns the one with 15 digits that is next to it
 */
export function rounded(expr: Expr): Expr {
  return call("$decimal", [expr]);
}
/** The type of instants. */
export const TIMESTAMP: ValueType = { builtin: "cds.Timestamp" };

/**
 * The value of a parameter alias, also of a path behind one: `@p/city` with `@p={"city":"Oslo"}`.
 *
 * @param expr any expression of a URL that has been checked: none of its aliases refers to itself
 * @param scope holds the aliases
 * @returns the value if it is an alias, the expression itself otherwise
 * @throws {ServiceError} 400 if the value has no such member
 */
export function resolveAlias(expr: CommonExpr, scope: Pick<Scope, "aliases">): CommonExpr {
  let actual = expr;
  while (actual.kind === "memberExpr" && actual.root?.[0] === "@") {
    const { offset, steps } = actual;
    // An alias without value is null.
    const value: CommonExpr = scope.aliases.get(actual.root.slice(1)) ??
      { kind: "primitiveLiteral", offset, type: "null", value: null, text: "null" };
    actual = steps.length === 0 ? value : behind(value, steps, actual);
  }
  return actual;
}

function behind(value: CommonExpr, steps: readonly MemberStep[], { offset }: MemberExpr): CommonExpr {
  if (value.kind === "memberExpr") return { ...value, steps: [...value.steps, ...steps] };
  const [step, ...rest] = steps;
  if (step === undefined || (value.kind === "primitiveLiteral" && value.value === null)) return value;
  const member = value.kind === "object" && step.kind === "memberName" && step.parens.length === 0
    ? value.members.find(({ name }) => name === step.name)
    : undefined;
  if (member === undefined) throw badRequest("The value of the parameter alias has no such member", offset);
  return behind(member.value, rest, { kind: "memberExpr", offset, steps: rest });
}
