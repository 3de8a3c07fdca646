import {
  allOf,
  column,
  compare,
  exists,
  isNull,
  join,
  numeral,
  ONE,
  reference,
  select,
} from "../../algebra/build.ts";
import { fromXo } from "../../algebra/from_cqn.ts";
import type { Comparison, ComparisonOperator, Expr, Reference, TreeStep } from "../../algebra/tree.ts";
import { mapChildren } from "../../algebra/walk_tree.ts";
import type { FlatElement, ForeignKey, LinkedElement } from "../../model/linked.ts";
import { leadsToNoKey } from "../../model/keys.ts";
import { type Through, throughOf } from "../../model/links.ts";
import { type Anchor, type Lowering, type ResolvedPath, Scope } from "./scope.ts";
import { stepName } from "../../cqn/steps.ts";
import { validityElements, validityUnit } from "../../model/valid_slice.ts";

/** Where the path of an operand leads; undefined where it is bound to a value. */
type Resolve = (ref: readonly TreeStep[]) => ResolvedPath | undefined;

/** The parts of a structure by their names within it. */
type Parts = ReadonlyMap<string, Expr>;

const EQUAL: ReadonlySet<unknown> = new Set(["=", "=="]);
const UNEQUAL: ReadonlySet<unknown> = new Set(["<>", "!="]);

/**
 * A comparison of structures as comparisons of their parts.
 *
 * @param given a comparison, not lowered
 * @param resolve finds out where paths lead
 * @returns undefined for comparisons of other values
 * @throws TypeError for structures that differ in their parts
 */
export function withStructureComparison(given: Comparison, resolve: Resolve): Expr | undefined {
  const { left, op, right } = given;
  if (left.kind !== "reference") return undefined;
  if (right.kind === "literal" && right.val === null && (op === "is" || op === "is not")) {
    const parts = partsOf(left, resolve);
    const tests = parts && [...parts.values()].map((part) => isNull(part, op === "is not"));
    return tests && join(op === "is" ? "and" : "or", tests);
  }
  const isEqual = EQUAL.has(op);
  if ((!isEqual && !UNEQUAL.has(op)) || right.kind !== "reference") return undefined;
  const parts = partsOf(left, resolve);
  const others = parts && partsOf(right, resolve);
  if (!others) return undefined;
  if (parts.size !== others.size || [...parts.keys()].some((name) => !others.has(name))) {
    const names = [parts, others].map((side) => [...side.keys()].join(", ")).join("; ");
    throw new TypeError(`Structures with different elements cannot be compared: ${names}`);
  }
  const pairs = [...parts].map(([name, part]) => compare(part, op, others.get(name)!)); // both have it
  return join(isEqual ? "and" : "or", pairs);
}

function partsOf({ ref }: Extract<Expr, { kind: "reference" }>, resolve: Resolve): Parts | undefined {
  const found = resolve(ref);
  return found && partsOfPath(ref, found);
}

/**
 * The parts of a structure, or of an association with several foreign keys.
 *
 * @param ref the path
 * @param found where it leads
 * @returns paths by names within the structure; undefined for what is a value itself
 */
export function partsOfPath(ref: readonly TreeStep[], found: ResolvedPath): Parts | undefined {
  const names = found.kind === "structure"
    ? [...found.anchor.entity.$flat.keys()].filter((name) => name.startsWith(`${found.flat}_`))
      .map((name) => name.slice(found.flat.length + 1))
    : found.kind === "association"
    ? (found.association.$foreignKeys ?? []).map(({ target }) => target)
    : [];
  if (names.length === 0 || (names.length === 1 && found.kind === "association")) return undefined;
  return new Map(names.map((name) => [name, reference([...ref, name])]));
}

/** Both ends of an association. */
export interface AssociationEnds {
  readonly from: Anchor;
  readonly to: Anchor;
}

/**
 * The condition that links two aliases along an association.
 *
 * @param lowering the steps of lowering
 * @param association a managed association, or one with a condition
 * @param ends where it starts and where it leads
 */
export function associationCondition(
  lowering: Lowering,
  association: LinkedElement,
  ends: AssociationEnds,
): Expr {
  if (association.isManaged) {
    const keys = association.$foreignKeys ?? [];
    if (leadsToNoKey(association)) {
      throw new TypeError(
        `Association "${association}" cannot be followed: "${association.target}" has no key`,
      );
    }
    const same = keys.map((key) =>
      compare(keyColumn(ends.to, key, key.target), "=", keyColumn(ends.from, key, key.name))
    );
    const condition = allOf(same);
    if (condition) return condition;
  }
  const through = throughOf(association);
  if (through) return throughCondition(lowering, through, ends);
  const on = fromXo(association.on);
  if (!on) return NOWHERE;
  return operand(lowering, on, { association, ends });
}

/** Associations of imported models may have neither keys nor a condition: nothing says which rows belong together. */
const NOWHERE = compare(ONE, "=", numeral(0));

function keyColumn({ alias }: Anchor, { element }: ForeignKey, name: string): Expr {
  return column(alias, name, { type: element.element.$type.builtin });
}

/** There is a row that links both sides. */
function throughCondition(
  lowering: Lowering,
  { links, target }: Through,
  { from, to }: AssociationEnds,
): Expr {
  const entity = links.$target!; // throughOf() has followed it
  const scope = new Scope(from.scope, false);
  const alias = lowering.alias(links.name);
  const link: Anchor = { alias, entity, scope };
  const where = allOf([
    associationCondition(lowering, links, { from, to: link }),
    associationCondition(lowering, target, { from: link, to }),
  ]);
  return exists(select({ columns: [ONE], from: scope.withJoins(lowering.table(entity, alias)), where }));
}

