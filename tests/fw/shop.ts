/**
 * A small runtime with a database, for tests of the facade.
 *
 * @module
 */

import { createRuntime } from "../../src/fw.ts";
import type { Runtime, RuntimeOptions } from "../../src/fw/runtime.ts";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";
import type { Csn } from "../../src/model/csn.ts";

/** The model of the shop. */
export const SHOP = `
  namespace shop;
  entity Books { key ID : Integer; title : localized String(50) @title: '{i18n>Title}'; stock : Integer; author : Association to Authors; }
  entity Authors { key ID : Integer; name : String(50); books : Association to many Books on books.author = $self; }
  service CatalogService {
    entity Books as projection on shop.Books actions { action restock(by : Integer) returns Integer; };
    entity Authors as projection on shop.Authors;
    action order(book : Integer, quantity : Integer) returns String;
    function hello(name : String) returns String;
    event ordered { book : Integer; }
  }
  service AdminService { entity Books as projection on shop.Books; }
`;

/** CDL text as CSN. */
export function csnOf(text: string): Csn {
  return compileCdl(["model.cds"], { readFile: (path) => path === "model.cds" ? text : undefined });
}

const SILENT = { log: { levels: { default: "silent" } } };

/** A runtime of the shop with three books of two authors. */
export function createShop(options: Partial<RuntimeOptions> = {}): Runtime {
  return createRuntime({
    model: csnOf(SHOP),
    data: new Map([
      ["shop.Authors", [{ ID: 1, name: "Emily" }, { ID: 2, name: "Jane" }]],
      ["shop.Books", [
        { ID: 1, title: "Wuthering Heights", stock: 12, author_ID: 1 },
        { ID: 2, title: "Emma", stock: 5, author_ID: 2 },
        { ID: 3, title: "Persuasion", stock: 0, author_ID: 2 },
      ]],
    ]),
    ...options,
    env: { ...SILENT, ...options.env },
  });
}

/** Runs a test with a started shop and closes it. */
export async function withShop(
  options: Partial<RuntimeOptions>,
  test: (runtime: Runtime) => void | Promise<void>,
): Promise<void> {
  const runtime = createShop(options);
  try {
    await runtime.start();
    await test(runtime);
  } finally {
    await runtime.close();
  }
}
