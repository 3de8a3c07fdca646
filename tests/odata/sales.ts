/**
 * The model and the rows of the examples of OData Data Aggregation 4.0, section 2.
 *
 * @module
 */

import type { Limits } from "../../src/config/limits.ts";
import type { Row } from "../../src/cqn/cqn.ts";
import type { Csn } from "../../src/model/csn.ts";
import type { DatabaseFactory } from "../../src/service/database.ts";
import { toMany, toOne } from "./associations.ts";
import { openShop, type Shop } from "./fixture_host.ts";

const text = { type: "cds.String", length: 40 };
const key = { ...text, key: true };
const number = { type: "cds.Integer" };

/** The model as parsed CSN; its service has the name that the host of the tests expects. */
export const SALES: Csn = {
  definitions: {
    "ShopService": { kind: "service" },
    "ShopService.Categories": {
      kind: "entity",
      elements: { ID: key, Name: text, Products: toMany("Products", "ShopService.Products", "Category") },
    },
    "ShopService.Products": {
      kind: "entity",
      "@Aggregation.LeveledHierarchy#ProductHierarchy": [{ "=": "Category.Name" }, { "=": "Name" }],
      elements: {
        ID: key,
        Category: toOne("ShopService.Categories"),
        Name: text,
        Color: text,
        TaxRate: { type: "cds.Decimal", precision: 5, scale: 2 },
        Sales: toMany("Sales", "ShopService.Sales", "Product"),
      },
    },
    "ShopService.Customers": {
      kind: "entity",
      elements: {
        ID: key,
        Name: text,
        Country: text,
        Sales: toMany("Sales", "ShopService.Sales", "Customer"),
      },
    },
    "ShopService.SalesOrganizations": {
      kind: "entity",
      "@Aggregation.RecursiveHierarchy#SalesOrgHierarchy": {
        NodeProperty: { "=": "ID" },
        ParentNavigationProperty: { "=": "Superordinate" },
      },
      elements: { ID: key, Name: text, Superordinate: toOne("ShopService.SalesOrganizations") },
    },
    "ShopService.Sales": {
      kind: "entity",
      elements: {
        ID: { key: true, ...number },
        Customer: toOne("ShopService.Customers"),
        Product: toOne("ShopService.Products"),
        SalesOrganization: toOne("ShopService.SalesOrganizations"),
        Day: { type: "cds.Date" },
        Currency: text,
        Amount: { ...number, "@Aggregation.default": { "#": "SUM" } },
      },
    },
  },
};

const rows = (columns: string, ...lines: readonly (readonly unknown[])[]): readonly Row[] =>
  lines.map((line) => Object.fromEntries(columns.split(" ").map((name, index) => [name, line[index]])));

/** The rows of the examples. */
export const SALES_ROWS: ReadonlyMap<string, readonly Row[]> = new Map<string, readonly Row[]>([
  ["ShopService.Categories", rows("ID Name", ["PG1", "Food"], ["PG2", "Non-Food"])],
  [
    "ShopService.Products",
    rows(
      "ID Category_ID Name Color TaxRate",
      ["P1", "PG1", "Sugar", "White", 0.06],
      ["P2", "PG1", "Coffee", "Brown", 0.06],
      ["P3", "PG2", "Paper", "White", 0.14],
      ["P4", "PG2", "Pencil", "Black", 0.14],
    ),
  ],
  [
    "ShopService.Customers",
    rows(
      "ID Name Country",
      ["C1", "Joe", "USA"],
      ["C2", "Sue", "USA"],
      ["C3", "Sue", "Netherlands"],
      ["C4", "Luc", "France"],
    ),
  ],
  [
    "ShopService.SalesOrganizations",
    rows(
      "ID Name Superordinate_ID",
      ["Sales", "Corporate Sales", null],
      ["US", "US", "Sales"],
      ["US West", "US West", "US"],
      ["US East", "US East", "US"],
      ["EMEA", "EMEA", "Sales"],
      ["EMEA Central", "EMEA Central", "EMEA"],
    ),
  ],
  [
    "ShopService.Sales",
    rows(
      "ID Customer_ID Product_ID SalesOrganization_ID Day Currency Amount",
      [1, "C1", "P3", "US West", "2022-01-03", "USD", 1],
      [2, "C1", "P1", "US West", "2022-04-10", "USD", 2],
      [3, "C1", "P2", "US West", "2022-08-07", "USD", 4],
      [4, "C2", "P2", "US East", "2022-01-03", "USD", 8],
      [5, "C2", "P3", "US East", "2022-11-09", "USD", 4],
      [6, "C3", "P1", "EMEA Central", "2022-04-01", "EUR", 2],
      [7, "C3", "P3", "EMEA Central", "2022-08-06", "EUR", 1],
      [8, "C3", "P3", "EMEA Central", "2022-11-22", "EUR", 2],
    ),
  ],
]);

/** The service of the examples on an engine. */
export function openSales(database: DatabaseFactory, limits: Partial<Limits> = {}): Promise<Shop> {
  return openShop({ database, model: SALES, data: SALES_ROWS, limits });
}
