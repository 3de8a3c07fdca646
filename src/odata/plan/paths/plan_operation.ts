/**
 * Calls of operations: arguments from parentheses, aliases and query options (OData 4.01 Part 1, section 11.5).
 *
 * @module
 */

import { nearestName } from "../../../util/nearest_name.ts";
import type { LinkedElement, LinkedOperation } from "../../../model/linked.ts";
import type { Argument, CommonExpr, CustomQueryOption, NameSegment, QueryOptions } from "../../url/ast.ts";
import { parseExpressionText } from "../../url/parse_url.ts";
import { numberValue } from "../../url/literals.ts";
import type { ArgumentTemplate, Bindings } from "../shapes/bindings.ts";
import { convertLiteral, fitsType, rowValue } from "../expressions/literal_values.ts";
import { badRequest, notImplemented } from "../plan_error.ts";

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
    } else args[parameter.name] = argumentValue(value, parameter, context);
  }
  for (const parameter of definition.params) {
    if (Object.hasOwn(args, parameter.name)) continue;
    const value = implicitValue(parameter, context, consumed);
    if (value !== undefined) {
      args[parameter.name] = argumentValue(context.resolveAlias(value), parameter, context);
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
  try {
    return parseExpressionText(piece);
  } catch (error) {
    // Text without quotes is text where text is expected.
    if (!isText(parameter)) throw error;
    return { kind: "primitiveLiteral", offset, type: "Edm.String", value, text: value };
  }
}

function isText({ $type }: LinkedElement): boolean {
  return $type.items === undefined && $type.elements === undefined &&
    ($type.builtin === "cds.String" || $type.builtin === "cds.LargeString" || $type.builtin === "cds.UUID");
}

function argumentValue(expr: CommonExpr, element: LinkedElement, context: CallContext): ArgumentTemplate {
  const { items, elements, builtin } = element.$type;
  if (expr.kind === "primitiveLiteral" && expr.value === null) return () => null;
  if (items !== undefined) {
    if (expr.kind !== "array") {
      throw badRequest(`A collection is expected for "${element.name}"`, expr.offset);
    }
    const members = expr.items.map((item) => argumentValue(context.resolveAlias(item), items, context));
    return (valueOf) => members.map((member) => member(valueOf));
  }
  if (elements !== undefined) return structureValue(expr, { element, elements }, context);
  if (element.isAssociation) throw notImplemented("An entity as an argument", expr.offset);
  const bare = expr.kind === "memberExpr" && isText(element) ? bareText(expr) : undefined;
  const literal = bare ?? expr;
  if (literal.kind !== "primitiveLiteral") {
    if (builtin === "cds.Map" || builtin === undefined) return plainValue(literal, context);
    throw badRequest(`A literal is expected for "${element.name}"`, expr.offset);
  }
  const type = builtin === undefined ? undefined : { builtin, element };
  const binding = context.bindings.bindApart(literal, (actual) => {
    const value = convertLiteral(actual, type);
    if (builtin !== undefined && !fitsType(value, builtin)) {
      throw badRequest(`${actual.text} is not a value of type ${builtin.replace("cds.", "")}`, actual.offset);
    }
    return value;
  });
  binding.convert(literal);
  return (valueOf) => rowValue(valueOf(binding));
}

/** `?color=red`: a name where text is expected. */
function bareText(expr: Extract<CommonExpr, { kind: "memberExpr" }>): CommonExpr | undefined {
  const [step] = expr.steps;
  if (
    expr.root !== undefined || expr.steps.length !== 1 || step.kind !== "memberName" || step.parens.length > 0
  ) {
    return undefined;
  }
  return {
    kind: "primitiveLiteral",
    offset: expr.offset,
    type: "Edm.String",
    value: step.name,
    text: step.name,
  };
}

interface Structure {
  readonly element: LinkedElement;
  readonly elements: NonNullable<LinkedElement["$type"]["elements"]>;
}

function structureValue(
  expr: CommonExpr,
  { element, elements }: Structure,
  context: CallContext,
): ArgumentTemplate {
  if (expr.kind !== "object") throw badRequest(`A structure is expected for "${element.name}"`, expr.offset);
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
