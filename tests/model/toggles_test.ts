import assert from "node:assert/strict";
import { ConfigurationError } from "../../src/errors/configuration_error.ts";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";
import type { Csn } from "../../src/model/csn.ts";
import { csnOf, linkModel } from "../../src/model/link_model.ts";
import { inferToggles, type Toggled, toggleNames, toggleOf, withToggles } from "../../src/model/toggles.ts";

const FILES: Readonly<Record<string, string>> = {
  "/base.cds": `
    context my { entity Books { key ID : Integer; title : localized String(40); } }
    service Shop { entity Books as projection on my.Books; @odata.draft.enabled entity Orders { key ID : UUID; } }
  `,
  "/isbn.cds": `using from './base.cds'; extend my.Books with { isbn : String(13); }`,
  "/stock.cds": `
    using from './base.cds';
    extend my.Books with { stock : Integer; places : Composition of many { key place : String(4); } }
    extend service Shop with { entity Plain { key ID : Integer; book : Association to my.Books; } }
  `,
  "/title.cds": `using from './base.cds'; annotate Shop.Books with { title @title : 'Title'; }`,
  "/genres.cds": `
    @cds.autoexpose entity my.Genres { key ID : Integer; }
    service Lists { entity Shelves { key ID : Integer; genre : Association to my.Genres; } }
  `,
  "/hidden.cds": `using from './genres.cds'; annotate my.Genres with @cds.autoexpose: false;`,
  "/late.cds": `using from './base.cds'; extend Shop.Orders with { at : Timestamp; }`,
};

function compile(...files: string[]): Csn {
  return compileCdl(files, { readFile: (path) => FILES[path] });
}

function toggled(...names: string[]): Toggled {
  const model = compile("/base.cds");
  const toggles = names.map((name) => [name, toggleOf(model, compile("/base.cds", `/${name}.cds`))]);
  return { model, toggles: Object.fromEntries(toggles) };
}

function linked(csn: Csn): unknown {
  return JSON.parse(JSON.stringify(csnOf(linkModel(csn))));
}

Deno.test("sets of toggles that are inferred in advance give the models that parsed toggles give [5.4.3]", () => {
  const parsed = toggled("isbn", "stock", "title");
  const inferred = JSON.parse(JSON.stringify(inferToggles(parsed))) as Toggled;
  assert.equal(inferred.model.meta?.flavor, "inferred");
  assert.deepEqual(toggleNames(inferred), ["isbn", "stock", "title"]);
  const sets = [[], ["isbn"], ["stock"], ["title"], ["isbn", "stock"], ["stock", "title"]];
  for (const set of [...sets, toggleNames(inferred)]) {
    assert.deepEqual(linked(withToggles(inferred, set)), linked(withToggles(parsed, set)), set.join());
  }
  assert.deepEqual(linked(withToggles(inferred)), linked(withToggles(parsed)));
});

Deno.test("inferred sets hold what is not in the model without toggles only", () => {
  const { toggles } = inferToggles(toggled("isbn", "title"));
  assert.deepEqual(Object.keys(toggles).sort(), ["isbn", "isbn,title", "title"]);
  assert.deepEqual(Object.keys(toggles.title.definitions!), ["Shop.Books"]);
});

Deno.test("many toggles, and those whose names have commas, stay parsed", () => {
  const four = toggled("isbn", "stock", "title", "late");
  assert.equal(inferToggles(four), four);
  const { model, toggles } = toggled("isbn");
  const commas = { model, toggles: { "isbn,more": toggles.isbn } };
  assert.equal(inferToggles(commas), commas);
  assert.deepEqual(toggleNames(commas), ["isbn,more"]);
});

Deno.test("toggles with which a definition goes stay parsed", () => {
  const model = compile("/genres.cds");
  const parsed = { model, toggles: { hidden: toggleOf(model, compile("/genres.cds", "/hidden.cds")) } };
  const entities = (set: string[]) => Object.keys(csnOf(linkModel(withToggles(parsed, set))).definitions!);
  assert.ok(entities([]).includes("Lists.Genres"));
  assert.ok(!entities(["hidden"]).includes("Lists.Genres"));
  assert.equal(inferToggles(parsed), parsed);
});

Deno.test("parsed toggles do not extend an inferred model", () => {
  const { model, toggles } = toggled("isbn");
  assert.throws(() => withToggles({ model: csnOf(linkModel(model)), toggles }), ConfigurationError);
});
