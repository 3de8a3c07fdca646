/** The forms in which `fw compile` prints a model, in this process. */

import assert from "node:assert/strict";
import { compileCommand } from "../../src/cli/compile_command.ts";
import { withProject } from "../deno/project.ts";

const FILES = {
  "db/schema.cds":
    "@requires: 'boss' service S { entity T { key ID : Integer; name : String(20); } event E { n : Integer; } }",
};

/** What is written for a format. */
async function written(folder: string, to?: string): Promise<string> {
  const dest = `${folder}/out`;
  const options = { ...to !== undefined && { to }, dest };
  assert.equal(await compileCommand({ name: "compile", words: [folder], options }), 0);
  return await Deno.readTextFile(dest);
}

Deno.test("what is JSON is indented by two blanks, and ends with a line end", () =>
  withProject(FILES, async (folder) => {
    const csn = await written(folder);
    for (const to of ["csn", "json", "edm", "csdl", "openapi", "asyncapi", "security-descriptor"]) {
      const text = await written(folder, to);
      assert.equal(text, `${JSON.stringify(JSON.parse(text), null, 2)}\n`, to);
      assert.equal(text === csn, to === "csn" || to === "json", to);
    }
    assert.equal(await written(folder, "edm"), await written(folder, "csdl"));
  }));

Deno.test("the other forms are texts of their own", () =>
  withProject(FILES, async (folder) => {
    assert.match(await written(folder, "edmx"), /^<\?xml [^]*<EntityType Name="T">/);
    assert.match(await written(folder, "sql"), /^CREATE TABLE [^]*;\n$/);
    assert.match(await written(folder, "types"), /\bT\b[^]*\bname\b/);
    await assert.rejects(() => written(folder, "edmxx"), /edmxx[^]*edmx/);
  }));

Deno.test("texts of a language are those of the folder, or of the working directory where files are named", async () => {
  const model = "service S { @title: '{i18n>T}' entity T { key ID : Integer; } }";
  const texts = (de: string) => ({
    "_i18n/i18n.properties": "T=Thing",
    "_i18n/i18n_de.properties": `T=${de}`,
  });
  const under = (folder: string, files: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]));
  await withProject({
    ...under("here", texts("Hier")),
    ...under("there", { "srv/a.cds": model, "srv/b.cds": "type B : String;", ...texts("Dort") }),
  }, async (root) => {
    const { cwd } = Deno;
    Object.assign(Deno, { cwd: () => `${root}/here` });
    try {
      const titles = async (words: readonly string[], locale: string) => {
        const dest = `${root}/out`;
        const options = { to: "edmx", dest, locale };
        assert.equal(await compileCommand({ name: "compile", words, options }), 0);
        return /Thing|Hier|Dort/.exec(await Deno.readTextFile(dest))?.[0];
      };
      const [a, b] = [`${root}/there/srv/a.cds`, `${root}/there/srv/b.cds`];
      assert.equal(await titles([`${root}/there`], "de"), "Dort");
      assert.equal(await titles([`${root}/there`], "en"), "Thing");
      assert.equal(await titles([a], "de"), "Hier", "one file");
      assert.equal(await titles([a, b], "de"), "Hier", "several files");
      assert.equal(await titles([`${root}/there/srv/a`, b], "de"), "Hier", "names without ending");
      await assert.rejects(titles([a], "?"), {
        message: 'Expected a language like "de" or "pt_PT" after --locale, but found "?"',
      });
    } finally {
      Object.assign(Deno, { cwd });
    }
  });
});
