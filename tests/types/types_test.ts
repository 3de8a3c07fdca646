import assert from "node:assert/strict";
import { writeTypesFile } from "../../src/cli/watch_command.ts";
import { compile } from "../../src/fw/facade_compile.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { REPOSITORY } from "../deno/project.ts";
import "./use.ts";

const MODEL = `
  namespace my.shop;
  type Money { amount : Decimal(10, 2) not null; currency : String(3); }
  type Tags : array of String;
  type Level : Integer enum { low = 1; high = 2 };
  aspect named { name : String not null; }
  @title: 'Things to sell'
  entity Things : named {
    key ID : UUID;
    stock : Integer;
    level : Level @mandatory;
    price : Money;
    tags : Tags;
    parent : Association to Things;
    parts : Composition of many { key pos : Integer; text : String; };
    virtual note : String;
    ![a b] : String;
    class : Boolean;
  }
  entity Notes { key ID : UUID; title : String; lines : Composition of many { key pos : Integer; text : String; }; }
  entity string { key ID : Integer; }
  service Shop {
    entity Things as projection on my.shop.Things
      actions { action rename(name : String not null) returns Things; function size() returns Integer; };
    @odata.draft.enabled entity Notes as projection on my.shop.Notes actions { action pin(); };
    event Sold { thing : Things:ID not null; count : Integer; }
    action sell(thing : UUID @mandatory, count : Integer) returns { left : Integer; };
    function best() returns many Things;
    action clear();
  }`;

/** What `compile --to types` writes; `./use.ts` uses it, and is checked with the tests. */
const WRITTEN = new URL("./model.ts", import.meta.url);

Deno.test("queries, handlers, events and calls are typed by the module that compile --to types writes (api 3, 4, 8)", async () => {
  const types = `${compile.to.types(linkModel(parseCdl(MODEL)))}\n`;
  if (Deno.args.includes("--update")) await Deno.writeTextFile(WRITTEN, types);
  assert.equal(await Deno.readTextFile(WRITTEN), types, "deno test -A tests/types -- --update writes it");
});

Deno.test("the types of the example are those of its model", async () => {
  assert.equal(await writeTypesFile(`${REPOSITORY}examples/bookshop`), undefined);
});

Deno.test("names that are no identifiers, or words of TypeScript, are written so that they can be", () => {
  const types = compile.to.types(linkModel(parseCdl(MODEL)), { from: "x" });
  assert.match(types, /from "x";/);
  assert.match(types, /export interface string_ \{/);
  assert.match(types, /"a b": string \| null;/);
  assert.match(types, /\/\*\* Things to sell \*\//);
});

Deno.test("definitions outside of namespaces have a type and a name of their own (api 8)", () => {
  const types = compile.to.types(linkModel(parseCdl("entity Plain { key ID : Integer; }")));
  assert.match(types, /^export interface Plain \{$/m);
  assert.match(types, /^export const Plain = \{ name: "Plain" \} as EntityName<Plain, \{ ID: number; \}>;$/m);
});
