/**
 * Where files with initial rows are found, and what is said of them at the start.
 */

import assert from "node:assert/strict";
import { loadProject } from "../../src/deno/mod.ts";
import { SMALL, withProject } from "./project.ts";

const PACKAGE = {
  "node_modules/@acme/common/index.cds":
    "namespace acme; entity Units { key code : String(3); name : String; }",
  "node_modules/@acme/common/data/acme-Units.csv": "code;name\nkg;kilogram\n",
  "srv/units.cds":
    "using { acme } from '@acme/common';\nservice Units { entity All as projection on acme.Units; }",
};

async function bodyOf(folder: string, url: string): Promise<unknown> {
  const { runtime } = await loadProject(folder, {
    variables: {},
    env: { log: { levels: { default: "silent" } } },
  });
  try {
    const response = await runtime.fetch(new Request(`http://localhost${url}`));
    return ((await response.json()) as { value: unknown }).value;
  } finally {
    await runtime.close();
  }
}

Deno.test("rows of packages are loaded from beside their models", () =>
  withProject({ ...SMALL, ...PACKAGE }, async (folder) => {
    assert.deepEqual(await bodyOf(folder, "/odata/v4/units/All"), [{ code: "kg", name: "kilogram" }]);
  }));

Deno.test("a file of the project stands in for that of a package with the same name", () =>
  withProject({ ...SMALL, ...PACKAGE, "db/data/acme-Units.csv": "code;name\nm;metre\n" }, async (folder) => {
    assert.deepEqual(await bodyOf(folder, "/odata/v4/units/All"), [{ code: "m", name: "metre" }]);
  }));

Deno.test("files of single languages take the place of the one with the texts of all languages", async () => {
  const files = {
    ...SMALL,
    "db/schema.cds": "namespace shop; entity Books { key ID : Integer; title : localized String(40); }",
    "db/data/shop-Books_texts.csv": "ID;locale;title\n1;de;alle\n",
  };
  const titles = (folder: string) => bodyOf(folder, "/odata/v4/cat/Books?$select=title&sap-locale=de");
  await withProject(files, async (folder) => {
    assert.deepEqual(await titles(folder), [{ ID: 1, title: "alle" }, { ID: 2, title: "Persuasion" }]);
  });
  await withProject(
    { ...files, "db/data/shop-Books_texts_de.csv": "ID;locale;title\n2;de;eine\n" },
    async (folder) => {
      assert.deepEqual(await titles(folder), [{ ID: 1, title: "Emma" }, { ID: 2, title: "eine" }]);
    },
  );
});

Deno.test("init.js in folders for data adds rows by code: its function gets a transaction, others listen", () =>
  withProject({
    ...SMALL,
    ...PACKAGE,
    "node_modules/@acme/common/db/more.cds": "namespace acme; entity More { key ID : Integer; }",
    "node_modules/@acme/common/db/init.js": `const { INSERT } = require("@sap/cds").ql;
      module.exports = async (tx) => {
      if (await tx.exists("acme.Units", "m") || !await tx.exists("acme.Units").where({ code: "kg" })) return;
      await tx.run(INSERT.into("acme.Units").entries({ code: "m" }));
    }`,
    "db/init.js": `const cds = require("@sap/cds");
      module.exports = cds.on("served", () => cds.ql.INSERT.into("acme.Units").entries({ code: "s" }));`,
    "srv/init.js": "throw new Error('not for data')",
    "srv/more.cds": "using { acme } from '@acme/common/db/more';\nannotate acme.More with @title: 'More';",
  }, async (folder) => {
    const codes = await bodyOf(folder, "/odata/v4/units/All?$select=code") as { code: string }[];
    assert.deepEqual(codes.map(({ code }) => code), ["kg", "m", "s"]);
  }));

Deno.test("init.js that fails stops the start with its place", () =>
  withProject(
    { ...SMALL, ...PACKAGE, "db/init.js": "module.exports = () => { throw new Error('no') }" },
    async (folder) => {
      await assert.rejects(
        bodyOf(folder, "/odata/v4/units/All"),
        /db\/init\.js.*The module cannot add initial rows: no/s,
      );
    },
  ));

Deno.test("rows stand beside services and in JSON files, too", () =>
  withProject({
    ...SMALL,
    "db/data/shop-Books.csv": "",
    "srv/own.cds": "service Own { entity Notes { key ID : Integer; } }",
    "srv/data/Own-Notes.json": '[{"ID": 7}]',
  }, async (folder) => {
    assert.deepEqual(await bodyOf(folder, "/odata/v4/own/Notes"), [{ ID: 7 }]);
  }));

Deno.test("a start says once what of data and configuration it passes over", () =>
  withProject({
    ...SMALL,
    "db/data/shop-Bookz.csv": "ID\n1\n",
    ".cdsrc.json": '{"build": {"target": "gen"}}',
  }, async (folder) => {
    const { runtime } = await loadProject(folder, { variables: {} });
    const texts: string[] = [];
    const { warn } = console;
    console.warn = (text: string) => void texts.push(text);
    try {
      await runtime.start();
      await runtime.fetch(new Request("http://localhost/odata/v4/cat/Books"));
    } finally {
      console.warn = warn;
      await runtime.close();
    }
    assert.equal(
      texts.filter((text) => text.includes('.cdsrc.json: "cds.build" has no effect here')).length,
      1,
    );
    assert.equal(
      texts.filter((text) => text.includes('There is no entity "shop.Bookz" for this file')).length,
      1,
    );
    const strict = await loadProject(folder, { variables: {}, env: { strict: true } }).catch((error) =>
      error
    );
    assert.equal(strict.name, "ConfigurationError");
  }));
