/**
 * The model and handlers of the rows that stand for applications: login, restrictions, handlers, deep writes.
 *
 * @module
 */

import type { Csn, Row } from "../../mod.ts";

const integer = { type: "cds.Integer" } as const;
const key = { key: true, type: "cds.Integer" } as const;
const text = { type: "cds.String", length: 100 } as const;

/** Grants the rows of the user's region. */
const OWN_REGION = [{
  grant: ["READ", "CREATE", "UPDATE", "DELETE"],
  to: "authenticated-user",
  where: "region = $user.region",
}];

const projection = (on: string) => ({ kind: "entity", projection: { from: { ref: [on] } } } as const);
const question = (name: string) =>
  ({ kind: "function", params: { ID: integer }, returns: name === "five" ? integer : text }) as const;

/** A service for logged-in users. */
export const APP_MODEL: Csn = {
  definitions: {
    "app.Books": {
      kind: "entity",
      elements: { ID: key, title: text, stock: integer, region: text },
    },
    "app.Orders": {
      kind: "entity",
      elements: {
        ID: key,
        status: text,
        items: {
          type: "cds.Composition",
          target: "app.Items",
          cardinality: { max: "*" },
          on: [{ ref: ["items", "order"] }, "=", { ref: ["$self"] }],
        },
      },
    },
    "app.Items": {
      kind: "entity",
      elements: {
        order: { key: true, type: "cds.Association", target: "app.Orders" },
        pos: key,
        product: text,
        amount: integer,
      },
    },
    "AppService": { kind: "service", "@requires": "authenticated-user" },
    "AppService.Books": projection("app.Books"),
    "AppService.RegionBooks": { ...projection("app.Books"), "@restrict": OWN_REGION },
    "AppService.HandledBooks": projection("app.Books"),
    "AppService.CheckedBooks": projection("app.Books"),
    "AppService.GoneBooks": projection("app.Books"),
    "AppService.Orders": projection("app.Orders"),
    "AppService.Items": projection("app.Items"),
    "AppService.byKey": question("byKey"),
    "AppService.tagged": question("tagged"),
    "AppService.five": question("five"),
    "AppService.submitOrder": {
      kind: "action",
      params: { book: integer, quantity: integer },
      returns: integer,
    },
  },
} as Csn;

/** Columns of `Books` in the order of the payload. */
export const APP_COLUMNS: readonly string[] = ["ID", "title", "stock", "region"];

/** Keys of the books that are there to be deleted. */
export const [FIRST_GONE, LAST_GONE] = [10_000_000, 10_800_000];

/** The books that are asked for. */
export function appBooks(): Row[] {
  return Array.from({ length: 1000 }, (_, i) => ({
    ID: i + 1,
    title: `Title of book ${i + 1}`,
    stock: 1_000_000_000,
    region: i % 2 === 0 ? "EU" : "US",
  }));
}

/** The orders that are asked for, and their items, by the entity's name. */
export function appOrders(): readonly [entity: string, rows: Row[]][] {
  const keys = Array.from({ length: 100 }, (_, i) => i + 1);
  const items = keys.flatMap((ID) =>
    [1, 2, 3].map((pos) => ({ order_ID: ID, pos, product: `Product ${pos}`, amount: pos }))
  );
  return [["app.Orders", keys.map((ID) => ({ ID, status: "new" }))], ["app.Items", items]];
}

/** What the user of the requests logs in with. */
export const LOGIN = `Basic ${btoa("alice:a long password")}`;
/** The user of the requests. */
export const USERS: Readonly<Record<string, unknown>> = {
  alice: { password: "a long password", attr: { region: "EU" } },
  bob: { password: "another password", attr: { region: "US" } },
};
