/**
 * Random queries in CQL over the small model, and rows for them.
 *
 * @module
 */

import type { Row } from "../../src/cqn/cqn.ts";
import { ANY_VALUES, COMPARISONS, DAYS, ENTITIES, ESCAPED, PATTERNS, WORDS } from "./random_words.ts";

/** A number from 0 to 1, 1 excluded. */
export type Draw = () => number;

/** Numbers that follow from a seed (mulberry32). */
export function drawFrom(seed: number): Draw {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Where an expression stands: the entity, and what stands in front of its names. */
interface Place {
  readonly entity: string;
  readonly prefix: string;
}

const plain = (entity: string): Place => ({ entity, prefix: "" });

/** Makes queries and rows. */
export class RandomCql {
  readonly #draw: Draw;

  readonly #castsTexts: boolean;

  /**
   * @param draw gives the same queries for the same numbers
   * @param options `castsTexts`: texts are cast to other types
   */
  constructor(draw: Draw, { castsTexts = true }: { readonly castsTexts?: boolean } = {}) {
    this.#draw = draw;
    this.#castsTexts = castsTexts;
  }

  #int(least: number, most: number): number {
    return least + Math.floor(this.#draw() * (most - least + 1));
  }

  #pick<T>(...values: readonly T[]): T {
    return values[Math.floor(this.#draw() * values.length)]!;
  }

  /** One of several; the others are not made. */
  #one(...makers: readonly (() => string)[]): string {
    return this.#pick(...makers)();
  }

  #some(make: () => string, least: number, most: number): string[] {
    return Array.from({ length: this.#int(least, most) }, make);
  }

  #maybe(share: number, make: () => string): string {
    return this.#draw() < share ? make() : "";
  }

  #word(): string {
    return `'${this.#pick(...WORDS).replaceAll("'", "''")}'`;
  }

  #number(place: Place, depth: number): string {
    const name = () => place.prefix + this.#pick(...ENTITIES[place.entity].numbers);
    const leaf = () =>
      this.#one(name, name, () => `${this.#int(-3, 12)}`, () => this.#pick("0.5", "1.25", "-2.5", "0.07"));
    if (depth <= 0) return leaf();
    const inner = () => this.#number(place, depth - 1);
    const text = () => this.#text(place, depth - 1);
    const many = Object.keys(ENTITIES[place.entity].many);
    return this.#one(
      leaf,
      () => `(${inner()} ${this.#pick("+", "-", "*", "*", "/")} ${inner()})`,
      () => `-${name()}`,
      () => `length(${text()})`,
      () => `indexof(${text()},${text()})`,
      () => `${this.#pick("floor", "ceiling", "round")}(${inner()})`,
      () => `round(${leaf()},${this.#int(0, 2)})`,
      () => `case when ${this.#condition(place, depth - 1)} then ${inner()} ${this.#otherwise(inner)}end`,
      () => `${this.#pick("coalesce", "nullif", "mod")}(${leaf()},${leaf()})`,
      () => `cast(${leaf()} as ${this.#pick("Integer", "Integer", "UInt8", "Int64", "Decimal", "Double")})`,
      () => this.#castsTexts ? `cast(${text()} as ${this.#pick("Integer", "Int64", "Decimal")})` : leaf(),
      () => `${this.#pick("sign", "abs")}(${inner()})`,
      () => `round(${leaf()},-1)`,
      () => `${this.#pick("min", "max")}(${leaf()},${leaf()})`,
      () => `cast(${this.#flag(place, depth - 1)} as Integer)`,
      () => `${this.#pick("year", "month", "hour", "second")}(${this.#instant(place)})`,
      () => this.#subquery(),
      () => many.length > 0 && place.prefix === "" ? `count(${this.#pick(...many)})` : leaf(),
    );
  }

  #otherwise(make: () => string): string {
    return this.#maybe(0.5, () => `else ${make()} `);
  }

  #subquery(): string {
    const entity = this.#pick("Books", "Reviews", "Authors");
    const [first, second = first] = ENTITIES[entity].numbers;
    const value = this.#pick("count(*)", `max(${first})`, `sum(${second})`, `min(${first})`);
    const where = this.#maybe(0.6, () => ` as s where ${this.#condition({ entity, prefix: "s." }, 1)}`);
    // our grammar takes two parentheses in front of a query for those of one query
    return `nullif((select ${value} as x from my.${entity}${where}),-99)`;
  }

  #text(place: Place, depth: number): string {
    const name = () => place.prefix + this.#pick(...ENTITIES[place.entity].texts);
    const leaf = () => this.#one(name, () => this.#word());
    if (depth <= 0) return leaf();
    const inner = () => this.#text(place, depth - 1);
    const numeral = () => place.prefix + this.#pick(...ENTITIES[place.entity].numbers);
    return this.#one(
      leaf,
      () => `${this.#pick("tolower", "toupper", "trim", "lower", "upper")}(${inner()})`,
      () => `${this.#pick("concat", "coalesce")}(${inner()},${inner()})`,
      () => `(${inner()} || ${inner()})`,
      () => `(${inner()} || ${this.#joinedNumber(place)})`,
      () => `(${this.#joinedNumber(place)} || ${inner()})`,
      () => `concat(${numeral()},${inner()})`,
      () => `cast(${numeral()} as String)`,
      () => `substring(${inner()},${this.#int(-4, 4)}${this.#maybe(0.5, () => `,${this.#int(0, 3)}`)})`,
      () => `case when ${this.#condition(place, depth - 1)} then ${inner()} ${this.#otherwise(inner)}end`,
      () =>
        `${this.#pick("ltrim", "rtrim", "trim")}(${inner()}${this.#maybe(0.6, () => `,${this.#word()}`)})`,
      () => `replace(${inner()},${this.#word()},${this.#word()})`,
      () => `replace(${numeral()},${this.#int(0, 9)},${inner()})`,
      () => `coalesce(${numeral()},${inner()})`,
      () => `case when ${this.#condition(place, 0)} then ${inner()} else ${numeral()} end`,
      () => `cast(${this.#one(() => this.#instant(place), () => this.#day(place))} as String)`,
      () => `cast(${this.#flag(place, depth - 1)} as String)`,
    );
  }

  /** A truth value. */
  #flag(place: Place, depth: number): string {
    const leaf = () =>
      place.entity === "Books"
        ? `${place.prefix}hot`
        : `${this.#pick("contains", "startswith")}(${this.#text(place, 0)},${this.#word()})`;
    if (depth <= 0) return leaf();
    return this.#one(
      leaf,
      () => `coalesce(${leaf()},${this.#pick("true", "false", "0", "'1'")})`,
      () => `cast(${this.#number(place, 0)} as Boolean)`,
      () => this.#castsTexts ? `cast(${this.#text(place, 0)} as Boolean)` : leaf(),
      () =>
        `case when ${this.#condition(place, 0)} then ${leaf()} else ${
          this.#pick("true", "false", "null")
        } end`,
      () => `nullif(${leaf()},${this.#pick("true", "0")})`,
    );
  }

  /** An instant. */
  #instant(place: Place): string {
    if (place.entity !== "Books") return `cast('${this.#pick(...DAYS)}' as Timestamp)`;
    const name = `${place.prefix}modifiedAt`;
    return this.#one(
      () => name,
      () => name,
      () => `coalesce(${name},'${this.#pick(...DAYS)}')`,
      () => `cast(${name} as ${this.#pick("DateTime", "Timestamp")})`,
      () => `cast(cast(${name} as Date) as Timestamp)`,
    );
  }

  /** A day. */
  #day(place: Place): string {
    return this.#one(
      () => `date(${this.#instant(place)})`,
      () => `cast(${this.#instant(place)} as Date)`,
      () => `cast('${this.#pick("2024-02-29", "2024-02-30", "x")}' as Date)`,
    );
  }

  /** A number as part of a text, maybe calculated, without parentheses. */
  #joinedNumber(place: Place): string {
    const name = place.prefix + this.#pick(...ENTITIES[place.entity].numbers);
    return `${name}${this.#pick("", "", " * 2", " + 1", " - 0.5")}`;
  }

  #condition(place: Place, depth: number): string {
    const leaf = () => this.#comparison(place, depth);
    if (depth <= 0) return leaf();
    const inner = () => this.#condition(place, depth - 1);
    const { one, many } = ENTITIES[place.entity];
    const exists = (names: Readonly<Record<string, string>>) => {
      if (Object.keys(names).length === 0) return leaf();
      const [name, entity] = this.#pick(...Object.entries(names));
      const filter = this.#maybe(0.5, () => `[${this.#condition(plain(entity), depth - 1)}]`);
      return `${this.#pick("", "not ")}exists ${place.prefix}${name}${filter}`;
    };
    return this.#one(
      leaf,
      leaf,
      () => `(${inner()} ${this.#pick("and", "or")} ${inner()})`,
      () => `not (${inner()})`,
      () => exists(many),
      () => exists(one),
      () => {
        const where = this.#condition({ entity: "Books", prefix: "b." }, depth - 1);
        return `exists (select 1 as one from my.Books as b where ${where} and b.ID > ${
          this.#number(place, 0)
        })`;
      },
    );
  }

  #comparison(place: Place, depth: number): string {
    const number = () => this.#number(place, depth);
    const text = () => this.#text(place, depth);
    const name = () => place.prefix + this.#pick(...ENTITIES[place.entity].numbers);
    const not = this.#pick("", "not ");
    return this.#one(
      () => `${number()} ${this.#pick(...COMPARISONS)} ${number()}`,
      () => `${text()} ${this.#pick(...COMPARISONS)} ${text()}`,
      () => `${this.#one(number, text)} is ${not}null`,
      () => `${name()} ${not}in (${this.#some(() => this.#pick(`${this.#int(-3, 12)}`, "null"), 1, 3)})`,
      () => `${this.#text(place, 0)} ${not}in (${this.#some(() => this.#word(), 1, 3)})`,
      () => `${name()} ${not}between ${this.#int(-3, 5)} and ${this.#int(0, 12)}`,
      () => `${text()} ${not}like '${this.#pick(...PATTERNS)}'`,
      () => `${name()} ${not}like '%${this.#int(0, 12)}%'`,
      () => `${text()} ${not}like '${this.#pick(...ESCAPED)}' escape '!'`,
      () => `${name()} ${this.#pick(...COMPARISONS)} ${this.#pick(...ANY_VALUES)}`,
      () => `${place.prefix}${this.#pick(...ENTITIES[place.entity].texts)} = ${this.#pick(...ANY_VALUES)}`,
      () =>
        `${this.#flag(place, depth)} ${this.#pick("=", "<>", "!=", "==")} ${
          this.#pick("true", "1", "'false'", "0")
        }`,
      () => this.#flag(place, depth),
      () => `${this.#instant(place)} ${this.#pick(...COMPARISONS)} '${this.#pick(...DAYS)}'`,
      () => `${this.#instant(place)} ${this.#pick(...COMPARISONS)} ${this.#instant(place)}`,
      () => `${this.#day(place)} ${this.#pick(...COMPARISONS)} '${this.#pick(...DAYS)}'`,
      () => `${this.#day(place)} ${this.#pick(...COMPARISONS)} ${this.#day(place)}`,
      () => `${this.#pick("contains", "startswith", "endswith")}(${name()},${name()})`,
      () => `${this.#pick("contains", "startswith", "endswith")}(${text()},${text()})`,
      () => {
        const where = this.#maybe(0.5, () => ` where ${this.#condition(plain("Books"), 0)}`);
        return `${name()} in (select ${this.#pick("ID", "stock", "author_ID")} from my.Books${where})`;
      },
    );
  }

  /** The columns of an expanded association, with those of another one inside of it. */
  #nested(entity: string, depth: number): string {
    const { numbers, texts, one, many } = ENTITIES[entity];
    const items = ["ID", this.#pick(numbers[1] ?? "ID", texts[0])];
    for (const [name, target] of depth > 0 ? Object.entries(many) : []) {
      const place = plain(target);
      const options = this.#one(
        () => "",
        () => `[${this.#condition(place, 1)}]`,
        () => `[order by ${this.#text(place, 0)}, ID]`,
        () => `[${this.#condition(place, 1)} order by ${this.#number(place, 0)}, ID]`,
        () =>
          `[${this.#condition(place, 1)} order by ${this.#number(place, 0)} desc, ID limit ${
            this.#int(0, 3)
          }]`,
      );
      items.push(`${name}${options} ${this.#nested(target, depth - 1)}`);
    }
    for (const [name, target] of depth > 0 ? Object.entries(one) : []) {
      items.push(`${name} ${this.#nested(target, depth - 1)}`);
    }
    const named = items.map((item) => item.includes(".") && !item.includes(" ") ? `${item} as path` : item);
    return `{ ${[...new Set(named)].join(", ")} }`;
  }

  /** A query; one that has an order has just one. */
  query(): string {
    const entity = this.#pick("Books", "Books", "Books", "Reviews", "Authors", "Genres");
    const where = this.#maybe(0.7, () => ` where ${this.#condition(plain(entity), 2)}`);
    return this.#one(
      () => this.#list(entity, where),
      () => this.#list(entity, where),
      () => this.#list(entity, where),
      () => this.#groups(entity, where),
      () => this.#groups(entity, where),
      () => `select from my.${entity} { ${this.#aggregates(entity)} }${where}`,
      () => this.#distinct(entity, where),
      () => `${this.#part()} union ${this.#pick("", "all ")}${this.#part()}`,
      () => this.#join(),
      () => this.#special(),
    );
  }

  #columns(entity: string, least: number): string {
    const place = plain(entity);
    const value = () =>
      this.#one(
        () => this.#number(place, 2),
        () => this.#number(place, 2),
        () => this.#text(place, 2),
        () => this.#text(place, 2),
        () => this.#flag(place, 2),
        () => this.#instant(place),
        () => this.#day(place),
      );
    return this.#some(value, least, 3).map((column, at) => `${column} as c${at}`).join(", ");
  }

  #list(entity: string, where: string): string {
    const place = plain(entity);
    const { one, many } = ENTITIES[entity];
    const expands = Object.entries({ ...one, ...many }).map(([name, target]) =>
      this.#maybe(0.3, () => `${name} ${this.#nested(target, 1)}`)
    );
    const columns = ["ID", this.#columns(entity, 0), ...expands].filter((text) => text !== "");
    const term = () =>
      this.#one(
        () => this.#number(place, 1),
        () => this.#text(place, 1),
        () => this.#flag(place, 1),
        () => this.#instant(place),
      ) +
      this.#pick("", " desc", " asc", " nulls last", " desc nulls first");
    const order = [...this.#some(term, 0, 2), "ID"].join(", ");
    const page = this.#one(
      () => "",
      () => ` limit ${this.#int(0, 4)}`,
      () => ` limit ${this.#int(0, 4)} offset ${this.#int(0, 3)}`,
      () => ` limit null offset ${this.#int(0, 3)}`,
    );
    const filter = this.#maybe(
      0.15,
      () => `[${this.#condition(place, 1)} order by ${this.#number(place, 1)}, ID limit ${this.#int(0, 5)}]`,
    );
    return `select from my.${entity}${filter} { ${columns.join(", ")} }${where} order by ${order}${page}`;
  }

  #aggregates(entity: string): string {
    const number = () => this.#number(plain(entity), 1);
    const text = () => this.#text(plain(entity), 1);
    const value = () =>
      this.#one(
        () => `${this.#pick("sum", "min", "max", "avg", "count")}(${number()})`,
        () => `${this.#pick("sum", "avg")}(cast(${number()} as Double))`,
        () => `${this.#pick("min", "max", "count")}(${text()})`,
        () => `count(distinct ${this.#one(number, text)})`,
        () => `${this.#pick("min", "max", "sum", "avg", "count")}(${this.#flag(plain(entity), 1)})`,
        () =>
          `${this.#pick("min", "max", "count")}(${
            this.#one(() => this.#instant(plain(entity)), () => this.#day(plain(entity)))
          })`,
        () => "count(*)",
      );
    return this.#some(value, 1, 3).map((call, at) => `${call} as a${at}`).join(", ");
  }

  #groups(entity: string, where: string): string {
    const { numbers, texts } = ENTITIES[entity];
    const place = plain(entity);
    const term = () =>
      this.#one(
        () => this.#pick(...numbers, ...texts),
        () => this.#pick(...numbers, ...texts),
        () => this.#number(place, 1),
        () => this.#text(place, 1),
        () => `case when ${this.#condition(place, 1)} then ${this.#number(place, 0)} end`,
      );
    const by = [...new Set(this.#some(term, 1, 2))];
    const keys = by.map((path, at) => `${path} as g${at}`).join(", ");
    const counted = () => ` having count(*) ${this.#pick(">", "<", "=")} ${this.#int(0, 3)}`;
    const having = this.#one(() => "", counted, () => ` having ${this.#pick(...by)} is not null`);
    const order = this.#maybe(0.4, () => ` order by ${this.#pick(...by)}, count(*) desc`);
    return `select from my.${entity} { ${keys}, ${this.#aggregates(entity)} }${where} group by ${
      by.join(", ")
    }${having}${order}`;
  }

  #distinct(entity: string, where: string): string {
    const columns = this.#columns(entity, 1);
    const order = this.#maybe(0.5, () => ` order by ${this.#pick("c0", columns.split(" as c0")[0]!)}`);
    return `select distinct from my.${entity} { ${columns} }${where}${order}`;
  }

  #part(): string {
    const entity = this.#pick("Books", "Authors", "Genres");
    const place = plain(entity);
    return `select from my.${entity} { ${this.#number(place, 0)} as a, ${this.#text(place, 0)} as b } where ${
      this.#condition(place, 1)
    }`;
  }

  #join(): string {
    const [left, right]: Place[] = [{ entity: "Books", prefix: "l." }, { entity: "Authors", prefix: "r." }];
    const on = this.#one(
      () => "l.author_ID = r.ID",
      () => "l.ID > r.ID",
      () => `${this.#condition(left, 1)} and r.ID = l.author_ID`,
      () => `${this.#condition(right, 1)} and r.ID = l.author_ID`,
    );
    const value = this.#pick("l.title || r.name", "l.stock + r.ID", "r.name", "coalesce(r.name, l.title)");
    const where = this.#maybe(
      0.6,
      () => ` where ${this.#one(() => this.#condition(left, 1), () => this.#condition(right, 0))}`,
    );
    const kind = this.#pick("inner join", "left join");
    return `select from my.Books as l ${kind} my.Authors as r on ${on} { l.ID as i, r.ID as j, ${value} as k }${where}`;
  }

  /** Sources behind paths, windows, queries as sources, projections. */
  #special(): string {
    const books = plain("Books");
    const filter = () => this.#condition(books, 1);
    return this.#one(
      () => `select from my.Books[${filter()}]:reviews { ID, stars, text, book.title as t } order by ID`,
      () =>
        `select from my.Authors[${
          this.#condition(plain("Authors"), 1)
        }]:books[${filter()}] { ID, title } order by ID`,
      () =>
        `select from my.Books { ID, row_number() over (partition by author_ID order by ${
          this.#number(books, 0)
        }, ID) as r, ${this.#pick("sum", "avg")}(${
          this.#pick(
            "stock",
            "price",
            "price * 1.1",
            "cast(price as Double)",
            "cast(price as Double) * stock",
          )
        }) over (${
          this.#pick("partition by author_ID", "order by ID", "partition by author_ID order by ID desc")
        }) as s, ${
          this.#pick("rank()", "dense_rank()", "lag(ID)", "lead(title, 2, 'none')", "last_value(ID)")
        } over (${this.#pick("order by ID", "partition by author_ID order by ID desc")}) as v, ${
          this.#pick("sum", "count", "max")
        }(stock) over (order by ID ${this.#pick("rows", "range")} between ${
          this.#pick("unbounded preceding", "2 preceding", "current row")
        } and ${this.#pick("current row", "1 following", "unbounded following")}) as f }`,
      () =>
        `select from (select from my.Books { ID, ${this.#number(books, 1)} as n, ${
          this.#text(books, 1)
        } as t } where ${filter()}) as q { q.ID, q.n as m, q.t || 'x' as u } where q.n > ${this.#int(-3, 9)}`,
      () =>
        `select from Shop.Books { ID, title, available, authorName } where ${
          this.#pick("authorName = 'a0'", "available > 2", "exists reviews", "authorName is null")
        } order by authorName, ID`,
    );
  }

  #orNull<T>(value: T): T | null {
    return this.#draw() < 0.25 ? null : value;
  }

  #ids(most: number): number[] {
    return [...new Set(Array.from({ length: this.#int(0, most) }, () => this.#int(-3, 12)))];
  }

  /** Rows by entity, some of which refer to each other. */
  rows(): ReadonlyMap<string, Row[]> {
    const word = () => this.#orNull(this.#pick(...WORDS, "10", "￿"));
    const integer = () => this.#orNull(this.#int(-3, 12));
    const books = this.#ids(8).map((ID) => ({
      ID,
      title: this.#pick(...WORDS),
      stock: integer(),
      price: this.#orNull(this.#int(-800, 3000) / this.#pick(1, 2, 100)),
      hot: this.#orNull(this.#draw() < 0.5),
      author_ID: integer(),
      modifiedAt: this.#orNull(this.#pick(...DAYS, "2026-01-01T00:00:00.000Z")),
      texts: this.#pick<Row[]>([], [{ locale: "de", title: "Deutsch" }], [{ locale: "de", title: null }]),
      reviews: this.#some(() => "", 0, 3).map((_, at) => ({
        ID: `${ID}-${at}`,
        stars: integer(),
        text: word(),
      })),
    }));
    return new Map<string, Row[]>([
      [
        "my.Authors",
        this.#ids(5).map((ID, at) => ({ // no name is there twice
          ID,
          name: this.#orNull(`${this.#pick(...WORDS)}${at}`),
          address_city: word(),
          address_zip: word(),
        })),
      ],
      ["my.Books", books],
      ["my.Genres", this.#ids(6).map((ID) => ({ ID, name: word(), parent_ID: integer() }))],
    ]);
  }
}
