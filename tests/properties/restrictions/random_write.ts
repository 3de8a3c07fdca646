/**
 * Random writes and calls of bound actions by OData.
 *
 * @module
 */

import type { Sent } from "./apps.ts";
import type { Choices } from "./choices.ts";
import { isWritten } from "./derived.ts";
import { type Association, type Row, type View, viewOf, type World } from "./world.ts";

/** A segment of a path: a set, or an association, and maybe the key of a row. */
export interface Step {
  readonly view: View;
  readonly association?: Association;
  readonly key?: Row;
}

/** A reference to a row that a body makes. */
export interface Reference {
  readonly column: string;
  readonly target: View;
  readonly value: string | number | null;
}

/** A row in a body. */
export interface Entry {
  readonly view: View;
  readonly columns: Row;
  readonly references: readonly Reference[];
  /** Rows nested by composition. */
  readonly children: Readonly<Record<string, readonly Entry[]>>;
}

/** A request that may change rows. */
export interface Write extends Sent {
  readonly event: "CREATE" | "UPDATE" | "DELETE" | "touch";
  readonly steps: readonly Step[];
  /** The path of a row that a row is linked with. */
  readonly source?: readonly Step[];
  readonly entry?: Entry;
}

const TEXTS = ["x", "y", null, "z", "X", "x "] as const;

/** A write made of random decisions. */
export function randomWrite(choices: Choices, world: World): Write {
  return new WriteMaker(choices, world).write();
}

class WriteMaker {
  readonly #choices: Choices;
  readonly #world: World;

  constructor(choices: Choices, world: World) {
    this.#choices = choices;
    this.#world = world;
  }

