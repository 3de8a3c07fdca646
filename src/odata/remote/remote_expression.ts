/**
 * Values as literals of OData URLs (ABNF, section 7).
 *
 * @module
 */

import { compare } from "../../algebra/build.ts";
import { fromExpression, fromXo } from "../../algebra/from_cqn.ts";
import type { Arithmetic, Call, Comparison, Expr, Like, Membership, TreeStep } from "../../algebra/tree.ts";
import { type EventContext, userValue } from "../../context/event_context.ts";
import type { Expression, RefStep, Xo } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { LinkedElement, LinkedElements, LinkedEntity, ResolvedType } from "../../model/linked.ts";
import {
  type BinaryOperator,
  type CommonExpr,
  type LiteralType,
  type MemberExpr,
  type MemberStep,
  NO_OFFSET,
  type PrimitiveLiteral,
} from "../url/ast.ts";
import { canonicalFunction } from "../url/words.ts";
import { stepName } from "../../cqn/steps.ts";
import { toBase64Url, writePrimitive } from "../payload/write_value.ts";

/** What names in an expression refer to. */
export interface RemoteScope {
  /** Definition of the entity, if it is known. */
  readonly entity?: LinkedEntity;
  /** Path in front of all names: a lambda variable, or steps along associations. */
  readonly prefix: readonly string[];
  /** Supplies `$user` and `$now`. */
  readonly context: EventContext;
}

/** An operand; a literal in it takes its form from what it is compared with. */
interface Operand {
  readonly type?: RemoteType;
  make(hint?: RemoteType): CommonExpr;
}

const COMPARISONS: Readonly<Record<Comparison["op"], BinaryOperator>> = {
  "=": "eq",
  "==": "eq",
  "is": "eq",
  "!=": "ne",
  "<>": "ne",
  "is not": "ne",
  "<": "lt",
  "<=": "le",
  ">": "gt",
  ">=": "ge",
};
const CALCULATIONS: Readonly<Record<Arithmetic["op"], BinaryOperator>> = {
  "+": "add",
  "-": "sub",
  "*": "mul",
  "/": "div",
};
const CALCULATING: ReadonlySet<BinaryOperator> = new Set(Object.values(CALCULATIONS));
const FUNCTIONS: Readonly<Record<string, string>> = { lower: "tolower", upper: "toupper" };

/**
 * A condition or value as expression of a URL.
 *
 * @param given operands and operators, or one expression
 * @param scope what names refer to
 * @throws ServiceError 501 for what OData has no word for
 */
export function toRemoteExpression(given: readonly Xo[] | Expression, scope: RemoteScope): CommonExpr {
  const tree = Array.isArray(given) ? fromXo(given) : fromExpression(given as Expression);
  if (!tree) throw notPossible("A condition without operands");
  return operandOf(tree, scope).make();
}

/** The error for a part of a query that cannot be sent. */
export function notPossible(what: string): ServiceError {
  return new ServiceError({ status: 501, message: `${what} cannot be sent to a remote service` });
}

function fixed(expr: CommonExpr): Operand {
  return { make: () => expr };
}

function joined(left: Operand, operator: BinaryOperator, right: Operand): Operand {
  const type = CALCULATING.has(operator) ? left.type ?? right.type : undefined;
  return {
    type,
    make: (hint) => ({
      kind: "binaryExpr",
      operator,
      left: left.make(right.type ?? hint),
      right: right.make(left.type ?? hint),
      offset: NO_OFFSET,
    }),
  };
}

function negated(operand: Operand): Operand {
  return { make: () => ({ kind: "notExpr", expr: operand.make(), offset: NO_OFFSET }) };
}

function operandOf(given: Expr, scope: RemoteScope): Operand {
  const of = (expression: Expr) => operandOf(expression, scope);
  switch (given.kind) {
    case "literal": {
      const { val } = given;
      if (Array.isArray(val)) return listOf(val.map((one) => ({ make: (hint) => remoteLiteral(one, hint) })));
      return { make: (hint) => remoteLiteral(val, hint) };
    }
    case "reference":
      return pathOf(given.ref, scope);
    case "parameter":
      throw notPossible(`The parameter "${given.name}" without a value`);
    case "variable":
      return variableOf(given.path, scope);
    case "call":
      return functionOf(given, scope);
    case "list":
      return listOf(given.list.map(of));
    case "joined": {
      const [first, ...rest] = given.args.map(of);
      const { op } = given;
      const both = (left: Operand, right: Operand) =>
        op === "||" ? call("concat", [left, right]) : joined(left, op, right);
      return rest.reduce(both, first!);
    }
    case "arithmetic":
      return joined(of(given.left), CALCULATIONS[given.op], of(given.right));
    case "comparison":
      return joined(of(given.left), COMPARISONS[given.op], of(given.right));
    case "unary": {
      const operand = of(given.arg);
      if (given.op === "not") return negated(operand);
      return { ...operand, make: () => ({ kind: "negateExpr", expr: operand.make(), offset: NO_OFFSET }) };
    }
    case "in":
      return given.negated ? negated(membership(given, of)) : membership(given, of);
    case "like":
      return given.negated ? negated(like(given, of)) : like(given, of);
    case "between": {
      const range = of({
        kind: "joined",
        op: "and",
        args: [compare(given.left, ">=", given.low), compare(given.left, "<=", given.high)],
      });
      return given.negated ? negated(range) : range;
    }
    case "exists": {
      const { arg } = given;
      if (arg.kind !== "reference") throw notPossible("A subquery");
      return { make: () => existing(arg.ref, scope) };
    }
    case "cast":
    case "unlocalized":
      return of(given.arg);
    case "case":
      throw notPossible('The operator "case"');
    case "symbol":
      throw notPossible("An enum symbol");
    case "select":
    case "set":
      throw notPossible("A subquery");
    default:
      return given satisfies never;
  }
}

