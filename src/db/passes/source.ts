import {
  allOf,
  call,
  cast,
  column,
  exists,
  literal,
  NULL,
  ONE,
  reference,
  select,
} from "../../algebra/build.ts";
import { fromExpression } from "../../algebra/from_cqn.ts";
import type {
  Expr,
  Reference,
  TreeJoin,
  TreeQuery,
  TreeSelect,
  TreeSource,
  TreeStep,
  TreeStepObject,
} from "../../algebra/tree.ts";
import { mapTree, someOf } from "../../algebra/walk_tree.ts";
import { isPaged } from "../../cqn/walk.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { FlatElement, LinkedEntity } from "../../model/linked.ts";
import { hasStoredRows, viewQuery } from "../../model/runtime_view.ts";
import { nearestName } from "../../util/nearest_name.ts";
import { sqlName } from "../sql_name.ts";
import { associationCondition, validityCondition } from "./association_condition.ts";
import { entityBehind, isInlineView, viewTree } from "./inline_view.ts";
import { isLocalizedInline } from "./localize.ts";
import { anchoredScope } from "./path_to_join.ts";
import { type Anchor, joinedWith, type Lowering, type OutputColumn, Scope, stepSource } from "./scope.ts";
import { unqualified } from "../../util/unqualified.ts";
import { stepName } from "../../cqn/steps.ts";

/** A lowered source with the condition that its path means. */
export interface LoweredSource {
  readonly source: TreeSource;
  readonly where?: Expr;
}

/**
 * Lowers the source of a SELECT and adds it to the scope.
 *
 * @param lowering the steps of lowering
 * @param source source of the query
 * @param scope scope of the query
 */
export function lowerSource(lowering: Lowering, source: TreeSource, scope: Scope): LoweredSource {
  if (source.kind === "join") return joined(lowering, source, scope);
  if (source.kind === "reference" && !isPaged(source.ref.at(-1)!)) return fromPath(lowering, source, scope);
  const given = source.kind === "reference" ? pageOf(source) : source;
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
function pageOf({ ref, as }: Path): TreeSelect & { readonly as: string } {
  const { orderBy, limit, ...step } = ref.at(-1) as TreeStepObject; // the caller has found the limit
  const from = reference([...ref.slice(0, -1), step]);
  return { ...select({ from, columns: ["*"], orderBy, limit }), as: as ?? sourceName(ref) };
}

type Path = Reference & { readonly as?: string };

/** What a source without alias is called. */
function sourceName(ref: readonly TreeStep[]): string {
  const name = stepName(ref[ref.length - 1]);
  return unqualified(name);
}

function joined(lowering: Lowering, source: TreeJoin, scope: Scope): LoweredSource {
  const parts = source.args.map((arg, index) => {
    const { length } = scope.sources;
    const part = lowerSource(lowering, mayMiss(source, index) ? wholeSource(lowering, arg) : arg, scope);
    return { ...part, aliases: new Set(scope.sources.slice(length).map(({ alias }) => alias)) };
  });
  const { joinCount } = scope;
  const on = source.on && lowering.expression(source.on, scope);
  const args = parts.map((part) => part.source);
  for (const join of scope.takeJoins(joinCount)) {
    // paths of the condition start at one of the sources
    const at = Math.max(0, parts.findIndex(({ aliases }) => refersTo(join.on, aliases)));
    args[at] = joinedWith(args[at], [join]);
    if ("as" in join.source && join.source.as !== undefined) parts[at].aliases.add(join.source.as);
  }
  return {
    source: { kind: "join", join: source.join, args, ...(on && { on }) },
    where: allOf(parts.map((part) => part.where)),
  };
}

/** Whether a join keeps rows without partner in one of its sources. */
function mayMiss({ join, args }: TreeJoin, index: number): boolean {
  if (join === "full") return true;
  return join === "left" ? index > 0 : join === "right" && index < args.length - 1;
}

/** Rows that an outer join may miss: what decides on them comes before the join, as a query of its own. */
function wholeSource({ temporal }: Lowering, source: TreeSource): TreeSource {
  if (source.kind !== "reference") return source;
  const { ref, as = sourceName(ref) } = source;
  const last = ref.at(-1)!;
  const isPlain = ref.length === 1 && !temporal && (typeof last === "string" || !last.where);
  return isPlain ? source : { ...select({ from: reference(ref), columns: ["*"] }), as };
}

function refersTo(condition: Expr, aliases: ReadonlySet<string>): boolean {
  return someOf(condition, (one) => one.kind === "reference" && aliases.has(stepName(one.ref[0]!)));
}

function fromPath(
  lowering: Lowering,
  source: Path,
  scope: Scope,
): LoweredSource {
  const steps = source.ref;
  const [first] = steps;
  if (typeof first === "object" && first.id === GIVEN_VALUES) return fromValues(source, scope);
  const entities = entitiesOfPath(lowering, steps);
  const entity = entities[entities.length - 1];
  const last = steps[steps.length - 1];
  const hint = steps.length > 1 ? stepName(last) : unqualified(entity.name);
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
      : lowering.expression(last.where, anchoredScope(anchor, last)),
    steps.length > 1 ? exists(parentSubquery(lowering, { steps, entities, child: anchor })) : undefined,
    isGiven ? undefined : validityCondition(lowering, anchor),
  ]);
  return { source: lowering.table(entity, alias, last), where };
}

