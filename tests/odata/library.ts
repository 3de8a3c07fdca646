/**
 * A library for tests of the semantics of URLs: collections of values and structures, enumerations, trees.
 *
 * @module
 */

import type { Row } from "../../src/cqn/cqn.ts";
import type { Csn } from "../../src/model/csn.ts";
import type { DatabaseFactory } from "../../src/service/database.ts";
import { toMany, toOne } from "./associations.ts";
import { openShop, type Shop } from "./fixture_host.ts";

const integer = { type: "cds.Integer" };
const text = { type: "cds.String", length: 100 };
const key = { key: true, type: "cds.Integer" };

/** The model as parsed CSN; its service has the name that the host of the tests expects. */
export const LIBRARY: Csn = {
  definitions: {
    "ShopService": { kind: "service" },
    "ShopService.Place": {
      kind: "type",
      elements: { city: text, floor: integer, rooms: { items: integer } },
    },
    "ShopService.Books": {
      kind: "entity",
      elements: {
        ID: key,
        title: { ...text, "@Core.Description": "What it is called" },
        stock: integer,
        price: { type: "cds.Decimal", precision: 9, scale: 2 },
        published: { type: "cds.Date" },
        tags: { items: text },
        marks: { items: integer },
        colours: { items: { type: "cds.String", enum: { Red: { val: "R" }, Green: { val: "G" } } } },
        places: { items: { type: "ShopService.Place" } },
        author: toOne("ShopService.Authors"),
        loans: toMany("loans", "ShopService.Loans", "book"),
      },
      actions: { isRare: { kind: "function", returns: { type: "cds.Boolean" } } },
    },
    "ShopService.Authors": {
      kind: "entity",
      elements: {
        ID: key,
        name: text,
        rank: integer,
        favourite: toOne("ShopService.Books"),
        books: toMany("books", "ShopService.Books", "author"),
      },
    },
    "ShopService.Loans": {
      kind: "entity",
      elements: { ID: key, days: integer, book: toOne("ShopService.Books") },
    },
    "ShopService.Nodes": {
      kind: "entity",
      "@Aggregation.RecursiveHierarchy#Tree": {
        NodeProperty: { "=": "ID" },
        ParentNavigationProperty: { "=": "parent" },
      },
      elements: {
        ID: key,
        name: text,
        parent: toOne("ShopService.Nodes"),
        children: toMany("children", "ShopService.Nodes", "parent"),
      },
    },
    "ShopService.Settings": {
      kind: "entity",
      "@odata.singleton": true,
      elements: { ID: key, minimum: integer, theme: text },
    },
  },
};

/** The rows of the library. */
export const LIBRARY_ROWS: ReadonlyMap<string, readonly Row[]> = new Map<string, readonly Row[]>([
  ["ShopService.Authors", [
    { ID: 1, name: "Emily", rank: 10, favourite_ID: 1 },
    { ID: 2, name: "Edgar", rank: 20, favourite_ID: 1 },
    { ID: 3, name: "Edith", rank: 30 },
  ]],
  ["ShopService.Books", [
    {
      ID: 1,
      title: "Wuthering Heights",
      stock: 12,
      price: 11.5,
      published: "1847-12-01",
      tags: ["new", "sale"],
      marks: [3, 5],
      colours: ["R"],
      places: [{ city: "Oslo", floor: 2, rooms: [1, 2] }, { city: "Rome", floor: null, rooms: [] }],
      author_ID: 1,
    },
    {
      ID: 2,
      title: "The Raven",
      stock: 5,
      price: 13,
      tags: ["new"],
      marks: [12],
      colours: ["G", "R"],
      author_ID: 2,
    },
    {
      ID: 3,
      title: "Eleonora",
      stock: 20,
      price: 14,
      published: "1842-01-01",
      places: [{ city: "Oslo", floor: 5, rooms: [7] }],
      author_ID: 2,
    },
    { ID: 4, title: "Emily", stock: 0 },
  ]],
  ["ShopService.Loans", [
    { ID: 1, days: 14, book_ID: 1 },
    { ID: 2, days: 3, book_ID: 2 },
    { ID: 3, days: 30, book_ID: 3 },
    { ID: 4, days: 5, book_ID: 2 },
  ]],
  ["ShopService.Nodes", [
    { ID: 1, name: "root" },
    { ID: 2, name: "left", parent_ID: 1 },
    { ID: 3, name: "leaf", parent_ID: 2 },
    { ID: 4, name: "bud", parent_ID: 3 },
  ]],
  ["ShopService.Settings", [{ ID: 1, minimum: 10, theme: "dark" }]],
]);

/** Runs a test on a library. */
export async function withLibrary(
  database: DatabaseFactory,
  run: (library: Shop) => Promise<void>,
  given: { readonly model?: Csn; readonly data?: ReadonlyMap<string, readonly Row[]> } = {},
): Promise<void> {
  const library = await openShop({ model: LIBRARY, database, data: LIBRARY_ROWS, ...given });
  try {
    await run(library);
  } finally {
    await library.close();
  }
}

/** A model whose entities show only rows that are not secret. */
export function withSecrets(): Csn {
  const definitions = Object.entries(LIBRARY.definitions!).map(([name, definition]) => {
    if (definition.kind !== "entity") return [name, definition];
    const elements = { ...definition.elements, secret: { type: "cds.Boolean" } };
    const restricted = [{ grant: "READ", to: "any", where: "secret is null" }];
    return [name, { ...definition, elements, "@restrict": restricted }];
  });
  return { definitions: Object.fromEntries(definitions) };
}

const HIDDEN = { secret: true };

const SECRET_ROWS: readonly (readonly [string, readonly Row[]])[] = [
  ["ShopService.Authors", [
    { ID: 91, name: "Emily", rank: 99, favourite_ID: 1, ...HIDDEN },
    { ID: 92, name: "The Raven", rank: 1, favourite_ID: 2, ...HIDDEN },
  ]],
  ["ShopService.Books", [
    { ID: 91, title: "The Raven", stock: 40, price: 99, tags: ["new"], marks: [99], author_ID: 1, ...HIDDEN },
    { ID: 92, title: "Emily", stock: 50, price: 1, tags: ["sale"], author_ID: 2, ...HIDDEN },
    { ID: 93, title: "raven", stock: 3, author_ID: 3, ...HIDDEN },
  ]],
  ["ShopService.Loans", [1, 2, 3, 4].map((book) => ({ ID: 90 + book, days: 99, book_ID: book, ...HIDDEN }))],
  ["ShopService.Nodes", [{ ID: 91, name: "secret", parent_ID: 1, ...HIDDEN }, {
    ID: 92,
    name: "secret",
    parent_ID: 4,
    ...HIDDEN,
  }]],
];

/** The rows of the library and secret ones, which refer to rows that are not. */
export const SECRETS: ReadonlyMap<string, readonly Row[]> = new Map([
  ...LIBRARY_ROWS,
  ...SECRET_ROWS.map(([name, rows]) => [name, [...LIBRARY_ROWS.get(name)!, ...rows]] as const),
]);
