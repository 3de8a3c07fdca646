/**
 * The bookshop as a module for Node: compiled model, handlers and rows in one bundle, over the engine that the first
 * argument names. Prints the answers to some requests, one line of JSON each.
 *
 * @module
 */

import { createRuntime, type Csn, type Row } from "@fw/runtime";
import { argv } from "node:process";
import { AdminService } from "../../examples/bookshop/srv/admin_service.ts";
import { CatalogService } from "../../examples/bookshop/srv/catalog_service.ts";

/** What the bundle task compiles from the folder of the project. */
declare const PROJECT: {
  readonly model: Csn;
  readonly toggles: Readonly<Record<string, Csn>>;
  readonly data: Readonly<Record<string, readonly Row[]>>;
};

const [kind, url] = argv.slice(2);
const runtime = createRuntime({
  name: "bookshop",
  model: PROJECT.model,
  toggles: PROJECT.toggles,
  data: new Map(Object.entries(PROJECT.data)),
  handlers: { CatalogService, AdminService },
  kinds: { databases: { sqlite: async () => (await import("@fw/runtime/sqlite")).createSqliteDatabase } },
  env: { requires: { db: { kind, credentials: { url } } }, log: { levels: { default: "error" } } },
});

const JSON_BODY = { "content-type": "application/json" };
const ALICE = { authorization: `Basic ${btoa("alice:")}` };
const BOB = { authorization: `Basic ${btoa("bob:")}` };
const REQUESTS: readonly [string, RequestInit?][] = [
  ["catalog/Books?$filter=author/name eq 'Emily Brontë'&$select=ID,title&$expand=author($select=name)"],
  ["catalog/Books?$apply=filter(ID ge 200)/aggregate($count as n,price with max as m)"],
  ["catalog/Books?$filter=matchesPattern(title,'^W')&$select=ID&$orderby=tolower(title)"],
  ["admin/Books"],
  ["admin/Authors", {
    method: "POST",
    headers: { ...JSON_BODY, ...ALICE },
    body: '{"ID":9001,"name":"Neu"}',
  }],
  ["admin/Authors(9001)", { method: "DELETE", headers: ALICE }],
  ["catalog/submitOrder", {
    method: "POST",
    headers: { ...JSON_BODY, ...BOB },
    body: '{"book":201,"quantity":1}',
  }],
];

for (const [path, init] of REQUESTS) {
  const response = await runtime.fetch(new Request(`http://localhost/odata/v4/${path}`, init));
  const text = await response.text();
  console.log(JSON.stringify([response.status, text === "" ? null : JSON.parse(text)]));
}
await runtime.close();
