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