function membership({ left, right }: Membership, of: (expression: Expr) => Operand): Operand {
  const list = right.kind === "list" ? right.list : right.kind === "literal" ? right.val : undefined;
  // a list without members is no expression of OData 4.01, and nothing is in it
  if (Array.isArray(list) && list.length === 0) return fixed(remoteLiteral(false));
  return joined(of(left), "in", of(right));
}

function listOf(operands: readonly Operand[]): Operand {
  return {
    make: (hint) => ({ kind: "listExpr", items: operands.map((one) => one.make(hint)), offset: NO_OFFSET }),
  };
}

function functionOf({ func, args = [] }: Call, scope: RemoteScope): Operand {
  const given = args.filter((arg) => arg !== "*");
  const lower = func.toLowerCase();
  const [first] = given;
  if (lower === "count" && first?.kind === "reference") {
    const path = memberOf(first.ref, scope);
    return fixed({ ...path, steps: [...path.steps, { kind: "countStep", offset: NO_OFFSET }] });
  }
  const name = canonicalFunction(FUNCTIONS[lower] ?? lower);
  if (name === undefined) throw notPossible(`The function "${func}"`);
  return call(name, given.map((arg) => operandOf(arg, scope)));
}

function call(name: string, args: readonly Operand[]): Operand {
  const type = args[0]?.type;
  return {
    make: () => ({
      kind: "methodCallExpr",
      name,
      args: args.map((arg) => arg.make(type)),
      offset: NO_OFFSET,
    }),
  };
}

/** Patterns with `%` at the ends only, which OData has functions for. */
function like({ left: given, pattern }: Like, of: (expression: Expr) => Operand): Operand {
  const text = pattern.kind === "literal" && typeof pattern.val === "string" ? pattern.val : undefined;
  const [, open, inner, close] = /^(%?)([^%_]*)(%?)$/.exec(text ?? "_") ?? [];
  if (inner === undefined) throw notPossible("A pattern with wildcards inside");
  const [left, right] = [of(given), fixed(remoteLiteral(inner))];
  if (!open && !close) return joined(left, "eq", right);
  return call(open && close ? "contains" : open ? "endswith" : "startswith", [left, right]);
}

/** Whether a path begins at the row of its query. */
export function isRowItself(first: unknown): boolean {
  return first === "$self" || first === "$projection";
}

/**
 * The steps behind the row of a query.
 *
 * @throws ServiceError 501 where there are none: rows have no values
 */
export function behindRow<S>(steps: readonly S[]): readonly S[] {
  if (steps.length === 0) throw notPossible("A row as value");
  return steps;
}

function pathOf(ref: readonly TreeStep[], scope: RemoteScope): Operand {
  if (isRowItself(ref[0])) return pathOf(behindRow(ref.slice(1)), scope);
  return { type: remoteType(elementAt(scope.entity, ref)), make: () => memberOf(ref, scope) };
}

function variableOf([root, ...rest]: readonly string[], scope: RemoteScope): Operand {
  if (root === "$now") return { make: () => remoteLiteral(scope.context.timestamp) };
  if (root === "$user") {
    return { make: (hint) => remoteLiteral(userValue(rest[0], scope.context), hint) };
  }
  return pathOf([root!, ...rest], scope);
}

function memberOf(ref: readonly TreeStep[], { prefix }: RemoteScope): MemberExpr {
  return member([...prefix, ...propertyPath(ref)]);
}

/**
 * The names of the steps of a path.
 *
 * @param ref the path
 * @throws ServiceError 501 for filters and arguments, which no path of a property has
 */
export function propertyPath(ref: readonly (RefStep | TreeStep)[]): string[] {
  return ref.map((step) => {
    if (typeof step === "string") return step;
    if (step.where || step.args || step.orderBy || step.limit) throw notPossible("A path with conditions");
    return step.id;
  });
}

function member(names: readonly string[], last?: MemberStep): MemberExpr {
  const steps = names.map((name): MemberStep => ({
    kind: "memberName",
    name,
    parens: [],
    offset: NO_OFFSET,
  }));
  return { kind: "memberExpr", steps: last ? [...steps, last] : steps, offset: NO_OFFSET };
}

