/** Random OData URLs over the model of `hidden_rows_property_test.ts`. */

/** What the generator knows about an entity. */
interface Shape {
  readonly texts: readonly string[];
  readonly numbers: readonly string[];
  readonly one: Readonly<Record<string, string>>;
  readonly many: Readonly<Record<string, string>>;
}

const SHAPES: Readonly<Record<string, Shape>> = {
  Shops: {
    texts: ["name", "address_city"],
    numbers: ["ID", "best_ID", "next_ID"],
    one: { best: "Authors", next: "Shops" },
    many: { books: "Books" },
  },
  Authors: {
    texts: ["name", "country"],
    numbers: ["ID", "age", "boss_ID"],
    one: { boss: "Authors" },
    many: { books: "Books", team: "Authors" },
  },
  Books: {
    texts: ["title"],
    numbers: ["ID", "stock", "price", "author_ID", "shop_ID"],
    one: { author: "Authors", shop: "Shops" },
    many: { pages: "Pages", reviews: "Reviews" },
  },
  Pages: { texts: ["text"], numbers: ["no"], one: { book: "Books" }, many: {} },
  Reviews: {
    texts: ["text", "owner"],
    numbers: ["ID", "stars", "book_ID"],
    one: { book: "Books" },
    many: {},
  },
};
const SETS = ["Shops", "Authors", "Books", "Reviews"];
const LITERALS = ["'SECRET'", "'S'", "'a'", "'DE'", "'FR'", "'alice'", "'e'"];
const OPERATORS = ["eq", "ne", "gt", "le"];

/** A small generator of pseudo random numbers (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Makes URLs below the root of the service. */
export class UrlMaker {
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** A URL with path and options. */
  url(): string {
    let entity = this.pick(SETS);
    let path = entity;
    let isMany = true;
    for (let steps = 0; steps < 3 && this.chance(0.4); steps++) {
      if (isMany) {
        path += entity === "Pages" ? `(no=${this.int(3)})` : `(${this.int(7)})`;
        isMany = false;
        if (this.chance(0.4)) break;
      }
      const [name, target, many] = this.navigation(entity);
      if (!name) break;
      path += `/${name}`;
      [entity, isMany] = [target, many];
    }
    if (isMany && this.chance(0.12)) return `${path}/$count${this.query(this.filters(entity), "?")}`;
    if (!isMany && this.chance(0.1)) return `${path}/${this.pick(SHAPES[entity]!.texts)}`;
    if (isMany && this.chance(0.15)) return `${path}?$apply=${encodeURIComponent(this.apply(entity))}`;
    return path + this.query(this.options(entity, isMany), "?");
  }

