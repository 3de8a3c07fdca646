/**
 * Sources of queries: entities, paths along associations, subqueries and joins.
 *
 * @module
 */

import type {
  Expression,
  RefExpression,
  RefStep,
  RefStepObject,
  SelectQuery,
  SetQuery,
  Source,
  Xo,
} from "../../cqn/cqn.ts";
import { isPaged } from "../../cqn/infix_filter.ts";
import { mapQuery } from "../../cqn/walk.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { nearestName } from "../../util/nearest_name.ts";
import { sqlName } from "../sql_name.ts";
import { viewQuery } from "../../model/view_query.ts";
import { associationCondition } from "./association_condition.ts";
import { GIVEN_VALUES, givenRows, positionColumn, valuePosition } from "./given_rows.ts";
import { isInlineView } from "./inline_view.ts";
import { isLocalizedInline } from "./localize.ts";
import { anchoredScope } from "./path_to_join.ts";
import { entityBehind } from "./plain_view.ts";
import { validityCondition } from "./validity.ts";
import { allOf, type Anchor, joinedWith, type Lowering, Scope, stepName, stepSource } from "./scope.ts";

/** A lowered source with the condition that its path means. */
export interface LoweredSource {
  readonly source: Source;
  readonly where?: readonly Xo[];
}

/**
 * Lowers the source of a SELECT and adds it to the scope.
 *
 * @param lowering the steps of lowering
 * @param source source of the query
 * @param scope scope of the query
 */
export function lowerSource(lowering: Lowering, source: Source, scope: Scope): LoweredSource {
  if ("join" in source) return joined(lowering, source, scope);
  if ("ref" in source && !isPaged(source.ref.at(-1)!)) return fromPath(lowering, source, scope);
  const given = "ref" in source ? pageOf(source) : source;
  const { columns, query, entity } = lowering.select(given, { parent: scope.parent });
  const alias = lowering.alias(given.as ?? "query");
  scope.sources.push({
    alias,
    name: given.as ?? alias,
    explicit: source.as !== undefined,
    entity,
    columns: new Map(columns.map((column) => [column.name, column])),
  });
  return { source: { ...query, as: alias } };
}

/** A path whose infix filter has a limit: the rows of a query. */
function pageOf({ ref, as }: Extract<Source, { ref: unknown }>): SelectQuery & { readonly as: string } {
  const { orderBy, limit, ...step } = ref.at(-1) as RefStepObject; // the caller has found the limit
  const from = { ref: [...ref.slice(0, -1), step] };
  return { SELECT: { from, columns: ["*"], ...(orderBy && { orderBy }), limit }, as: as ?? sourceName(ref) };
}

/** What a source without alias is called. */
function sourceName(ref: readonly RefStep[]): string {
  const name = stepName(ref[ref.length - 1]);
  return name.slice(name.lastIndexOf(".") + 1);
}

function joined(lowering: Lowering, source: Extract<Source, { join: unknown }>, scope: Scope): LoweredSource {
  const parts = source.args.map((arg, index) => {
    const { length } = scope.sources;
    const part = lowerSource(lowering, mayMiss(source, index) ? wholeSource(lowering, arg) : arg, scope);
    return { ...part, aliases: new Set(scope.sources.slice(length).map(({ alias }) => alias)) };
  });
  const { joinCount } = scope;
  const on = source.on && lowering.xo(source.on, scope);
  const args = parts.map((part) => part.source);
  for (const join of scope.takeJoins(joinCount)) {
    // paths of the condition start at one of the sources
    const at = Math.max(0, parts.findIndex(({ aliases }) => refersTo(join.on, aliases)));
    args[at] = joinedWith(args[at], [join]);
    if ("as" in join.source && join.source.as !== undefined) parts[at].aliases.add(join.source.as);
  }
  return {
    source: { join: source.join, args, ...(on && { on }) },
    where: allOf(parts.map((part) => part.where)),
  };
}

/** Whether a join keeps rows without partner in one of its sources. */
function mayMiss({ join, args }: Extract<Source, { join: unknown }>, index: number): boolean {
  if (join === "full") return true;
  return join === "left" ? index > 0 : join === "right" && index < args.length - 1;
}

