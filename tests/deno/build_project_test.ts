/** What a build makes of the model of a project. */

import assert from "node:assert/strict";
import { buildProject, compileProject } from "../../src/deno/build_project.ts";
import { withProject, withSlowFiles } from "./project.ts";

const MODEL =
  "entity db.Books { key ID : Integer; }\nservice Cat { entity Books as projection on db.Books; }\n";
const WRONG = "annotate Cat.Books with @restrict: [{ grant: 'READ', where: 'nothing = 1' }];";
const TOGGLE = "using { db } from '../../db/schema';\nextend db.Books with { isbn : String; }";

Deno.test("a build keeps the files of services only, relative, and writes what toggles add beside the model", () =>
  withProject(
    { "db/schema.cds": MODEL, "fts/isbn/a.cds": TOGGLE, "gen/fts/old.json": "{}" },
    async (folder) => {
      assert.equal(await buildProject(folder), `${folder}/gen/csn.json`);
      const { definitions } = JSON.parse(await Deno.readTextFile(`${folder}/gen/csn.json`));
      assert.deepEqual(definitions.Cat.$location, { file: "db/schema.cds" });
      assert.deepEqual([definitions["db.Books"].$location, definitions["db.Books"].elements.ID.$location], [
        ...[undefined, undefined],
      ]);
      assert.deepEqual([...Deno.readDirSync(`${folder}/gen/fts`)].map(({ name }) => name), ["isbn.json"]);
      const { toggles } = await compileProject(folder);
      assert.deepEqual(Object.keys(toggles), ["isbn"]);
      assert.doesNotMatch(JSON.stringify(toggles), /\$location/);
      await Deno.remove(`${folder}/fts`, { recursive: true });
      await buildProject(folder);
      await assert.rejects(Deno.stat(`${folder}/gen/fts`), Deno.errors.NotFound, "toggles that are gone");
    },
  ));

Deno.test("a build keeps files of packages that are hoisted, and one of each folder that may have initial rows", () =>
  withProject({
    "node_modules/@acme/lib/db/a.cds":
      "entity lib.A { key ID : Integer; }\nentity lib.B { key ID : Integer; }",
    "node_modules/@acme/lib/srv/lib.cds":
      "using { lib } from '../db/a';\nservice Lib { entity A as projection on lib.A; }",
    "packages/shop/srv/shop.cds": "using from '@acme/lib/srv/lib';\nservice Shop {}",
  }, async (folder) => {
    const { model } = await compileProject(`${folder}/packages/shop`);
    const files = Object.entries(model.definitions!).map(([name, { $location }]) => [name, $location?.file]);
    assert.deepEqual(Object.fromEntries(files), {
      "lib.A": "../../node_modules/@acme/lib/db/a.cds",
      "lib.B": undefined,
      Lib: "../../node_modules/@acme/lib/srv/lib.cds",
      "Lib.A": undefined,
      Shop: "srv/shop.cds",
    });
  }));

Deno.test("a build finds mistakes in restrictions, those that only a toggle makes among them", async () => {
  const builds = (files: Readonly<Record<string, string>>) =>
    withProject({ "db/schema.cds": MODEL, ...files }, async (folder) => void await compileProject(folder));
  await builds({});
  await assert.rejects(builds({ "db/schema.cds": MODEL + WRONG }), {
    name: "ConfigurationError",
    message: /nothing/,
  });
  const toggled = { "fts/x/a.cds": `using { Cat } from '../../db/schema';\n${WRONG}` };
  await assert.rejects(builds(toggled), { name: "ConfigurationError", message: /nothing/ });
});

Deno.test("a build is written when it says so, with and without toggles", async () => {
  const kinds: readonly Readonly<Record<string, string>>[] = [
    { "gen/fts/old.json": "{}" },
    { "gen/fts/old.json": "{}", "fts/isbn/a.cds": TOGGLE },
    { "fts/isbn/a.cds": TOGGLE },
  ];
  for (const toggles of kinds) {
    await withProject(
      { "db/schema.cds": MODEL, ...toggles },
      (folder) =>
        withSlowFiles(async () => {
          const path = await buildProject(`${folder}/.`);
          assert.equal(path, `${folder}/gen/csn.json`);
          assert.ok(JSON.parse(Deno.readTextFileSync(path)).definitions.Cat);
          const built = "fts/isbn/a.cds" in toggles ? ["isbn.json"] : [];
          const names = built.length > 0
            ? [...Deno.readDirSync(`${folder}/gen/fts`)].map(({ name }) => name)
            : [];
          assert.deepEqual(names, built);
          if (built.length === 0) {
            assert.throws(() => Deno.statSync(`${folder}/gen/fts`), Deno.errors.NotFound);
          } else JSON.parse(Deno.readTextFileSync(`${folder}/gen/fts/isbn.json`));
        }),
    );
  }
});
