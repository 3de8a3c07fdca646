/**
 * Calls of operations: arguments from parentheses, aliases and query options (OData 4.01 Part 1, section 11.5).
 *
 * Overloads: operations of one name, told apart by their parameters (`@odata.overload`; CSDL 4.01, 12.2).
 *
 * @module
 */

import { isServiceError, ServiceError } from "../../../errors/service_error.ts";
import { nearestName } from "../../../util/nearest_name.ts";
import type { LinkedDefinition, LinkedElement, LinkedOperation } from "../../../model/linked.ts";
import type {
  Argument,
  CommonExpr,
  CustomQueryOption,
  NameSegment,
  PrimitiveLiteral,
  QueryOptions,
} from "../../url/ast.ts";
import { parseExpressionText } from "../../url/parse_url.ts";
import { numberValue } from "../../url/literals.ts";
import type { ArgumentTemplate, Bindings } from "../shapes/bindings.ts";
import { convertLiteral, fitsType, rowValue } from "../expressions/literal_values.ts";
import { badRequest, notImplemented } from "../plan_error.ts";
import { typeText } from "../../../service/validation/check_type.ts";
import { edmOperationName } from "../../../model/edm_types.ts";

/** What arguments are read with. */
export interface CallContext {
  readonly bindings: Bindings;
  readonly resolveAlias: (expr: CommonExpr) => CommonExpr;
  readonly options: QueryOptions;
  /** Takes arguments that are no literals; without it they are refused. */
  readonly rows?: { add(parameter: LinkedElement, expr: CommonExpr): void };
}

/** The arguments of a call, and the names of the query options they were taken from. */
export interface CallArguments {
  readonly args: Readonly<Record<string, ArgumentTemplate>>;
  readonly consumed: ReadonlySet<string>;
}

/**
 * Reads the arguments of a call.
 *
 * @param definition the operation
 * @param segment its segment in the path
 * @param context bindings and options
 * @returns the arguments of a function; none for an action, whose arguments are in the body
 * @throws {ServiceError} 400 for unknown, missing or malformed arguments, and parentheses behind an action
 */
export function planArguments(
  definition: LinkedOperation,
  segment: NameSegment,
  context: CallContext,
): CallArguments {
  const { parens, offset, name } = segment;
  if (definition.kind === "action") {
    if (parens.length > 0) throw badRequest(`The action "${name}" takes no parentheses`, offset);
    return { args: {}, consumed: new Set() };
  }
  if (parens.length > 1) throw badRequest(`"${name}" has no key here`, parens[1].offset);
  const args: Record<string, ArgumentTemplate> = {};
  const consumed = new Set<string>();
  for (const item of parens[0]?.items ?? []) {
    const parameter = parameterOf(definition, item);
    if (Object.hasOwn(args, parameter.name)) {
      throw badRequest(`"${parameter.name}" is given twice`, item.offset);
    }
    const value = context.resolveAlias(item.value);
    if (context.rows && !isConstant(value)) {
      context.rows.add(parameter, value);
      args[parameter.name] = () => undefined; // each row has its own
    } else args[parameter.name] = parameterValue(value, parameter, context);
  }
  for (const parameter of definition.params) {
    if (Object.hasOwn(args, parameter.name)) continue;
    const value = implicitValue(parameter, context, consumed);
    if (value !== undefined) {
      args[parameter.name] = parameterValue(context.resolveAlias(value), parameter, context);
    } else if (parameter.notNull === true && parameter.default === undefined) {
      throw badRequest(`The parameter "${parameter.name}" of "${name}" is missing`, offset);
    }
  }
  return { args, consumed };
}

function isConstant({ kind }: CommonExpr): boolean {
  return kind === "primitiveLiteral" || kind === "array" || kind === "object";
}