/** Rows that an outer join may miss: what decides on them comes before the join, as a query of its own. */
function wholeSource({ temporal }: Lowering, source: Source): Source {
  if (!("ref" in source)) return source;
  const { ref, as = sourceName(ref) } = source;
  const last = ref.at(-1)!;
  const isPlain = ref.length === 1 && !temporal && (typeof last === "string" || !last.where);
  return isPlain ? source : { SELECT: { from: { ref }, columns: ["*"] }, as };
}

function refersTo(condition: readonly Xo[], aliases: ReadonlySet<string>): boolean {
  return condition.some((token) =>
    typeof token === "object" &&
    ("ref" in token
      ? aliases.has(stepName(token.ref[0]))
      : "xpr" in token && refersTo(token.xpr ?? [], aliases))
  );
}

function fromPath(
  lowering: Lowering,
  source: Extract<Source, { ref: unknown }>,
  scope: Scope,
): LoweredSource {
  const steps = source.ref;
  const [first] = steps;
  if (typeof first === "object" && first.id === GIVEN_VALUES) return fromValues(source, scope);
  const entities = entitiesOfPath(lowering, steps);
  const entity = entities[entities.length - 1];
  const last = steps[steps.length - 1];
  const hint = steps.length > 1 ? stepName(last) : entity.name.slice(entity.name.lastIndexOf(".") + 1);
  const alias = lowering.alias(source.as ?? hint);
  const isGiven = typeof last !== "string" && last.rows !== undefined;
  scope.sources.push({
    alias,
    name: source.as ?? hint,
    explicit: source.as !== undefined,
    entity,
    ...(isGiven ? { position: positionColumn(alias) } : {}),
  });
  const anchor: Anchor = { alias, entity, scope };
  const where = allOf([
    // names of the condition are those of this source first: a join has several
    typeof last === "string" || !last.where
      ? undefined
      : lowering.xo(last.where, anchoredScope(anchor, last)),
    steps.length > 1 ? ["exists", parentSubquery(lowering, { steps, entities, child: anchor })] : undefined,
    isGiven ? undefined : validityCondition(lowering, anchor),
  ]);
  return { source: lowering.table(entity, alias, last), where };
}

/** Values that a query brings along: they have no names, expressions refer to them by the alias. */
function fromValues(
  { ref: [step], as = "" }: Extract<Source, { ref: unknown }>,
  scope: Scope,
): LoweredSource {
  scope.sources.push({ alias: as, name: as, explicit: true, position: valuePosition(as) });
  return { source: { ref: [step!], as } };
}

/**
 * The entities at each step of a path, the first one by name.
 *
 * @param lowering has the model
 * @param steps entity and associations
 * @throws TypeError for unknown entities and associations
 */
export function entitiesOfPath(
  lowering: Pick<Lowering, "model">,
  steps: readonly RefStep[],
): readonly LinkedEntity[] {
  const entities = [entityNamed(lowering, stepName(steps[0]))];
  for (const step of steps.slice(1)) {
    const before = entities[entities.length - 1];
    const target = before.elements[stepName(step)]?.$target;
    if (!target) throw new TypeError(`"${stepName(step)}" is no association of "${before.name}"`);
    entities.push(target);
  }
  return entities;
}

/**
 * An entity of the model.
 *
 * @param lowering the model
 * @param name its name
 * @throws TypeError if there is none
 */
export function entityNamed({ model }: Pick<Lowering, "model">, name: string): LinkedEntity {
  const entity = model.entity(name);
  if (!entity) throw unknownEntity(model, name);
  return entity;
}

/** Who leaves out the namespace is told the full names there are; who mistypes, the nearest. */
function unknownEntity({ definitions }: Lowering["model"], name: string): TypeError {
  const known = Object.values(definitions).filter(({ is_entity }) => is_entity).map((one) => one.name);
  const full = known.filter((one) => one.endsWith(`.${name}`));
  const near = full.length > 0 ? full : [nearestName(name, known) ?? []].flat();
  const hint = near.length > 0 ? `, did you mean ${near.map((one) => `"${one}"`).join(" or ")}?` : "";
  return new TypeError(`Unknown entity "${name}"${hint}`);
}

interface PathToChild {
  readonly steps: readonly RefStep[];
  readonly entities: readonly LinkedEntity[];
  readonly child: Anchor;
}

