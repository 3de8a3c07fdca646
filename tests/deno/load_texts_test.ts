import assert from "node:assert/strict";
import type { Environment } from "../../src/config/environment.ts";
import { loadTexts } from "../../src/deno/load_texts.ts";
import { withProject } from "./project.ts";

const FILES = {
  "node_modules/acme/_i18n/i18n.properties": "a = package\npackage = yes",
  "app/_i18n/i18n.properties": "a = app\napp = yes",
  "srv/i18n/i18n.properties": "a = srv\nsrv = yes",
  "db/assets/i18n/i18n.properties": "a = db\ndb = yes",
  "_i18n/i18n.properties": "a = root\nb = label",
  "_i18n/messages.properties": "b = message",
  "_i18n/messages_de.properties": "b = Meldung",
  "_i18n/other.properties": "c = other",
  "_i18n/i18n.txt": "d = text",
  "texts/i18n_fr.properties": "a = racine",
};

/** Texts by locale, as plain objects. */
function textsIn(folder: string, i18n: unknown, ...packages: readonly string[]): unknown {
  const texts = loadTexts(folder, { i18n } as unknown as Environment, packages);
  return Object.fromEntries([...texts].map(([locale, one]) => [locale, Object.fromEntries(one)]));
}

Deno.test("texts of folders are those of packages, the app, services and data; those of the root win, and so do messages", () =>
  withProject(FILES, (folder) => {
    const own = { app: "yes", srv: "yes", db: "yes", a: "root", b: "message" };
    const german = { b: "Meldung" };
    assert.deepEqual(textsIn(folder, undefined), { "": own, de: german });
    assert.deepEqual(textsIn(folder, {}, `${folder}/node_modules/acme`), {
      "": { ...own, package: "yes" },
      de: german,
    });
  }));

Deno.test("configured folders of texts stand for the usual ones", () =>
  withProject(FILES, (folder) => {
    assert.deepEqual(textsIn(folder, { folders: ["texts"] }), { fr: { a: "racine" } });
    assert.deepEqual(textsIn(folder, { folders: [] }), {});
  }));
