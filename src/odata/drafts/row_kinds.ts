import type { Column, QueryParams, RefExpression, RefStep, Xo } from "../../cqn/cqn.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { fromXo } from "../../algebra/from_cqn.ts";
import { unsupported } from "../../errors/service_error.ts";
import type { Expr, TreeSelect } from "../../algebra/tree.ts";
import { walkTree } from "../../algebra/walk_tree.ts";
import { DRAFT_ROW } from "../../model/drafts/draft_names.ts";

/** Whether rows are active instances or drafts. */
export type RowKind = "active" | "draft";

/** An entity, as clients see it, and the rows that stand for it. */
export interface Rows {
  readonly entity: LinkedEntity;
  readonly kind: RowKind;
}

/** Whether an entity has drafts, by itself or as a part. */
export function isNode(entity: LinkedEntity): boolean {
  return Object.hasOwn(entity.elements, "IsActiveEntity");
}

/** Whether an entity has drafts. */
export function hasDrafts(entity: LinkedEntity): boolean {
  return isNode(entity) && Object.hasOwn(entity.elements, "SiblingEntity");
}

/** The condition that a draft is the caller's. */
export function ownDraft(path: readonly RefStep[] = []): Xo[] {
  return [{ ref: [...path, "DraftAdministrativeData", "CreatedByUser"] }, "=", {
    ref: [CALLER],
    param: true,
  }];
}

/** The kind that the key of a step says; undefined where it says none. */
export function keyKind(where: readonly Xo[] | undefined, params: QueryParams): RowKind | undefined {
  for (const [index, item] of (where ?? []).entries()) {
    if (!isRef(item) || item.ref[0] !== "IsActiveEntity" || item.ref.length > 1) continue;
    const value = where![index + 2] as { readonly val?: unknown; readonly ref?: readonly string[] };
    const given = value.ref ? params[value.ref[0]] : value.val;
    return given === false ? "draft" : "active";
  }
  return undefined;
}

/** Whether an item of an expression is a path. */
export function isRef(item: unknown): item is RefExpression {
  return typeof item === "object" && item !== null && "ref" in item &&
    (item as { param?: boolean }).param !== true;
}

/** True, false, or not known without the rows. */
type Known = boolean | undefined;

/**
 * The kinds of rows that a condition may hold for. A condition that does not mention them is about active instances.
 *
 * @param where the condition
 * @param params values of its parameters
 */
export function possibleKinds(where: readonly Xo[] | undefined, params: QueryParams): ReadonlySet<RowKind> {
  return kindsOf(fromXo(where), params);
}

/**
 * The kind of rows that a condition of a subquery is about; undefined where it says none.
 *
 * @throws ServiceError 501 where it may hold for both
 */
export function saidKind(where: readonly Xo[] | undefined, params: QueryParams): RowKind | undefined {
  const condition = fromXo(where);
  if (!condition || !mentions(condition)) return undefined;
  const [kind, other] = kindsOf(condition, params);
  if (other) throw unsupported("Active instances and drafts together in an expression");
  return kind;
}

/** Whether a condition is about rows that steps of `$apply` before have chosen by a subquery. */
export function choosesRows(where: readonly Xo[] | undefined): boolean {
  const condition = fromXo(where);
  return condition !== undefined && choicesIn(condition).length > 0;
}

function kindsOf(condition: Expr | undefined, params: QueryParams): ReadonlySet<RowKind> {
  const chosen = condition ? choicesIn(condition) : [];
  if (chosen.length > 0) return new Set(chosen.flatMap((one) => [...kindsOf(conditionOf(one), params)]));
  if (!condition || !mentions(condition)) return new Set(["active"]);
  return new Set(
    (["active", "draft"] as const).filter((kind) => holds(condition, { kind, params }) !== false),
  );
}

/** The condition of the rows that a query begins with. */
function conditionOf({ SELECT: { from, where } }: TreeSelect): Expr | undefined {
  return from.kind === "select" ? conditionOf(from) : where;
}

function choicesIn(condition: Expr): readonly TreeSelect[] {
  const found: TreeSelect[] = [];
  walkTree(condition, (one) => {
    if (one.kind === "in" && one.right.kind === "select") found.push(one.right);
    return one.kind !== "select";
  });
  return found;
}

function mentions(condition: Expr): boolean {
  let found = false;
  walkTree(condition, (one) => {
    if (one.kind === "reference" && one.ref.length === 1 && one.ref[0] === "IsActiveEntity") found = true;
    return !found;
  });
  return found;
}

interface Given {
  readonly kind: RowKind;
  readonly params: QueryParams;
}

