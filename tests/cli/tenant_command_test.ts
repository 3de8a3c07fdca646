/** What `fw tenant` says about upgrades. */

import assert from "node:assert/strict";
import { withProject } from "../deno/project.ts";
import { runCommand } from "./run_command.ts";

const FILES = {
  "srv/shop.cds": "entity db.Books { key ID : Integer; }",
  ".fwrc.json": JSON.stringify({
    outbox: false,
    requires: { multitenancy: true, db: { kind: "sqlite", credentials: { url: "shop.sqlite" } } },
  }),
};

Deno.test("an upgrade tells how many statements each tenant took, and which are upgraded is chosen", () =>
  withProject(FILES, async (folder) => {
    const fw = (...words: readonly string[]) => runCommand("tenant", ...words, folder);
    const become = (model: string) => Deno.writeTextFile(`${folder}/srv/shop.cds`, model);
    assert.deepEqual(await fw("upgrade"), { code: 0, output: "No tenants\n" });
    for (const tenant of ["t1", "t2"]) await fw("subscribe", tenant);
    assert.deepEqual(await fw("upgrade", "--jobs", "1"), {
      code: 0,
      output: "1/2 t1 is up to date\n2/2 t2 is up to date\nAll tenants are up to date\n",
    });
    await become("entity db.Books { key ID : Integer; title : String; }");
    assert.deepEqual(await fw("upgrade", "--tenant", "t1"), {
      code: 0,
      output: "1/1 t1 is upgraded with 1 statement\nAll tenants are up to date\n",
    });
    const [line] = (await fw("list")).output.split("\n");
    assert.match(line, /^t1 {20}ready {11}\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    const states = async () => (await fw("list")).output.split("\n").map((line) => line.slice(22, 36).trim());
    assert.deepEqual(await states(), ["ready", "to be upgraded", ""]);
    await become("entity db.Books { key ID : Integer; title : String; stock : Integer; year : Integer; }");
    const { output } = await fw("upgrade", "--jobs", "1");
    assert.equal(
      output,
      "1/2 t1 is upgraded with 2 statements\n2/2 t2 is upgraded with 3 statements\nAll tenants are up to date\n",
    );
  }));

Deno.test("an upgrade loses nothing, unless it may", () =>
  withProject({
    ...FILES,
    "srv/shop.cds": "entity db.Books { key ID : Integer; title : String; }",
    "db/data/db-Books.csv": "ID,title\n1,Emma\n",
  }, async (folder) => {
    const upgrade = (...words: readonly string[]) => runCommand("tenant", "upgrade", folder, ...words);
    await runCommand("tenant", "subscribe", "t1", folder);
    await Deno.writeTextFile(`${folder}/srv/shop.cds`, FILES["srv/shop.cds"]);
    await Deno.writeTextFile(`${folder}/db/data/db-Books.csv`, "ID\n1\n");
    const refused = await upgrade();
    assert.equal(refused.code, 1);
    assert.match(
      refused.output,
      /^1\/1 t1: .*column "title"[^]*\n1 of 1 tenants could not be upgraded\n$/,
    );
    const done = await upgrade("--allow-loss");
    assert.equal(done.code, 0);
    assert.match(done.output, /^1\/1 t1 is upgraded with \d+ statements\nAll tenants are up to date\n$/);
  }));

Deno.test("words of fw tenant that it does not take are a mistake of the caller", async () => {
  for (
    const [words, code, told] of [
      [["upgrade", "/a", "b"], 2, /^fw tenant upgrade takes other words /],
      [["subscribe", "t1", "/a", "b"], 2, /^fw tenant subscribe takes other words /],
      [["subscribe"], 2, /^fw tenant subscribe needs the id of a tenant /],
      [["unsubscribe"], 2, /^fw tenant unsubscribe needs the id of a tenant /],
      [["lits"], 2, /did you mean "list"\?/],
      [["subscribe", "a b"], 1, /^"a b" is no name of a tenant: /],
    ] as const
  ) {
    const ended = await runCommand("tenant", ...words);
    assert.equal(ended.code, code, words.join(" "));
    assert.match(ended.output, told);
  }
});

Deno.test("--jobs is a number from 1 to 9999", () =>
  withProject(FILES, async (folder) => {
    for (const [jobs, code] of [["1", 0], ["9999", 0], ["0", 1], ["10000", 1], ["x", 1]] as const) {
      const ended = await runCommand("tenant", "upgrade", folder, "--jobs", jobs);
      const output = code === 0 ? "No tenants\n" : `Expected a number after --jobs, but found "${jobs}"\n`;
      assert.deepEqual(ended, { code, output });
    }
  }));
