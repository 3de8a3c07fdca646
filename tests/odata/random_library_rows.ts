/**
 * Random rows of the library.
 *
 * @module
 */

import fc from "fast-check";
import type { Row } from "../../src/cqn/cqn.ts";

const orNull = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: null, freq: 4 });
const word = fc.constantFrom(
  ...[
    "",
    "a",
    "Emily",
    "emily",
    "The Raven",
    "raven",
    "ß",
    "Ä",
    "ä",
    "日本",
    "😀",
    "￿",
    "12",
    " x ",
    "1.5",
    "null",
  ],
  ...["2024-02-29", "o'neil", "%", "e"],
);
const integer = fc.integer({ min: -20, max: 40 });
const price = fc.integer({ min: -500, max: 3000 }).map((cents) => cents / 100);
const date = fc.constantFrom("1842-01-01", "1847-12-01", "2024-02-29", "1999-12-31");
const ids = (count: number) => fc.integer({ min: 1, max: count });
const few = <T>(of: fc.Arbitrary<T>) => orNull(fc.array(of, { maxLength: 3 }));

function rows(
  count: number,
  of: (ID: number) => Readonly<Record<string, fc.Arbitrary<unknown>>>,
): fc.Arbitrary<Row[]> {
  return fc.integer({ min: 0, max: count }).chain((length) =>
    fc.tuple(...Array.from({ length }, (_, at) => fc.record({ ID: fc.constant(at + 1), ...of(at + 1) })))
  ) as fc.Arbitrary<Row[]>;
}

const BOOKS = 6;
const AUTHORS = 4;

/** Rows by entity: references lead to rows that are there, or are not. */
export const libraryRows: fc.Arbitrary<ReadonlyMap<string, readonly Row[]>> = fc.record({
  Authors: rows(
    AUTHORS,
    () => ({ name: orNull(word), rank: orNull(integer), favourite_ID: orNull(ids(BOOKS)) }),
  ),
  Books: rows(BOOKS, () => ({
    title: orNull(word),
    stock: orNull(integer),
    price: orNull(price),
    published: orNull(date),
    tags: few(fc.constantFrom("new", "sale", "ä", "")),
    marks: few(integer),
    colours: few(fc.constantFrom("R", "G")),
    places: few(fc.record({
      city: orNull(fc.constantFrom("Oslo", "Rome")),
      floor: orNull(integer),
      rooms: fc.array(integer, { maxLength: 2 }),
    })),
    author_ID: orNull(ids(AUTHORS)),
  })),
  Loans: rows(6, () => ({ days: orNull(integer), book_ID: orNull(ids(BOOKS)) })),
  // no row is above itself
  Nodes: rows(
    5,
    (ID) => ({ name: orNull(word), parent_ID: ID === 1 ? fc.constant(null) : orNull(ids(ID - 1)) }),
  ),
  Settings: fc.record({ ID: fc.constant(1), minimum: orNull(integer), theme: orNull(word) }).map((
    row,
  ) => [row]),
}).map((entities) =>
  new Map(Object.entries(entities).map(([name, list]) => [`ShopService.${name}`, list as Row[]]))
);
