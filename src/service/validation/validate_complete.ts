/**
 * What must be there once the `before` handlers have run: keys and elements declared `not null`.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { ErrorProperties } from "../../errors/service_error.ts";
import type { LinkedElement, LinkedEntity } from "../../model/linked.ts";
import { linksOf } from "../../model/links.ts";
import type { ServiceRequest } from "../requests/service_request.ts";
import { rulesOf } from "./element_rules.ts";
import { valueIn } from "./given_value.ts";
import { throwViolations } from "./validate_input.ts";

const WRITES: ReadonlySet<string> = new Set(["CREATE", "UPDATE", "UPSERT"]);

/**
 * Checks that no element declared `not null`, and no key, is null or missing.
 *
 * @param req the request, after its `before` handlers
 * @throws ServiceError 400 `ASSERT_NOT_NULL`, or `MULTIPLE_ERRORS`
 */
export function validateComplete(req: ServiceRequest): void {
  const { target } = req;
  if (!target || req.operation || !WRITES.has(req.event)) return;
  const errors: ErrorProperties[] = [];
  const isNew = req.event === "CREATE";
  for (const row of rowsOf(req.data)) {
    checkRow(errors, row, { entity: target, path: "", isNew, links: keysOfHandlers(target) });
  }
  throwViolations(errors);
}

const NO_LINKS: ReadonlySet<string> = new Set();

/** The keys that handlers may give new rows: there is no table that needs them before. */
function keysOfHandlers(entity: LinkedEntity): ReadonlySet<string> {
  if (entity["@cds.persistence.skip"] !== true) return NO_LINKS;
  return new Set(entity.$flatKeys.map(({ name }) => name));
}

/**
 * The columns of the children of a composition that hold what ties them to their parent.
 *
 * @param composition the composition
 */
export function linkNames(composition: LinkedElement): ReadonlySet<string> {
  let names = LINK_NAMES.get(composition);
  if (names === undefined) {
    const { pairs, constants, inSource } = linksOf(composition);
    names = inSource ? NO_LINKS : new Set([...pairs.map(({ target }) => target), ...Object.keys(constants)]);
    LINK_NAMES.set(composition, names);
  }
  return names;
}

const LINK_NAMES: WeakMap<LinkedElement, ReadonlySet<string>> = new WeakMap();

interface Place {
  readonly entity: LinkedEntity;
  readonly path: string;
  readonly isNew: boolean;
  /** What may be missing: what ties a child to its parent is filled in with the row. */
  readonly links: ReadonlySet<string>;
}

function checkRow(errors: ErrorProperties[], row: Row, place: Place): void {
  const { entity, path, isNew, links } = place;
  for (const rule of rulesOf(entity)) {
    if (!rule.isNotNull) continue;
    const { name } = rule.flat;
    const value = valueIn(row, rule);
    if (value !== null && value !== undefined) continue;
    // links of a child to its parent are filled in by the deep write
    if (value === undefined && (!isNew || rule.isSupplied || links.has(name))) continue;
    const target = path ? `${path}/${name}` : name;
    errors.push({ status: 400, code: "ASSERT_NOT_NULL", target });
  }
  for (const composition of entity.compositions) {
    const target = composition.$target;
    if (!target) continue;
    const children = rowsOf(row[composition.name]);
    if (children.length === 0) continue;
    const links = linkNames(composition);
    // of one part that was there before, the key may be left out
    const isCreated = (child: Row) => composition.is2many && lacksKey(child, target, links);
    children.forEach((child, index) => {
      const base = path ? `${path}/${composition.name}` : composition.name;
      const childPath = composition.is2many ? `${base}[${index}]` : base;
      checkRow(errors, child, { entity: target, path: childPath, isNew: isNew || isCreated(child), links });
    });
  }
}

/** Whether a row lacks a key that its parent does not give it: it is none of those that are there. */
function lacksKey(row: Row, { $flatKeys }: LinkedEntity, links: ReadonlySet<string>): boolean {
  return $flatKeys.some((flat) =>
    !flat.virtual && !links.has(flat.name) && valueIn(row, { flat }) === undefined
  );
}

function rowsOf(value: unknown): readonly Row[] {
  if (Array.isArray(value)) return value.filter(isObject);
  return isObject(value) ? [value] : NO_ROWS;
}

const NO_ROWS: readonly Row[] = [];

function isObject(value: unknown): value is Row {
  return typeof value === "object" && value !== null;
}