function parameterOf(definition: LinkedOperation, item: Argument): LinkedElement {
  const { name, offset } = item;
  if (name === undefined) {
    throw badRequest(`The parameters of "${definition.name}" are given by name`, offset);
  }
  if (Object.hasOwn(definition.params, name)) return definition.params[name];
  const nearest = nearestName(name, Object.keys(definition.params));
  const hint = nearest === undefined ? "" : `; did you mean "${nearest}"?`;
  const error = badRequest(`"${definition.name}" has no parameter "${name}"${hint}`, offset);
  error.target = definition.name;
  throw error;
}

/** `?name=value` or `?@name=value` in place of `(name=value)`. */
function implicitValue(
  parameter: LinkedElement,
  { options }: CallContext,
  consumed: Set<string>,
): CommonExpr | undefined {
  const isMeant = (candidate: { readonly name: string }) => candidate.name === parameter.name;
  const alias = options.aliases?.find(isMeant);
  const [custom, twice] = options.custom?.filter(isMeant) ?? [];
  if (twice || (alias && custom)) {
    throw badRequest(`"${parameter.name}" is given twice`, (twice ?? custom)!.offset);
  }
  if (alias !== undefined) return alias.value;
  if (custom === undefined) return undefined;
  consumed.add(custom.name);
  return implicitExpression(custom, parameter);
}

function implicitExpression(custom: CustomQueryOption, parameter: LinkedElement): CommonExpr {
  const { value, valueOffset: offset } = custom;
  const piece = { text: value, raw: value, base: offset };
  const asText: CommonExpr = { kind: "primitiveLiteral", offset, type: "Edm.String", value, text: value };
  try {
    const expr = parseExpressionText(piece);
    // Text without quotes is text where text is expected.
    return isText(parameter) && isBareLiteral(expr) ? asText : expr;
  } catch {
    // what is no expression is no value of any other type, which is found out there
    return asText;
  }
}

function isBareLiteral(expr: CommonExpr): boolean {
  return expr.kind === "primitiveLiteral" && expr.value !== null && !expr.text.endsWith("'");
}

function isText({ $type }: LinkedElement): boolean {
  return $type.items === undefined && $type.elements === undefined &&
    ($type.builtin === "cds.String" || $type.builtin === "cds.LargeString" || $type.builtin === "cds.UUID");
}

/** What the value of a parameter, and those inside of it, are read with. */
interface ValueContext extends CallContext {
  readonly parameter: string;
}

function parameterValue(expr: CommonExpr, parameter: LinkedElement, context: CallContext): ArgumentTemplate {
  return argumentValue(expr, parameter, { ...context, parameter: parameter.name });
}

function argumentValue(expr: CommonExpr, element: LinkedElement, context: ValueContext): ArgumentTemplate {
  const { items, elements, builtin } = element.$type;
  if (expr.kind === "primitiveLiteral" && expr.value === null) return () => null;
  if (items !== undefined) {
    if (expr.kind !== "array") {
      throw new ServiceError({ status: 400, code: "ASSERT_ARRAY", target: context.parameter });
    }
    const members = expr.items.map((item) => argumentValue(context.resolveAlias(item), items, context));
    return (valueOf) => members.map((member) => member(valueOf));
  }
  if (elements !== undefined) return structureValue(expr, { element, elements }, context);
  if (element.isAssociation) throw notImplemented("An entity as an argument", expr.offset);
  const bare = isText(element) ? bareText(expr) : undefined;
  const literal = bare ?? expr;
  if (literal.kind !== "primitiveLiteral") {
    if (builtin === "cds.Map" || builtin === undefined) return plainValue(literal, context);
    throw wrongType(expr, element, context);
  }
  const type = builtin === undefined ? undefined : { builtin, element };
  const binding = context.bindings.bindApart(literal, (actual) => {
    const value = isNoBoolean(actual, builtin) ? undefined : convertedValue(actual, type);
    if (value === undefined || (builtin !== undefined && !fitsType(value, builtin))) {
      throw wrongType(actual, element, context);
    }
    return value;
  });
  binding.convert(literal);
  return (valueOf) => rowValue(valueOf(binding));
}