/** Values that a query brings along: they have no names, expressions refer to them by the alias. */
function fromValues(
  { ref: [step], as = "" }: Path,
  scope: Scope,
): LoweredSource {
  scope.sources.push({ alias: as, name: as, explicit: true, position: valuePosition(as) });
  return { source: { ...reference([step!]), as } };
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
  steps: readonly (string | { readonly id: string })[],
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
 * @param name its name, or that of its table
 * @throws TypeError if there is none
 */
export function entityNamed({ model }: Pick<Lowering, "model">, name: string): LinkedEntity {
  const entity = model.entity(name) ?? entityOfTable(model, name);
  if (!entity) throw unknownEntity(model, name);
  return entity;
}

const entitiesOfTables: WeakMap<Lowering["model"], ReadonlyMap<string, string>> = new WeakMap();

function entityOfTable(model: Lowering["model"], name: string): LinkedEntity | undefined {
  let names = entitiesOfTables.get(model);
  if (names === undefined) {
    const entities = Object.values(model.definitions).filter(({ is_entity }) => is_entity);
    names = new Map(entities.map((one) => [sqlName(one), one.name]));
    entitiesOfTables.set(model, names);
  }
  const known = names.get(name);
  return known === undefined ? undefined : model.entity(known);
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
  readonly steps: readonly TreeStep[];
  readonly entities: readonly LinkedEntity[];
  readonly child: Anchor;
}

/** The row before the last step of a path: it matches its filter and leads to the row at hand. */
function parentSubquery(lowering: Lowering, { steps, entities, child }: PathToChild): TreeSelect {
  const entity = entities[entities.length - 2];
  const step = steps[steps.length - 2];
  const scope = new Scope(child.scope, true);
  const alias = lowering.alias(unqualified(entity.name));
  scope.sources.push(stepSource(step, { alias, name: alias, entity }));
  const parent: Anchor = { alias, entity, scope };
  const association = entity.elements[stepName(steps[steps.length - 1])];
  const where = allOf([
    associationCondition(lowering, association, { from: parent, to: child }),
    typeof step === "string" || !step.where ? undefined : lowering.expression(step.where, scope),
    typeof step !== "string" && (step.rows || step.history) ? undefined : validityCondition(lowering, parent),
    steps.length > 2
      ? exists(
        parentSubquery(lowering, {
          steps: steps.slice(0, -1),
          entities: entities.slice(0, -1),
          child: parent,
        }),
      )
      : undefined,
  ]);
  const from = scope.withJoins(lowering.table(entity, alias, step));
  return select({ columns: [ONE], from, where });
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
  options: { readonly alias: string; readonly step?: TreeStep | undefined },
): TreeSource {
  const { alias } = options;
  const step: Partial<TreeStepObject> = typeof options.step === "object" ? options.step : {};
  assertOneByOne(step);
  const { args, rows } = step;
  if (rows) return { ...givenRows(lowering, entity, rows).query, as: alias };
  if (!hasStoredRows(entity)) throw withoutTable(entity);
  const query = step.query ?? viewTree(entity);
  const isLocalized = query !== undefined && lowering.localized && isLocalizedInline(lowering, entity);
  if (!query || !(step.query || isLocalized || isInlineView(lowering, entity))) {
    const read = lowering.throughViews ? entityBehind(lowering, entity) : entity;
    return { ...reference([sqlName(read)]), as: alias };
  }
  // the columns of other views are localized where they are read
  const steps = step.query && !isLocalized ? lowering.unlocalized : lowering;
  return { ...steps.select(withArguments(query, entity, args), { view: true }).query, as: alias };
}

/** Rows of a path are joined and asked for one by one. */
function assertOneByOne({ id, limit, groupBy, having }: Partial<TreeStepObject>): void {
  const clause = limit ? "limit" : groupBy ? "group by" : having ? "having" : undefined;
  if (clause === undefined) return;
  throw new ServiceError({
    status: 501,
    message: `"${clause}" in the infix filter of "${id}" is not supported here`,
  });
}

/** What another system has, or handlers give, is not joined with rows of this database. */
function withoutTable(entity: LinkedEntity): ServiceError {
  const { name } = entity;
  const view = viewQuery(entity) ? `; "${name}" is not a runtime view` : "";
  return new ServiceError({
    status: 501,
    message: `The database has no rows of "${name}" (@cds.persistence.skip)${view}: ` +
      `handlers of what refers to it have to read it apart`,
  });
}

function withArguments(
  query: TreeQuery,
  entity: LinkedEntity,
  args: Readonly<Record<string, Expr>> = {},
): TreeQuery {
  const { params } = entity;
  if (!params) return query;
  return mapTree(query, (expression) => {
    const name = parameterName(expression);
    if (name === undefined) return expression;
    const value = params[name]?.default;
    const { kind: _kind, ...beside } = expression;
    return { ...withoutValue(beside), ...(args[name] ?? (value ? fromExpression(value) : NULL)) };
  });
}

/** `:name` and `$parameters.name`. */
function parameterName(expression: Expr): string | undefined {
  if (expression.kind === "parameter") return expression.name;
  if (expression.kind !== "variable" || expression.path[0] !== "$parameters") return undefined;
  return expression.path.length === 2 ? expression.path[1] : undefined;
}

/** What stands beside a parameter. */
function withoutValue(given: object): object {
  const { name: _name, path: _path, ...beside } = given as {
    readonly name?: string;
    readonly path?: unknown;
  };
  return beside;
}

/** The name of the column with the position of a row, from 0. */
const POSITION = "$position";

/** The step that stands for values of a JSON array, whatever they are. */
const GIVEN_VALUES = "$rows";

/**
 * The column that given rows have beside those of their entity.
 *
 * @param alias the alias of the rows
 */
function positionColumn(alias: string): OutputColumn {
  return { name: POSITION, expression: column(alias, POSITION) };
}

/**
 * The column that given values have.
 *
 * @param item the alias of the values
 */
function valuePosition(item: string): OutputColumn {
  return { name: POSITION, expression: call("$index", [column(item, "key")]) };
}

/**
 * A query that reads rows of an entity from a JSON array.
 *
 * @param lowering gives names
 * @param entity the entity; members have the names of its flat elements
 * @param rows the array, as text
 * @returns the lowered query; what binary elements hold is left out
 */
function givenRows(
  lowering: Pick<Lowering, "alias">,
  entity: LinkedEntity,
  rows: Expr,
): { readonly query: TreeSelect } {
  const item = lowering.alias("$given");
  const columns = [...entity.$flat.values()].filter(({ virtual }) => !virtual)
    .map((flat) => ({ ...member(item, flat), as: flat.name }));
  const position = { ...valuePosition(item).expression, as: POSITION };
  const from = { ...reference([{ id: GIVEN_VALUES, rows }]), as: item };
  return { query: select({ from, columns: [...columns, position] }) };
}

function member(item: string, { name, element }: FlatElement): Expr {
  const { builtin, items } = element.$type;
  const args = [column(item, "value"), literal(name, "name")];
  if (items || builtin === "cds.Map") return cast(call("$nested", args), { type: "cds.LargeString" });
  if (builtin === undefined || BINARY.has(builtin)) return NULL;
  const value = cast(call("$member", args), { type: builtin });
  return TEXTS.has(builtin) ? call("$by_code_points", [value], { type: builtin }) : value;
}

const BINARY: ReadonlySet<string> = new Set(["cds.Binary", "cds.LargeBinary", "cds.Vector"]);
const TEXTS: ReadonlySet<string> = new Set(["cds.String", "cds.LargeString", "cds.UUID"]);
