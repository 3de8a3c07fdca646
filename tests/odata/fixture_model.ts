/**
 * The model of the protocol tests: a shop with references, compositions, versions, streams and operations.
 *
 * @module
 */

import type { Csn } from "../../src/model/csn.ts";

const toOne = (target: string) => ({ type: "cds.Association", target, keys: [{ ref: ["ID"] }] });
const backLink = (name: string, target: string, back: string, type = "cds.Composition") => ({
  type,
  cardinality: { max: "*" as const },
  target,
  on: [{ ref: [name, back] }, "=", { ref: ["$self"] }],
});
const integer = { type: "cds.Integer" };
const text = { type: "cds.String", length: 100 };
const key = { key: true, type: "cds.Integer" };
const projection = (name: string) => ({
  kind: "entity" as const,
  projection: { from: { ref: [`shop.${name}`] } },
});

/** The model as parsed CSN. */
export const SHOP: Csn = {
  definitions: {
    "shop.Books": {
      kind: "entity",
      elements: {
        ID: key,
        title: { ...text, "@mandatory": true },
        stock: integer,
        price: { type: "cds.Decimal", precision: 9, scale: 2 },
        sold: { type: "cds.Int64" },
        tags: { items: { type: "cds.String" } },
        size: { elements: { width: integer, height: integer } },
        author: toOne("shop.Authors"),
      },
    },
    "shop.Authors": {
      kind: "entity",
      elements: {
        ID: key,
        name: text,
        books: backLink("books", "shop.Books", "author", "cds.Association"),
      },
    },
    "shop.Orders": {
      kind: "entity",
      elements: {
        ID: { key: true, type: "cds.UUID" },
        no: text,
        items: backLink("items", "shop.Items", "order"),
        address: { ...toOne("shop.Addresses"), type: "cds.Composition" },
      },
    },
    "shop.Items": {
      kind: "entity",
      elements: {
        ID: key,
        order: toOne("shop.Orders"),
        pos: integer,
        book: toOne("shop.Books"),
      },
    },
    "shop.Addresses": { kind: "entity", elements: { ID: key, city: text } },
    "shop.Versions": {
      kind: "entity",
      elements: { ID: key, name: text, version: { ...integer, "@odata.etag": true } },
    },
    "shop.Media": {
      kind: "entity",
      elements: {
        ID: key,
        type: { ...text, "@Core.IsMediaType": true },
        file: text,
        content: {
          type: "cds.LargeBinary",
          "@Core.MediaType": { "=": "type" },
          "@Core.ContentDisposition.Filename": { "=": "file" },
        },
      },
    },
    "shop.Settings": { kind: "entity", elements: { ID: key, theme: text } },
    "ShopService": { kind: "service" },
    "ShopService.Point": { kind: "type", elements: { x: integer, y: integer } },
    "ShopService.Books": {
      ...projection("Books"),
      actions: {
        restock: { kind: "action", params: { by: integer }, returns: integer },
        twin: { kind: "function", returns: { type: "ShopService.Books" } },
      },
    },
    "ShopService.Authors": projection("Authors"),
    "ShopService.Orders": projection("Orders"),
    "ShopService.Items": projection("Items"),
    "ShopService.Addresses": projection("Addresses"),
    "ShopService.Versions": projection("Versions"),
    "ShopService.Media": projection("Media"),
    "ShopService.Settings": { ...projection("Settings"), "@odata.singleton": true },
    "ShopService.add": { kind: "action", params: { a: integer, b: integer }, returns: integer },
    "ShopService.fail": { kind: "action", params: { kind: text } },
    "ShopService.echo": {
      kind: "action",
      params: { p: { type: "ShopService.Point" }, ps: { items: { type: "ShopService.Point" } } },
      returns: { type: "ShopService.Point" },
    },
    "ShopService.inline": { kind: "function", returns: { elements: { x: integer } } },
    "ShopService.names": {
      kind: "function",
      params: { n: integer },
      returns: { items: { type: "cds.String" } },
    },
    "ShopService.cheapest": { kind: "function", returns: { type: "ShopService.Books" } },
    "ShopService.top": { kind: "function", returns: { items: { type: "ShopService.Books" } } },
  },
};
