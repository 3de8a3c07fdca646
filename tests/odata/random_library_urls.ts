/**
 * Random URLs of the library that follow the grammar and, mostly, the model; and damaged ones.
 *
 * @module
 */

import fc from "fast-check";

/** Random text. */
export type Text = fc.Arbitrary<string>;

/** Parts one behind the other. */
export const join = (...parts: readonly (string | Text)[]): Text =>
  fc.tuple(...parts.map((part) => typeof part === "string" ? fc.constant(part) : part)).map((texts) =>
    texts.join("")
  );
/** One of several texts. */
export const pick = (...texts: readonly string[]): Text => fc.constantFrom(...texts);
/** Some texts with commas between them. */
export const list = (item: Text, maxLength = 3): Text =>
  fc.array(item, { minLength: 1, maxLength }).map((items) => items.join(","));

/** The names of an entity, by what they can be used for. */
export interface Names {
  readonly numbers: readonly string[];
  readonly texts: readonly string[];
  readonly dates: readonly string[];
  readonly values: readonly string[];
  readonly places: readonly string[];
  readonly one: Readonly<Record<string, string>>;
  readonly many: Readonly<Record<string, string>>;
}

const NONE: Names = { numbers: [], texts: [], dates: [], values: [], places: [], one: {}, many: {} };
/** Entities of the library. */
export const ENTITIES: Readonly<Record<string, Names>> = {
  Books: {
    numbers: ["ID", "stock", "price", "author_ID"],
    texts: ["title"],
    dates: ["published"],
    values: ["marks", "tags", "colours"],
    places: ["places"],
    one: { author: "Authors" },
    many: { loans: "Loans" },
  },
  Authors: {
    ...NONE,
    numbers: ["ID", "rank"],
    texts: ["name"],
    one: { favourite: "Books" },
    many: { books: "Books" },
  },
  Loans: { ...NONE, numbers: ["ID", "days"], texts: ["book/title"], one: { book: "Books" } },
  Nodes: { ...NONE, numbers: ["ID"], texts: ["name"], one: { parent: "Nodes" }, many: { children: "Nodes" } },
  Settings: { ...NONE, numbers: ["ID", "minimum"], texts: ["theme"] },
};
const SETS = ["Books", "Authors", "Loans", "Nodes"];

const number = fc.oneof(
  fc.integer({ min: -20, max: 100 }).map(String),
  pick("1.5", "0", "-0.25", "1e3"),
);
const text = pick("'Emily'", "''", "'The Raven'", "'o''neil'", "'%25'", "'ä😀'", "'e'", "'null'");
const date = pick("1842-01-01", "2024-02-29", "1847-12-01");

/** Where an expression stands: the entity its names start at, and what to put in front of them. */
export interface Place {
  readonly entity: string;
  readonly prefix: string;
  readonly depth: number;
}

const steps = (place: Place, names: readonly string[]): readonly string[] =>
  names.map((name) => `${place.prefix}${name}`);

/** Places that one step leads to. */
function placesFrom(place: Place): readonly Place[] {
  const one = Object.entries(ENTITIES[place.entity].one).map(([name, entity]): Place => ({
    entity,
    prefix: `${place.prefix}${name}/`,
    depth: place.depth - 1,
  }));
  return [place, ...(place.depth > 0 ? one : [])];
}

/** A number. */
export function numberExpr(place: Place): Text {
  const members = placesFrom(place).flatMap((one) => steps(one, ENTITIES[one.entity].numbers));
  const many = Object.entries(ENTITIES[place.entity].many);
  const leaf: Text[] = [number, pick(...members), pick("$root/Settings/minimum", "$root/Books/$count", "@n")];
  if (place.depth <= 0) return fc.oneof(...leaf);
  const inner = numberExpr({ ...place, depth: place.depth - 1 });
  const texts = textExpr({ ...place, depth: place.depth - 1 });
  const counts = many.map(([name, entity]) =>
    fc.oneof(
      fc.constant(`${place.prefix}${name}/$count`),
      join(
        `${place.prefix}${name}/$count($filter=`,
        condition({ entity, prefix: "", depth: place.depth - 1 }),
        ")",
      ),
      join(
        `${place.prefix}${name}/$filter(`,
        condition({ entity, prefix: "", depth: place.depth - 1 }),
        ")/$count",
      ),
    )
  );
  return fc.oneof(
    ...leaf,
    ...counts,
    join("(", inner, pick(" add ", " sub ", " mul "), inner, ")"),
    join("-", pick(...members)),
    join(pick("length(", "indexof('Emily',"), texts, ")"),
    join("case(", condition({ ...place, depth: place.depth - 1 }), ":", inner, ",true:", inner, ")"),
    join(pick("year(", "month(", "day("), dateExpr(place), ")"),
    join(pick("round(", "floor(", "ceiling("), inner, ")"),
    join("(", inner, pick(" div ", " divby ", " mod "), inner, ")"),
    join("cast(", inner, pick(",Edm.Int32)", ",Edm.Int64)", ",Edm.Int16)", ",Edm.Decimal)")),
    join("cast(", texts, pick(",Edm.Int32)", ",Edm.Decimal)", ",Edm.Int64)", ",Edm.Byte)", ",Edm.Double)")),
    join(
      pick("hour(", "second(", "day("),
      "cast(",
      dateExpr({ ...place, depth: 0 }),
      ",Edm.DateTimeOffset))",
    ),
  );
}

