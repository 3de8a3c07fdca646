import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { withProject } from "../deno/project.ts";
import { startCli } from "../deno/project_processes.ts";
import { runCommand } from "./run_command.ts";

const SHOP = JSON.stringify({
  $Version: "4.01",
  $EntityContainer: "Shop.Container",
  Shop: {
    Book: { $Kind: "EntityType", $Key: ["ID"], ID: { $Type: "Edm.Int32" } },
    Container: { $Kind: "EntityContainer", Books: { $Collection: true, $Type: "Shop.Book" } },
  },
});

const PROJECT = {
  "db/schema.cds": "entity my.Books { key ID : Integer; title : String(20); stock : Integer; }\n",
  "db/data/my-Books.csv": "ID,title,stock\n1,one,5\n",
};

Deno.test("fw deploy brings a database to the model, prints SQL, and loses nothing that it is not allowed to (design 13)", () =>
  withProject(PROJECT, async (folder) => {
    const to = `sqlite:${folder}/db.sqlite`;
    const deploy = (...args: string[]) => runCommand("deploy", folder, "--to", to, ...args);
    const rows = () => {
      const db = new DatabaseSync(`${folder}/db.sqlite`);
      const found = db.prepare("SELECT * FROM my_Books").all();
      db.close();
      return JSON.stringify(found);
    };
    const dry = await deploy("--dry-run");
    assert.equal(dry.code, 0);
    assert.match(dry.output, /CREATE TABLE "my_Books"/);
    const done = await startCli("deploy", folder, "--to", to).ended;
    assert.match(done.output, /^Deployed with \d+ statements\ninitial rows of my\.Books\n$/);
    assert.equal(rows(), '[{"ID":1,"title":"one","stock":5}]');
    assert.deepEqual(await deploy(), { code: 0, output: "The database is up to date\n" });

    const renamed = "entity my.Books { key ID : Integer; @fw.renamedFrom: 'title' name : String(30); }\n";
    await Deno.writeTextFile(`${folder}/db/schema.cds`, renamed);
    await Deno.writeTextFile(`${folder}/db/data/my-Books.csv`, "ID,name\n1,one\n");
    const refused = await deploy();
    assert.equal(refused.code, 1);
    assert.match(refused.output, /would lose the values of column "stock" of "my.Books"/);
    const shown = await deploy("--dry-run");
    assert.equal(shown.code, 1);
    assert.match(shown.output, /-- would lose the values of column "stock"/);
    assert.equal(rows(), '[{"ID":1,"title":"one","stock":5}]');
    assert.equal((await deploy("--allow-loss")).code, 0);
    assert.equal(rows(), '[{"ID":1,"name":"one"}]');
  }));

Deno.test("fw deploy says what it needs", () =>
  withProject(PROJECT, async (folder) => {
    const nowhere = await runCommand("deploy", folder);
    assert.equal(nowhere.code, 1);
    assert.match(nowhere.output, /names no database that outlives the process/);
    const odd = await runCommand("deploy", folder, "--to", "oracle:x");
    assert.match(odd.output, /Expected "sqlite:<file>" or "postgres:\/\/…" after --to, but found "oracle:x"/);
    const to = ["--to", `sqlite:${folder}/db.sqlite`];
    const single = await runCommand("deploy", folder, ...to, "--tenant", "t1");
    assert.equal(single.code, 1);
    assert.match(single.output, /All tenants have one database: "fw\.requires\.multitenancy" is not set/);
    await Deno.writeTextFile(`${folder}/.fwrc.json`, '{ "requires": { "multitenancy": true } }');
    assert.match((await runCommand("deploy", folder, ...to)).output, /name one by --tenant/);
    const malformed = await runCommand("deploy", folder, ...to, "--tenant", "t1;x");
    assert.match(malformed.output, /"t1;x" is no name of a tenant: up to 64 letters/);
    const files = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) =>
      name.endsWith(".sqlite")
    );
    assert.deepEqual(files, []);
  }));

Deno.test("no command prints the password of a database URL, whatever is wrong with it", async () => {
  const urls = [
    "postgres://me:top%2Fsecret@127.0.0.1:1/shop",
    "postgres://me:top/secret@127.0.0.1:1/shop",
    "mysql://me:topsecret@127.0.0.1:1/shop",
    "postgres://127.0.0.1:1/shop?user=me&password=topsecret",
  ];
  for (const url of urls) {
    const settings = JSON.stringify({ requires: { db: { credentials: { url } } } });
    await withProject({ ...PROJECT, ".fwrc.json": settings }, async (folder) => {
      for (const args of [["env"], ["deploy"], ["serve"], ["deploy", "--to", url], ["queue", "list"]]) {
        const [command, ...others] = args;
        const words = command === "queue" ? [...others, folder] : [folder, ...others];
        const { output } = await runCommand(command, ...words);
        assert.doesNotMatch(output, /top.{0,3}secret/, `${url}: ${args}\n${output}`);
        if (command === "env" && url.startsWith("postgres")) assert.match(output, /"kind": "postgres"/);
      }
    });
  }
});

