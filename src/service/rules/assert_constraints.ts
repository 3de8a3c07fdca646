/**
 * Checks of constraints: by queries on the rows that a request wrote, in its transaction.
 *
 * @module
 */

import { toCqnExpression } from "../../algebra/to_cqn.ts";
import type {
  Column,
  Query,
  QueryParams,
  RefExpression,
  RefStep,
  Row,
  SelectQuery,
  Xo,
} from "../../cqn/cqn.ts";
import { equalities } from "../../cqn/conjunction.ts";
import type { ErrorProperties } from "../../errors/service_error.ts";
import type { LinkedElement, LinkedEntity } from "../../model/linked.ts";
import { validSlice } from "../../model/valid_slice.ts";
import type { ServiceRequest } from "../requests/service_request.ts";
import { childKey, childKeyInPath } from "../validation/given_value.ts";
import { throwViolations } from "../validation/validate_input.ts";
import { type Constraint, constraintsOf } from "./constraints.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import { stepName } from "../../cqn/steps.ts";
import { rowsIn } from "../../cqn/entries_of.ts";

/** Runs queries. */
interface Reader {
  run(query: Query, params?: QueryParams): Promise<unknown>;
}

/** Rows that one statement names. */
const ROWS_AT_ONCE = 100;

/** The rows that a request is going to write, as far as they cannot be told behind it. */
export interface RowsToCheck {
  /** What an UPDATE changes, by what tells rows apart; undefined for new rows. */
  readonly keys: readonly Row[] | undefined;
}

/**
 * Finds out which rows a request changes: behind it, its conditions may lead elsewhere.
 *
 * @param req a CREATE, UPDATE or UPSERT, before it writes
 * @param db the database
 * @returns undefined where no constraint is to be checked
 */
export function rowsToCheck(req: ServiceRequest, db: Reader): Promise<RowsToCheck> | undefined {
  const { target, data } = req;
  if (!target || !isConstrained(target, data)) return undefined;
  return req.event === "UPDATE"
    ? changedKeys(req, target, db).then((keys) => ({ keys }))
    : Promise.resolve({ keys: undefined });
}

/** Whether rows, or those nested in them, are of entities with constraints. */
function isConstrained(entity: LinkedEntity, data: unknown): boolean {
  if (constraintsOf(entity).length > 0) return true;
  for (const { name, $target } of entity.compositions) {
    if (!$target) continue;
    const parts = rowsIn(data).flatMap((row) => rowsIn(row[name]));
    if (parts.length > 0 && isConstrained($target, parts)) return true;
  }
  return false;
}

function changedKeys(req: ServiceRequest, target: LinkedEntity, db: Reader): Promise<readonly Row[]> {
  const { query, params } = req.statement ?? {};
  const { entity, where } = query && "UPDATE" in query
    ? query.UPDATE
    : { entity: req.subject, where: undefined };
  const from = typeof entity === "string" ? { ref: [entity] } : entity;
  const columns = keyColumns(target);
  const select = { from, history: true, columns, ...(where ? { where } : {}) };
  return db.run({ SELECT: select }, params) as Promise<readonly Row[]>;
}

/**
 * Refuses rows that violate constraints. To be called in the transaction of the write, behind it.
 *
 * @param req the request, whose data has the keys of new rows
 * @param db the database
 * @param rows what was found out before
 * @throws ServiceError 400 with the text of the constraint, or `MULTIPLE_ERRORS`
 */
export async function assertConstraints(
  req: ServiceRequest,
  db: Reader,
  { keys }: RowsToCheck,
): Promise<void> {
  const entity = req.target!; // found before
  const sent = rowsIn(req.data);
  const errors: ErrorProperties[] = [];
  if (keys === undefined) {
    // a row that is created in a path has the links that the path gives it
    const inPath = req.subject.ref.length > 1 ? req.subject.ref : [entity.name];
    for (const [index, row] of sent.entries()) {
      const path = sent.length > 1 ? `[${index}]` : "";
      errors.push(...await violations(db, { entity, inPath, keys: [row], path, sent: [row] }));
    }
  } else {
    const [data = {}] = sent;
    const now = keys.map((key) => keyAfter(entity, key, data));
    errors.push(...await violations(db, { entity, inPath: [entity.name], keys: now, path: "", sent }));
  }
  throwViolations(errors);
}

/** A row that stands for one of an entity: itself, or its draft. */
export interface ConstrainedRow {
  /** The entity that declares the constraints. */
  readonly entity: LinkedEntity;
  /** The row. */
  readonly from: RefExpression;
  /** What was written of it: constraints of other elements are not looked at. */
  readonly written: Row;
}

/**
 * What the elements that were written of a row violate.
 *
 * @param db the database
 * @param row the row
 */
export function violationsOfElements(
  db: Reader,
  { entity, from, written }: ConstrainedRow,
): MaybePromise<readonly ErrorProperties[]> {
  const names = Object.keys(written);
  const constraints = constraintsOf(entity).filter(({ target }) =>
    names.some((name) => target === name || target.startsWith(`${name}_`))
  );
  if (constraints.length === 0) return [];
  const found = db.run({ SELECT: { one: true, from, columns: columnsOf(constraints) } }) as Promise<
    Row | null
  >;
  return found.then((row) => row ? errorsOf(row, constraints, "") : []);
}