/** The row before the last step of a path: it matches its filter and leads to the row at hand. */
function parentSubquery(lowering: Lowering, { steps, entities, child }: PathToChild): SelectQuery {
  const entity = entities[entities.length - 2];
  const step = steps[steps.length - 2];
  const scope = new Scope(child.scope, true);
  const alias = lowering.alias(entity.name.slice(entity.name.lastIndexOf(".") + 1));
  scope.sources.push(stepSource(step, { alias, name: alias, entity }));
  const parent: Anchor = { alias, entity, scope };
  const association = entity.elements[stepName(steps[steps.length - 1])];
  const where = allOf([
    associationCondition(lowering, association, { from: parent, to: child }),
    typeof step === "string" || !step.where ? undefined : [{ xpr: lowering.xo(step.where, scope) }],
    typeof step !== "string" && (step.rows || step.history) ? undefined : validityCondition(lowering, parent),
    steps.length > 2
      ? [
        "exists",
        parentSubquery(lowering, {
          steps: steps.slice(0, -1),
          entities: entities.slice(0, -1),
          child: parent,
        }),
      ]
      : undefined,
  ]);
  const from = scope.withJoins(lowering.table(entity, alias, step));
  return { SELECT: { columns: [{ val: 1, literal: "number" }], from, where } };
}

/**
 * The table or view of an entity; views that depend on values of the request are replaced by their query.
 *
 * @param lowering the steps of lowering
 * @param entity the entity
 * @param options alias, and the step with arguments of the view's parameters or with rows of its own
 */
export function tableOf(
  lowering: Lowering,
  entity: LinkedEntity,
  options: { readonly alias: string; readonly step?: RefStep | undefined },
): Source {
  const { alias } = options;
  const step: Partial<RefStepObject> = typeof options.step === "object" ? options.step : {};
  assertOneByOne(step);
  const { args, rows } = step;
  if (rows) return { ...givenRows(lowering, entity, rows).query, as: alias };
  if (entity["@cds.persistence.skip"] === true) throw withoutTable(entity);
  const query = step.query ?? viewQuery(entity);
  const isLocalized = query !== undefined && lowering.localized && isLocalizedInline(lowering, entity);
  if (!query || !(step.query || isLocalized || isInlineView(lowering, entity))) {
    const read = lowering.throughViews ? entityBehind(lowering, entity) : entity;
    return { ref: [sqlName(read)], as: alias };
  }
  // the columns of other views are localized where they are read
  const steps = step.query && !isLocalized ? lowering.unlocalized : lowering;
  return { ...steps.select(withArguments(query, entity, args), { view: true }).query, as: alias };
}

/** Rows of a path are joined and asked for one by one. */
function assertOneByOne({ id, limit, groupBy, having }: Partial<RefStepObject>): void {
  const clause = limit ? "limit" : groupBy ? "group by" : having ? "having" : undefined;
  if (clause === undefined) return;
  throw new ServiceError({
    status: 501,
    message: `"${clause}" in the infix filter of "${id}" is not supported here`,
  });
}

/** What another system has, or handlers give, is not joined with rows of this database. */
function withoutTable({ name }: LinkedEntity): ServiceError {
  return new ServiceError({
    status: 501,
    message: `The database has no rows of "${name}" (@cds.persistence.skip): ` +
      `handlers of what refers to it have to read it apart`,
  });
}

function withArguments(
  query: SelectQuery | SetQuery,
  entity: LinkedEntity,
  args: Readonly<Record<string, Expression>> = {},
): SelectQuery | SetQuery {
  if ([...entity.params].length === 0) return query;
  return mapQuery(query, (expression) => {
    const name = "ref" in expression ? parameterName(expression) : undefined;
    if (!("ref" in expression) || name === undefined) return expression;
    const { ref: _ref, param: _param, ...others } = expression;
    return { ...others, ...(args[name] ?? entity.params[name]?.default ?? { val: null }) };
  });
}

/** `:name` and `$parameters.name`. */
function parameterName({ ref, param }: RefExpression): string | undefined {
  if (param) return stepName(ref[0]);
  return stepName(ref[0]) === "$parameters" && ref.length === 2 ? stepName(ref[1]) : undefined;
}
