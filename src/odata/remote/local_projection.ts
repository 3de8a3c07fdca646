/**
 * Local projections of entities of a remote service: what their elements are called there, and which rows they have.
 *
 * @module
 */

import type { Expression, RefStep, Row, SelectBody, Xo } from "../../cqn/cqn.ts";
import { conjunction } from "../../cqn/conjunction.ts";
import { fromExpression, fromSteps, fromXo } from "../../algebra/from_cqn.ts";
import { toCqnExpression, toSteps, toXo } from "../../algebra/to_cqn.ts";
import type { Expr, TreeStep } from "../../algebra/tree.ts";
import { mapChildren, mapPaths } from "../../algebra/walk_tree.ts";
import type { LinkedElement, LinkedEntity, LinkedService } from "../../model/linked.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import { behindRow, isRowItself, notPossible } from "./remote_expression.ts";
import { stepName } from "../../cqn/steps.ts";

/** An entity of the service, or a projection of one, and how names and conditions of it are said there. */
export class LocalProjection {
  /** The entity of the service at the end of the chain of projections. */
  readonly remote: LinkedEntity;
  readonly #local: LinkedEntity;
  readonly #service: LinkedService;
  /** What this projection selects from; none for an entity of the service itself. */
  readonly #source: LocalProjection | undefined;

  private constructor(local: LinkedEntity, service: LinkedService, source?: LocalProjection) {
    this.remote = source?.remote ?? local;
    this.#local = local;
    this.#service = service;
    this.#source = source;
  }

  /**
   * The way from an entity to one of a service.
   *
   * @returns `undefined` for what is neither an entity of the service nor a projection of one
   * @throws ServiceError 501 for views that do more than to choose, rename and filter
   */
  static of(local: LinkedEntity | undefined, service: LinkedService): LocalProjection | undefined {
    if (!local || local.$service === service) return local && new LocalProjection(local, service);
    const { $source, $select: select } = local;
    const source = LocalProjection.of($source, service);
    if (!source || !select) return undefined;
    if (!("ref" in select.from) || select.from.ref.length > 1) throw notPossible(`The view "${local.name}"`);
    const { distinct, groupBy, having, limit } = select;
    if (distinct || groupBy || having || limit) throw notPossible(`The view "${local.name}"`);
    return new LocalProjection(local, service, source);
  }

  /** Whether this is an entity of the service itself. */
  get isOwn(): boolean {
    return this.#source === undefined;
  }

