/**
 * Random `$apply` of the library: sequences whose results have one order, or none.
 *
 * @module
 */

import fc from "fast-check";
import {
  condition,
  ENTITIES,
  join,
  list,
  numberExpr,
  pick,
  search,
  type Text,
} from "./random_library_urls.ts";

/** What rows have in common, and what is aggregated of them. */
const MEMBERS: Readonly<
  Record<string, { readonly keys: readonly string[]; readonly values: readonly string[] }>
> = {
  Books: {
    keys: ["title", "stock", "author/name", "published", "price", "author/rank"],
    values: [
      ...["stock with sum", "price with sum", "price with average", "price with min", "title with max"],
      ...[
        "ID with countdistinct",
        "stock with average",
        "published with max",
        "author/rank with max",
        "$count",
      ],
      ...["loans/days with sum", "loans/$count", "stock mul price with sum", "length(title) with max"],
      ...["cast(price,Edm.Double) with sum", "cast(price,Edm.Double) divby 3 with average"],
    ],
  },
  Authors: {
    keys: ["name", "rank", "favourite/title", "favourite/author/name"],
    values: [
      "rank with sum",
      "rank with min",
      "name with min",
      "books/stock with sum",
      "books/$count",
      "$count",
    ],
  },
  Loans: {
    keys: ["book/title", "days", "book/author/name", "book/stock"],
    values: [
      "days with sum",
      "days with average",
      "book/price with sum",
      "book/title with countdistinct",
      "$count",
    ],
  },
};

/** Aggregates with names of their own. */
function aggregates(entity: string): Text {
  return fc.uniqueArray(fc.constantFrom(...MEMBERS[entity].values), { minLength: 1, maxLength: 3 })
    .map((values) => `aggregate(${values.map((value, at) => `${value} as a${at}`).join(",")})`);
}

/** Transformations that leave rows what they are. */
function filters(entity: string): Text {
  const place = { entity, prefix: "", depth: 1 };
  const own = ENTITIES[entity].numbers.filter((name) => !name.includes("/"));
  return fc.oneof(
    join("filter(", condition(place), ")/"),
    join("search(", search, ")/"),
    join(pick("topcount(2,", "bottomcount(3,"), "ID)/"),
    join(
      "orderby(",
      pick(...own),
      pick("", " desc"),
      ",ID)/",
      pick("top(3)/", "skip(1)/", "skip(1)/top(2)/"),
    ),
  );
}

function last(entity: string): Text {
  const { keys } = MEMBERS[entity];
  const by = fc.uniqueArray(fc.constantFrom(...keys), { minLength: 1, maxLength: 2 }).map((names) =>
    names.join(",")
  );
  const place = { entity, prefix: "", depth: 1 };
  const group = join("groupby((", by, "),", aggregates(entity), ")");
  return fc.oneof(
    aggregates(entity),
    join("groupby((", by, "))"),
    group,
    group,
    join(group, "/filter(a0 ", pick("ne null", "eq null"), ")"),
    join("groupby((", by, "),", filters(entity), aggregates(entity), ")"),
    join("compute(", numberExpr(place), " as c)/groupby((c),", aggregates(entity), ")"),
    join("compute(", numberExpr(place), " as c)/aggregate(c with ", pick("sum", "max", "average"), " as a)"),
    join(
      "groupby((rollup(",
      pick(`${keys[0]},${keys[1]}`, `${keys[2]},${keys[0]}`),
      ")),",
      aggregates(entity),
      ")",
    ),
    join("concat(", aggregates(entity), ",", group, ")"),
  );
}

/** URLs with `$apply`, in options of their own and of `$expand`. */
export const applyUrls: Text = fc.oneof(
  ...Object.keys(MEMBERS).map((entity) =>
    fc.oneof(
      {
        weight: 4,
        arbitrary: join(
          `${entity}?$apply=`,
          list(filters(entity), 1).map((text) => text),
          last(entity),
        ),
      },
      { weight: 4, arbitrary: join(`${entity}?$apply=`, last(entity)) },
      join("Authors?$select=ID&$expand=books($apply=", last("Books"), ")"),
    )
  ),
).map((url) => `${url}&@n=3&@t='Emily'&@c=ID gt 1`);
