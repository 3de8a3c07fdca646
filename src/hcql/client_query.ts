/**
 * Queries that clients send as CQN: what they may say, made again member by member, so that nothing else gets through.
 *
 * @module
 */

import type { Column, Expression, OrderTerm, RefStep, SelectBody, SelectQuery, Xo } from "../cqn/cqn.ts";
import type { Limits } from "../config/limits.ts";
import { ServiceError } from "../errors/service_error.ts";
import { hasParameters } from "../model/runtime_view.ts";
import type {
  LinkedElement,
  LinkedElements,
  LinkedEntity,
  LinkedModel,
  LinkedService,
} from "../model/linked.ts";
import { exposedEntities } from "../model/service_document.ts";
import { nearestName } from "../util/nearest_name.ts";
import { assertConditionMeaning, assertMeaning } from "./check_meaning.ts";
import type { JsonValue } from "../odata/payload/parse_json.ts";
import { edmProperty } from "../model/edm_types.ts";
import { isJsonObject, plainProperties } from "../odata/payload/reading.ts";
import {
  bad,
  FUNCTIONS,
  type Members,
  notRun,
  numberIn,
  OPERATORS,
  valueOf,
  VARIABLES,
} from "./client_words.ts";

/** Where queries of clients are understood. */
export interface ClientScope {
  readonly definition: LinkedService;
  readonly model: LinkedModel;
  readonly limits: Limits;
  /** Rows of a page of an entity. */
  pageSize(entity: LinkedEntity, asked: number | undefined): number;
}

/** A query that reads, with the entity that its rows are of. */
export interface ClientSelect {
  readonly query: SelectQuery;
  readonly target: LinkedEntity;
}

/**
 * The entity of a service by its local or full name.
 *
 * @throws ServiceError 400 for what the service does not expose
 */
export function entityNamed({ definition, model }: ClientScope, given: string): LinkedEntity {
  const exposed = exposedEntities(definition).filter((entity) => !hasParameters(entity));
  const found = exposed.find(({ name, $localName }) => name === given || $localName === given);
  if (found) return found;
  const near = nearestName(given, exposed.map(({ $localName }) => $localName));
  const hint = near === undefined ? "" : `, did you mean "${near}"?`;
  const message = `Service "${definition.name}" has no entity "${given}"${hint}`;
  throw model.entity(given) ? bad(message) : new UnknownEntity({ status: 400, message });
}

/** Names what no model has. */
class UnknownEntity extends ServiceError {}

/**
 * Understands the SELECT of a client.
 *
 * @param given the members of `SELECT`
 * @param scope the service
 * @throws ServiceError 400 for what is no query, or names what clients do not see; 501 for what is not run for clients
 */
export function clientSelect(given: JsonValue | undefined, scope: ClientScope): ClientSelect {
  if (!isJsonObject(given)) throw bad("SELECT must be an object");
  try {
    const read = new QueryReader(scope).select(given);
    assertMeaning(read.query, read.target, scope.model);
    return read;
  } catch (error) {
    // clients send many queries and are told which of them names nothing
    if (error instanceof UnknownEntity) throw Object.assign(error, { query: { SELECT: given } });
    throw error;
  }
}

/** The condition of an UPDATE or DELETE of a client. */
export function clientWhere(
  given: JsonValue | undefined,
  entity: LinkedEntity,
  scope: ClientScope,
): readonly Xo[] {
  const where = new QueryReader(scope).xpr(given, { entity, alias: undefined, depth: 0 }, "where");
  assertConditionMeaning(where, entity);
  return where;
}

/** The entity that an INSERT, UPSERT, UPDATE or DELETE of a client is about. */
export function clientTarget(given: JsonValue | undefined, scope: ClientScope): LinkedEntity {
  const ref = isJsonObject(given) ? given.ref : given;
  const name = Array.isArray(ref) && ref.length === 1 ? ref[0] : ref;
  if (typeof name !== "string") throw bad("Writes are about one entity: its name is expected");
  return entityNamed(scope, name);
}

/** Whose elements names are. */
interface Place {
  readonly entity: LinkedEntity;
  /** The name of the rows in the query. */
  readonly alias: string | undefined;
  readonly depth: number;
}

