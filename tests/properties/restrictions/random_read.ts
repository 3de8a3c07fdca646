/**
 * Random reads by OData, and which entities they touch.
 *
 * @module
 */

import { parentOf } from "./cdl.ts";
import type { Other, Sent } from "./apps.ts";
import type { Choices } from "./choices.ts";
import { type Association, type View, viewOf, type World } from "./world.ts";

/** A request, and the views whose rows it looks at. */
export interface Read extends Sent {
  readonly touched: ReadonlySet<View>;
  /** Who has asked the same before. */
  readonly first?: Other;
}

/** A GET request made of random decisions. */
export function randomRead(choices: Choices, world: World): Read {
  return new ReadMaker(choices, world).read();
}

const LITERALS = ["'x'", "'y'", "'X'", "'x '", "''"];
const OPERATORS = ["eq", "ne", "gt", "le"];

interface Path {
  readonly path: string;
  readonly view: View;
  readonly isMany: boolean;
}

class ReadMaker {
  readonly #choices: Choices;
  readonly #world: World;
  readonly #touched = new Set<View>();

  constructor(choices: Choices, world: World) {
    this.#choices = choices;
    this.#world = world;
  }

  read(): Read {
    const choices = this.#choices;
    const url = this.#url();
    return {
      method: choices.chance(4) ? "HEAD" : "GET",
      url,
      isBatched: choices.chance(20),
      touched: this.#touched,
      ...(choices.chance(30) ? { first: choices.pick<Other>(["everybody", "nobody"]) } : {}),
      ...(choices.chance(30) ? { language: "de" } : {}),
    };
  }

