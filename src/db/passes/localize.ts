/**
 * Localized elements (csn-cqn 10): a table reads them as `coalesce(localized.x, x)`; a view that does not publish all
 * its texts, or calculates with some, is replaced by its query, in which they are localized.
 *
 * @module
 */

import type { Expr, TreeQuery, TreeSource } from "../../algebra/tree.ts";
import type { FlatElement, LinkedElement, LinkedEntity } from "../../model/linked.ts";
import { type Lowering, Scope } from "./scope.ts";
import { viewTree } from "./inline_view.ts";
import { allOf, column, compare, exists, ONE, select } from "../../algebra/build.ts";
import { stepName } from "../../cqn/steps.ts";

type Localization = "none" | "texts" | "inline";

const localizations: WeakMap<LinkedEntity, Localization> = new WeakMap();

/**
 * The association to the text of an element in the locale of the context.
 *
 * @param lowering lowers the query of the view, which tells what it calculates with
 * @param flat a flat element
 * @param entity the entity that holds it
 * @returns undefined if the element is not localized, or localized by the query of the view already
 */
export function localizedColumn(
  lowering: Lowering,
  flat: FlatElement,
  entity: LinkedEntity,
): LinkedElement | undefined {
  if (flat.element.localized !== true || flat.key || flat.foreignKey4) return undefined;
  if (localizationOf(lowering, entity) !== "texts") return undefined;
  const { localized } = entity.elements;
  return localized.$target?.$flat.has(flat.name) ? localized : undefined;
}

/**
 * Whether a view has to be replaced by its query to be localized.
 *
 * @param lowering lowers the query of the view, which tells what it calculates with
 * @param entity any entity
 */
export function isLocalizedInline(lowering: Lowering, entity: LinkedEntity): boolean {
  return localizationOf(lowering, entity) === "inline";
}

function localizationOf(lowering: Lowering, entity: LinkedEntity): Localization {
  let known = localizations.get(entity);
  if (known === undefined) {
    known = byElements(entity);
    localizations.set(entity, known); // where a view leads back to itself, its elements tell
    if (known !== "inline" && entity["@cds.localized"] !== false && calculatesWithTexts(lowering, entity)) {
      known = "inline";
      localizations.set(entity, known);
    }
  }
  return known;
}

function byElements(entity: LinkedEntity): Localization {
  if (entity["@cds.localized"] === false) return "none";
  const localized = [...entity.$flat.values()].filter((flat) =>
    flat.element.localized === true && !flat.key && !flat.virtual && !flat.foreignKey4
  );
  if (localized.length === 0) return "none";
  const covered = localized.filter((flat) => textsOf(entity)?.$flat.has(flat.name));
  if (!viewTree(entity)) return covered.length === 0 ? "none" : "texts";
  return covered.length === localized.length ? "texts" : "inline";
}

function textsOf({ elements }: LinkedEntity): LinkedEntity | undefined {
  return elements.localized?.isAssociation ? elements.localized.$target : undefined;
}

/** Whether columns of a view that have no texts of their own depend on the language. */
function calculatesWithTexts(lowering: Lowering, entity: LinkedEntity): boolean {
  const query = viewTree(entity);
  if (query === undefined) return false;
  if (sourcesOf(lowering, query).some((source) => isLocalizedInline(lowering, source))) return true;
  const texts = textsOf(entity);
  const plain = lowering.plain().select(query, { view: true }).columns;
  const localized = lowering.plain({ localized: true }).select(query, { view: true }).columns;
  return localized.some(({ name, expression }, index) =>
    !texts?.$flat.has(name) && JSON.stringify(expression) !== JSON.stringify(plain[index]?.expression)
  );
}

/** The entities whose rows a query shows. */
function sourcesOf(lowering: Lowering, query: TreeQuery): readonly LinkedEntity[] {
  if (query.kind === "set") return query.SET.args.flatMap((arg) => sourcesOf(lowering, arg));
  return entitiesOf(lowering, query.SELECT.from);
}

function entitiesOf(lowering: Lowering, source: TreeSource): readonly LinkedEntity[] {
  if (source.kind === "join") return source.args.flatMap((arg) => entitiesOf(lowering, arg));
  if (source.kind !== "reference") return sourcesOf(lowering, source);
  const [first, ...steps] = source.ref.map(stepName);
  const entity = steps.reduce<LinkedEntity | undefined>(
    (current, step) => current?.elements[step]?.$target,
    lowering.model.entity(first!),
  );
  return entity ? [entity] : [];
}

/**
 * A condition whose names stand for default texts.
 *
 * @param lowering the steps of lowering
 * @param given the condition
 * @param scope the scope it stands in
 */
export function unlocalizedCondition(lowering: Lowering, given: Expr, scope: Scope): Expr {
  const { unlocalized } = lowering;
  const { entity, alias } = scope.sources[0] ?? {};
  if (!lowering.localized || !entity || !isLocalizedInline(lowering, entity)) {
    return unlocalized.expression(given, scope);
  }
  // The columns of this source are localized already: the condition looks at the same row beside it.
  const inner = new Scope(scope, false);
  const row = lowering.alias("row");
  inner.sources.push({ alias: row, name: row, explicit: false, entity });
  const condition = unlocalized.expression(given, inner);
  const from = inner.withJoins(unlocalized.table(entity, row));
  return exists(select({ columns: [ONE], from, where: allOf([sameRow(entity, row, alias!), condition]) }));
}

/** The condition that two aliases stand for the same row. */
export function sameRow({ $rowKeys }: LinkedEntity, one: string, other: string): Expr | undefined {
  const keys = $rowKeys.filter((key) => !key.virtual);
  return allOf(keys.map(({ name }) => compare(column(one, name), "=", column(other, name))));
}