/** The element at the end of a path, as far as the model knows it. */
export function elementAt(
  entity: LinkedEntity | undefined,
  ref: readonly (string | { readonly id: string })[],
): LinkedElement | undefined {
  let at = entity;
  let elements = entity?.elements;
  let element: LinkedElement | undefined;
  for (const step of ref) {
    const name = stepName(step);
    element = at?.$flat.get(name)?.element ?? own(elements, name);
    at = element?.$target;
    elements = at?.elements ?? element?.$type.elements;
  }
  return element;
}

function own(elements: LinkedElements | undefined, name: string): LinkedElement | undefined {
  return elements && Object.hasOwn(elements, name) ? elements[name] : undefined;
}

/** `exists` along to-many associations as `any`, along to-one associations as comparison with null. */
function existing(steps: readonly TreeStep[], scope: RemoteScope): CommonExpr {
  const [step, ...rest] = steps;
  const { id, where } = typeof step === "string" ? { id: step, where: undefined } : step;
  const element = own(scope.entity?.elements, id);
  const isMany = element?.is2many ?? rest.length === 0;
  const path = [...scope.prefix, id];
  const variable = `x${path.length}`;
  const inner: RemoteScope = { ...scope, entity: element?.$target, prefix: isMany ? [variable] : path };
  const conditions = [
    ...(where ? [operandOf(where, inner).make()] : []),
    ...(rest.length > 0 ? [existing(rest, inner)] : []),
  ];
  if (isMany) {
    const [first, ...more] = conditions;
    const predicate = first && more.reduce(both, first);
    const lambda = predicate ? { variable, predicate } : {};
    return member(path, { kind: "anyExpr", ...lambda, offset: NO_OFFSET });
  }
  return conditions.reduce(both, joined(fixed(member(path)), "ne", fixed(remoteLiteral(null))).make());
}

function both(left: CommonExpr, right: CommonExpr): CommonExpr {
  return joined(fixed(left), "and", fixed(right)).make();
}

/** Texts that stand in URLs without quotes, by type; anything else is a quoted string. */
const BARE: Readonly<Record<string, RegExp>> = {
  "cds.UUID": /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  "cds.Date": /^\d{4}-\d\d-\d\d$/,
  "cds.Time": /^\d\d:\d\d(:\d\d(\.\d+)?)?$/,
  "cds.DateTime": /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/,
  "cds.Timestamp": /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/,
  "cds.Int64": /^-?\d+$/,
  "cds.Integer64": /^-?\d+$/,
  "cds.Decimal": /^-?\d+(\.\d+)?$/,
  "cds.DecimalFloat": /^-?\d+(\.\d+)?$/,
};

/** The type of an element, and what the service itself calls it. */
export interface RemoteType extends ResolvedType {
  /** Value of `@odata.Type`. */
  readonly edmType?: string;
}

/** A literal that knows what it was made of: other versions write it in another way. */
export interface RemoteLiteral extends PrimitiveLiteral {
  readonly origin?: { readonly value: unknown; readonly type: RemoteType | undefined };
}

/** The type that literals take their form from. */
export function remoteType(element: LinkedElement | undefined): RemoteType | undefined {
  const edmType = element?.["@odata.Type"];
  return typeof edmType === "string" ? { ...element!.$type, edmType } : element?.$type;
}

/**
 * A value as literal. Text is quoted unless it has the form of its type, so that no value is ever read as syntax.
 *
 * @param value a value of a query
 * @param type type of what it is compared with
 * @throws ServiceError 501 for a value without literal form
 */
export function remoteLiteral(value: unknown, type?: RemoteType): RemoteLiteral {
  return { ...literal(textOf(value, type)), origin: { value, type } };
}

/** A literal of a text that is one already. */
export function literal(text: string): PrimitiveLiteral {
  return {
    kind: "primitiveLiteral",
    type: "Edm.String" satisfies LiteralType,
    value: text,
    text,
    offset: NO_OFFSET,
  };
}

function textOf(value: unknown, type: ResolvedType | undefined): string {
  if (value === null || value === undefined) return "null";
  switch (typeof value) {
    case "number":
    case "bigint":
      return Number.isNaN(value) ? "NaN" : String(value).replace("Infinity", "INF");
    case "boolean":
      return String(value);
    case "string":
      return stringText(value, type);
  }
  if (value instanceof Date) {
    const json = writePrimitive(value, type?.builtin ? type : { builtin: "cds.Timestamp" }, {
      ieee754: false,
    });
    return JSON.parse(json);
  }
  if (value instanceof Uint8Array) return `binary'${toBase64Url(value)}'`;
  throw new ServiceError({ status: 501, message: "A remote query takes primitive values only" });
}

function stringText(value: string, type: ResolvedType | undefined): string {
  const { builtin = "" } = type ?? {};
  if (BARE[builtin]?.test(value)) return value;
  if (builtin === "cds.Binary") return `binary'${String(toBase64Url(value)).replaceAll("'", "")}'`;
  return `'${value.replaceAll("'", "''")}'`;
}
