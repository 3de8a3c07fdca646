/**
 * The pass of the ABNF suite that knows names: what a path may go through by the kinds of its names.
 *
 * @module
 */

import { ServiceError } from "../../src/errors/service_error.ts";
import type {
  AggregateExpr,
  ApplyTrafo,
  AstNode,
  CommonExpr,
  GroupbyElement,
  MemberExpr,
  ODataRelativeUri,
  QueryOptions,
} from "../../src/odata/url/ast.ts";
import { walkTree } from "../../src/odata/url/check_url.ts";

/** Names by rule of the ABNF. */
export type Names = Readonly<Record<string, readonly string[]>>;

function reject(message: string): never {
  throw new ServiceError({ status: 400, message });
}

function is(names: Names, name: string, ...rules: readonly string[]): boolean {
  return rules.some((rule) => names[rule]?.includes(name));
}

/** Whether a name with namespace is that of a type. */
function isType(names: Names, name: string): boolean {
  const last = name.slice(name.lastIndexOf(".") + 1);
  return name.includes(".") && is(names, last, "entityTypeName", "complexTypeName");
}

const SINGLE = ["complexProperty", "entityNavigationProperty"];
const PRIMITIVE = ["primitiveKeyProperty", "primitiveNonKeyProperty", "streamProperty"];
const MANY = ["entityColNavigationProperty", "complexColProperty"];
const ONLY_FIRST =
  /^(?:entitySetName|singletonEntity|actionImport|.*FunctionImport|namespacePart|parameterName|customName|termName|.*Annotation.*)$/;

/**
 * Checks the names of a URL.
 *
 * @param url its tree
 * @param names names of the suite; without them nothing is checked
 */
export function checkUrlNames(url: ODataRelativeUri, names: Names | undefined): void {
  if (names === undefined) return;
  url.path.forEach((segment, index) => {
    const before = url.path[index - 1];
    if (segment.kind === "systemSegment" && segment.name === "$value" && before?.kind === "nameSegment") {
      if (
        is(names, before.name, "complexProperty", "complexColProperty") &&
        !is(names, before.name, ...PRIMITIVE)
      ) {
        reject("No raw value of a structure");
      }
    }
    if (segment.kind !== "nameSegment" || index === 0) return;
    const { name } = segment;
    if (before?.kind === "nameSegment" && before.parens.length === 0 && isType(names, before.name)) {
      if (isType(names, name)) reject("A type behind a type");
    }
    const rules = Object.keys(names).filter((rule) => names[rule].includes(name));
    if (rules.length > 0 && rules.every((rule) => ONLY_FIRST.test(rule))) reject("An import inside the path");
  });
  checkOptionNames(url.options, names);
}

/**
 * Checks the names of options.
 *
 * @param options the options
 * @param names names of the suite
 */
export function checkOptionNames(options: QueryOptions, names: Names | undefined): void {
  if (names === undefined) return;
  const paths = new Set<MemberExpr>();
  walkTree(options, (node) => visit(node, names, paths));
}

/**
 * Checks the names of an expression.
 *
 * @param expr the expression
 * @param names names of the suite
 */
export function checkExpressionNames(expr: CommonExpr, names: Names | undefined): void {
  if (expr.kind === "memberExpr" && expr.root === undefined && expr.steps.length === 1) {
    const [step] = expr.steps;
    if (step.kind === "memberName" && step.name.includes(".") && step.parens.length === 0) {
      reject("A type is no value");
    }
  }
  if (names === undefined) return;
  const paths = new Set<MemberExpr>();
  walkTree(expr, (node) => visit(node, names, paths));
}

/** `paths` are those that may pass collections: checked by their own rule. */
function visit(node: AstNode, names: Names, paths: Set<MemberExpr>): void {
  switch (node.kind) {
    case "aggregateExpr":
      return checkAggregate(node as AggregateExpr, names, paths);
    case "memberExpr":
      return paths.has(node as MemberExpr) ? undefined : checkMember(node as MemberExpr, names);
    case "groupbyTrafo":
      for (const element of (node as Extract<ApplyTrafo, { kind: "groupbyTrafo" }>).elements) {
        checkGrouping(element, names, paths);
      }
      return;
    case "rollupLevels": {
      const { properties } = node as Extract<GroupbyElement, { kind: "rollupLevels" }>;
      if (properties.length > 1) { for (const property of properties) checkGrouping(property, names, paths); }
      return;
    }
    case "joinTrafo": {
      const { property } = node as Extract<ApplyTrafo, { kind: "joinTrafo" }>;
      const [step] = property.steps;
      if (step.kind === "memberName" && is(names, step.name, ...SINGLE)) reject("A collection is expected");
      paths.add(property);
      return;
    }
    case "hierarchyTrafo":
    case "rollupRecursive": {
      const { hierarchy } = node as unknown as { hierarchy: { property: MemberExpr } };
      paths.add(hierarchy.property);
      for (const step of hierarchy.property.steps) {
        if (step.kind !== "memberName" || step.parens.length > 0) reject("A path of names is expected");
      }
    }
  }
}

function checkAggregate({ expr, method, from }: AggregateExpr, names: Names, paths: Set<MemberExpr>): void {
  for (const { properties } of from ?? []) {
    for (const property of properties) checkGrouping(property, names, paths);
  }
  if (expr.kind !== "memberExpr") return;
  paths.add(expr);
  const last = expr.steps.at(-1);
  if (method === undefined && last?.kind === "memberName" && !is(names, last.name, "customAggregate")) {
    reject("A custom aggregate is expected");
  }
}

/** A collection is followed by a key, a cast, a function, a count, a filter or a lambda. */
function checkMember({ root, steps }: MemberExpr, names: Names): void {
  for (let i = root === "$root" ? 1 : 0; i < steps.length - 1; i++) {
    const [step, next] = [steps[i], steps[i + 1]];
    if (step.kind !== "memberName" || next.kind !== "memberName" || step.parens.length > 0) continue;
    if (isType(names, step.name) && isType(names, next.name)) reject("A type behind a type");
    const many = is(names, step.name, ...MANY) && !is(names, step.name, "lambdaVariableExpr");
    if (many && next.parens.length === 0 && !next.name.includes(".") && isProperty(names, next.name)) {
      reject("A collection has no properties");
    }
  }
}

function isProperty(names: Names, name: string): boolean {
  return is(names, name, ...PRIMITIVE, ...SINGLE, ...MANY, "primitiveColProperty");
}

/** groupingProperty: single values all the way, and no cast at the end. */
function checkGrouping(element: GroupbyElement, names: Names, paths: Set<MemberExpr>): void {
  if (element.kind !== "memberExpr") return;
  paths.add(element);
  element.steps.forEach((step, index) => {
    if (step.kind !== "memberName" || step.parens.length > 0) reject("A path of names is expected");
    const { name } = step;
    const last = index === element.steps.length - 1;
    if (name.includes(".")) return last ? reject("A property is expected behind the type") : undefined;
    if (is(names, name, ...SINGLE, "entityTypeName", "complexTypeName", "expressionAlias")) return;
    if (is(names, name, ...MANY)) reject("A collection cannot group");
    if (!last && is(names, name, ...PRIMITIVE)) reject("Nothing follows a primitive property");
  });
}