function holds(condition: Expr, given: Given): Known {
  switch (condition.kind) {
    case "joined": {
      const parts = condition.args.map((one) => holds(one, given));
      return condition.op === "or" ? any(parts) : negated(any(parts.map(negated)));
    }
    case "unary":
      return negated(holds(condition.arg, given));
    case "comparison": {
      const areSame = isSame(value(condition.left, given), value(condition.right, given));
      if (condition.op === "=" || condition.op === "==") return areSame;
      return condition.op === "<>" || condition.op === "!=" ? negated(areSame) : undefined;
    }
    case "in": {
      const { left, right } = condition;
      const a = value(left, given);
      if (right.kind !== "list") return undefined;
      const isMember = any(right.list.map((one) => isSame(a, value(one, given))));
      return condition.negated ? negated(isMember) : isMember;
    }
  }
  const known = value(condition, given);
  return typeof known === "boolean" ? known : undefined;
}

/** The value of an operand; undefined where rows decide. */
function value(operand: Expr, { kind, params }: Given): unknown {
  if (operand.kind === "literal") return operand.val;
  if (operand.kind === "parameter") return params[operand.name];
  if (operand.kind !== "reference" || operand.ref.length > 1) return undefined;
  const [name] = operand.ref;
  if (name === "IsActiveEntity") return kind === "active";
  if (name === "HasDraftEntity" && kind === "draft") return false;
  return name === "HasActiveEntity" && kind === "active" ? false : undefined;
}

function isSame(a: unknown, b: unknown): Known {
  return a === undefined || b === undefined ? undefined : a === b;
}

function any(parts: readonly Known[]): Known {
  if (parts.includes(true)) return true;
  return parts.includes(undefined) ? undefined : false;
}

function negated(known: Known): Known {
  return known === undefined ? undefined : !known;
}

/** The parameter with the id of the caller. */
export const CALLER = "draftsCaller";

/** The parameter with the time since which drafts are locked. */
export const LOCKED_SINCE = "draftsLockedSince";

const NOT_MINE: Xo = { val: false };

const FLAG = { type: "cds.Boolean" } as const;
const ADMINISTRATIVE_NAMES = [
  "DraftUUID",
  "CreationDateTime",
  "CreatedByUser",
  "DraftIsCreatedByMe",
  "LastChangeDateTime",
  "LastChangedByUser",
  "InProcessByUser",
  "DraftIsProcessedByMe",
];

/** The path to the administrative data of a row. */
export function administrativePath(kind: "active" | "draft"): readonly string[] {
  return kind === "draft" ? ["DraftAdministrativeData"] : [DRAFT_ROW, "DraftAdministrativeData"];
}

/** A member of the administrative data. */
export function administrative(path: readonly RefStep[], name: string): Xo {
  const at = (member: string): Xo => ({ ref: [...path, member] });
  const me: Xo = { ref: [CALLER], param: true };
  const isLocked: Xo[] = [at("LastChangeDateTime"), ">", { ref: [LOCKED_SINCE], param: true }];
  const decide = (condition: readonly Xo[], [yes, no]: readonly [Xo, Xo]): Xo => ({
    xpr: [
      "case",
      "when",
      at("DraftUUID"),
      "is",
      "null",
      "then",
      { val: null },
      "when",
      ...condition,
      "then",
      yes,
      "else",
      no,
      "end",
    ],
  });
  switch (name) {
    case "DraftIsCreatedByMe":
      return decide([at("CreatedByUser"), "=", me], [{ val: true }, NOT_MINE]);
    case "DraftIsProcessedByMe":
      return decide([at("InProcessByUser"), "=", me, "and", ...isLocked], [{ val: true }, NOT_MINE]);
    case "InProcessByUser":
      return decide(isLocked, [at("InProcessByUser"), { val: "" }]);
    default:
      return at(name);
  }
}

/** Whether an entity is what clients see of administrative data. */
export function isAdministrative(entity: LinkedEntity): boolean {
  return entity["@odata.contained"] === true && Object.hasOwn(entity.elements, "DraftUUID");
}

/** The columns of administrative data; their key is always there. */
export function administrativeColumns(columns: readonly Column[]): Column[] {
  const names = columns.flatMap((one) =>
    one === "*" ? ADMINISTRATIVE_NAMES : typeof one === "object" && "ref" in one ? [String(one.ref![0])] : []
  );
  const shown = [...new Set(["DraftUUID", ...names])];
  return shown.map((member): Column => {
    const value = administrative([], member) as object;
    return "ref" in value
      ? { ref: [member] }
      : { ...value, as: member, cast: /^DraftIs/.test(member) ? FLAG : { type: "cds.String" } } as Column;
  });
}