  write(): Write {
    const choices = this.#choices;
    const isBatched = choices.chance(20);
    const kind = choices.int(12);
    if (kind < 4) return { ...this.#create(), isBatched };
    if (kind < 8) return { ...this.#update(), isBatched };
    if (kind < 10) return { ...this.#delete(), isBatched };
    return { ...(kind === 10 ? this.#touch() : this.#link()), isBatched };
  }

  #create(): Omit<Write, "isBatched"> {
    const start = this.#start();
    const many = this.#choices.chance(40) ? this.#pick(start.view, (one) => one.many) : undefined;
    const steps = many ? [start, { view: this.#view(many), association: many }] : [{ view: start.view }];
    const target = steps.at(-1)!.view;
    const { entry, body } = this.#entry(target, { without: many?.other, isNew: true, depth: 2 });
    return { method: "POST", url: urlOf(steps), event: "CREATE", steps, entry, body };
  }

  #update(): Omit<Write, "isBatched"> {
    const wholes = this.#roots().filter(({ associations }) => associations.some((one) => one.composition));
    const steps = wholes.length > 0 && this.#choices.chance(40)
      ? [{ view: this.#choices.pick(wholes), key: { ID: this.#id() } }]
      : this.#instance();
    const target = steps.at(-1)!.view;
    const { association } = steps.at(-1)!;
    const { entry, body } = this.#entry(target, {
      without: association?.many ? association.other : undefined,
      isNew: false,
      depth: 2,
      ...(steps.length === 1 ? { owner: steps[0]!.key!.ID! } : {}),
    });
    const method = this.#choices.pick(["PATCH", "PATCH", "PUT"]);
    return { method, url: urlOf(steps), event: "UPDATE", steps, entry, body };
  }

  #delete(): Omit<Write, "isBatched"> {
    const steps = this.#instance();
    return { method: "DELETE", url: urlOf(steps), event: "DELETE", steps };
  }

  #touch(): Omit<Write, "isBatched"> {
    const steps = this.#instance().slice(0, 1);
    return { method: "POST", url: `${urlOf(steps)}/S.touch`, event: "touch", steps, body: {} };
  }

  /** A reference of a collection, which is kept in its member. */
  #join(start: Step & { readonly key: Row }): Omit<Write, "isBatched"> | undefined {
    const many = this.#pick(start.view, (one) => one.many && !one.composition);
    const view = many && this.#view(many);
    const back = view?.associations.find((one) => !one.many && one.own === many!.other);
    if (!many || !view || !back) return undefined;
    const [value, ID] = [start.key.ID!, this.#id()];
    const references = [{ column: many.other, target: this.#view(back), value }];
    return {
      method: "POST",
      url: `${urlOf([start])}/${many.name}/$ref`,
      event: "UPDATE",
      steps: [{ view, key: { ID } }],
      source: [start],
      entry: { view, columns: { [many.other]: value }, references, children: {} },
      body: { "@odata.id": `${view.name}(${ID})` },
    };
  }

  /** PUT and DELETE of a reference. */
  #link(): Omit<Write, "isBatched"> {
    const start = this.#start();
    const joined = this.#choices.chance(40) ? this.#join(start) : undefined;
    if (joined) return joined;
    const one = this.#pick(start.view, ({ many, own }) => !many && (own.endsWith("_ID") || own === "n"));
    if (!one) return this.#delete();
    const value = this.#choices.chance(30) ? null : this.#id();
    const target = this.#view(one);
    const entry = {
      view: start.view,
      columns: { [one.own]: value },
      // What a condition compares with is a value like others.
      references: one.own === "n" ? [] : [{ column: one.own, target, value }],
      children: {},
    };
    const url = `${urlOf([start])}/${one.name}/$ref`;
    const common = { url, event: "UPDATE" as const, steps: [start], entry };
    if (value === null) return { method: "DELETE", ...common };
    return { method: "PUT", ...common, body: { "@odata.id": `${target.name}(${value})` } };
  }

  /** The path of a row. */
  #instance(): readonly Step[] {
    const choices = this.#choices;
    const start = this.#start();
    const next = choices.chance(35) ? this.#pick(start.view, () => true) : undefined;
    if (!next) return [start];
    const view = this.#view(next);
    return [start, { view, association: next, ...(next.many ? { key: this.#key(view, next) } : {}) }];
  }

  #roots(): readonly View[] {
    return this.#world.views.filter((view) =>
      view.authority === undefined && view.isExposed && isWritten(view)
    );
  }

  #start(): Step & { readonly key: Row } {
    return { view: this.#choices.pick(this.#roots()), key: { ID: this.#id() } };
  }

  #key(view: View, { other }: Association): Row {
    // The key of the whole is in the path already.
    return view.keys.includes("no") ? { no: this.#choices.int(2) } : other === "ID" ? {} : { ID: this.#id() };
  }

  #id(): number {
    return 1 + this.#choices.int(7);
  }

  #pick(view: View, fits: (association: Association) => boolean): Association | undefined {
    const found = view.associations.filter(fits);
    return found.length === 0 ? undefined : this.#choices.pick(found);
  }

  #view({ target }: Association): View {
    return viewOf(this.#world, target);
  }

  #entry(view: View, options: EntryOptions): Made {
    const choices = this.#choices;
    const { isNew, depth, without } = options;
    const columns: Row = {};
    const isInline = view.keys.includes("no");
    if (isNew) {
      Object.assign(
        columns,
        isInline ? { no: choices.int(4) } : { ID: choices.chance(70) ? 10 : this.#id() },
      );
    }
    for (const name of view.texts) {
      if (name !== "path1" && choices.chance(60)) columns[name] = choices.pick(TEXTS);
    }
    if (view.numbers.includes("n") && choices.chance(60)) columns.n = choices.int(7);
    const body: Record<string, unknown> = { ...columns };
    const references: Reference[] = [];
    const unmanaged = columns.n === undefined && choices.chance(30)
      ? view.associations.find(({ own }) => own === "n")
      : undefined;
    if (unmanaged) {
      columns.n = this.#id();
      body[`${unmanaged.name}@odata.bind`] = `${unmanaged.target}(${columns.n})`;
    }
    for (const one of view.associations) {
      if (one.many || !one.own.endsWith("_ID") || one.own === without || !choices.chance(40)) continue;
      const value = choices.chance(15) ? null : this.#id();
      references.push({ column: one.own, target: this.#view(one), value });
      this.#addReference(body, one, value);
    }
    const children: Record<string, readonly Entry[]> = {};
    for (const one of depth > 0 ? view.associations : []) {
      if (!one.composition || !choices.chance(45)) continue;
      const entries = this.#children(one, depth - 1, options.owner);
      const isDelta = !isNew && choices.chance(25);
      body[isDelta ? `${one.name}@delta` : one.name] = entries.map(({ body }) => body);
      children[one.name] = entries.map(({ entry }) => entry);
    }
    return { entry: { view, columns, references, children }, body };
  }

  #children(composition: Association, depth: number, owner: Row[string] | undefined): readonly Made[] {
    const { table, keys } = this.#view(composition);
    const own = keys.at(-1)!;
    const old = this.#world.rows[table]!.filter((row) => row[composition.other] === owner);
    const withKey = ({ entry, body }: Made, row: Row): Made => {
      const key = { [own]: row[own]! };
      return { entry: { ...entry, columns: { ...entry.columns, ...key } }, body: { ...body, ...key } };
    };
    const keepsAll = this.#choices.chance(40);
    const entries = Array.from({ length: keepsAll ? old.length : this.#choices.int(3) }, (_, index) => {
      const made = this.#child(composition, depth);
      if (keepsAll) return withKey(made, old[index]!);
      return old.length > 0 && this.#choices.chance(65) ? withKey(made, this.#choices.pick(old)) : made;
    });
    const seen = new Set<unknown>();
    return entries.filter(({ body }) => !seen.has(body[own]) && seen.add(body[own]));
  }

  #child({ target, other }: Association, depth: number): Made {
    return this.#entry(viewOf(this.#world, target), { without: other, isNew: true, depth });
  }

  #addReference(
    body: Record<string, unknown>,
    { name, own, target }: Association,
    value: number | null,
  ): void {
    const form = value === null ? 0 : this.#choices.int(3);
    if (form === 0) body[own] = value;
    else if (form === 1) body[name] = { ID: value };
    else body[`${name}@odata.bind`] = `${target}(${value})`;
  }
}

/** A row as it is sent, and what is known about it. */
interface Made {
  readonly entry: Entry;
  readonly body: Record<string, unknown>;
}

interface EntryOptions {
  /** The reference that the path or the whole decides about. */
  readonly without: string | undefined;
  readonly isNew: boolean;
  readonly depth: number;
  /** The id of the row that is updated, which may have parts already. */
  readonly owner?: Row[string];
}

function urlOf(steps: readonly Step[]): string {
  return steps.map(({ view, association, key }) => (association?.name ?? view.name) + keyText(key)).join("/");
}

function keyText(key: Row | undefined): string {
  const values = Object.entries(key ?? {});
  if (values.length === 0) return "";
  return `(${values.map(([name, value]) => `${name}=${value}`).join(",")})`;
}
