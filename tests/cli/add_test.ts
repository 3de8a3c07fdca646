import assert from "node:assert/strict";
import { addCommand, addSettings } from "../../src/cli/add_command.ts";
import { FACETS } from "../../src/cli/facets.ts";
import { readConfiguration } from "../../src/deno/read_configuration.ts";
import { SMALL, withProject } from "../deno/project.ts";
import { startCli } from "../deno/project_processes.ts";
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
  assert.match(unknown.output, /^Unknown addition "postgress"; did you mean "postgres"\? \(fw help add\)\n$/);
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

const OPENID = ["--issuer", "https://login.example.com/realms/shop", "--audience", "shop"];

Deno.test("fw add openid writes issuer, audience and the path to the roles for production", () =>
  withProject({ ...SMALL, "deno.json": "{}\n" }, async (folder) => {
    const add = (...words: string[]) => runCommand("add", ...words, "--dest", folder);
    const { code, output } = await add("openid", ...OPENID, "--roles", "realm_access.roles");
    assert.equal(code, 0, output);
    assert.deepEqual(JSON.parse(await read(folder, ".fwrc.json")), {
      requires: {
        auth: {
          "[production]": {
            kind: "openid",
            issuer: "https://login.example.com/realms/shop",
            audience: "shop",
            claims: { roles: "realm_access.roles" },
          },
        },
      },
    });
    assert.equal((await add("openid")).output, "openid: nothing to add\n");
    const other = await add("openid", "--issuer", "https://other.example.com");
    assert.equal(other.code, 1);
    assert.match(other.output, /has another value of fw\.requires\.auth\.\[production\]\.issuer/);
  }));

Deno.test("fw add openid needs an issuer and an audience, and changes nothing without", () =>
  withProject({ ...SMALL, "deno.json": "{}\n" }, async (folder) => {
    const cases: readonly (readonly [words: readonly string[], text: RegExp])[] = [
      [["openid"], /openid: needs --issuer: issuer, exactly as "iss"/],
      [["openid", ...OPENID.slice(0, 2)], /openid: needs --audience: audience, as "aud"/],
      [
        ["openid", "--issuer", "login.example.com", ...OPENID.slice(2)],
        /openid: --issuer must be an https URL/,
      ],
      [["openid", ...OPENID, "--roles", "a..b"], /openid: --roles must be a path to a claim/],
      [["sqlite", ...OPENID], /fw add sqlite takes no option "--issuer"/],
    ];
    for (const [words, text] of cases) {
      const { code, output } = await runCommand("add", ...words, "--dest", folder);
      assert.equal(code, 2, output);
      assert.match(output, text);
    }
    await assert.rejects(read(folder, ".fwrc.json"), Deno.errors.NotFound);
  }));

Deno.test("fw add openid asks a person at the terminal for what no option gives", () =>
  withProject({ ...SMALL, "deno.json": "{}\n" }, async (folder) => {
    const asked: string[] = [];
    const answers = ["https://tenant.eu.auth0.com/", "https://api.example.com"];
    const ask = (text: string) => {
      asked.push(text);
      return answers.shift();
    };
    const code = await addCommand({ name: "add", words: ["openid"], options: { dest: folder } }, { ask });
    assert.equal(code, 0);
    assert.deepEqual(asked.map((text) => text.slice(0, 16)), ["openid: issuer, ", "openid: audience"]);
    assert.deepEqual(JSON.parse(await read(folder, ".fwrc.json")).requires.auth["[production]"], {
      kind: "openid",
      issuer: "https://tenant.eu.auth0.com/",
      audience: "https://api.example.com",
    });
  }));

Deno.test("a project made by a clone is told what ties it to this machine, by fw init and fw add docker", () =>
  withProject({}, async (parent) => {
    const folder = `${parent}/shop`;
    assert.match(
      (await runCommand("init", folder)).output,
      /\n"links" of deno\.json takes @fw\/runtime from \.\.\//,
    );
    const next = /next: an image has nothing but the folder of the project: remove "links" from deno\.json/;
    assert.match((await runCommand("add", "docker", "--dest", folder)).output, next);
    assert.doesNotMatch((await runCommand("add", "github", "--dest", folder)).output, next);
  }));