Deno.test("fw deploy --apply does what a reviewed plan says, and refuses it once the database, the model or the file has changed", () =>
  withProject(PROJECT, async (folder) => {
    const file = `${folder}/plan.json`;
    const deploy = (...args: string[]) =>
      runCommand("deploy", folder, "--to", `sqlite:${folder}/db.sqlite`, ...args);
    const change = (sql: string) => {
      const db = new DatabaseSync(`${folder}/db.sqlite`);
      db.exec(sql);
      db.close();
    };
    const planned = await deploy("--plan", file);
    assert.equal(planned.code, 0, planned.output);
    assert.match(planned.output, /^\d+ statements to be reviewed in .*plan\.json\n$/);
    assert.throws(() => Deno.statSync(`${folder}/db.sqlite`), Deno.errors.NotFound);
    const plan = JSON.parse(await Deno.readTextFile(file));
    assert.match(plan.statements[0], /^CREATE TABLE "my_Books"/);
    await Deno.writeTextFile(file, JSON.stringify({ ...plan, statements: ["DROP TABLE x"] }));
    assert.match((await deploy("--apply", file)).output, /The plan is not what would be done now/);
    await Deno.writeTextFile(file, JSON.stringify(plan));
    assert.match((await deploy("--apply", file)).output, /^Deployed with \d+ statements/);

    await Deno.writeTextFile(
      `${folder}/db/schema.cds`,
      "entity my.Books { key ID : Integer; title : String(20); }\n",
    );
    await Deno.writeTextFile(`${folder}/db/data/my-Books.csv`, "ID,title\n1,one\n");
    const lossy = await deploy("--plan", file, "--allow-loss");
    assert.match(lossy.output, /would lose the values of column "stock"/);
    change('ALTER TABLE "my_Books" ADD COLUMN "byHand" TEXT');
    const refused = await deploy("--apply", file);
    assert.equal(refused.code, 1);
    assert.match(refused.output, /The database has changed since the plan was made/);
    change('ALTER TABLE "my_Books" DROP COLUMN "byHand"');
    assert.match(
      (await deploy("--apply", file)).output,
      /^Deployed with .*\nlost the values of column "stock"/,
    );
    assert.match((await deploy("--apply", file)).output, /has changed since/);
    const clash = await deploy("--plan", file, "--apply", file);
    assert.match(clash.output, /--plan and --apply exclude each other/);
    await Deno.writeTextFile(file, "{}");
    assert.match((await deploy("--apply", file)).output, /plan\.json.*Expected a plan as "fw deploy --plan"/);
  }));

Deno.test("fw deploy --history tells what deployments have done, the latest first", () =>
  withProject(PROJECT, async (folder) => {
    const deploy = (...args: string[]) =>
      runCommand("deploy", folder, "--to", `sqlite:${folder}/db.sqlite`, ...args);
    assert.deepEqual(await deploy("--history"), { code: 0, output: "No deployments\n" });
    await deploy();
    await Deno.writeTextFile(
      `${folder}/db/schema.cds`,
      "entity my.Books { key ID : Integer; title : String(20); }\n",
    );
    await Deno.writeTextFile(`${folder}/db/data/my-Books.csv`, "ID,title\n1,one\n");
    await deploy("--allow-loss");
    await deploy();
    const { output } = await deploy("--history");
    const heads = output.split("\n").filter((line) => /^\d{4}-/.test(line));
    assert.equal(heads.length, 2, output);
    assert.match(
      output,
      /^\S+Z {2}\d+ statements?\n[^]*-- lost the values of column "stock"[^]*CREATE TABLE "my_Books"/,
    );
  }));

Deno.test({
  name: "at a terminal fw deploy and fw import show how far they are, and take the line away in the end",
  ignore: Deno.build.os !== "linux",
}, () =>
  withProject({ ...PROJECT, "shop.json": SHOP }, async (folder) => {
    // "script" gives a process a terminal
    const atTerminal = async (...words: readonly string[]) => {
      const line = [Deno.execPath(), "run", "-A", "--no-lock", "--quiet", "src/cli/mod.ts", ...words].join(
        " ",
      );
      const { stdout } = await new Deno.Command("script", {
        args: ["-qec", line, "/dev/null"],
        stdin: "null",
      })
        .output();
      // what takes the line away
      return new TextDecoder().decode(stdout).replaceAll("\r\x1b[K", "<");
    };
    const deployed = await atTerminal("deploy", folder, "--to", `sqlite:${folder}/db.sqlite`);
    assert.match(deployed, /<step 1 of \d+[\s\S]*<Deployed with \d+ statements/);
    const imported = await atTerminal("import", `${folder}/shop.json`, "--dest", `${folder}/shop.csn`);
    assert.match(imported, /<importing 1 kB<wrote \S+shop\.csn \(1 entity, 0 operations\)/);
  }));
