/**
 * What a user may see and do, by brute force over all rows. Knows nothing of the authorization of the framework.
 *
 * @module
 */

import { derivedRows, type Reading, sourcesOf } from "./derived.ts";
import {
  type Association,
  type Caller,
  type Condition,
  type Restriction,
  type Row,
  type Rows,
  type Value,
  type View,
  viewOf,
  type World,
} from "./world.ts";

/** True, false, or unknown. */
type Truth = boolean | undefined;

/** All rows of all views of a state of the database. */
export class Oracle {
  readonly #world: World;
  readonly #rows: Map<string, readonly Row[]>;

  /**
   * Takes the rows of every view.
   *
   * @param world model and user
   * @param rows rows by table
   */
  constructor(world: World, rows: Rows) {
    this.#world = world;
    const all = (name: string) => rows[name] ?? [];
    this.#rows = new Map(
      world.views.map((view) => [view.name, all(view.table).map((row) => calculated(row))]),
    );
    for (const view of world.views) {
      if (!view.path) continue;
      const { via, element } = view.path;
      this.#rows.set(
        view.name,
        this.rows(view.name).map((row) => ({ ...row, path1: this.linked(row, via)[0]?.[element] ?? null })),
      );
    }
    for (const view of world.views) {
      if (view.derived) this.#rows.set(view.name, derivedRows(view.derived, (source) => this.rows(source)));
    }
  }

  /** All rows of a view. */
  rows(view: string): readonly Row[] {
    return this.#rows.get(view) ?? [];
  }

  /** The row of a key. */
  row(view: string, key: Row): Row | undefined {
    return this.rows(view).find((row) => Object.keys(key).every((name) => row[name] === key[name]));
  }

  /** The rows that the user may see: what is there for them, of what the rows that they may see make of it. */
  visible(view: View): readonly Row[] {
    if (view.derived && !view.restriction) return this.#permittedRows(view.name, "READ");
    const rows = this.rows(view.name).filter((row) => this.permits(view, row, "READ"));
    if (!view.path || view.restriction) return rows;
    const { via, element } = view.path;
    const seen = this.#permittedRows(tableOf(this.#world, via.target), "READ");
    return rows.map((row) => {
      const next = seen.find((one) => row[via.own] !== null && one[via.other] === row[via.own]);
      return { ...row, path1: next?.[element] ?? null };
    });
  }

  /** Whether a view is restricted, by itself or by what it reads. */
  isRestricted(view: View): boolean {
    return view.restriction !== undefined ||
      this.#sources(view).some(([name]) => this.#restrictionOf(name) !== undefined);
  }

  /** Whether the user has a role for an event. */
  hasRole(view: View, event: string): boolean {
    return this.#granted(this.#authority(view), event) !== undefined;
  }

  /** Whether the user sees every row, so that there are no hidden ones. */
  seesAll(view: View): boolean {
    const authority = this.#authority(view);
    if (authority.restriction) return this.#granted(authority, "READ")?.includes(undefined) ?? false;
    return this.#sources(authority).every(([name]) => this.#grantedAt(name, "READ")?.includes(undefined));
  }

  /** Whether the user may do something with a row; one that belongs to another needs the permission for that. */
  permits(view: View, row: Row, event: string): boolean {
    const authority = this.#authority(view);
    const granted = this.#granted(authority, event);
    if (granted === undefined) return false;
    if (view.derived && !view.restriction) {
      return this.#permittedRows(view.name, event).some(({ ID }) => ID === row.ID);
    }
    if (authority === view) return this.#meets(view, row, granted);
    return this.#owners(view, row).some((owner) => this.permits(this.#parent(view), owner, event));
  }

  /** Whether the user may call the action of a row. */
  permitsTouch(view: View, row: Row): boolean {
    const granted = this.#grantedBy(view.touch ?? {}, undefined);
    return this.permits(view, row, "touch") && granted !== undefined && this.#meets(view, row, granted);
  }

  /** Whether the user has the roles to call the action at all. */
  hasTouchRole(view: View): boolean {
    return this.hasRole(view, "touch") && this.#grantedBy(view.touch ?? {}, undefined) !== undefined;
  }

  /** Whether the service is open to the user. */
  get isServiceOpen(): boolean {
    return hasOne(this.#world.caller, this.#world.requires);
  }

  /** The rows behind an association. */
  linked(row: Row, { target, own, other }: Association): readonly Row[] {
    const value = row[own];
    return value === null || value === undefined
      ? []
      : this.rows(target).filter((one) => one[other] === value);
  }

  #parent(view: View): View {
    return viewOf(this.#world, view.authority!);
  }

  #owners(view: View, row: Row): readonly Row[] {
    const parent = this.#parent(view);
    return this.rows(parent.name).filter((owner) =>
      parent.associations.some((one) =>
        one.composition && one.target === view.name && row[one.other] === owner[one.own]
      )
    );
  }

  #authority(view: View): View {
    return view.authority === undefined ? view : this.#authority(this.#parent(view));
  }

  /** What a view reads: its table and what its paths lead to, or the sources of a derived one. */
  #sources({ derived, table, path }: View): readonly (readonly [string, Reading])[] {
    if (derived) return sourcesOf(derived);
    return path ? [[table, "rows"], [tableOf(this.#world, path.via.target), "look"]] : [[table, "rows"]];
  }

  /** The annotations of a table or derived view; of one that has none they are those of its sources. */
  #restrictionOf(name: string): Restriction | undefined {
    const view = viewOf(this.#world, name);
    if (!view?.derived) return this.#world.tables.find((table) => table.name === name)?.restriction;
    if (view.restriction) return view.restriction;
    return this.#sources(view).map(([source]) => this.#restrictionOf(source)).find((one) =>
      one !== undefined
    );
  }

  /** The rows of a table or derived view that the user may do something with. */
  #permittedRows(name: string, event: string): readonly Row[] {
    const view = viewOf(this.#world, name);
    if (view.derived && !view.restriction) {
      return derivedRows(
        view.derived,
        (source, reading) => this.#permittedRows(source, reading === "look" ? "READ" : event),
      );
    }
    const granted = this.#grantedAt(name, event);
    return granted ? this.rows(name).filter((row) => this.#meets(view, row, granted)) : [];
  }

  /** What is granted for a table or derived view that another view reads. */
  #grantedAt(name: string, event: string): readonly (Condition | undefined)[] | undefined {
    const view = viewOf(this.#world, name);
    if (view.derived) return this.#granted(view, event);
    const restriction = this.#world.tables.find((table) => table.name === name)?.restriction;
    return restriction ? this.#grantedBy(restriction, event) : this.#isAdmitted ? [undefined] : undefined;
  }

  /** What carries nothing itself needs a login in a service that carries something. */
  get #isAdmitted(): boolean {
    return this.#world.caller !== undefined || this.#world.requires === undefined;
  }

  /** The conditions of which one must hold; undefined without role for something that the view reads. */
  #granted(view: View, event: string): readonly (Condition | undefined)[] | undefined {
    if (view.restriction) return this.#grantedBy(view.restriction, event);
    const granted = this.#sources(view).map(([name, reading]) =>
      this.#grantedAt(name, reading === "look" ? "READ" : event)
    );
    return granted.includes(undefined) ? undefined : granted[0];
  }

  #grantedBy(
    { requires, restrict }: Restriction,
    event: string | undefined,
  ): readonly (Condition | undefined)[] | undefined {
    const { caller } = this.#world;
    if (!hasOne(caller, requires)) return undefined;
    if (!restrict) return [undefined];
    const granted = restrict.filter(({ grant = ["*"], to }) =>
      (to ? hasOne(caller, to) : this.#isAdmitted) &&
      (event === undefined || grant.some((name) => includes(name, event)))
    );
    return granted.length === 0 ? undefined : granted.map(({ where }) => where);
  }

  #meets(view: View, row: Row, conditions: readonly (Condition | undefined)[]): boolean {
    return conditions.some((one) => one === undefined || this.#truth(one, { view, row }) === true);
  }

  /** `lacking`: what a comparison with an attribute that the caller lacks is, so that nothing is granted by it (auth.md 7). */
  #truth(condition: Condition, at: Place, lacking = false): Truth {
    switch (condition.kind) {
      case "compare":
        return this.#compare(condition, at) ?? (this.#lacks(condition) ? lacking : undefined);
      case "null":
        return (this.#value(condition.path, at) === null) !== condition.isNegated;
      case "lacks":
        return (valuesOf(this.#attribute(condition.attr)).length === 0) !== condition.isNegated;
      case "exists":
        return this.#exists(condition, at, lacking !== condition.isNegated) !== condition.isNegated;
      case "not": {
        const truth = this.#truth(condition.of, at, !lacking);
        return truth === undefined ? undefined : !truth;
      }
      case "join": {
        const decisive = condition.operator === "or";
        const truths = condition.sides.map((side) => this.#truth(side, at, lacking));
        if (truths.includes(decisive)) return decisive;
        return truths.includes(undefined) ? undefined : !decisive;
      }
    }
  }

  #compare({ path, operator, value, isReversed }: Condition & { kind: "compare" }, at: Place): Truth {
    const found = this.#value(path, at);
    const others = this.#others(value);
    if (others.length === 0) return undefined; // neither the comparison nor its negation holds
    // Comparisons with attributes, which may be lists, hold for no row without value.
    if (operator === "!=" && found === null && !("attr" in value)) return true;
    if (found === null) return undefined;
    switch (operator) {
      case "=":
      case "in":
        return others.includes(found);
      case "<>":
      case "!=":
      case "not in":
        return !others.includes(found);
      default: {
        const [left, right] = isReversed ? [others[0]!, found] : [found, others[0]!];
        return operator === "<" ? left < right : left >= right;
      }
    }
  }

  #others(value: Value): readonly (string | number)[] {
    if ("val" in value) return [value.val];
    if ("user" in value) return [this.#world.caller?.id ?? "anonymous"];
    return valuesOf(this.#attribute(value.attr)) as string[];
  }

  #attribute(name: string): unknown {
    return this.#world.caller?.attr[name];
  }

  #value(path: readonly string[], { view, row }: Place): string | number | null {
    const [first, ...rest] = path as [string, ...string[]];
    const association = view.associations.find(({ name }) => name === first);
    if (!association) return row[path.join("_")] ?? null;
    // The key behind an association is its foreign key, whether there is such a row or not.
    if (rest.join() === "ID" && association.own === `${first}_ID`) return row[association.own] ?? null;
    const [next] = this.linked(row, association);
    return next ? this.#value(rest, { view: viewOf(this.#world, association.target), row: next }) : null;
  }

  #exists({ path, inner }: Condition & { kind: "exists" }, at: Place, lacking: boolean): boolean {
    let places: readonly Place[] = [at];
    for (const step of path) {
      places = places.flatMap(({ view, row }) => {
        const association = view.associations.find(({ name }) => name === step)!;
        const target = viewOf(this.#world, association.target);
        return this.linked(row, association).map((next) => ({ view: target, row: next }));
      });
    }
    return places.some((place) => inner === undefined || this.#truth(inner, place, lacking) === true);
  }

  /** Whether a comparison is with an attribute that the caller has no value of. */
  #lacks({ value }: Condition & { kind: "compare" }): boolean {
    return this.#others(value).length === 0;
  }
}

interface Place {
  readonly view: View;
  readonly row: Row;
}

function tableOf(world: World, view: string): string {
  return viewOf(world, view).table;
}

function calculated(row: Row): Row {
  return "n" in row ? { ...row, calc: row.n === null ? null : Number(row.n) + 1 } : row;
}

function includes(grant: string, event: string): boolean {
  return grant === "*" || grant === event ||
    (grant === "WRITE" && ["CREATE", "UPDATE", "DELETE"].includes(event));
}

function hasOne(caller: Caller | undefined, roles: readonly string[] | undefined): boolean {
  return roles === undefined || roles.some((role) =>
    role === "any" ||
    (caller !== undefined && (role === "authenticated-user" || caller.roles.includes(role)))
  );
}

function valuesOf(attribute: unknown): readonly unknown[] {
  if (attribute === undefined || attribute === null) return [];
  return Array.isArray(attribute) ? attribute : [attribute];
}