/** A floating-point number, which may be infinite or none. */
function doubleExpr(place: Place): Text {
  const inner = numberExpr({ ...place, depth: 0 });
  const leaf = fc.oneof(join("cast(", inner, ",Edm.Double)"), pick("INF", "-INF", "1e0", "3.5e-2"));
  const operator = pick(" add ", " sub ", " mul ", " div ", " divby ");
  const simple = join("(", leaf, operator, leaf, ")");
  return fc.oneof(leaf, simple, join("(", simple, operator, leaf, ")"));
}

function textExpr(place: Place): Text {
  const members = placesFrom(place).flatMap((one) => steps(one, ENTITIES[one.entity].texts));
  const leaf = fc.oneof(text, pick(...members), pick("$root/Authors(1)/name", "@t"));
  if (place.depth <= 0) return leaf;
  const inner = textExpr({ ...place, depth: place.depth - 1 });
  return fc.oneof(
    leaf,
    join(pick("tolower(", "toupper(", "trim("), inner, ")"),
    join("concat(", inner, ",", inner, ")"),
    join("substring(", inner, ",", pick("0", "1", "3", "1,2", "-2", "0,0"), ")"),
    join("cast(", dateExpr(place), ",Edm.String)"),
    join("cast(", numberExpr({ ...place, depth: 0 }), ",Edm.String)"),
    join(
      "cast(cast(",
      dateExpr({ ...place, depth: 0 }),
      pick(",Edm.DateTimeOffset)", ",Edm.TimeOfDay)"),
      ",Edm.String)",
    ),
    join("cast(cast(", inner, ",Edm.Boolean),Edm.String)"),
    join("case(", condition({ ...place, depth: place.depth - 1 }), ":", inner, ")"),
  );
}

function dateExpr(place: Place): Text {
  const { dates } = ENTITIES[place.entity];
  const named = dates.length > 0 ? fc.oneof(date, pick(...steps(place, dates))) : date;
  if (place.depth <= 0) return named;
  return fc.oneof(
    named,
    named,
    join(named, pick(" add duration'P1D'", " sub duration'P31D'")),
    join("cast(", textExpr({ ...place, depth: 0 }), ",Edm.Date)"),
    join("cast(cast(", named, ",Edm.DateTimeOffset),Edm.Date)"),
  );
}

/** Instants and times of day, some of them finer than those that there are. */
function timeCondition(place: Place): Text {
  const comparison = pick(" eq ", " ne ", " gt ", " ge ", " lt ", " le ");
  const day = dateExpr({ ...place, depth: 0 });
  const fraction = pick("", ".000", ".5", ".0009", ".999", ".0000001");
  const instant = join("cast(", day, ",Edm.DateTimeOffset)");
  const instants = join(
    pick("1847-12-01T00:00:00", "1847-11-30T23:59:59", "2024-02-29T00:00:00"),
    fraction,
    "Z",
  );
  const times = join(pick("00:00:00", "23:59:59"), fraction);
  return fc.oneof(
    join(instant, comparison, instants),
    join(instants, comparison, instant),
    join("time(", instant, ")", comparison, times),
    join(instant, " in (", list(instants), ")"),
    join("not (time(", instant, ") in (", list(times), "))"),
  );
}

let variables = 0;

function lambda(place: Place): Text[] {
  const { many, values, places } = ENTITIES[place.entity];
  const depth = place.depth - 1;
  const quantifier = pick("any", "all");
  const variable = `v${variables++ % 7}`;
  const entities = Object.entries(many).map(([name, entity]) =>
    join(
      `${place.prefix}${name}/`,
      quantifier,
      `(${variable}:`,
      fc.oneof(
        condition({ entity, prefix: `${variable}/`, depth }),
        join(
          numberExpr({ entity, prefix: `${variable}/`, depth: 0 }),
          pick(" gt ", " eq "),
          numberExpr({ ...place, depth: 0 }),
        ),
      ),
      ")",
    )
  );
  const members = values.map((name) =>
    join(
      `${place.prefix}${name}/`,
      quantifier,
      `(${variable}:${variable} `,
      name === "marks" ? join(pick("gt ", "ne "), number) : join(pick("eq ", "lt "), text),
      ")",
    )
  );
  const structures = places.map((name) =>
    join(
      `${place.prefix}${name}/`,
      quantifier,
      `(${variable}:`,
      pick(
        `${variable}/city eq 'Oslo'`,
        `${variable}/floor gt 2`,
        `${variable}/rooms/any(r:r gt ${variable}/floor)`,
        `${variable} eq {"city":"Rome"}`,
        `not (${variable}/floor eq null)`,
      ),
      ")",
    )
  );
  return [...entities, ...members, ...structures];
}

