/**
 * Entities whose rows cannot be asked for as their model promises, and calls in views that nobody can mean.
 *
 * @module
 */

import { functionRow, knownFunctions } from "../../algebra/functions.ts";
import { nearestName } from "../../util/nearest_name.ts";
import type { Csn, CsnDefinition } from "../csn.ts";

/**
 * What is suspicious about an entity: rows without a name, rows without a column, half of a period.
 *
 * @param name full name
 * @param entity the inferred entity
 * @param definitions all definitions
 * @returns texts, each behind the name of the entity
 */
export function entityProblems(
  name: string,
  entity: CsnDefinition,
  definitions: NonNullable<Csn["definitions"]>,
): readonly string[] {
  if (entity.kind !== "entity") return [];
  const elements = Object.entries(entity.elements ?? {});
  const isTable = !entity.query && !entity.projection;
  const keys = elements.filter(([, { key }]) => key);
  const problems: string[] = [];
  if (isServed(name, definitions) && keys.length === 0 && !isSingle(entity)) {
    problems.push(`has no key, so nobody can ask for one of its rows: expected "key" before an element`);
  }
  const virtual = isTable ? keys.find(([, element]) => element.virtual)?.[0] : undefined;
  if (virtual !== undefined) {
    problems.push(`has the virtual key "${virtual}", but virtual elements are not stored`);
  }
  const ends = ["@cds.valid.from", "@cds.valid.to"];
  const [missing, ...more] = ends.filter((end) => !elements.some(([, element]) => end in element));
  if (isTable && missing !== undefined && more.length === 0) {
    const [given] = ends.filter((end) => end !== missing);
    problems.push(`has ${given}, but no ${missing}: a period needs both`);
  }
  return problems;
}

/** Whether it stands in a service of this project. */
function isServed(name: string, definitions: NonNullable<Csn["definitions"]>): boolean {
  for (let end = name.lastIndexOf("."); end > 0; end = name.lastIndexOf(".", end - 1)) {
    const owner = definitions[name.slice(0, end)];
    if (owner?.kind === "service") return !(owner as Annotated)["@cds.external"];
  }
  return false;
}

type Annotated = CsnDefinition & {
  readonly "@cds.external"?: unknown;
  readonly "@odata.singleton"?: unknown;
  readonly "@cds.api.ignore"?: unknown;
};

function isSingle(entity: Annotated): boolean {
  return Boolean(entity["@odata.singleton"] ?? entity["@cds.api.ignore"]);
}

/**
 * What is suspicious about an expression that is a call: a name that is almost that of a function, or too few arguments.
 *
 * @param expression any expression
 * @returns undefined where nothing can be said against it; other names are those of functions of the database itself
 */
export function functionProblem(expression: object): string | undefined {
  const { func, args } = expression as { readonly func?: string; readonly args?: unknown };
  if (typeof func !== "string") return undefined;
  const row = functionRow(func);
  if (row === undefined) {
    const near = nearestName(func, names());
    return near === undefined ? undefined : `Function "${func}" is unknown, did you mean "${near}"?`;
  }
  const [least = 0] = row.odata?.count ?? [];
  const given = Array.isArray(args) ? args.length : least;
  return given < least
    ? `Function "${func}" takes at least ${least} arguments, but gets ${given}`
    : undefined;
}

function* names(): Iterable<string> {
  for (const [name] of knownFunctions()) if (!name.startsWith("$")) yield name;
}