  #url(): string {
    const choices = this.#choices;
    if (choices.chance(6)) return this.#crossjoin();
    const { path, view, isMany } = this.#path();
    const kind = choices.int(100);
    if (isMany) {
      if (kind > 90) return `${path}/$count${this.#query(this.#filters(view))}`;
      if (kind > 64) return path + this.#query([`$apply=${this.#apply(view)}`]);
      if (kind > 60) return `${path}/$ref`;
      return path + this.#query(this.#options(view, true));
    }
    if (kind > 92) return `${path}/${choices.pick([...view.texts, ...view.numbers])}`;
    if (kind > 85) return `${path}/${choices.pick([...view.texts, ...view.numbers])}/$value`;
    if (kind > 82) return `${path}/$ref`;
    return path + this.#query(this.#options(view, false));
  }

  #roots(): readonly View[] {
    return this.#world.views.filter(({ authority, isExposed }) => authority === undefined && isExposed);
  }

  #path(): Path {
    const choices = this.#choices;
    let view = this.#touch(choices.pick(this.#roots()));
    let path = view.name;
    let isMany = true;
    for (let steps = 0; steps < 3 && choices.chance(50); steps++) {
      if (isMany) {
        path += this.#key(view);
        isMany = false;
      }
      const next = choices.chance(70) ? this.#association(view) : undefined;
      if (!next) break;
      path += `/${next.name}`;
      [view, isMany] = [this.#target(next), next.many];
    }
    if (isMany && choices.chance(10)) {
      path += `/$filter(${encodeURIComponent(this.#condition(view, "", 1))})`;
    }
    return { path, view, isMany };
  }

  /** Pairs of rows of two sets. */
  #crossjoin(): string {
    const choices = this.#choices;
    const roots = this.#roots();
    const sets = [...new Set([choices.pick(roots), choices.pick(roots)])].map((view) => this.#touch(view));
    const [one, other] = [sets[0]!, sets.at(-1)!];
    const condition = () => {
      const view = choices.pick(sets);
      return this.#condition(view, `${view.name}/`, 1);
    };
    const options = [`$orderby=${sets.map(({ name }) => `${name}/ID`).join(",")}`];
    if (choices.chance(60)) {
      const pairs = `${one.name}/${choices.pick(one.numbers)} eq ${other.name}/${
        choices.pick(other.numbers)
      }`;
      options.push(
        `$filter=${choices.pick([() => pairs, condition, () => `(${pairs}) and ${condition()}`])()}`,
      );
    }
    if (choices.chance(50)) options.push(`$expand=${sets.map(({ name }) => name).join(",")}`);
    if (choices.chance(30)) options.push("$count=true");
    return `$crossjoin(${sets.map(({ name }) => name).join(",")})${this.#query(options)}`;
  }

  #key(view: View): string {
    const ID = 1 + this.#choices.int(6);
    return view.keys.includes("no") ? `(up__ID=${ID},no=${this.#choices.int(2)})` : `(${ID})`;
  }

  #touch(view: View): View {
    if (view.authority === undefined) this.#touched.add(view);
    return view;
  }

  #target({ target }: Association): View {
    return this.#touch(viewOf(this.#world, target));
  }

  #association(view: View, many?: boolean): Association | undefined {
    const found = view.associations.filter((one) => many === undefined || one.many === many);
    return found.length === 0 ? undefined : this.#choices.pick(found);
  }

  #query(options: readonly string[]): string {
    if (options.length === 0) return "";
    const encoded = options.map((option) => {
      const at = option.indexOf("=");
      const value = encodeURIComponent(option.slice(at + 1));
      // percent-encoded, the end of a search text would belong to it
      return option.slice(0, at + 1) + (/[(;]\$search=/.test(option) ? value.replaceAll("%3B", ";") : value);
    });
    return `?${encoded.join("&")}`;
  }

  #filters(view: View): string[] {
    const search = this.#choices.chance(view.searched ? 45 : 15) ? [`$search=${this.#search(view)}`] : [];
    return this.#choices.chance(70) ? [`$filter=${this.#condition(view, "", 2)}`, ...search] : search;
  }

  #options(view: View, isMany: boolean): string[] {
    const choices = this.#choices;
    const options: string[] = [];
    if (isMany) {
      options.push(...this.#filters(view));
      if (choices.chance(35)) options.push(`$orderby=${this.#orderby(view)}`);
      if (choices.chance(30)) options.push("$count=true");
      if (choices.chance(20)) options.push(`$top=${choices.int(4)}`);
      if (choices.chance(10)) options.push(`$skip=${choices.int(3)}`);
    }
    const isComputed = choices.chance(10);
    if (isComputed) options.push(`$compute=${this.#operand(view, "", false)} add 1 as more`);
    if (choices.chance(20)) {
      const name = choices.pick([...view.texts, ...view.numbers]);
      options.push(`$select=${name}${isComputed ? ",more" : ""}`);
    }
    if (choices.chance(45)) options.push(`$expand=${this.#expand(view, 2)}`);
    return options;
  }

  #orderby(view: View): string {
    const choices = this.#choices;
    const many = this.#association(view, true);
    const direction = choices.pick(["", " desc"]);
    if (many && choices.chance(20)) {
      this.#target(many);
      return `${many.name}/$count${direction}`;
    }
    return `${this.#operand(view, "", choices.chance(50))}${direction}`;
  }

  #search(view: View): string {
    for (const path of view.searched ?? []) {
      const [first, ...rest] = path.split(".");
      if (rest.length > 0) this.#target(view.associations.find(({ name }) => name === first)!);
    }
    return this.#choices.pick(["x", "y OR z", "NOT x", "x AND y"]);
  }

  #expand(view: View, depth: number): string {
    const choices = this.#choices;
    if (choices.chance(8)) {
      for (const one of view.associations) this.#target(one);
      return "*";
    }
    const one = this.#association(view);
    if (!one) return "*";
    const target = this.#target(one);
    const kind = choices.int(100);
    if (kind > 92) return `${one.name}/$ref`;
    if (one.many && kind > 82) return `${one.name}/$count`;
    if (one.target === view.name && kind > 78) return `${one.name}($levels=2)`;
    if (one.many && choices.chance(15)) {
      const trafos = choices.chance(50)
        ? this.#firstRows(target)
        : `groupby((${choices.pick(target.texts)}))`;
      return `${one.name}($apply=${trafos})`;
    }
    const nested: string[] = [];
    if (one.many) {
      if (choices.chance(50)) nested.push(`$filter=${this.#condition(target, "", 1)}`);
      if (choices.chance(30)) nested.push(`$orderby=${this.#orderby(target)}`);
      if (choices.chance(30)) nested.push("$count=true");
      if (choices.chance(15)) nested.push(`$search=${this.#search(target)}`);
      if (choices.chance(20)) nested.push("$top=1");
    }
    const isExtra = choices.chance(10);
    if (isExtra) nested.push(`$compute=${this.#operand(target, "", false)} add 1 as extra`);
    if (choices.chance(20)) nested.push(`$select=${choices.pick(target.texts)}${isExtra ? ",extra" : ""}`);
    if (depth > 0 && choices.chance(50)) nested.push(`$expand=${this.#expand(target, depth - 1)}`);
    return nested.length > 0 ? `${one.name}(${nested.join(";")})` : one.name;
  }

  #condition(view: View, prefix: string, depth: number): string {
    const choices = this.#choices;
    const kind = choices.int(depth > 0 ? 9 : 6);
    if (kind < 2) return `${this.#operand(view, prefix, true)} ${this.#comparison(true)}`;
    if (kind < 4) return `${this.#operand(view, prefix, false)} ${this.#comparison(false)}`;
    if (kind === 4) {
      const call = choices.pick(["contains", "startswith", "endswith"]);
      return `${call}(${this.#operand(view, prefix, true)},${choices.pick(LITERALS)})`;
    }
    if (kind === 5) return `${this.#operand(view, prefix, true)} in ('x','z')`;
    if (kind === 6) return `not (${this.#condition(view, prefix, depth - 1)})`;
    if (kind === 7) {
      const lambda = this.#lambda(view, prefix, depth);
      if (lambda) return lambda;
    }
    const sides = [this.#condition(view, prefix, depth - 1), this.#condition(view, prefix, depth - 1)];
    return `(${sides.join(choices.pick([" and ", " or "]))})`;
  }

  #lambda(view: View, prefix: string, depth: number): string | undefined {
    const choices = this.#choices;
    const one = choices.chance(30) ? this.#association(view, false) : undefined;
    const owner = one ? viewOf(this.#world, one.target) : view;
    const path = one ? `${prefix}${one.name}/` : prefix;
    const many = this.#association(owner, true);
    if (!many) return undefined;
    this.#touch(owner);
    const target = this.#target(many);
    if (choices.chance(25)) return `${path}${many.name}/$count ${choices.pick(OPERATORS)} ${choices.int(3)}`;
    if (choices.chance(15)) return `${path}${many.name}/any()`;
    const variable = `v${depth}${prefix.length}`;
    const inner = this.#condition(target, `${variable}/`, depth - 1);
    return `${path}${many.name}/${choices.pick(["any", "all"])}(${variable}:${inner})`;
  }

  #comparison(isText: boolean): string {
    const choices = this.#choices;
    if (choices.chance(20)) return `${choices.pick(["eq", "ne"])} null`;
    return `${choices.pick(OPERATORS)} ${isText ? choices.pick(LITERALS) : choices.int(6)}`;
  }

  /** A property, maybe behind associations to one. */
  #operand(view: View, prefix: string, isText: boolean, percent = 45): string {
    const choices = this.#choices;
    const one = choices.chance(percent) ? this.#association(view, false) : undefined;
    if (one) {
      const target = viewOf(this.#world, one.target);
      if (!target.keys.includes("no")) {
        return this.#operand(this.#touch(target), `${prefix}${one.name}/`, isText);
      }
    }
    return prefix + choices.pick(isText ? view.texts : view.numbers);
  }

  #apply(view: View): string {
    const choices = this.#choices;
    const trafos: string[] = [];
    if (choices.chance(40)) trafos.push(`filter(${this.#condition(view, "", 1)})`);
    if (choices.chance(view.searched ? 40 : 10)) trafos.push(`search(${this.#search(view)})`);
    if (choices.chance(25)) trafos.push(this.#firstRows(view));
    if (parentOf(view) && choices.chance(30)) trafos.push(this.#hierarchy(view));
    const many = this.#association(view, true);
    if (many && choices.chance(30)) return [...trafos, this.#applyMany(view, many)].join("/");
    const kind = choices.int(9);
    const isComputed = kind !== 1 && kind < 7 && choices.chance(40); // values that nobody uses are not read
    if (isComputed) trafos.push(`compute(${this.#operand(view, "", false)} add 1 as more)`);
    // Only what is sent may be touched.
    const aggregate = () => `aggregate(${isComputed ? "more with max as x" : this.#aggregate(view)})`;
    const group = () => this.#operand(view, "", choices.chance(70), 75);
    const last = [
      aggregate,
      () => `groupby((${group()}))`,
      () => `groupby((${group()}),${aggregate()})`,
      () => `groupby((${group()}),filter(${this.#condition(view, "", 1)})/${aggregate()})`,
      () => `groupby((rollup(${group()},${group()})),${aggregate()})`,
      () => `concat(groupby((${group()}),${aggregate()}),${aggregate()})/filter(1 eq 1)`,
      () => `groupby((${group()}),${this.#firstRows(view)}/${aggregate()})`,
      () => `aggregate(${this.#operand(view, "", false)} with sum from ${group()} with max as x)`,
      () =>
        `compute($these/aggregate(${
          this.#operand(view, "", false)
        } with sum) as x)/aggregate(x with max as y)`,
    ][kind]!;
    return [...trafos, last()].join("/");
  }

  /** Rows above or below others in the tree of the view, or all of them in its order. */
  #hierarchy(view: View): string {
    const choices = this.#choices;
    this.#touch(view);
    const name = choices.pick(["ancestors", "descendants", "traverse"]);
    const tree = `$root/${view.name},Tree,ID`;
    const filter = `filter(${this.#condition(view, "", 1)})`;
    if (name === "traverse") return `traverse(${tree},preorder,${filter},${choices.pick(view.texts)} desc)`;
    return `${name}(${tree},${filter}${choices.pick([",1", "", ",keep start"])})`;
  }

  /** Transformations that keep some of the rows. */
  #firstRows(view: View): string {
    const choices = this.#choices;
    const value = this.#operand(view, "", false);
    const name = choices.pick(["topcount", "bottomcount", "topsum", "toppercent", "bottomsum"]);
    return choices.chance(30)
      ? `orderby(${value})/skip(1)/top(2)`
      : `${name}(${1 + choices.int(9)},${value})`;
  }

  /** Transformations that reach related rows. */
  #applyMany(view: View, many: Association): string {
    const choices = this.#choices;
    const target = this.#target(many);
    const number = choices.pick(target.numbers);
    const values = `${number} with sum as s,$count as c`;
    const inner = () => `filter(${this.#condition(target, "", 1)})`;
    // Only what is sent may be touched.
    return choices.pick([
      () => `aggregate(${many.name}/${number} with sum as s,${many.name}/$count as c,$count as n)`,
      () => `groupby((${choices.pick(view.texts)}),aggregate(${many.name}/${number} with max as s))`,
      () =>
        `${choices.pick(["join", "outerjoin"])}(${many.name} as J)/groupby((J/${
          choices.pick(target.texts)
        }),aggregate(J/${values}))`,
      () => `join(${many.name} as J,${inner()})/aggregate(J/${values})`,
      () => `join(${many.name} as J)`,
      () => `addnested(${many.name},${inner()}/aggregate(${values}) as A)`,
      () => `addnested(${many.name},${this.#firstRows(target)} as A)`,
    ])();
  }

  #aggregate(view: View): string {
    const [method, name] = this.#choices.pick([["max", "m"], ["countdistinct", "d"], ["sum", "s"], [
      "",
      "c",
    ]]);
    return method === ""
      ? `$count as ${name}`
      : `${this.#operand(view, "", false)} with ${method} as ${name}`;
  }
}