/** Members of operands, by the one that tells what they are. */
const OPERANDS: Readonly<Record<string, ReadonlySet<string>>> = {
  val: new Set(["val", "literal"]),
  ref: new Set(["ref"]),
  func: new Set(["func", "args"]),
  xpr: new Set(["xpr"]),
  list: new Set(["list"]),
};

const CLAUSES: ReadonlySet<string> = new Set([
  ...["from", "columns", "where", "groupBy", "having", "orderBy", "limit", "one", "distinct"],
]);

class QueryReader {
  readonly #scope: ClientScope;
  #nodes = 0;
  #expands = 0;

  constructor(scope: ClientScope) {
    this.#scope = scope;
  }

  select(given: Members): ClientSelect {
    this.#assertMembers(given, CLAUSES, "SELECT");
    const { from, target, alias } = this.#source(given.from);
    const place = { entity: target, alias, depth: 0 };
    const { one, distinct, groupBy } = given;
    if (groupBy !== undefined && !Array.isArray(groupBy)) throw bad("groupBy must be an array");
    const body: SelectBody = {
      from,
      localized: true,
      bounded: true,
      ...(one === true ? { one: true } : {}),
      ...(distinct === true ? { distinct: true } : {}),
      columns: this.#columns(given.columns ?? ["*"], place),
      ...this.#conditions(given, place),
      ...(groupBy === undefined ? {} : { groupBy: groupBy.map((term) => this.#expression(term, place)) }),
    };
    return { query: { SELECT: { ...body, ...this.#page(given, place) } }, target };
  }

  #source(given: JsonValue | undefined): { from: SelectBody["from"]; target: LinkedEntity; alias?: string } {
    if (typeof given === "string") return this.#source({ ref: [given] });
    if (!isJsonObject(given) || !Array.isArray(given.ref) || given.ref.length === 0) {
      throw isJsonObject(given) && ("SELECT" in given || "SET" in given || "join" in given)
        ? notRun("joins and subqueries")
        : bad("from must be the path of an entity: { ref: [name] }");
    }
    this.#assertMembers(given, new Set(["ref", "as"]), "from");
    this.#assertSteps(given.ref);
    let target: LinkedEntity | undefined;
    const ref = given.ref.map((step): RefStep => {
      const name = stepName(step);
      target = target ? this.#targetOf(target, name) : entityNamed(this.#scope, name);
      const id = target.name === name || target.$localName === name ? target.name : name;
      const place = { entity: target, alias: undefined, depth: 1 };
      return isJsonObject(step) && step.where !== undefined
        ? { id, where: this.xpr(step.where, place, "where") }
        : id;
    });
    const alias = typeof given.as === "string" ? given.as : undefined;
    // names of rows are used to address them only, and dropped
    return { from: { ref }, target: target!, alias };
  }

  /** The entity behind an association that clients may follow. */
  #targetOf(entity: LinkedEntity, name: string): LinkedEntity {
    const target = this.#element(entity.elements, name, entity).$target;
    if (target && exposedEntities(this.#scope.definition).includes(target)) return target;
    throw bad(`"${name}" of ${entity.$localName} leads to no entity of the service`);
  }

  #element(elements: LinkedElements, name: string, entity: LinkedEntity): LinkedElement {
    const found = Object.hasOwn(elements, name) ? elements[name] : edmProperty(entity, name)?.annotated;
    if (found && found["@cds.api.ignore"] !== true) return found;
    const near = nearestName(
      name,
      [...elements].filter((one) => one["@cds.api.ignore"] !== true).map(({ name }) => name),
    );
    const hint = near === undefined ? "" : `, did you mean "${near}"?`;
    throw bad(`"${name}" is no element of ${entity.$localName}${hint}`);
  }

  #conditions(given: Members, place: Place): Partial<SelectBody> {
    const { where, having } = given;
    return {
      ...(where === undefined ? {} : { where: this.xpr(where, place, "where") }),
      ...(having === undefined ? {} : { having: this.xpr(having, place, "having") }),
    };
  }

  /** Order and page: of the root always one, of collections inside where it is asked for. */
  #page(given: Members, place: Place): Partial<SelectBody> {
    const { limit, orderBy } = given;
    if (limit !== undefined && !isJsonObject(limit)) throw bad("limit must be an object");
    const rows = numberIn(limit?.rows, "limit.rows");
    const offset = numberIn(limit?.offset, "limit.offset");
    const size = this.#scope.pageSize(place.entity, rows);
    if (orderBy !== undefined && !Array.isArray(orderBy)) throw bad("orderBy must be an array");
    return {
      ...(orderBy === undefined ? {} : { orderBy: orderBy.map((term) => this.#orderTerm(term, place)) }),
      limit: { rows: { val: size }, ...(offset === undefined ? {} : { offset: { val: offset } }) },
    };
  }

  #orderTerm(given: JsonValue, place: Place): OrderTerm {
    if (!isJsonObject(given)) throw bad("Terms of orderBy must be objects");
    const { sort, nulls, ...expression } = given;
    if (sort !== undefined && sort !== "asc" && sort !== "desc") throw bad('sort must be "asc" or "desc"');
    if (nulls !== undefined && nulls !== "first" && nulls !== "last") {
      throw bad('nulls must be "first" or "last"');
    }
    return {
      ...this.#expression(expression, place),
      ...(sort === undefined ? {} : { sort }),
      ...(nulls === undefined ? {} : { nulls }),
    } as OrderTerm; // an expression with its direction
  }

  #columns(given: JsonValue, place: Place): readonly Column[] {
    if (!Array.isArray(given)) throw bad("columns must be an array");
    return given.flatMap((column): Column[] => {
      if (column === "*") return allColumns(place.entity);
      if (!isJsonObject(column)) throw bad("Columns must be objects");
      if ("expand" in column) return [this.#nested(column, place)];
      const { as, ...expression } = column;
      if (as !== undefined && typeof as !== "string") throw bad("The name of a column must be a text");
      return [{ ...this.#expression(expression, place), ...(as === undefined ? {} : { as }) } as Column];
    });
  }

  #nested(given: Members, place: Place): Column {
    const { limits } = this.#scope;
    this.#assertMembers(
      given,
      new Set([...["ref", "as", "expand", "where", "orderBy", "limit"]]),
      "a nested column",
    );
    if (place.depth >= limits.expandDepth) throw bad(`Columns are nested deeper than ${limits.expandDepth}`);
    if (++this.#expands > limits.expandItems) {
      throw bad(`There are more than ${limits.expandItems} nested columns`);
    }
    const [step, ...others] = this.#ownSteps(given.ref, place);
    if (typeof step !== "string" || others.length > 0) throw bad("A nested column names one association");
    const target = this.#targetOf(place.entity, step);
    const inner = { entity: target, alias: undefined, depth: place.depth + 1 };
    const isMany = place.entity.elements[step]!.is2many;
    const { where } = given;
    return {
      ref: [step],
      ...(typeof given.as === "string" ? { as: given.as } : {}),
      expand: this.#columns(given.expand!, inner),
      ...(where === undefined ? {} : { where: this.xpr(where, inner, "where") }),
      ...(isMany && (given.limit !== undefined || given.orderBy !== undefined)
        ? this.#page(given, inner)
        : {}),
    } as Column; // its members are those of nested columns
  }

  /** Operands and operators of a condition. */
  xpr(given: JsonValue | undefined, place: Place, clause: string): readonly Xo[] {
    if (!Array.isArray(given) || given.length === 0) {
      throw bad(`${clause} must be an array of operands and operators`);
    }
    if (place.depth > this.#scope.limits.filterDepth) throw bad("Expressions are nested too deeply");
    return given.map((token): Xo => {
      if (typeof token !== "string") return this.#expression(token, place);
      const operator = token.toLowerCase();
      if (OPERATORS.has(operator)) return operator;
      throw bad(`"${token}" is no operator`);
    });
  }

  #expression(given: JsonValue, place: Place): Expression {
    if (++this.#nodes > this.#scope.limits.filterNodes) throw bad("The query has too many expressions");
    if (!isJsonObject(given)) {
      throw bad("Operands must be objects: { ref }, { val }, { xpr }, { func } or { list }");
    }
    const inner = { ...place, depth: place.depth + 1 };
    if ("SELECT" in given || "SET" in given) throw notRun("joins and subqueries");
    const kind = Object.keys(OPERANDS).find((name) => name in given);
    if (kind !== undefined) this.#assertMembers(given, OPERANDS[kind]!, "an operand");
    if ("val" in given) return valueOf(given);
    if ("ref" in given) return { ref: this.#path(given, place) };
    if ("func" in given) return this.#call(given, inner);
    if ("xpr" in given) return { xpr: this.xpr(given.xpr, inner, "xpr") };
    if (Array.isArray(given.list)) {
      if (given.list.length > this.#scope.limits.inList) throw bad("A list is too long");
      return { list: given.list.map((item) => this.#expression(item, inner)) };
    }
    throw bad(`An operand has none of ref, val, xpr, func and list: ${Object.keys(given).join(", ")}`);
  }

  #call({ func, args = [] }: Members, place: Place): Expression {
    const name = String(func).toLowerCase();
    if (!FUNCTIONS.has(name)) throw bad(`"${func}" is no function that clients may call`);
    if (!Array.isArray(args)) throw bad("Arguments must be an array");
    return { func: name, args: args.map((arg) => arg === "*" ? "*" : this.#expression(arg, place)) };
  }

  /** A path to an element, all of whose steps clients see. */
  #path(given: Members, place: Place): readonly RefStep[] {
    if (given.param) throw notRun("parameters");
    const steps = this.#ownSteps(given.ref, place);
    const first = stepName(steps[0]!);
    if (first.startsWith("$")) {
      if (VARIABLES.has(first) && steps.length === 1) return [first];
      throw bad(`"${steps.map(stepName).join(".")}" is no variable that clients may use`);
    }
    let entity = place.entity;
    let elements: LinkedElements = entity.elements;
    return steps.map((step, index): RefStep => {
      const name = stepName(step);
      const element = this.#element(elements, name, entity);
      if (element.isAssociation && Object.hasOwn(elements, name)) {
        const isLast = index === steps.length - 1;
        if (!isLast || element.is2many || (isJsonObject(step) && step.where)) {
          entity = this.#targetOf(entity, name);
          elements = entity.elements;
        } else this.#targetOf(entity, name);
      } else if (element.$type.elements) elements = element.$type.elements;
      if (!isJsonObject(step) || step.where === undefined) return name;
      const inner = { entity, alias: undefined, depth: place.depth + 1 };
      return { id: name, where: this.xpr(step.where, inner, "where") };
    });
  }

  /** The steps of a path, without the name of the rows in front. */
  #ownSteps(ref: JsonValue | undefined, { alias, entity }: Place): readonly JsonValue[] {
    if (!Array.isArray(ref) || ref.length === 0) throw bad("ref must be an array of names");
    this.#assertSteps(ref);
    const isNamed = ref.length > 1 && alias !== undefined && ref[0] === alias &&
      !Object.hasOwn(entity.elements, alias);
    return isNamed ? ref.slice(1) : ref;
  }

  #assertSteps(ref: readonly JsonValue[]): void {
    if (ref.length > this.#scope.limits.pathSteps) throw bad("A path has too many steps");
    for (const step of ref) {
      if (typeof step === "string") continue;
      if (!isJsonObject(step) || typeof step.id !== "string") {
        throw bad("Steps of a path are names or { id, where }");
      }
      this.#assertMembers(step, new Set(["id", "where"]), "a step");
    }
  }

  #assertMembers(given: Members, known: ReadonlySet<string>, what: string): void {
    for (const name of Object.keys(given)) {
      if (!known.has(name)) throw notRun(`"${name}" of ${what}`);
    }
  }
}

function stepName(step: JsonValue): string {
  return typeof step === "string" ? step : String((step as Members).id); // checked before
}

/** All that payloads show of a row. */
function allColumns(entity: LinkedEntity): Column[] {
  return [...plainProperties(entity).values()].filter(({ type, virtual }) =>
    type.builtin !== "cds.LargeBinary" && !virtual
  ).map(({ name }) => ({ ref: [name] }));
}
