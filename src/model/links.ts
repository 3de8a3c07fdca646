import { conjuncts } from "../algebra/build.ts";
import { fromXo } from "../algebra/from_cqn.ts";
import type { Expr } from "../algebra/tree.ts";
import type { LinkedElement, LinkedEntity } from "./linked.ts";
import { stepName } from "../cqn/steps.ts";
import { placeOf } from "./problems.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";

/** Flat names of a pair of linked columns. */
export interface Link {
  readonly source: string;
  readonly target: string;
}

/** How rows are linked. */
export interface Links {
  readonly pairs: readonly Link[];
  /** Values that rows of the target have in this association. */
  readonly constants: Readonly<Record<string, unknown>>;
  /** The columns that follow the other end are in the source (managed to-one). */
  readonly inSource: boolean;
}

/**
 * The links of an association.
 *
 * @param association managed, or with equalities as condition
 */
export function linksOf(association: LinkedElement): Links {
  let links = LINKS.get(association);
  if (!links) LINKS.set(association, links = findLinks(association));
  return links;
}

const LINKS: WeakMap<LinkedElement, Links> = new WeakMap();

function findLinks(association: LinkedElement): Links {
  if (association.isManaged) {
    const pairs = (association.$foreignKeys ?? []).map(({ name, target }) => ({ source: name, target }));
    return { pairs, constants: {}, inSource: true };
  }
  const pairs: Link[] = [];
  const constants: Record<string, unknown> = {};
  collect(association, conditionOf(association), { pairs, constants });
  return { pairs, constants, inSource: false };
}

/**
 * The columns of the source that hold the key of the other end: foreign keys of a managed association, or those that the
 * condition of an association to one compares with the key (`Category.ID = CategoryID`).
 *
 * @param association any association
 * @returns none where the other end holds the columns
 */
export function foreignKeyLinks(association: LinkedElement): readonly Link[] {
  const target = association.$target;
  if (association.is2many || !target) return [];
  const { pairs, constants, inSource } = linksOf(association);
  if (inSource) return pairs;
  const keys = target.$flatKeys.map(({ name }) => name);
  const isKey = pairs.length === keys.length && Object.keys(constants).length === 0 &&
    keys.every((name) => pairs.some((pair) => pair.target === name));
  const own = (association.parent as LinkedEntity | undefined)?.$flatKeys ?? [];
  // rows with the same key: either side may be the first
  const isShared = own.every(({ name }) => pairs.some((pair) => pair.source === name));
  return isKey && !isShared && isConjunction(association) ? pairs : [];
}

/**
 * Whether no two rows of the source lead to the same row of the target: it holds the key of the one it belongs to, or is
 * part of it.
 *
 * @param association any association
 * @param same columns in which all rows of the source have the same value
 */
export function leadsToOwn(association: LinkedElement, same: readonly string[] = []): boolean {
  if (association.isComposition) return true;
  const keys = (association.parent as LinkedEntity | undefined)?.$flatKeys ?? [];
  if (keys.length === 0 || !isConjunction(association)) return false;
  const { pairs } = linksOf(association);
  return keys.every(({ name }) => same.includes(name) || pairs.some(({ source }) => source === name));
}

/**
 * The columns in which all rows that an association leads to from one row have the same value.
 *
 * @param association any association
 */
export function sharedColumns(association: LinkedElement): readonly string[] {
  return isConjunction(association) ? linksOf(association).pairs.map(({ target }) => target) : [];
}

/** Whether all parts of a condition hold, and none says what does not. */
function isConjunction(association: LinkedElement): boolean {
  return conjuncts(conditionOf(association)).every((part) => {
    if (part.kind === "joined" || part.kind === "unary") return false;
    return part.kind === "comparison" ? part.op !== "is not" : !("negated" in part && part.negated);
  });
}

/** The condition of an association; of models that were inferred before nobody has looked at it. */
function conditionOf(association: LinkedElement): Expr | undefined {
  try {
    return fromXo(association.on);
  } catch (cause) {
    const { message } = cause as Error;
    throw new ConfigurationError(
      `The condition of "${association.name}" in "${association.parent?.name}" is no expression: ${message}`,
      placeOf(association),
      { cause },
    );
  }
}

