/** The files of a new project, written in this process. */

import assert from "node:assert/strict";
import { initCommand, writeFiles } from "../../src/cli/init_command.ts";
import { cloneFrom, SAMPLE_FILES } from "../../src/cli/project_files.ts";
import { type Ended, printedBy, withProject } from "../deno/project.ts";

/** Makes a project, where files take their time to be written. */
async function init(folder: string, force = false): Promise<Ended> {
  const { writeTextFile } = Deno;
  Object.assign(Deno, {
    writeTextFile: async (file: string, text: string) => {
      await new Promise((resolve) => setTimeout(resolve));
      await writeTextFile(file, text);
    },
  });
  try {
    return await printedBy(() =>
      initCommand({ name: "init", words: [folder], options: force ? { force } : {} })
    );
  } finally {
    Object.assign(Deno, { writeTextFile });
  }
}

Deno.test("a new project has its files, which are told in order, and what is next", () =>
  withProject({}, async (parent) => {
    const folder = `${parent}/My  Shop!`;
    const { code, output } = await init(folder);
    assert.equal(code, 0, output);
    const paths = ["deno.json", ".gitignore", "README.md", ...Object.keys(SAMPLE_FILES), "srv/model.ts"]
      .sort();
    const [list, links, next] = output.split("\n\n");
    assert.deepEqual(list.split("\n"), paths.map((path) => `  ${path}`));
    assert.match(
      links,
      new RegExp(`^"links" of deno\\.json takes @fw/runtime from ${RegExp.escape(cloneFrom(folder)!)}: `),
    );
    assert.equal(next, `The project is in ${folder}. Next:`);
    assert.ok(output.endsWith(`\n\n  cd ${folder}\n  deno task watch\n  deno task test\n`), output);
    for (const path of paths) {
      const text = await Deno.readTextFile(`${folder}/${path}`);
      if (path in SAMPLE_FILES) assert.equal(text, SAMPLE_FILES[path], path);
    }
    assert.equal(JSON.parse(await Deno.readTextFile(`${folder}/deno.json`)).fw.name, "my-shop");
    assert.match(await Deno.readTextFile(`${folder}/srv/model.ts`), /Book[^]*[^\n]\n$/);
  }));

Deno.test("a project is named as its folder is, as far as packages may be", () =>
  withProject({}, async (parent) => {
    for (const [folder, name] of [["Ä-Shop_2", "shop-2"], ["äö", "app"], ["a--b", "a-b"]]) {
      await init(`${parent}/${folder}`);
      const { fw } = JSON.parse(await Deno.readTextFile(`${parent}/${folder}/deno.json`));
      assert.equal(fw.name, name);
    }
  }));

Deno.test("a folder with something in it is left alone without --force; a repository is nothing", () =>
  withProject({ "a/mine.txt": "", "a/README.md": "mine", "b/.git/config": "" }, async (parent) => {
    await assert.rejects(init(`${parent}/a`), {
      text: `${parent}/a is not empty: name another folder, or replace files of the same names by --force`,
    });
    assert.equal(await Deno.readTextFile(`${parent}/a/README.md`), "mine");
    assert.equal((await init(`${parent}/a`, true)).code, 0);
    assert.match(await Deno.readTextFile(`${parent}/a/README.md`), /^# a\n/);
    assert.equal((await init(`${parent}/b`)).code, 0);
    await assert.rejects(init(`${parent}/a/mine.txt`), { message: /Cannot be read/ });
  }));

Deno.test("files are written with the folders they are in", () =>
  withProject({}, async (folder) => {
    await writeFiles(folder, { "a.txt": "1", "b/c/d.txt": "2" });
    assert.equal(await Deno.readTextFile(`${folder}/a.txt`), "1");
    assert.equal(await Deno.readTextFile(`${folder}/b/c/d.txt`), "2");
  }));