  /** An index below a bound. */
  int(bound: number): number {
    return Math.floor(this.#random() * bound);
  }

  pick<T>(values: readonly T[]): T {
    return values[this.int(values.length)]!;
  }

  chance(probability: number): boolean {
    return this.#random() < probability;
  }

  query(options: readonly string[], start: string): string {
    if (options.length === 0) return "";
    return start + options.map((option) => {
      const at = option.indexOf("=");
      return option.slice(0, at + 1) + encodeURIComponent(option.slice(at + 1));
    }).join("&");
  }

  filters(entity: string): string[] {
    return this.chance(0.7) ? [`$filter=${this.condition(entity, "", 2)}`] : [];
  }

  options(entity: string, isMany: boolean): string[] {
    const options: string[] = [];
    if (isMany) {
      options.push(...this.filters(entity));
      if (this.chance(0.3)) options.push(`$orderby=${this.operand(entity, "", this.chance(0.5))} desc`);
      if (this.chance(0.3)) options.push("$count=true");
      if (this.chance(0.2)) options.push(`$search=${this.pick(["SECRET", "a", "a OR e", "NOT S"])}`);
      if (this.chance(0.2)) options.push(`$top=${this.int(4)}`);
      if (this.chance(0.15)) options.push(`$skip=${this.int(3)}`);
    }
    if (this.chance(0.25)) options.push(`$select=${this.pick(SHAPES[entity]!.texts)}`);
    if (this.chance(0.5)) options.push(`$expand=${this.expand(entity, 2)}`);
    if (this.chance(0.15)) options.push(`$compute=${this.operand(entity, "", false)} add 1 as more`);
    return options;
  }

  expand(entity: string, depth: number): string {
    const [name, target, many] = this.navigation(entity);
    if (!name) return "*";
    if (many && this.chance(0.15)) return `${name}/$count`;
    const nested: string[] = [];
    if (many && this.chance(0.5)) nested.push(`$filter=${this.condition(target, "", 1)}`);
    if (many && this.chance(0.3)) nested.push(`$orderby=${this.operand(target, "", true)}`);
    if (many && this.chance(0.3)) nested.push("$count=true");
    if (many && this.chance(0.2)) nested.push("$search=a");
    if (many && this.chance(0.2)) nested.push("$top=1");
    if (depth > 0 && this.chance(0.5)) nested.push(`$expand=${this.expand(target, depth - 1)}`);
    return nested.length > 0 ? `${name}(${nested.join(";")})` : name;
  }

  condition(entity: string, prefix: string, depth: number): string {
    const { many } = SHAPES[entity]!;
    const kind = this.int(depth > 0 ? 8 : 5);
    if (kind < 2) return `${this.operand(entity, prefix, true)} ${this.comparison(true)}`;
    if (kind < 4) return `${this.operand(entity, prefix, false)} ${this.comparison(false)}`;
    if (kind === 4) {
      const call = this.pick(["contains", "startswith", "endswith"]);
      return `${call}(${this.operand(entity, prefix, true)},${this.pick(LITERALS)})`;
    }
    if (kind === 5 && Object.keys(many).length > 0) {
      const name = this.pick(Object.keys(many));
      if (this.chance(0.3)) return `${prefix}${name}/$count ${this.pick(OPERATORS)} ${this.int(3)}`;
      if (this.chance(0.2)) return `${prefix}${name}/any()`;
      const variable = `x${depth}`;
      const inner = this.condition(many[name]!, `${variable}/`, depth - 1);
      return `${prefix}${name}/${this.pick(["any", "all"])}(${variable}:${inner})`;
    }
    if (kind === 6) return `not (${this.condition(entity, prefix, depth - 1)})`;
    const sides = [this.condition(entity, prefix, depth - 1), this.condition(entity, prefix, depth - 1)];
    return `(${sides.join(this.pick([" and ", " or "]))})`;
  }

  comparison(isText: boolean): string {
    if (this.chance(0.2)) return `${this.pick(["eq", "ne"])} null`;
    return `${this.pick(OPERATORS)} ${isText ? this.pick(LITERALS) : this.int(6)}`;
  }

  /** A property, maybe behind associations to one. */
  operand(entity: string, prefix: string, isText: boolean): string {
    const { one, texts, numbers } = SHAPES[entity]!;
    const names = Object.keys(one);
    if (names.length > 0 && this.chance(0.45)) {
      const name = this.pick(names);
      return this.operand(one[name]!, `${prefix}${name}/`, isText);
    }
    return prefix + this.pick(isText ? texts : numbers);
  }

  apply(entity: string): string {
    const group = this.operand(entity, "", true);
    const sum = this.operand(entity, "", false);
    const aggregate = this.pick([`${sum} with max as m`, `${sum} with countdistinct as d`, "$count as n"]);
    const filter = this.chance(0.5) ? `filter(${this.condition(entity, "", 1)})/` : "";
    return filter +
      this.pick([
        `aggregate(${aggregate})`,
        `groupby((${group}))`,
        `groupby((${group}),aggregate(${aggregate}))`,
      ]);
  }

  /** Name, target and multiplicity of an association. */
  navigation(entity: string): [name: string | undefined, target: string, isMany: boolean] {
    const { one, many } = SHAPES[entity]!;
    const all = [
      ...Object.entries(one).map(([name, target]) => [name, target, false] as const),
      ...Object.entries(many).map(([name, target]) => [name, target, true] as const),
    ];
    const found = all.length > 0 ? this.pick(all) : undefined;
    return found ? [...found] : [undefined, entity, false];
  }
}