/** Comparisons take 1 and 0 as well; arguments are `true` or `false` only, as they are in bodies. */
function isNoBoolean({ value }: PrimitiveLiteral, builtin: string | undefined): boolean {
  return builtin === "cds.Boolean" && typeof value !== "boolean" && value !== null;
}

/** A literal as value of a type; undefined where it cannot be one. */
function convertedValue(
  ...[literal, type]: Parameters<typeof convertLiteral>
): ReturnType<typeof convertLiteral> | undefined {
  try {
    return convertLiteral(literal, type);
  } catch (error) {
    if (isServiceError(error) && error.code === "400") return undefined;
    throw error;
  }
}

/** The same error as for a parameter in a body. */
function wrongType(
  expr: CommonExpr,
  { $type: type }: LinkedElement,
  { parameter: target }: ValueContext,
): ServiceError {
  const isAnyText = type.builtin === "cds.String" && type.length === undefined;
  const name = type.elements ? "structure" : isAnyText ? "String" : typeText(type, 0);
  return new ServiceError({ status: 400, code: "ASSERT_DATA_TYPE", target, args: [textOf(expr), name] });
}

function textOf(expr: CommonExpr): string {
  switch (expr.kind) {
    case "primitiveLiteral":
      return typeof expr.value === "string" ? expr.value : expr.text;
    case "array":
      return "An array";
    case "object":
      return "An object";
    default:
      return bareName(expr) ?? "An expression";
  }
}

/** `?color=red`: a name where text is expected. */
function bareText(expr: CommonExpr): CommonExpr | undefined {
  const name = bareName(expr);
  if (name === undefined) return undefined;
  return { kind: "primitiveLiteral", offset: expr.offset, type: "Edm.String", value: name, text: name };
}

function bareName(expr: CommonExpr): string | undefined {
  if (expr.kind !== "memberExpr" || expr.root !== undefined || expr.steps.length !== 1) return undefined;
  const [step] = expr.steps;
  return step!.kind === "memberName" && step!.parens.length === 0 ? step!.name : undefined;
}

interface Structure {
  readonly element: LinkedElement;
  readonly elements: NonNullable<LinkedElement["$type"]["elements"]>;
}

function structureValue(
  expr: CommonExpr,
  { element, elements }: Structure,
  context: ValueContext,
): ArgumentTemplate {
  if (expr.kind !== "object") throw wrongType(expr, element, context);
  const members = expr.members.filter(({ name }) => !name.includes("@")).map(({ name, value }) => {
    if (!Object.hasOwn(elements, name)) {
      throw badRequest(`"${element.name}" has no member "${name}"`, value.offset);
    }
    return [name, argumentValue(context.resolveAlias(value), elements[name], context)] as const;
  });
  return (valueOf) => Object.fromEntries(members.map(([name, member]) => [name, member(valueOf)]));
}

/** JSON without a type. */
function plainValue(expr: CommonExpr, context: CallContext): ArgumentTemplate {
  switch (expr.kind) {
    case "array": {
      const items = expr.items.map((item) => plainValue(context.resolveAlias(item), context));
      return (valueOf) => items.map((item) => item(valueOf));
    }
    case "object": {
      const members = expr.members.map(({ name, value }) => [name, plainValue(value, context)] as const);
      return (valueOf) => Object.fromEntries(members.map(([name, member]) => [name, member(valueOf)]));
    }
    case "primitiveLiteral": {
      const value = typeof expr.value === "number" ? numberValue(String(expr.value)).value : expr.value;
      return () => rowValue(value);
    }
    default:
      throw badRequest("A literal is expected", expr.offset);
  }
}

/**
 * All operations that a name may mean: bound to the same, or unbound.
 *
 * @param operation one of them
 */
export function overloadsOf(operation: LinkedOperation): readonly LinkedOperation[] {
  let overloads = OVERLOADS.get(operation);
  if (overloads === undefined) OVERLOADS.set(operation, overloads = findOverloads(operation));
  return overloads;
}

