/**
 * `$search` over paths to restricted entities, which the database would search without conditions.
 *
 * @module
 */

import type { Expression, RefStep, Xo } from "../../cqn/cqn.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { searchableElements } from "../../model/searchable_elements.ts";
import type { Pass } from "./pass.ts";
import { restrictPath } from "./restrict_path.ts";

/**
 * The condition that stands for search terms, if paths that are searched need one.
 *
 * @param pass who asks
 * @param search the terms
 * @param entity whose elements are searched
 * @returns `undefined` if the search can stay as it is
 * @throws ServiceError 401 or 403 when an entity that is searched too may not be read
 */
export function restrictSearch(
  pass: Pass,
  search: readonly Xo[],
  entity: LinkedEntity,
): readonly Xo[] | undefined {
  const paths = searchableElements(entity);
  const restricted = paths.map((steps): readonly RefStep[] =>
    steps.length === 1
      ? steps
      : restrictPath(pass, { entity, steps }, { touchesEnd: true, condition: (where) => where }).steps
  );
  if (restricted.every((steps, index) => steps === paths[index])) return undefined;
  return condition(search, restricted);
}

function condition(search: readonly Xo[], paths: readonly (readonly RefStep[])[]): readonly Xo[] {
  const result: Xo[] = [];
  for (const token of search) {
    if (typeof token === "string") {
      result.push(token);
      continue;
    }
    const last = result.at(-1);
    if (last !== undefined && typeof last !== "string") result.push("and");
    const isGroup = "xpr" in token && !("func" in token);
    result.push({ xpr: isGroup ? condition(token.xpr, paths) : oneOf(paths, token) });
  }
  return result;
}

function oneOf(paths: readonly (readonly RefStep[])[], term: Expression): readonly Xo[] {
  return paths.flatMap((ref, index): Xo[] => {
    const text: Expression = { func: "coalesce", args: [{ ref }, { val: "" }] };
    const found: Expression = { func: "contains", args: [lower(text), lower(term)] };
    return index === 0 ? [found] : ["or", found];
  });
}

function lower(text: Expression): Expression {
  return { func: "tolower", args: [text] };
}
