/** Options of `fw deploy` that exclude each other, plans, and what it tells. */

import assert from "node:assert/strict";
import { withProject } from "../deno/project.ts";
import { runCommand } from "./run_command.ts";

const FILES = {
  "db/schema.cds": "entity my.Books { key ID : Integer; title : String(20); }\n",
  "db/data/my-Books.csv": "ID,title\n1,one\n",
  ".fwrc.json": JSON.stringify({ outbox: false }),
};

Deno.test("of --plan, --apply and --dry-run only one is taken, each alone is", () =>
  withProject(FILES, async (folder) => {
    const deploy = (...words: readonly string[]) =>
      runCommand("deploy", folder, "--to", `sqlite:${folder}/db.sqlite`, ...words);
    const plan = `${folder}/plan.json`;
    for (
      const [words, told] of [
        [["--plan", plan, "--apply", plan], "--plan and --apply"],
        [["--plan", plan, "--dry-run"], "--plan and --dry-run"],
        [["--apply", plan, "--dry-run"], "--apply and --dry-run"],
      ] as const
    ) {
      assert.deepEqual(await deploy(...words), { code: 1, output: `${told} exclude each other\n` });
    }
    const dry = await deploy("--dry-run");
    assert.equal(dry.code, 0);
    assert.match(dry.output, /CREATE TABLE "my_Books"[^]*;\n/);
    const planned = await deploy("--plan", plan);
    assert.equal(planned.code, 0);
    assert.match(planned.output, /^2 statements to be reviewed in .*plan\.json\n$/);
    const { format, mode, online, losses, obstacles, statements } = JSON.parse(await Deno.readTextFile(plan));
    assert.deepEqual([format, mode, online, losses, obstacles], [1, "lossless", false, [], []]);
    assert.match(statements.join("\n"), /CREATE TABLE "my_Books"/);
    const applied = await deploy("--apply", plan);
    assert.equal(applied.code, 0, applied.output);
    assert.match(applied.output, /^Deployed with 2 statements\ninitial rows of my\.Books\n$/);
    assert.deepEqual(await deploy("--dry-run"), { code: 0, output: "-- nothing to do\n" });
    assert.deepEqual(await deploy(), { code: 0, output: "The database is up to date\n" });
    assert.match((await deploy("--history")).output, /^\S+ {2}2 statements\n {2}CREATE TABLE/);
  }));

Deno.test("what would be lost is told, and ends with 1 unless it may be", () =>
  withProject(FILES, async (folder) => {
    const deploy = (...words: readonly string[]) =>
      runCommand("deploy", folder, "--to", `sqlite:${folder}/db.sqlite`, ...words);
    assert.deepEqual(await deploy("--history"), { code: 0, output: "No deployments\n" });
    assert.equal((await deploy()).code, 0);
    await Deno.writeTextFile(`${folder}/db/schema.cds`, "entity my.Books { key ID : Integer; }\n");
    await Deno.writeTextFile(`${folder}/db/data/my-Books.csv`, "ID\n1\n");
    const plan = ["--plan", `${folder}/plan.json`];
    const lost = /would lose the values of column "title"/;
    for (const words of [["--dry-run"], plan]) {
      const refused = await deploy(...words);
      assert.deepEqual([refused.code, lost.test(refused.output)], [1, true], words[0]);
      const taken = await deploy(...words, "--allow-loss");
      assert.deepEqual([taken.code, lost.test(taken.output)], [0, true], words[0]);
    }
    const done = await deploy("--allow-loss");
    assert.equal(done.code, 0);
    assert.match(done.output, /^Deployed with 4 statements\nlost the values of column "title"/);
    await Deno.writeTextFile(
      `${folder}/db/schema.cds`,
      "entity my.Books { key ID : Integer; year : Date; }\n",
    );
    assert.deepEqual(await deploy(), { code: 0, output: "Deployed with 1 statement\n" });
    assert.match((await deploy("--history")).output, / {2}4 statements\n(?: {2}.*\n)+ {2}-- lost the values/);
  }));

Deno.test("a plan is what fw deploy --plan writes, and nothing else", () =>
  withProject(FILES, async (folder) => {
    const plan = { format: 1, mode: "lossless", online: false, state: "", losses: [], statements: [] };
    const file = `${folder}/plan.json`;
    const told = async (text: string) => {
      await Deno.writeTextFile(file, text);
      const to = `sqlite:${folder}/db.sqlite`;
      const { code, output } = await runCommand("deploy", folder, "--to", to, "--apply", file);
      assert.equal(code, 1);
      return output.replace(file, "plan.json");
    };
    const changes = [
      { format: 2 },
      { mode: "other" },
      { state: 1 },
      { statements: [1] },
      { statements: "x" },
      { losses: [1] },
    ];
    for (const text of ["[]", "null", ...changes.map((change) => JSON.stringify({ ...plan, ...change }))]) {
      assert.equal(await told(text), 'plan.json: Expected a plan as "fw deploy --plan" writes it\n', text);
    }
    assert.match(await told("{"), /^plan\.json: Expected a plan, but found: /);
    assert.doesNotMatch(await told(JSON.stringify(plan)), /Expected a plan/);
    assert.doesNotMatch(await told(JSON.stringify({ ...plan, mode: "lossy" })), /Expected a plan/);
  }));
