/**
 * `SELECT.search`: terms over the searchable elements, ignoring case (OData URL conventions 5.1.8).
 *
 * @module
 */

import type { Expression, Xo } from "../../cqn/cqn.ts";
import type { FlatElement, LinkedEntity } from "../../model/linked.ts";

/**
 * The condition that stands for search terms.
 *
 * @param search terms with `and`, `or`, `not` and nested terms; terms side by side mean `and`
 * @param entity whose elements are searched
 * @returns tokens over the elements of the entity
 */
export function searchCondition(search: readonly Xo[], entity: LinkedEntity): readonly Xo[] {
  const paths = searchPaths(entity);
  const result: Xo[] = [];
  for (const token of search) {
    if (typeof token === "string") {
      result.push(token);
      continue;
    }
    const last = result.at(-1);
    if (last !== undefined && typeof last !== "string") result.push("and");
    result.push({
      xpr: "xpr" in token && !("func" in token)
        ? searchCondition(token.xpr, entity)
        : termCondition(token, paths),
    });
  }
  return result;
}

function termCondition(term: Expression, paths: readonly (readonly string[])[]): Xo[] {
  if (paths.length === 0) return [{ val: 1 }, "=", { val: 0 }];
  return paths.flatMap((path, index): Xo[] => [
    ...(index ? ["or"] : []),
    {
      func: "$found",
      args: [{ ref: path }, term],
    },
  ]);
}

/** `@cds.search` names elements and associations, or leaves out with `false`; default: all string elements. */
function searchPaths(entity: LinkedEntity): (readonly string[])[] {
  const named = Object.keys(entity).filter((key) => key.startsWith("@cds.search."));
  const values = entity as unknown as Record<string, unknown>; // annotations are members of the entity
  const included = named.filter((key) => values[key] === true).map((key) => key.slice("@cds.search.".length));
  if (included.length > 0) return included.flatMap((name) => pathsOf(entity, name.split(".")));
  const excluded = new Set(
    named.filter((key) => values[key] === false).map((key) => key.slice("@cds.search.".length)),
  );
  return stringElements(entity).filter((flat) => !excluded.has(flat.name)).map((flat) => [flat.name]);
}

function pathsOf(entity: LinkedEntity, path: readonly string[]): (readonly string[])[] {
  const element = entity.elements[path[0]];
  if (!element?.isAssociation || element.is2many || !element.$target) return [path];
  if (path.length > 1) return pathsOf(element.$target, path.slice(1)).map((rest) => [path[0], ...rest]);
  return searchPathsOfTarget(element.$target).map((rest) => [path[0], ...rest]);
}

function searchPathsOfTarget(entity: LinkedEntity): (readonly string[])[] {
  return stringElements(entity).map((flat) => [flat.name]);
}

function stringElements(entity: LinkedEntity): FlatElement[] {
  return [...entity.$flat.values()].filter((flat) =>
    !flat.virtual && flat.element.$type.builtin === "cds.String" && flat.element["@cds.search"] !== false
  );
}
