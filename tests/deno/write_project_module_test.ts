/** What stands in the module of a project. */

import assert from "node:assert/strict";
import type { RuntimeOptions } from "../../mod.ts";
import { publishedProject, writeProjectModule } from "../../src/deno/write_project_module.ts";
import { VERSION } from "../../src/fw/version.ts";
import { SMALL, withProject, withSlowFiles } from "./project.ts";

type Module = RuntimeOptions & { readonly texts: ReadonlyMap<string, ReadonlyMap<string, string>> };

/** The module of a project, loaded. */
async function moduleOf(
  files: Readonly<Record<string, string>>,
  { profiles, place = "" }: { readonly profiles?: string; readonly place?: string } = {},
): Promise<Module> {
  let module: Module | undefined;
  await withProject(files, async (folder) => {
    const project = await publishedProject(`${folder}${place}/`, profiles);
    assert.equal(project.folder, folder + place);
    const path = await withSlowFiles(() => writeProjectModule(project));
    module = (await import(`file://${path}`) as { project: Module }).project;
  });
  return module!;
}

const { "srv/cat_service.ts": _handlers, ...PLAIN } = SMALL;

Deno.test("the module of a project has its model, feature toggles, texts, rows and handlers", async () => {
  const module = await moduleOf({
    ...SMALL,
    "package.json": '{ "name": "@me/shop", "version": "1.2.3" }',
    "_i18n/i18n_de.properties": "a = eins\nb = zwei",
    "fts/isbn/isbn.cds": "using { shop } from '../../db/schema'; extend shop.Books with { isbn : String; }",
  });
  assert.deepEqual([module.name, module.version, module.profiles, module.checked], [
    ...["shop", "1.2.3", ["production"], VERSION],
  ]);
  const { definitions } = module.model as { readonly definitions: Readonly<Record<string, unknown>> };
  assert.ok(definitions["shop.Books"] && definitions.CatService);
  assert.deepEqual(Object.keys(module.toggles ?? {}), ["isbn"]);
  assert.deepEqual(Object.fromEntries([...module.texts].map(([locale, texts]) => [locale, [...texts]])), {
    de: [["a", "eins"], ["b", "zwei"]],
  });
  assert.deepEqual([...module.data as ReadonlyMap<string, unknown>], [
    ["shop.Books", [{ ID: 1, title: "Emma" }, { ID: 2, title: "Persuasion" }]],
  ]);
  const { CatService } = module.handlers as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  assert.equal(typeof CatService!.CatService, "function");
});

Deno.test("a module has handlers and rows of packages that are hoisted, and imports what stands in its folder", async () => {
  const { handlers, data } = await moduleOf({
    "node_modules/@acme/lib/db/schema.cds": SMALL["db/schema.cds"]!,
    "node_modules/@acme/lib/db/data/shop-Books.csv": SMALL["db/data/shop-Books.csv"]!,
    "node_modules/@acme/lib/srv/cat_service.cds": SMALL["srv/cat_service.cds"]!,
    "node_modules/@acme/lib/srv/cat_service.ts": SMALL["srv/cat_service.ts"]!,
    "packages/shop/srv/shop.cds":
      "using from '@acme/lib/srv/cat_service';\n@impl: 'gen/shop' service Shop { function hi() returns String; }",
    "packages/shop/gen/shop.js": "export default () => {};",
  }, { place: "/packages/shop" });
  assert.deepEqual(Object.keys(handlers as object), ["CatService", "Shop"]);
  assert.deepEqual([...data as ReadonlyMap<string, readonly unknown[]>].map(([name]) => name), [
    "shop.Books",
  ]);
});

Deno.test("a module has the name that is configured, and no version where there is none", async () => {
  const named = await moduleOf({
    ...PLAIN,
    "package.json": '{ "name": "shop" }',
    ".fwrc.json": '{ "name": "own" }',
  });
  assert.deepEqual([named.name, "version" in named, named.handlers], ["own", false, {}]);
});

Deno.test("a module has the configuration of its profiles that is known and may be published", async () => {
  const config = {
    odata: { put_as_upsert: false },
    unknown: { a: 1 },
    "[test]": { odata: { put_as_upsert: true } },
  };
  const files = { ...PLAIN, "package.json": JSON.stringify({ name: "shop", cds: config }) };
  const of = async (profiles?: string) => {
    const { env, profiles: names } = await moduleOf(files, { profiles });
    const { odata, unknown, profiles: own, production } = env as Readonly<
      Record<string, Readonly<Record<string, unknown>>>
    >;
    assert.deepEqual([unknown, own, production], [undefined, undefined, undefined]);
    return [names, odata!.put_as_upsert];
  };
  assert.deepEqual(await of(), [["production"], false]);
  assert.deepEqual(await of("test"), [["test"], true]);
});

Deno.test("plugins are named", () =>
  withProject({
    ...PLAIN,
    "package.json": '{ "name": "shop", "dependencies": { "@acme/plugin": "*", "other": "*" } }',
    "node_modules/@acme/plugin/package.json": '{ "name": "@acme/plugin" }',
    "node_modules/@acme/plugin/cds-plugin.js": "",
    "node_modules/other/package.json": '{ "name": "other" }',
  }, async (folder) => {
    assert.deepEqual((await publishedProject(folder)).plugins, ["@acme/plugin"]);
  }));
