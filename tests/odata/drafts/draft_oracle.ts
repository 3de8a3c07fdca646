/**
 * What drafts and active instances hold after a sequence of requests, as the rules say.
 *
 * @module
 */

/** The values of an instance. */
export interface Instance {
  title: string | null;
  price: number | null;
  note: string | null;
  readonly items: Map<number, number | null>;
}

interface Draft {
  readonly owner: string;
  readonly base: Instance | undefined;
  readonly now: Instance;
}

/** A request of a user. */
export interface Step {
  readonly user: string;
  readonly id: number;
  readonly what:
    | "new"
    | "edit"
    | "patch"
    | "addItem"
    | "patchItem"
    | "deleteItem"
    | "activate"
    | "discard"
    | "direct"
    | "directItem"
    | "action"
    | "delete";
  readonly name: "title" | "price" | "note";
  readonly value: number;
  readonly item: number;
}

/** All that there is. */
export class Oracle {
  readonly actives = new Map<number, Instance>();
  readonly drafts = new Map<number, Draft>();

  /** Does a step, and tells the status of its answer. */
  run(step: Step): number {
    const { id, user, what } = step;
    const active = this.actives.get(id);
    const draft = this.drafts.get(id);
    switch (what) {
      case "new":
        if (draft) return 409;
        this.drafts.set(id, { owner: user, base: undefined, now: instance({ title: `t${step.value}` }) });
        return 201;
      case "edit":
        if (!active) return 404;
        if (draft) return 409;
        this.drafts.set(id, { owner: user, base: copyOf(active), now: copyOf(active) });
        return 201;
      case "direct":
        if (draft) return 409;
        if (!active) return 404;
        change(active, step);
        return 200;
      case "directItem":
        if (draft) return 409;
        if (!active?.items.has(itemId(step))) return 404;
        active.items.set(itemId(step), step.value);
        return 200;
      case "action":
        if (!active) return 404;
        change(active, step);
        return 204;
      case "delete":
        if (draft) return 403;
        return this.actives.delete(id) ? 204 : 404;
      default:
        if (!draft) return 404;
        return draft.owner === user ? this.#own(step, draft) : 403;
    }
  }

  #own(step: Step, { now, base }: Draft): number {
    const item = itemId(step);
    switch (step.what) {
      case "patch":
        change(now, step);
        return 200;
      case "addItem":
        if (now.items.has(item)) return 409;
        now.items.set(item, step.value);
        return 201;
      case "patchItem":
        if (!now.items.has(item)) return 404;
        now.items.set(item, step.value);
        return 200;
      case "deleteItem":
        return now.items.delete(item) ? 204 : 404;
      case "discard":
        this.drafts.delete(step.id);
        return 204;
      default: {
        const active = this.actives.get(step.id);
        if (active && !base) return 409;
        this.drafts.delete(step.id);
        this.actives.set(step.id, active ? merged(base!, now, active) : copyOf(now));
        return active ? 200 : 201;
      }
    }
  }
}

/** Items have keys of their own in each instance. */
export function itemId({ id, item }: Pick<Step, "id" | "item">): number {
  return id * 10 + item;
}

/** What a value is of an element. */
export function valueOf({ name, value }: Pick<Step, "name" | "value">): string | number {
  return name === "price" ? value : `v${value}`;
}

function instance(values: Partial<Instance>): Instance {
  return { title: null, price: null, note: null, ...values, items: new Map(values.items ?? []) };
}

function copyOf(one: Instance): Instance {
  return instance(one);
}

function change(one: Instance, step: Step): void {
  Object.assign(one, { [step.name]: valueOf(step) });
}

function merged(base: Instance, draft: Instance, active: Instance): Instance {
  const result = copyOf(active);
  for (const name of ["title", "price", "note"] as const) {
    if (draft[name] !== base[name]) Object.assign(result, { [name]: draft[name] });
  }
  for (const id of new Set([...base.items.keys(), ...draft.items.keys()])) {
    const [was, is] = [base.items.has(id), draft.items.has(id)];
    if (is && (!was || draft.items.get(id) !== base.items.get(id))) {
      result.items.set(id, draft.items.get(id)!);
    } else if (was && !is) result.items.delete(id);
  }
  return result;
}
