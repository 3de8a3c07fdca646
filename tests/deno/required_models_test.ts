/**
 * Models that entries of `requires` name are loaded with the project (api 9: what `cds.requires` means).
 */

import assert from "node:assert/strict";
import { buildProject } from "../../src/deno/build_project.ts";
import { loadProject } from "../../src/deno/mod.ts";
import { SMALL, withProject } from "./project.ts";

const REVIEWS = JSON.stringify({
  definitions: {
    ReviewsService: { kind: "service", "@cds.external": true },
    "ReviewsService.Reviews": { kind: "entity", elements: { ID: { key: true, type: "cds.Integer" } } },
  },
});

/** The services of a project whose entry of `requires` names a model. */
async function servicesWith(
  model: unknown,
  files: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  let names: readonly string[] = [];
  await withProject({ ...SMALL, ...files }, async (folder) => {
    const requires = { reviews: { kind: "odata", service: "ReviewsService", model } };
    const { runtime } = await loadProject(folder, { variables: {}, env: { requires } });
    names = runtime.model.services.map(({ name }) => name).sort();
    assert.equal(names.includes("ReviewsService"), runtime.mocked.has("ReviewsService"));
    await runtime.close();
  });
  return names;
}

const FORMS: readonly [string, unknown, Readonly<Record<string, string>>][] = [
  ["a file without its suffix", "srv/external/Reviews", { "srv/external/Reviews.csn": REVIEWS }],
  ["a file", "./models/reviews.cds", { "models/reviews.cds": "service ReviewsService {}" }],
  ["a file that is compiled anyway", ["srv/reviews"], { "srv/reviews.cds": "service ReviewsService {}" }],
  ["a folder", "reviews/", {
    "reviews/a.cds": "service ReviewsService {}",
    "reviews/b.cds": "type A : String;",
  }],
  ["a package", "@acme/reviews", {
    "node_modules/@acme/reviews/package.json": '{"cds": {"main": "./model"}}',
    "node_modules/@acme/reviews/model.csn": REVIEWS,
  }],
];

const NO_MODEL = {
  name: "ConfigurationError",
  message: /^"fw\.requires\.reviews\.model" names "srv\/external\/Reviews", but there is no such model/,
};

for (const [what, model, files] of FORMS) {
  Deno.test(`"fw.requires.<name>.model" may name ${what}`, async () => {
    assert.deepEqual(await servicesWith(model, files), ["CatService", "ReviewsService"]);
  });
}

Deno.test('"fw.requires.<name>.model" that names nothing stops the start with its key', () =>
  assert.rejects(servicesWith("srv/external/Reviews", {}), NO_MODEL));

Deno.test("a model of a required service that is not there is said in existing projects, outside production", () => {
  const cds = { requires: { reviews: { kind: "odata", model: "srv/external/Reviews" } } };
  return withProject({ ...SMALL, "package.json": JSON.stringify({ cds }) }, async (folder) => {
    const { runtime } = await loadProject(folder, { variables: {} });
    assert.match(runtime.env.remarks.take()[0], NO_MODEL.message);
    await runtime.close();
    await assert.rejects(loadProject(folder, { variables: {}, env: { strict: true } }), NO_MODEL);
    await assert.rejects(loadProject(folder, { variables: { FW_ENV: "production" } }), NO_MODEL);
  });
});

Deno.test('"*" as model of a required service means what is served anyway', async () => {
  assert.deepEqual(await servicesWith("*", {}), ["CatService"]);
});

Deno.test("fw build writes the models of required services, which production does not look for again", () =>
  withProject({
    ...SMALL,
    "srv/external/Reviews.csn": REVIEWS,
    ".fwrc.json": JSON.stringify({
      requires: {
        auth: { kind: "mocked" },
        db: { kind: "sqlite" },
        ReviewsService: {
          kind: "odata",
          model: "srv/external/Reviews",
          credentials: { url: "http://localhost:1" },
        },
      },
    }),
  }, async (folder) => {
    await buildProject(folder);
    await Deno.remove(`${folder}/srv/external`, { recursive: true });
    const { runtime, modelFiles } = await loadProject(folder, { variables: { FW_ENV: "production" } });
    assert.deepEqual(modelFiles, [`${folder}/gen/csn.json`]);
    assert.ok(runtime.model.service("ReviewsService"));
    await runtime.close();
  }));

Deno.test('"fw.requires.<name>.model" of a package that is not installed is left out, which is said', async () => {
  assert.deepEqual(await servicesWith("@acme/absent", {}), ["CatService"]);
  await withProject(SMALL, async (folder) => {
    const requires = { reviews: { model: "@acme/absent/srv" } };
    const { runtime } = await loadProject(folder, { variables: {}, env: { requires } });
    assert.deepEqual(runtime.env.remarks.take(), [
      '"requires.reviews.model" names "@acme/absent/srv", but the package is not installed: its model is left out',
    ]);
    await runtime.close();
    const strict = { requires, strict: true };
    await assert.rejects(loadProject(folder, { variables: {}, env: strict }), { name: "ConfigurationError" });
  });
});

Deno.test("folders may name more folders with models, and all folders in one", () =>
  withProject({
    ...SMALL,
    "more/a.cds": "service MoreService {}",
    "srv/x/b.cds": "service XService {}",
  }, async (folder) => {
    const env = { folders: { srv: "srv/", more: "./more/", inner: "srv/*" } };
    const { runtime } = await loadProject(folder, { variables: {}, env });
    assert.deepEqual(runtime.model.services.map(({ name }) => name).sort(), [
      "CatService",
      "MoreService",
      "XService",
    ]);
    await runtime.close();
  }));