function collect(
  association: LinkedElement,
  on: Expr | undefined,
  into: { readonly pairs: Link[]; readonly constants: Record<string, unknown> },
): void {
  if (on?.kind === "joined") { for (const part of on.args) collect(association, part, into); }
  else if (on?.kind === "unary") collect(association, on.arg, into);
  else if (on?.kind === "comparison" && on.op === "=") {
    const sides = [on.left, on.right];
    const target = sides.find((side) => pathOf(side)?.[0] === association.name);
    const other = sides.find((side) => side !== target);
    const path = target && pathOf(target)?.slice(1);
    if (path && other) link(association, path, { other, into });
  }
}

interface Equality {
  readonly other: Expr;
  readonly into: { readonly pairs: Link[]; readonly constants: Record<string, unknown> };
}

/** Adds what an equality of a target column with its other side links. */
function link(association: LinkedElement, path: readonly string[], { other, into }: Equality): void {
  const source = pathOf(other);
  if (source === undefined) {
    if (other.kind === "literal") {
      into.constants[flatName(association.$target, path)] = other.val;
    }
    return;
  }
  if (isSelf(source) && source.length === 1) {
    into.pairs.push(...backlinks(association, path));
    return;
  }
  // Pseudo variables (`$user.locale`) are values of the request, not columns.
  if (!isSelf(source) && source[0].startsWith("$")) return;
  into.pairs.push({
    source: flatName(association.parent as LinkedEntity, isSelf(source) ? source.slice(1) : source),
    target: flatName(association.$target, path),
  });
}

function pathOf(side: Expr): readonly string[] | undefined {
  if (side.kind === "variable") return side.path;
  return side.kind === "reference" ? side.ref.map(stepName) : undefined;
}

function isSelf(path: readonly string[]): boolean {
  return path[0] === "$self" || path[0] === "$projection";
}

function backlinks(association: LinkedElement, path: readonly string[]): Link[] {
  let elements = association.$target?.elements;
  let back: LinkedElement | undefined;
  for (const step of path) {
    back = elements?.[step];
    elements = back?.$type.elements;
  }
  return back?.isAssociation
    ? linksOf(back).pairs.map(({ source, target }) => ({ source: target, target: source }))
    : [];
}

/** `up_.ID` is the foreign key `up__ID`. */
function flatName(entity: LinkedEntity | undefined, path: readonly string[]): string {
  const name = path.join("_");
  const association = entity?.elements[path[0]];
  if (!association?.isManaged) return name;
  const rest = path.slice(1).join("_");
  return association.$foreignKeys?.find((key) => key.target === rest)?.name ?? name;
}

/** The two steps of an association of many to many. */
export interface Through {
  /** The composition of the source that holds the links. */
  readonly links: LinkedElement;
  /** The association of a link to the other side. */
  readonly target: LinkedElement;
}

const known: WeakMap<LinkedElement, Through> = new WeakMap();

/**
 * The way of an association of many to many.
 *
 * @param association any association
 * @returns undefined for others
 * @throws {ConfigurationError} when the annotation is no path to links and their other side
 */
export function throughOf(association: LinkedElement): Through | undefined {
  const path = association["@odata.through"];
  if (path === undefined || path === null) return undefined;
  let found = known.get(association);
  if (!found) known.set(association, found = findThrough(association, String(path)));
  return found;
}

/**
 * Whether the rows of a composition only link its source with others, along an association of many to many.
 *
 * @param composition any composition
 */
export function holdsLinks(composition: LinkedElement): boolean {
  const { associations } = composition.parent as LinkedEntity;
  for (const association of associations) {
    if (throughOf(association)?.links.name === composition.name) return true;
  }
  return false;
}

function findThrough(association: LinkedElement, path: string): Through {
  const [first = "", last = ""] = path.split(".");
  const links = (association.parent as LinkedEntity | undefined)?.elements[first];
  const target = links?.$target?.elements[last];
  const isPath = links?.isAssociation && links.is2many && target?.isManaged;
  if (isPath && association.on === undefined) return { links, target };
  throw new ConfigurationError(
    isPath
      ? `"${association}" is defined by @odata.through, and cannot have a condition as well`
      : `@odata.through of "${association}" needs a path of a composition of many and a managed association`,
    placeOf(association),
  );
}