/** A condition; deeper ones are rarer. */
export function condition(place: Place): Text {
  const numbers = numberExpr(place);
  const comparison = fc.oneof(
    join(numbers, pick(" eq ", " ne ", " gt ", " ge ", " lt ", " le "), numbers),
    join(textExpr(place), pick(" eq ", " ne ", " gt ", " le "), textExpr(place)),
    join(pick("contains(", "startswith(", "endswith("), textExpr(place), ",", textExpr(place), ")"),
    join(doubleExpr(place), pick(" eq ", " ne ", " gt ", " ge ", " lt ", " le "), doubleExpr(place)),
    join(numbers, " in (", list(number, 4), ")"),
    join(dateExpr(place), pick(" eq ", " lt ", " ne ", " ge "), dateExpr(place)),
    timeCondition(place),
    join("matchesPattern(", textExpr(place), ",'^[A-Zä]')"),
    join(fc.oneof(numbers, textExpr(place)), pick(" eq null", " ne null", " in (null)")),
    ...Object.keys(ENTITIES[place.entity].one).map((name) => fc.constant(`${place.prefix}${name} ne null`)),
    ...ENTITIES[place.entity].values.map((name) =>
      name === "marks" ? join(number, ` in ${place.prefix}${name}`) : join(text, ` in ${place.prefix}${name}`)
    ),
    pick("true", "@c", "isof(ShopService.Books)", "$it/ID gt 1"),
  );
  if (place.depth <= 0) return comparison;
  const inner = condition({ ...place, depth: place.depth - 1 });
  return fc.oneof(
    comparison,
    comparison,
    join("(", inner, pick(" and ", " or "), inner, ")"),
    join("not (", inner, ")"),
    ...lambda(place),
  );
}

/** A search expression. */
export const search = fc.oneof(
  pick("raven", "a%3Bb", "NOT raven", '"the raven"', "emily OR raven", "(emily OR raven) AND NOT x"),
);

function nested(entity: string, depth: number): Text {
  const options = optionsOf(entity, depth, { top: true });
  return fc.oneof(
    fc.constant(""),
    fc.array(fc.oneof(...options), { minLength: 1, maxLength: 2 }).map((texts) => {
      const unique = [...new Map(texts.map((one) => [one.split("=", 1)[0], one])).values()];
      return `(${unique.join(";")})`;
    }),
  );
}

function expand(entity: string, depth: number): Text[] {
  if (depth <= 0) return [];
  const { one, many } = ENTITIES[entity];
  const single = Object.entries(one).map(([name, target]) =>
    fc.array(fc.oneof(...optionsOf(target, depth - 1, { top: false })), { maxLength: 1 })
      .map(([option]) => option === undefined ? name : `${name}(${option})`)
  );
  const plural = Object.entries(many).flatMap(([name, target]) => [
    join(name, nested(target, depth - 1)),
    pick(`${name}/$count`, `${name}/$ref`, `${name}($levels=2)`),
  ]);
  return [...single, ...plural];
}

function optionsOf(entity: string, depth: number, given: { readonly top: boolean }): Text[] {
  const names = ENTITIES[entity];
  const place: Place = { entity, prefix: "", depth: Math.min(depth, 2) };
  const own = [
    ...names.numbers.filter((name) => !name.includes("/")),
    ...names.texts.filter((name) => !name.includes("/")),
  ];
  const expands = expand(entity, depth);
  const result = [
    join("$select=", list(pick(...own, ...names.values, ...names.places))),
    ...names.values.map((name) =>
      join(
        `$select=${name}(`,
        pick("$top=1", "$filter=$this ne null", "$count=true", "$skip=1;$orderby=$this desc"),
        ")",
      )
    ),
    ...names.places.map((name) =>
      pick(`$select=${name}/city`, `$select=${name}($select=floor;$filter=floor gt 1)`)
    ),
    ...(expands.length > 0 ? [join("$expand=", fc.oneof(...expands))] : []),
  ];
  if (!given.top) return result;
  return [
    ...result,
    join("$filter=", condition(place)),
    join("$filter=", condition(place)),
    join(
      "$orderby=",
      list(
        join(
          fc.oneof(numberExpr({ ...place, depth: 1 }), textExpr({ ...place, depth: 1 }), pick(...own)),
          pick("", " desc", " asc"),
        ),
        2,
      ),
    ),
    join("$search=", search),
    pick("$count=true", "$count=false", "$top=2", "$top=0", "$skip=1"),
    join(
      "$compute=",
      fc.oneof(
        numberExpr({ ...place, depth: 1 }),
        textExpr({ ...place, depth: 1 }),
        dateExpr({ ...place, depth: 1 }),
        condition({ ...place, depth: 1 }).map((text) => `(${text})`),
      ),
      " as extra",
    ),
  ];
}