  /** The condition that its rows meet, as the service says it; none where it has all rows. */
  get condition(): readonly Xo[] | undefined {
    if (!this.#source) return undefined;
    const where = fromXo(this.#select.where);
    const own = where && this.#source.#renamed(mapPaths(where, (ref) => this.#inSource(ref)));
    return conjunction(own && toXo(own), this.#source.condition);
  }

  /** Names of the flat elements that have values. */
  get elements(): readonly string[] {
    return [...this.#local.$flat.values()].filter((element) => !element.virtual).map(({ name }) => name);
  }

  /** Whether an element is filled by handlers. */
  isVirtual(name: string): boolean {
    return this.#local.$flat.get(name)?.virtual === true;
  }

  /**
   * The projection that an association leads to.
   *
   * @throws ServiceError 501 when its target is elsewhere
   */
  along(name: string): LocalProjection {
    const target = LocalProjection.of(this.#association(name)?.$target, this.#service);
    if (!target) throw notPossible(`The association "${name}" of "${this.#local.name}"`);
    return target;
  }

  /** Whether an association leads to several rows. */
  is2many(name: string): boolean {
    return this.#association(name)?.is2many === true;
  }

  /** A condition in names of the service. */
  tokens(condition: readonly Xo[]): readonly Xo[] {
    const tree = fromXo(condition);
    return tree ? toXo(this.#renamed(tree)) : [];
  }

  /** An expression in names of the service; what stands beside it stays. */
  operand(expression: Expression): Expression {
    return toCqnExpression(this.#renamed(fromExpression(expression)));
  }

  #renamed<E extends Expr>(expression: E): E;
  #renamed(expression: Expr): Expr {
    const renamed = (ref: Extract<Expr, { kind: "reference" }>["ref"], isExists: boolean) =>
      fromSteps(this.path(toSteps(ref), isExists));
    if (expression.kind === "reference") return { ...expression, ref: renamed(expression.ref, false) };
    if (expression.kind === "exists" && expression.arg.kind === "reference") {
      return { ...expression, arg: { ...expression.arg, ref: renamed(expression.arg.ref, true) } };
    }
    const isQuery = expression.kind === "select" || expression.kind === "set";
    return isQuery ? expression : mapChildren(expression, (child) => this.#renamed(child));
  }

  /**
   * A path in names of the service.
   *
   * @param ref names and conditions along associations
   * @param isExists whether rows at its end are looked for, which may meet conditions
   * @throws ServiceError 501 for calculated elements, and paths to rows that a projection leaves out
   */
  path(ref: readonly RefStep[], isExists = false): readonly RefStep[] {
    const [first, ...rest] = ref;
    if (isRowItself(first)) return this.path(behindRow(rest), isExists);
    const id = stepName(first);
    const name = this.#elementName(ref);
    if (name !== undefined) return this.#elementPath(name);
    if (!this.#association(id)) return ref;
    const target = this.along(id);
    const step = this.step(id);
    const where = typeof first === "string" ? undefined : first.where;
    if (target.condition && !isExists) throw notPossible(`A path along "${id}"`);
    const conditions = conjunction(where && target.tokens(where), isExists ? target.condition : undefined);
    return [
      conditions ? { id: step, where: conditions } : step,
      ...(rest.length > 0 ? target.path(rest, isExists) : []),
    ];
  }

  /** The name of an association in the service. */
  step(name: string): string {
    if (!this.#source) return name;
    const ref = this.#columnRef(name);
    if (ref.length > 1) throw notPossible(`The association "${name}" of "${this.#local.name}"`);
    return this.#source.step(ref[0]);
  }

  /**
   * Data in names of the service, without what handlers fill.
   *
   * @throws ServiceError 501 for elements that are not elements of the remote entity
   */
  remoteRow(row: Row): Row {
    const members = Object.entries(row).filter(([name]) => !this.isVirtual(name)).map(([name, value]) => {
      if (!this.#association(name)) return [this.#memberName(name), value];
      return [this.step(name), rowsOf(value, (one) => this.along(name).remoteRow(one))];
    });
    return Object.fromEntries(members);
  }

  /** A row of the service in names of this projection. */
  localRow(row: Row): Row {
    const local: Row = {};
    for (const name of this.elements) {
      if (this.#isCalculated(name)) continue;
      const [member, ...more] = this.path([name]);
      if (more.length === 0 && Object.hasOwn(row, stepName(member))) local[name] = row[stepName(member)];
    }
    for (const { name } of this.#local.associations) {
      const value = row[this.step(name)];
      if (value !== undefined) local[name] = rowsOf(value, (one) => this.along(name).localRow(one));
    }
    return local;
  }

  #memberName(name: string): string {
    const [member, ...more] = this.path([name]);
    if (more.length > 0) throw notPossible(`A value of "${name}"`);
    return stepName(member);
  }

  /** The flat element that a path without conditions stands for: `author_ID` for `author.ID`, `size_width`. */
  #elementName(ref: readonly RefStep[]): string | undefined {
    if (!ref.every((step): step is string => typeof step === "string")) return undefined;
    const { $flat } = this.#local;
    if (ref.length === 1) return $flat.has(ref[0]) ? ref[0] : undefined;
    const isSame = (path: readonly string[]) =>
      path.length === ref.length && path.every((step, index) => step === ref[index]);
    return [...$flat.values()].find(({ path }) => isSame(path))?.name;
  }

  #elementPath(name: string): readonly RefStep[] {
    if (!this.#source) return [name];
    const [first, ...rest] = this.#local.$flat.get(name)!.path;
    if (!this.#association(first)) return this.#source.path([...this.#columnRef(first), ...rest]);
    // the key of the target may have another name there
    const path = [this.step(first), ...this.along(first).path(rest)];
    const key = LocalProjection.of(this.remote, this.#service)!.#elementName(path);
    return key === undefined ? path : [key];
  }

  /** What a column of the projection refers to in its source. */
  #columnRef(name: string): readonly string[] {
    const ref = this.#findColumn(name);
    if (!ref) throw notPossible(`"${name}" of "${this.#local.name}", which is calculated here,`);
    return ref;
  }

  #isCalculated(name: string): boolean {
    if (!this.#source) return false;
    const [first, ...rest] = this.#local.$flat.get(name)?.path ?? [name];
    const ref = this.#findColumn(first);
    return !ref || this.#source.#isCalculated([...ref, ...rest].join("_"));
  }

  #findColumn(name: string): readonly string[] | undefined {
    const { columns = ["*"], excluding = [] } = this.#select;
    const column = columns.find((one) =>
      one !== "*" && !("inline" in one) && (one.as ?? lastOf(one)) === name
    );
    if (typeof column === "object") {
      const ref = "ref" in column && !("expand" in column) ? column.ref : undefined;
      return ref?.every((step) => typeof step === "string") ? this.#unaliased(ref as string[]) : undefined;
    }
    const isInStar = columns.includes("*") && !excluding.includes(name) &&
      this.#source!.#local.elements[name] !== undefined;
    return isInStar ? [name] : undefined;
  }

  /** A path of the condition from the source on: the row itself is one of this projection. */
  #inSource(ref: readonly TreeStep[]): readonly TreeStep[] {
    const [first, ...rest] = ref;
    if (!isRowItself(first)) return this.#unaliased(ref);
    const [name, ...more] = behindRow(rest);
    if (typeof name !== "string") throw notPossible(`A path along "${name.id}" with conditions`);
    return [...this.#columnRef(name), ...more];
  }

  /** A path without the alias of the source in front of it. */
  #unaliased<S>(ref: readonly S[]): readonly S[] {
    const { from } = this.#select;
    const alias = from.as ?? this.#source!.#local.name.split(".").at(-1);
    const isAlias = ref.length > 1 && ref[0] === alias && !this.#source!.#association(alias!);
    return isAlias ? ref.slice(1) : ref;
  }

  #association(name: string): LinkedElement | undefined {
    const { elements } = this.#local;
    const element = Object.hasOwn(elements, name) ? elements[name] : undefined;
    return element?.isAssociation ? element : undefined;
  }

  get #select(): SelectBody {
    return this.#local.$select!;
  }
}

/** Nested rows, or whatever stands in their place. */
function rowsOf(value: unknown, change: (row: Row) => Row): unknown {
  if (Array.isArray(value)) return value.map((one) => rowsOf(one, change));
  return isPlainObject(value) ? change(value) : value;
}

function lastOf(column: object): string | undefined {
  const { ref } = column as { readonly ref?: readonly RefStep[] };
  return ref && stepName(ref.at(-1)!);
}
