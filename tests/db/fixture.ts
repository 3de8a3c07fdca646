/**
 * A small model and its rows for the tests of databases.
 *
 * @module
 */

import type { Row } from "../../src/cqn/cqn.ts";
import type { Csn, CsnElement } from "../../src/model/csn.ts";
import { linkModel } from "../../src/model/link_model.ts";
import type { LinkedModel } from "../../src/model/linked.ts";

const ID: CsnElement = { key: true, type: "cds.Integer" };
const UUID: CsnElement = { key: true, type: "cds.UUID" };
const TEXT: CsnElement = { type: "cds.String" };

/** Books and authors with texts, reviews in compositions, a tree of genres, all types, and a service. */
export const CSN: Csn = {
  definitions: {
    "my.Books": {
      kind: "entity",
      elements: {
        ID,
        title: { ...TEXT, localized: true, notNull: true },
        stock: { type: "cds.Integer", default: { val: 0 } },
        price: { type: "cds.Decimal", precision: 9, scale: 2 },
        hot: { type: "cds.Boolean" },
        total: { type: "cds.Decimal", value: { xpr: [{ ref: ["price"] }, "*", { ref: ["stock"] }] } },
        author: { type: "cds.Association", target: "my.Authors" },
        reviews: {
          type: "cds.Composition",
          cardinality: { max: "*" },
          target: "my.Reviews",
          on: [{ ref: ["reviews", "book"] }, "=", { ref: ["$self"] }],
        },
        modifiedAt: {
          type: "cds.Timestamp",
          "@cds.on.insert": { "=": "$now" },
          "@cds.on.update": { "=": "$now" },
        },
      },
    },
    "my.Reviews": {
      kind: "entity",
      elements: {
        ID: UUID,
        book: { type: "cds.Association", target: "my.Books" },
        text: TEXT,
        stars: { type: "cds.Integer" },
        replies: {
          type: "cds.Composition",
          cardinality: { max: "*" },
          targetAspect: { elements: { pos: ID, text: TEXT } },
        },
      },
    },
    "my.Authors": {
      kind: "entity",
      "@assert.unique.name": [{ "=": "name" }],
      elements: {
        ID,
        name: TEXT,
        address: { elements: { city: TEXT, zip: TEXT } },
        books: {
          type: "cds.Association",
          cardinality: { max: "*" },
          target: "my.Books",
          on: [{ ref: ["books", "author"] }, "=", { ref: ["$self"] }],
        },
        bio: { type: "cds.Composition", target: "my.Bios" },
      },
    },
    "my.Bios": { kind: "entity", elements: { ID: UUID, text: { type: "cds.LargeString" } } },
    "my.Genres": {
      kind: "entity",
      elements: {
        ID,
        name: TEXT,
        parent: { type: "cds.Association", target: "my.Genres" },
        children: {
          type: "cds.Composition",
          cardinality: { max: "*" },
          target: "my.Genres",
          on: [{ ref: ["children", "parent"] }, "=", { ref: ["$self"] }],
        },
      },
    },
    "my.Types": {
      kind: "entity",
      elements: {
        ID,
        flag: { type: "cds.Boolean" },
        long: { type: "cds.Int64" },
        dec: { type: "cds.Decimal", precision: 20, scale: 4 },
        dbl: { type: "cds.Double" },
        day: { type: "cds.Date" },
        clock: { type: "cds.Time" },
        dt: { type: "cds.DateTime" },
        ts: { type: "cds.Timestamp" },
        bin: { type: "cds.Binary", length: 100 },
        tags: { items: { type: "cds.String" } },
        map: { type: "cds.Map" },
      },
    },
    Shop: { kind: "service" },
    "Shop.Books": {
      kind: "entity",
      projection: {
        from: { ref: ["my.Books"] },
        columns: ["*", { ref: ["author", "name"], as: "authorName" }, { ref: ["stock"], as: "available" }],
        excluding: ["hot", "stock"],
      },
    },
    "Shop.Reviews": { kind: "entity", projection: { from: { ref: ["my.Reviews"] } } },
    "Shop.Authors": {
      kind: "entity",
      projection: {
        from: { ref: ["my.Authors"] },
        columns: [{ ref: ["ID"], as: "id", key: true }, { ref: ["name"] }, { ref: ["address"] }, {
          ref: ["books"],
        }],
      },
    },
  },
};

/** The linked model. */
export function testModel(): LinkedModel {
  return linkModel(CSN);
}

/** Rows by entity name. */
export const ROWS: ReadonlyMap<string, readonly Row[]> = new Map<string, readonly Row[]>([
  ["my.Authors", [
    { ID: 1, name: "Poe", address: { city: "Boston", zip: "02108" } },
    { ID: 2, name: "Emily", address_city: "Thornton" },
    { ID: 3, name: null },
  ]],
  ["my.Books", [
    {
      ID: 10,
      title: "The Raven",
      stock: 5,
      price: 12.5,
      hot: true,
      author_ID: 1,
      texts: [{ locale: "de", title: "Der Rabe" }],
      reviews: [
        { ID: "r1", text: "fine", stars: 4, replies: [{ pos: 1, text: "yes" }, { pos: 2, text: "no" }] },
        { ID: "r2", text: "dark", stars: 5 },
      ],
    },
    { ID: 11, title: "Eldorado", stock: 0, price: 8, hot: false, author: { ID: 1 } },
    { ID: 20, title: "Wuthering Heights", stock: 12, price: null, author_ID: 2 },
  ]],
  ["my.Genres", [
    { ID: 1, name: "Fiction", children: [{ ID: 2, name: "Drama", children: [{ ID: 3, name: "Tragedy" }] }] },
  ]],
]);
