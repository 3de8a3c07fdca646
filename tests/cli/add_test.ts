import assert from "node:assert/strict";
import { FACETS } from "../../src/cli/facets.ts";
import { addSettings } from "../../src/cli/edit_settings.ts";
import { readConfiguration } from "../../src/deno/read_configuration.ts";
import { SMALL, startCli, withProject } from "../deno/project.ts";
import { runCommand } from "./run_command.ts";

const read = (folder: string, file: string) => Deno.readTextFile(`${folder}/${file}`);

Deno.test("fw add changes deno.jsonc, keeps its comments and says what is next [design 13]", () =>
  withProject({
    ...SMALL,
    "deno.jsonc": `{
  // how it is started
  "tasks": { "start": "fw serve" },
  "fw": {
    "name": "shop", // not that of the folder
    "requires": { "db": "sqlite" },
  },
}
`,
  }, async (folder) => {
    const add = (...words: string[]) => runCommand("add", ...words, "--dest", folder);
    const { code, output } = await startCli("add", "postgres", "nats", "--dest", folder).ended;
    assert.equal(code, 0, output);
    assert.match(
      output,
      /^postgres:\n {2}deno\.jsonc: fw\.requires\.db\.\[production\]\.kind = "postgres"\n {2}next: /,
    );
    assert.match(output, /nats:\n {2}deno\.jsonc: fw\.requires\.messaging\.\[production\]\.kind = /);
    const text = await read(folder, "deno.jsonc");
    assert.match(text, /\/\/ how it is started\n/);
    assert.match(text, /"shop", \/\/ not that of the folder\n/);
    assert.equal((await add("postgres", "nats")).output, "postgres: nothing to add\nnats: nothing to add\n");
    assert.equal(await read(folder, "deno.jsonc"), text);
    const inProfile = (FW_ENV: string) => readConfiguration(folder, { variables: { FW_ENV } }).env.requires;
    assert.deepEqual([inProfile("development").db?.kind, inProfile("production").db?.kind], [
      "sqlite",
      "postgres",
    ]);
    assert.deepEqual(inProfile("development").messaging, {});
    assert.equal(inProfile("production").messaging?.kind, "nats-messaging");
  }));

Deno.test("fw add writes .fwrc.json where no file has a configuration, and files that are missing", () =>
  withProject({ ...SMALL, "deno.json": "{}\n", "Dockerfile": "FROM scratch\n" }, async (folder) => {
    const { code, output } = await runCommand("add", "sqlite", "multitenancy", "docker", "--dest", folder);
    assert.equal(code, 0, output);
    assert.deepEqual(JSON.parse(await read(folder, ".fwrc.json")), {
      requires: { db: { kind: "sqlite", credentials: { url: "db.sqlite" } }, multitenancy: true },
    });
    assert.equal(await read(folder, "deno.json"), "{}\n");
    assert.equal(await read(folder, "Dockerfile"), "FROM scratch\n");
    assert.match(output, /\.dockerignore: written\n {2}Dockerfile: left as it is\n/);
  }));

Deno.test("fw add changes nothing where the project says something else", () => {
  const files = { ...SMALL, ".fwrc.json": '{"requires":{"db":{"kind":"postgres"}}}' };
  return withProject(files, async (folder) => {
    const { code, output } = await runCommand("add", "sqlite", "--dest", folder);
    assert.equal(code, 1);
    assert.equal(output, 'sqlite: .fwrc.json has another value of fw.requires.db.kind than "sqlite"\n');
    assert.equal(await read(folder, ".fwrc.json"), files[".fwrc.json"]);
  });
});

Deno.test("fw add tells what there is, and what is wrong with a configuration", async () => {
  const unknown = await runCommand("add", "postgress");
  assert.equal(unknown.code, 2);
  assert.match(unknown.output, /^Unknown "postgress"; did you mean "postgres"\?\n\nUsage: fw add <what>/);
  assert.equal((await runCommand("add")).code, 2);
  await withProject({ "deno.jsonc": '{\n  // a comment\n  "fw": { "a" 1 }\n}\n' }, async (folder) => {
    const { code, output } = await runCommand("add", "redis", "--dest", folder);
    assert.equal(code, 1);
    assert.match(output, /^deno\.jsonc:3: Not valid JSON: colon expected in column 15\n$/);
  });
});

Deno.test("every facet gives a valid configuration, and is there when it is added again", async () => {
  for (const [name, { settings = [] }] of Object.entries(FACETS)) {
    const file = { name: ".fwrc.json", text: "{}\n", base: [] };
    const { text, added } = addSettings(file, settings);
    assert.deepEqual(added, settings, name);
    assert.deepEqual(addSettings({ ...file, text }, settings), { text, added: [], contradicted: [] });
    await withProject({ ".fwrc.json": text }, (folder) => {
      readConfiguration(folder, { variables: { FW_ENV: "production" } });
    });
  }
});
