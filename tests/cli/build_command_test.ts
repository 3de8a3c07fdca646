/** What `fw build` writes, and which options exclude each other. */

import assert from "node:assert/strict";
import { withProject } from "../deno/project.ts";
import { runCommand } from "./run_command.ts";

const FILES = {
  "db/schema.cds": "entity Books { key ID : Integer; }",
  "srv/shop.cds": "using from '../db/schema'; service Shop { entity All as projection on Books; }",
  "srv/shop.js": "export default () => {};",
};

Deno.test("options of fw build that exclude each other, or lack one, are a mistake of the caller", async () => {
  const about = (name: string) => `--${name} is about a bundle: expected --server or --edge with it`;
  const load = "--load is about a folder that is served: expected it without --module, --server and --edge";
  const cases: readonly (readonly [words: readonly string[], told: string])[] = [
    [["--main", "main.ts"], about("main")],
    [["--with", "remote"], about("with")],
    [["--without", "batch"], about("without")],
    [["--module", "--main", "main.ts"], about("main")],
    [["--load", "--module"], load],
    [["--load", "--server"], load],
    [["--load", "--edge"], load],
    [["--server", "--edge"], "fw build takes one of --server and --edge"],
    [["--edge", "--module"], "fw build takes one of --edge and --module"],
  ];
  for (const [words, told] of cases) {
    const ended = await runCommand("build", "/nowhere", ...words);
    assert.deepEqual(ended, { code: 2, output: `${told} (fw help build)\n` });
  }
});

Deno.test("fw build tells which file it wrote, and what was loaded where that is wanted", () =>
  withProject(FILES, async (folder) => {
    const built = (...words: readonly string[]) => runCommand("build", folder, ...words);
    assert.deepEqual(await built(), { code: 0, output: `wrote ${folder}/gen/csn.json\n` });
    assert.deepEqual(await built("--load"), {
      code: 0,
      output: `wrote ${folder}/gen/csn.json\nloaded ${folder}/srv/shop.js\n`,
    });
    await Deno.remove(`${folder}/srv/shop.js`);
    assert.deepEqual(await built("--load"), {
      code: 0,
      output: `wrote ${folder}/gen/csn.json\nloaded no modules\n`,
    });
    assert.deepEqual(await built("--module"), { code: 0, output: `wrote ${folder}/gen/project.ts\n` });
    await Deno.writeTextFile(`${folder}/deno.lock`, '{"version":"5"}');
    assert.deepEqual(await built("--sbom"), { code: 0, output: `wrote ${folder}/gen/sbom.json\n` });
  }));
