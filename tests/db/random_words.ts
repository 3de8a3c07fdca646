/**
 * The names and values that random queries are made of.
 *
 * @module
 */

/** What can be said of an entity. */
export interface Names {
  readonly numbers: readonly string[];
  readonly texts: readonly string[];
  readonly one: Readonly<Record<string, string>>;
  readonly many: Readonly<Record<string, string>>;
}

/** The entities of the small model. */
export const ENTITIES: Readonly<Record<string, Names>> = {
  Books: {
    numbers: ["ID", "stock", "price", "author.ID", "total", "author_ID"],
    texts: ["title", "author.name", "author.address.city", "author.address.zip"],
    one: { author: "Authors" },
    many: { reviews: "Reviews" },
  },
  Reviews: {
    numbers: ["stars", "book.ID", "book.stock", "book.author.ID"],
    texts: ["ID", "text", "book.title", "book.author.name"],
    one: { book: "Books" },
    many: {},
  },
  Authors: { numbers: ["ID"], texts: ["name", "address.city"], one: {}, many: { books: "Books" } },
  Genres: {
    numbers: ["ID", "parent.ID"],
    texts: ["name", "parent.name", "parent.parent.name"],
    one: { parent: "Genres" },
    many: { children: "Genres" },
  },
};

/** Texts of rows and literals. */
export const WORDS = ["", "a", "Al", "al", "Raven", "ß", "Ä", "日本", "😀", "a%b", "_", "null", "o'neil"];
/** Patterns of `like`, */
export const PATTERNS = ["%a%", "a%", "_", "%", "A%", "ä%", "Ä%", "__"];
/** and those with the escape `!`. */
export const ESCAPED = ["%!%%", "!_", "%a!%b", "!!%", "A!%%", "_!__"];
/** Values of any type, some of which are none of the types that they are compared with. */
export const ANY_VALUES = [
  "'5'",
  "'abc'",
  "5",
  "2.5",
  "''",
  "true",
  "'2024-02-29'",
  "'2024-02-30'",
  "'1e2'",
  "99999999999",
  "null",
];
/** Days and instants. */
export const DAYS = [
  "2024-02-29",
  "2023-12-31T23:59:59.999Z",
  "2024-02-29T00:00:00Z",
  "2024-02-29T12:34:56.789+01:00",
];
/** Operators. */
export const COMPARISONS = ["=", "<>", "<", "<=", ">", ">=", "!=", "=="];
