/**
 * Syntax trees of `$apply` → text, not percent-encoded.
 *
 * @module
 */

import type { ApplyExpr, ApplyTrafo, GroupbyElement, RecHierReference } from "./ast.ts";
import {
  printAggregate,
  printArguments,
  printExpression,
  printMember,
  type PrintOptions,
  printOrderbyItem,
  printSearch,
} from "./print_expression.ts";

/**
 * Prints `$apply`.
 *
 * @param apply the tree
 * @param options prints options inside
 * @returns text that parses to the same tree
 */
export function printApply(apply: ApplyExpr, options: PrintOptions): string {
  return apply.trafos.map((trafo) => printTrafo(trafo, options)).join("/");
}

function printTrafo(trafo: ApplyTrafo, options: PrintOptions): string {
  switch (trafo.kind) {
    case "aggregateTrafo":
      return `aggregate(${trafo.items.map((item) => printAggregate(item, options)).join(",")})`;
    case "computeTrafo":
      return `compute(${
        trafo.items.map(({ expr, name }) => `${printExpression(expr, options)} as ${name}`).join(",")
      })`;
    case "concatTrafo":
      return `concat(${trafo.branches.map((branch) => printApply(branch, options)).join(",")})`;
    case "groupbyTrafo": {
      const elements = trafo.elements.map((element) => printGrouping(element, options)).join(",");
      return `groupby((${elements})${
        trafo.apply === undefined ? "" : `,${printApply(trafo.apply, options)}`
      })`;
    }
    case "filterTrafo":
      return `filter(${printExpression(trafo.filter, options)})`;
    case "searchTrafo":
      return `search(${printSearch(trafo.search)})`;
    case "orderbyTrafo":
      return `orderby(${trafo.items.map((item) => printOrderbyItem(item, options)).join(",")})`;
    case "topTrafo":
    case "skipTrafo":
      return `${trafo.kind === "topTrafo" ? "top" : "skip"}(${trafo.count})`;
    case "identityTrafo":
      return "identity";
    case "topBottomTrafo":
      return `${trafo.name}(${printExpression(trafo.amount, options)},${
        printExpression(trafo.value, options)
      })`;
    case "joinTrafo": {
      const apply = trafo.apply === undefined ? "" : `,${printApply(trafo.apply, options)}`;
      const name = trafo.outer ? "outerjoin" : "join";
      return `${name}(${printMember(trafo.property, options)} as ${trafo.alias}${apply})`;
    }
    case "nestTrafo": {
      const items = trafo.items.map(({ apply, alias }) => `${printApply(apply, options)} as ${alias}`).join(
        ",",
      );
      return trafo.path === undefined
        ? `nest(${items})`
        : `addnested(${printMember(trafo.path, options)},${items})`;
    }
    case "hierarchyTrafo":
      return printHierarchy(trafo, options);
    case "customFunction":
      return trafo.call.name + trafo.call.parens.map((list) => printArguments(list, options)).join("");
    default:
      return trafo satisfies never;
  }
}

function printReference({ nodes, qualifier, property }: RecHierReference, options: PrintOptions): string {
  return `${printExpression(nodes, options)},${qualifier},${printMember(property, options)}`;
}

function printHierarchy(
  trafo: Extract<ApplyTrafo, { kind: "hierarchyTrafo" }>,
  options: PrintOptions,
): string {
  const parts = [printReference(trafo.hierarchy, options)];
  if (trafo.order !== undefined) parts.push(trafo.order);
  if (trafo.trafos !== undefined) parts.push(printApply(trafo.trafos, options));
  if (trafo.distance !== undefined) parts.push(`${trafo.distance}`);
  if (trafo.keepStart) parts.push("keep start");
  for (const item of trafo.orderby ?? []) parts.push(printOrderbyItem(item, options));
  return `${trafo.name}(${parts.join(",")})`;
}

function printGrouping(element: GroupbyElement, options: PrintOptions): string {
  switch (element.kind) {
    case "memberExpr":
      return printMember(element, options);
    case "rollupLevels":
      return `rollup(${element.properties.map((property) => printMember(property, options)).join(",")})`;
    case "rollupRecursive": {
      const trafos = element.trafos === undefined ? "" : `,${printApply(element.trafos, options)}`;
      return `rolluprecursive(${printReference(element.hierarchy, options)}${trafos})`;
    }
    default:
      return element satisfies never;
  }
}
