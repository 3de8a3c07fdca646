/**
 * Views with parameters in paths: `Busy(least=2)/Set`, as their metadata says.
 *
 * @module
 */

import type { ViewWithParameters } from "../../../model/runtime_view.ts";
import type { NameSegment, PathSegment } from "../../url/ast.ts";
import { type Binding, paramRef } from "../shapes/bindings.ts";
import { badRequest, unknownName } from "../plan_error.ts";
import { type KeyBindings, type KeyContext, keyValue } from "./plan_keys.ts";
import type { Resource } from "./resource.ts";

/** A view and what its arguments refer to. */
type ViewContext = KeyContext & { readonly entity: ViewWithParameters };

/** The navigation property from the parameters to the rows. */
const ROWS = "Set";

/**
 * Reads the values of the parameters of a view.
 *
 * @param resource the view; changed in place
 * @param segments its segment and the one behind it, which leads to the rows
 * @param context the view, bindings
 * @returns the segment that leads to the rows, where a key may follow
 * @throws {ServiceError} 400 for unknown, missing and malformed values, and for paths that do not go on to the rows
 */
export function applyArguments(
  resource: Resource,
  [segment, next]: readonly [NameSegment, PathSegment | undefined],
  context: ViewContext,
): NameSegment {
  const { entity } = context;
  const values = argumentsOf(segment, context);
  if (next?.kind !== "nameSegment" || next.name !== ROWS) {
    const example = [...entity.params].map(({ name }) => `${name}=…`).join(",");
    throw badRequest(
      `The rows of "${segment.name}" are at "${segment.name}(${example})/${ROWS}"`,
      segment.offset,
    );
  }
  const args = Object.fromEntries([...values].map(([name, binding]) => [name, paramRef(binding)]));
  const key = Object.fromEntries(values);
  resource.ref = [{ id: entity.name, args }];
  resource.keys.push(key);
  resource.url.push({ entity, args: key }, `/${ROWS}`);
  return next;
}

function argumentsOf({ name: view, parens, offset }: NameSegment, context: ViewContext): KeyBindings {
  const { params, name: owner } = context.entity;
  const known = [...params].map(({ name }) => name);
  if (parens.length > 1) throw badRequest(`"${view}" has more than one list of parameters`, offset);
  const given = new Map<string, Binding>();
  for (const { name = known.length === 1 ? known[0] : "", value, offset } of parens[0]?.items ?? []) {
    if (!Object.hasOwn(params, name)) throw unknownName({ name, offset, what: "parameter", owner, known });
    if (given.has(name)) throw badRequest(`The parameter "${name}" is given twice`, offset);
    given.set(name, keyValue(value, { name, element: params[name] }, context));
  }
  const missing = [...params].find((param) => !given.has(param.name) && param.default === undefined);
  if (missing) throw badRequest(`The parameter "${missing.name}" of "${view}" is missing`, offset);
  return given;
}