const OVERLOADS: WeakMap<LinkedOperation, readonly LinkedOperation[]> = new WeakMap();

function findOverloads(operation: LinkedOperation): readonly LinkedOperation[] {
  const { $service, $entity } = operation as LinkedOperation & Pick<LinkedDefinition, "$service">;
  const all = $entity?.actions ?? $service?.operations ?? [operation];
  const name = edmOperationName(operation);
  return [...all].filter((other) =>
    other.$collectionBound === operation.$collectionBound && edmOperationName(other) === name
  );
}

/**
 * The overload of a function that a call means.
 *
 * @param operation one of its overloads
 * @param segment the call
 * @param options query options, which may hold arguments
 * @throws {ServiceError} 400 when none takes these arguments
 */
export function functionOverload(
  operation: LinkedOperation,
  segment: NameSegment,
  options: QueryOptions,
): LinkedOperation {
  const overloads = overloadsOf(operation);
  if (overloads.length < 2 || operation.kind !== "function") return operation;
  const explicit = (segment.parens[0]?.items ?? []).map(({ name }) => name ?? "");
  const implicit = [...options.aliases ?? [], ...options.custom ?? []].map(({ name }) => name);
  const found = bestOverload(overloads, explicit, implicit);
  if (found) return found;
  throw badRequest(
    `No overload of "${segment.name}" has the parameters (${explicit.join(", ")})`,
    segment.offset,
  );
}

/**
 * The overload of an action that the members of a body fit.
 *
 * @param operation one of its overloads
 * @param body the body, whose annotations are no arguments
 * @returns the operation itself where it is the only one, or where none fits
 */
export function actionOverload(operation: LinkedOperation, body: object): LinkedOperation {
  const overloads = overloadsOf(operation);
  if (overloads.length < 2) return operation;
  const names = Object.keys(body).filter((name) => !name.includes("@"));
  return bestOverload(overloads, names, []) ?? operation;
}

/** The one that takes all arguments and misses the fewest. */
function bestOverload(
  overloads: readonly LinkedOperation[],
  explicit: readonly string[],
  implicit: readonly string[],
): LinkedOperation | undefined {
  const ranked = overloads.flatMap((operation) => {
    const params = [...operation.params];
    if (!explicit.every((name) => Object.hasOwn(operation.params, name))) return [];
    const missing = params.filter(({ name }) => !explicit.includes(name) && !implicit.includes(name));
    const isCallable = missing.every((param) => param.notNull !== true || param.default !== undefined);
    return isCallable ? [{ operation, missing: missing.length, params: params.length }] : [];
  });
  ranked.sort((one, other) => one.missing - other.missing || other.params - one.params);
  return ranked[0]?.operation;
}

/**
 * The options without those that are arguments of the operation.
 *
 * @param options all options
 * @param call what was taken as arguments
 * @returns the others
 * @throws {ServiceError} 400 for a value that is none of the system option it is given for
 */
export function usedOptions(options: QueryOptions, call: CallArguments | undefined): QueryOptions {
  const taken = call?.consumed ?? new Set<string>();
  const custom = options.custom?.filter(({ name }) => !taken.has(name)) ?? [];
  for (const { error } of custom) if (error !== undefined) throw error;
  const own = custom.filter(({ system }) => system === undefined);
  const hidden = options.custom?.filter(({ name, system }) => system !== undefined && taken.has(name)) ?? [];
  return { ...withoutSystem(options, hidden), custom: own };
}

function withoutSystem(options: QueryOptions, hidden: readonly CustomQueryOption[]): QueryOptions {
  if (hidden.length === 0) return options;
  const names = new Set(hidden.map(({ system }) => system));
  return Object.fromEntries(
    Object.entries(options).filter(([name]) => !names.has(name)),
  ) as unknown as QueryOptions;
}