const ALIASES = "@n=3&@t='Emily'&@c=ID gt 1";

function paths(entity: string): Text {
  const names = ENTITIES[entity];
  const key = fc.oneof(
    fc.integer({ min: 1, max: 5 }).map((id) => `(${id})`),
    fc.integer({ min: 1, max: 4 }).map((id) => `/${id}`),
  );
  const place: Place = { entity, prefix: "", depth: 1 };
  const entities = fc.oneof(
    fc.constant(entity),
    join(`${entity}/$filter(`, condition(place), ")"),
    fc.constant(`${entity}/ShopService.${entity}`),
  );
  const ends = [
    ...Object.keys(names.one),
    ...Object.keys(names.many),
    ...Object.keys(names.many).map((name) => `${name}/$count`),
    ...names.numbers.filter((name) => !name.includes("/")),
    ...names.values.flatMap((
      name,
    ) => [name, `${name}/$count`, `${name}/0`, `${name}/-1`, `${name}/$filter($this ne null)`]),
    ...names.places.flatMap((name) => [name, `${name}/0/city`, `${name}/-1`, `${name}/0/rooms/$count`]),
    "$ref",
    "ID/$value",
  ];
  return fc.oneof(
    { weight: 6, arbitrary: entities },
    join(entities, "/$count"),
    join(entity, key),
    join(entity, key, "/", pick(...ends)),
  );
}

/** URLs that start at an entity set: made once, for the expressions they may hold are many. */
const urlsOfSets = SETS.map((entity) =>
  fc.tuple(paths(entity), fc.array(fc.oneof(...optionsOf(entity, 2, { top: true })), { maxLength: 3 }))
    .map(([path, options]) => withOptions(path, options))
);

/** URLs that follow the grammar and the model. */
export const soundUrls: Text = fc.oneof(
  ...urlsOfSets.map((arbitrary) => ({ weight: 2, arbitrary })),
  fc.tuple(
    pick("$all", "$all/ShopService.Books"),
    fc.array(pick("$top=3", "$skip=2", "$count=true", "$search=raven"), { maxLength: 2 }),
  )
    .map(([path, options]) => withOptions(path, options)),
  fc.tuple(
    pick("$crossjoin(Books,Authors)", "$crossjoin(Loans,Books)", "$crossjoin(Nodes,Authors,Books)"),
    fc.array(
      fc.oneof(
        pick("$top=3", "$skip=2", "$count=true", "$expand=Books", "$orderby=Books/title desc", "$expand=*"),
        join("$filter=", numberExpr({ entity: "Books", prefix: "Books/", depth: 1 }), " lt 20"),
      ),
      { maxLength: 2 },
    ),
  ).map(([path, options]) => withOptions(path, options)),
);

function withOptions(path: string, options: readonly string[]): string {
  const unique = [...new Map(options.map((one) => [one.split("=", 1)[0], one])).values()];
  return `${path}?${[...unique, ALIASES].join("&")}`;
}

const PIECES = [
  "(",
  ")",
  "'",
  "/",
  "$",
  "&",
  "=",
  ",",
  ";",
  ":",
  " ",
  "%",
  "%2",
  "@",
  "null",
  "$it",
  "any(",
  "[",
  "{",
  '"',

  "..",
  "-",
  "9".repeat(400),
  "INF",
  "duration'P1D'",
  "$count",
  "/$each",
  "add",
];

/** A URL with a few characters or pieces removed, doubled or put in. */
export function damaged(urls: Text): Text {
  const change = fc.tuple(
    fc.integer({ min: 0, max: 999 }),
    fc.integer({ min: 0, max: 12 }),
    pick("", ...PIECES),
  );
  return fc.tuple(urls, fc.array(change, { minLength: 1, maxLength: 3 })).map(([url, changes]) =>
    changes.reduce((now, [place, cut, piece]) => {
      const at = Math.floor(place * now.length / 1000);
      return now.slice(0, at) + piece + now.slice(at + cut);
    }, url)
  );
}