/** The beginning of a slice may be what changes. */
function keyAfter(entity: LinkedEntity, key: Row, data: Row): Row {
  const after: Row = { ...key };
  for (const { name, key: isKey } of entity.$rowKeys) {
    if (!isKey && data[name] !== undefined) after[name] = data[name];
  }
  return after;
}

/** Rows of one entity in a path. */
interface WrittenRows {
  readonly entity: LinkedEntity;
  /** Path to all rows that they are among. */
  readonly inPath: readonly RefStep[];
  /** Rows that hold the keys of those that were written. */
  readonly keys: readonly Row[];
  /** Place of the rows in the payload; empty for the root. */
  readonly path: string;
  /** The rows as they were sent. */
  readonly sent: readonly Row[];
}

async function violations(db: Reader, rows: WrittenRows): Promise<readonly ErrorProperties[]> {
  const { entity, inPath, keys, path, sent } = rows;
  const errors: ErrorProperties[] = [];
  const constraints = constraintsOf(entity);
  if (constraints.length > 0) {
    for (let start = 0; start < keys.length; start += ROWS_AT_ONCE) {
      const where = anyOf(entity, keys.slice(start, start + ROWS_AT_ONCE));
      const found = await db.run(checkQuery(entity, inPath, where)) as readonly Row[];
      for (const row of found) errors.push(...errorsOf(row, constraints, path));
    }
  }
  for (const composition of entity.compositions) {
    const parts = sent.flatMap((row) => rowsIn(row[composition.name]));
    if (!composition.$target || parts.length === 0 || !isConstrained(composition.$target, parts)) continue;
    for (const key of keys) errors.push(...await partViolations(db, { ...rows, composition, key, parts }));
  }
  return errors;
}

interface PartsOfRow extends WrittenRows {
  readonly composition: LinkedElement;
  /** The row that they are parts of. */
  readonly key: Row;
  /** The parts as they were sent. */
  readonly parts: readonly Row[];
}

/** The parts of a row that were sent with it: those that have the keys sent, or all where some were sent without keys. */
async function partViolations(db: Reader, rows: PartsOfRow): Promise<readonly ErrorProperties[]> {
  const { entity, inPath, path, composition, key, parts } = rows;
  const target = composition.$target!; // checked before
  const last = inPath.at(-1)!;
  const step = { id: stepName(last), where: anyOf(entity, [key]) };
  const ref = [...inPath.slice(0, -1), step, composition.name];
  const found = await db.run({ SELECT: { from: { ref }, columns: keyColumns(target) } }) as readonly Row[];
  const sentKeys = new Map(parts.map((part) => [childKey(target, part), part]));
  const errors: ErrorProperties[] = [];
  for (const [index, row] of found.entries()) {
    const at = childKey(target, row);
    const sent = sentKeys.has(undefined) ? parts[index] : sentKeys.get(at);
    if (sent === undefined) continue;
    const inList = composition.is2many ? childKeyInPath(target, sent) ?? at ?? `[${index}]` : "";
    const own = composition.name + inList;
    const place = path === "" ? own : `${path}/${own}`;
    errors.push(
      ...await violations(db, { entity: target, inPath: ref, keys: [row], path: place, sent: [sent] }),
    );
  }
  return errors;
}

/** Texts of all constraints of some rows; of temporal data those slices, and otherwise what is valid at the time. */
function checkQuery(entity: LinkedEntity, inPath: readonly RefStep[], where: readonly Xo[]): SelectQuery {
  const columns = columnsOf(constraintsOf(entity));
  const last = inPath.at(-1)!;
  const step = { ...(typeof last === "string" ? { id: last } : last), history: true };
  const ref = validSlice(entity).length === 0 ? inPath : [...inPath.slice(0, -1), step];
  return { SELECT: { from: { ref }, columns, where } };
}

function columnsOf(constraints: readonly Constraint[]): Column[] {
  return constraints.map(({ expression }, index) =>
    ({ ...toCqnExpression(expression), as: columnName(index) }) as Column // an expression with a name
  );
}

function columnName(index: number): string {
  return `constraint${index}`;
}

function errorsOf(row: Row, constraints: readonly Constraint[], path: string): ErrorProperties[] {
  return constraints.flatMap(({ target }, index): ErrorProperties[] => {
    const message = row[columnName(index)];
    if (message === null || message === undefined) return [];
    return [{ status: 400, message: String(message), target: path === "" ? target : `${path}/${target}` }];
  });
}

function keyColumns({ $rowKeys }: LinkedEntity): Column[] {
  return $rowKeys.map(({ name }) => ({ ref: [name] }));
}

/** A condition on what is known of the keys of rows. */
function anyOf(entity: LinkedEntity, rows: readonly Row[]): readonly Xo[] {
  return rows.flatMap((row, index): Xo[] => {
    const known = entity.$rowKeys.filter(({ name }) => row[name] !== undefined);
    const one = { xpr: equalities(Object.fromEntries(known.map(({ name }) => [name, row[name]]))) };
    return index === 0 ? [one] : ["or", one];
  });
}