interface ConditionScope {
  readonly association: LinkedElement;
  readonly ends: AssociationEnds;
}

/** `books.author = $self` in either order: the association that points back. */
function backlink(left: Expr, right: Expr, scope: ConditionScope): LinkedElement | undefined {
  const other = isSelf(left) ? right : isSelf(right) ? left : undefined;
  if (other?.kind !== "reference") return undefined;
  const [first, ...path] = withoutSelf(other.ref).map(stepName);
  if (first !== scope.association.name) return undefined;
  let elements = scope.association.$target?.elements;
  let found: LinkedElement | undefined;
  for (const step of path) {
    found = elements?.[step];
    elements = found?.$type.elements;
  }
  return found?.isAssociation ? found : undefined;
}

function isSelf(given: Expr): boolean {
  return given.kind === "reference" && given.ref.length === 1 &&
    (given.ref[0] === "$self" || given.ref[0] === "$projection");
}

/** `$self.name` of an element of the row itself, without `$self`. */
function withoutSelf(ref: readonly TreeStep[]): readonly TreeStep[] {
  return ref.length > 1 && ["$self", "$projection"].includes(stepName(ref[0])) ? ref.slice(1) : ref;
}

/** Where an operand leads; undefined for values, and for columns of a query that adds the association. */
function resolved(
  lowering: Lowering,
  ref: readonly TreeStep[],
  scope: ConditionScope,
): ResolvedPath | undefined {
  const { association, ends } = scope;
  if (ends.from.scope.mixins.get(association.name) === association) return undefined;
  const steps = withoutSelf(ref);
  const first = stepName(steps[0]);
  if (first.startsWith("$")) return undefined;
  return first === association.name && steps.length > 1
    ? lowering.path(ends.to, steps.slice(1))
    : lowering.path(ends.from, steps);
}

function operand(lowering: Lowering, given: Expr, scope: ConditionScope): Expr {
  if (given.kind === "reference") return path(lowering, given, scope);
  if (given.kind === "comparison") {
    const { association, ends } = scope;
    const back = given.op === "=" ? backlink(given.left, given.right, scope) : undefined;
    if (back) return associationCondition(lowering, back, { from: ends.to, to: ends.from });
    const parts = withStructureComparison(given, (ref) => resolved(lowering, ref, { association, ends }));
    if (parts) return operand(lowering, parts, scope);
  }
  return mapChildren(given, (child) => operand(lowering, child, scope));
}

function path(lowering: Lowering, given: Reference, scope: ConditionScope): Expr {
  const { ref } = given;
  const first = stepName(ref[0]!);
  const { association, ends } = scope;
  if (first === "$self" || first === "$projection") {
    const steps = ref.slice(1);
    if (steps.length > 1 && stepName(steps[0]!) === association.name) {
      return columnOf(lowering, ends.to, steps.slice(1));
    }
    return ownColumn(lowering, steps, scope);
  }
  if (first.startsWith("$")) return given;
  if (isAliasOfMixin(first, scope)) return lowering.expression(given, ends.from.scope);
  if (first === association.name) return columnOf(lowering, ends.to, ref.slice(1));
  return columnOf(lowering, ends.from, ref);
}

/** Paths of a mixin may begin with the alias of a source of its query. */
function isAliasOfMixin(first: string, { association, ends: { from } }: ConditionScope): boolean {
  return from.scope.mixins.get(association.name) === association && first !== association.name &&
    from.entity.elements[first] === undefined && from.scope.sources.some(({ name }) => name === first);
}

/** An element of the row the association starts at; of a mixin that row is one of the query. */
function ownColumn(
  lowering: Lowering,
  steps: readonly TreeStep[],
  { association, ends: { from } }: ConditionScope,
): Expr {
  const isMixin = from.scope.mixins.get(association.name) === association;
  const output = isMixin && steps.length === 1 ? from.scope.output(stepName(steps[0])) : undefined;
  return output ?? columnOf(lowering, from, steps);
}

function columnOf(lowering: Lowering, anchor: Anchor, steps: readonly TreeStep[]): Expr {
  const found = lowering.path(anchor, steps);
  if (found.kind === "column") return found.expression;
  if (found.kind === "association" && found.association.$foreignKeys?.length === 1) {
    const [key] = found.association.$foreignKeys;
    return keyColumn(found.anchor, key!, key!.name);
  }
  throw new TypeError(
    `"${steps.map(stepName).join(".")}" of "${anchor.entity.name}" has no value to compare`,
  );
}

/**
 * The condition that a row is valid: from before `$at.to` until after `$at.from`; a bound that is null is open.
 *
 * @param lowering the steps of lowering
 * @param anchor alias and entity of the row
 * @returns undefined for entities that are not temporal, and where all slices are read
 */
export function validityCondition(
  lowering: Lowering,
  { alias, entity }: Pick<Anchor, "alias" | "entity">,
): Expr | undefined {
  if (!lowering.temporal) return undefined;
  const { from, to } = validityElements(entity);
  return allOf([
    from && bound(column(alias, from.name), "<", at(lowering, "to", from)),
    to && bound(column(alias, to.name), ">", at(lowering, "from", to)),
  ]);
}

function bound(instant: Expr, operator: ComparisonOperator, limit: Expr): Expr {
  return join("or", [isNull(instant), compare(instant, operator, limit)]);
}

/** The time in the form of the element; a day begins at midnight. */
function at({ validity }: Lowering, end: "from" | "to", flat: FlatElement): Expr {
  const unit = validityUnit(flat);
  if (validity) return validity[end][unit ?? "exact"];
  return { kind: "variable", path: ["$at", end, ...(unit ? [unit] : [])] };
}
