/**
 * The model and rows of the benchmarks: 1000 books, 100 authors.
 *
 * @module
 */

import type { Csn, Row } from "../../mod.ts";

/** A service over two entities, without handlers and restrictions. */
export const BENCH_MODEL: Csn = {
  definitions: {
    "store.Books": {
      kind: "entity",
      elements: {
        ID: { key: true, type: "cds.Integer" },
        title: { type: "cds.String", length: 100 },
        descr: { type: "cds.String", length: 500 },
        stock: { type: "cds.Integer" },
        price: { type: "cds.Double" },
        published: { type: "cds.Date" },
        author: { type: "cds.Association", target: "store.Authors" },
      },
    },
    "store.Authors": {
      kind: "entity",
      elements: {
        ID: { key: true, type: "cds.Integer" },
        name: { type: "cds.String", length: 100 },
        books: {
          type: "cds.Association",
          target: "store.Books",
          cardinality: { max: "*" },
          on: [{ ref: ["books", "author"] }, "=", { ref: ["$self"] }],
        },
      },
    },
    "BenchService": { kind: "service" },
    "BenchService.Books": { kind: "entity", projection: { from: { ref: ["store.Books"] } } },
    "BenchService.Authors": { kind: "entity", projection: { from: { ref: ["store.Authors"] } } },
  },
};

/** Columns of `Books` in the order of the payload. */
export const BOOK_COLUMNS: readonly string[] = [
  "ID",
  "title",
  "descr",
  "stock",
  "price",
  "published",
  "author_ID",
];

/** Rows of the authors. */
export function benchAuthors(): Row[] {
  return Array.from({ length: 100 }, (_, i) => ({ ID: i + 1, name: `Author number ${i + 1}` }));
}

/** Rows of the books. */
export function benchBooks(): Row[] {
  return Array.from({ length: 1000 }, (_, i) => ({
    ID: i + 1,
    title: `Title of book ${i + 1}`,
    descr: `What can be said of book ${i + 1} in a line that is neither short nor long`,
    stock: (i * 7) % 500,
    price: 5 + (i % 40) + 0.5,
    published: `19${String(10 + i % 90)}-03-14`,
    author_ID: (i % 100) + 1,
  }));
}
