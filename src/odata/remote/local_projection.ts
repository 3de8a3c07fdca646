/**
 * Queries on local projections of remote entities, as `remote.run(req.query)` sends them.
 *
 * @module
 */

import type { Column, Expression, OrderTerm, RefStep, SelectBody, Xo } from "../../cqn/cqn.ts";
import type { LinkedEntity, LinkedService } from "../../model/linked.ts";
import { notPossible } from "./remote_expression.ts";
import { isCount } from "./remote_read.ts";

/** Names of remote elements by the names of local ones. */
type Renames = ReadonlyMap<string, string>;

/**
 * A SELECT from a local projection as one from the remote entity; its columns keep the local names.
 *
 * @param select the body of the query
 * @param local the local entity
 * @param remote the service
 * @returns `undefined` when the entity is no projection of one of the service
 * @throws ServiceError 501 for calculated elements
 */
export function remoteSelect(
  select: SelectBody,
  local: LinkedEntity,
  remote: LinkedService,
): SelectBody | undefined {
  const found = remoteSource(local, remote);
  if (!found || !("ref" in select.from)) return undefined;
  const { entity, renames } = found;
  const [root, ...steps] = select.from.ref;
  const where = typeof root === "string" ? undefined : root.where;
  const id = where ? { id: entity.name, where: renamed(where, renames) } : entity.name;
  return {
    ...select,
    from: { ref: [id, ...steps] },
    columns: isCount(select.columns)
      ? select.columns
      : columnsOf(select, local).map((column) => renamedColumn(column, renames)),
    ...(select.where ? { where: renamed(select.where, renames) } : {}),
    ...(select.orderBy
      ? { orderBy: select.orderBy.map((term) => renamedOperand(term, renames) as OrderTerm) }
      : {}),
  };
}

/** The entity of the service at the end of a chain of projections, and what its elements are called on the way. */
function remoteSource(
  local: LinkedEntity,
  remote: LinkedService,
): { readonly entity: LinkedEntity; readonly renames: Renames } | undefined {
  let renames: Renames = new Map([...local.elements].map(({ name }) => [name, name]));
  for (const name of local.$flat.keys()) renames = new Map([...renames, [name, name]]);
  let entity: LinkedEntity | undefined = local;
  while (entity && entity.$service !== remote) {
    const own = renamesOf(entity);
    renames = new Map([...renames].map(([name, inner]) => [name, own.get(inner) ?? inner]));
    entity = entity.$source;
  }
  return entity && entity !== local ? { entity, renames } : undefined;
}

function renamesOf(entity: LinkedEntity): Renames {
  const renames = new Map<string, string>();
  for (const column of entity.$select?.columns ?? []) {
    if (column === "*" || !column.as || !("ref" in column) || !column.ref) continue;
    renames.set(column.as, column.ref.map((step) => typeof step === "string" ? step : step.id).join("_"));
  }
  return renames;
}

/** All elements, where a query names none: the remote entity may have more. */
function columnsOf({ columns }: SelectBody, local: LinkedEntity): readonly Column[] {
  const all = [...local.$flat.values()].filter((element) => !element.virtual)
    .map(({ name }): Column => ({ ref: [name] }));
  return (columns ?? ["*" as const]).flatMap((column) => column === "*" ? all : [column]);
}

function renamedColumn(column: Column, renames: Renames): Column {
  if (column === "*" || !("ref" in column) || !column.ref) throw notPossible("A calculated column");
  const [first] = column.ref;
  const name = typeof first === "string" ? first : first.id;
  const ref = renamedRef(column.ref, renames);
  const as = column.as ?? (column.ref.length === 1 && renames.get(name) !== name ? name : undefined);
  return { ...column, ref, ...(as === undefined ? {} : { as }) } as Column;
}

function renamed(tokens: readonly Xo[], renames: Renames): readonly Xo[] {
  return tokens.map((token) => typeof token === "string" ? token : renamedOperand(token, renames));
}

function renamedOperand(operand: Expression, renames: Renames): Expression {
  if ("ref" in operand) {
    return operand.param ? operand : { ...operand, ref: renamedRef(operand.ref, renames) };
  }
  if ("list" in operand) return { ...operand, list: operand.list.map((one) => renamedOperand(one, renames)) };
  if ("func" in operand && Array.isArray(operand.args)) {
    const args = operand.args.map((arg) => arg === "*" ? arg : renamedOperand(arg, renames));
    return { ...operand, args };
  }
  return "xpr" in operand && operand.xpr
    ? { ...operand, xpr: renamed(operand.xpr, renames) } as Expression
    : operand;
}

function renamedRef([first, ...rest]: readonly RefStep[], renames: Renames): readonly RefStep[] {
  if (typeof first === "string") return [renames.get(first) ?? first, ...rest];
  return [{ ...first, id: renames.get(first.id) ?? first.id }, ...rest];
}
