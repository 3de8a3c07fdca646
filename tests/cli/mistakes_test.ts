/**
 * Commands that cannot do what they were told: they name file, line and what was expected, without a stack and without
 * showing secrets (design 12, 13).
 */

import assert from "node:assert/strict";
import { SMALL, withProject } from "../deno/project.ts";
import { startProcess } from "../deno/project_processes.ts";
import { runCommand } from "./run_command.ts";

/** Runs commands; each must end with code 1 and tell just this. */
async function expectMistakes(cases: readonly (readonly [args: readonly string[], output: RegExp])[]) {
  for (const [args, expected] of cases) {
    const { code, output } = await runCommand(...args);
    assert.match(output, expected, args.join(" "));
    assert.equal(code, 1, args.join(" "));
    assert.doesNotMatch(output, /^ +at |hush/m, args.join(" "));
  }
}

Deno.test("configuration that cannot be read ends commands with file and line", async () => {
  const files: Readonly<Record<string, readonly [text: string, output: RegExp]>> = {
    ".fwrc.json": [
      '{ "requires":\n{ "db": "hush" ',
      /^\.fwrc\.json:2: Not valid JSON: close brace expected in column/,
    ],
    ".cdsrc.json": ["[]", /^\.cdsrc\.json:1: Expected a JSON object\n$/],
    "package.json": ['{\n"fw": "hush" }', /^package\.json:2: "fw" must be an object\n$/],
    "deno.json": ['{\n"fw": [] }', /^deno\.json:2: "fw" must be an object\n$/],
  };
  for (const [name, [text, output]] of Object.entries(files)) {
    await withProject({ ...SMALL, [name]: text }, (folder) => expectMistakes([[["env", folder], output]]));
  }
  await withProject(SMALL, async (folder) => {
    await Deno.symlink(".fwrc.json", `${folder}/.fwrc.json`);
    await expectMistakes([[
      ["build", folder],
      /\/\.fwrc\.json: Cannot be read: Too many levels of symbolic links/,
    ]]);
  });
});

Deno.test("what ends a command shows no secret that stands in a parameter of a URL", () =>
  withProject(
    { ...SMALL, "server.js": 'throw new Error("cannot reach https://db.example/x?password=hush");' },
    (folder) =>
      expectMistakes([
        [["serve", folder], /cannot reach https:\/\/db\.example\/x\?password=\*\*\*/],
        [["compile", "nowhere.cds?password=hush"], /nowhere\.cds\?password=\*\*\*/],
      ]),
  ));

Deno.test("configuration may begin with a byte order mark", () =>
  withProject(
    { ".fwrc.json": '\uFEFF{ "server": { "port": 4711 } }', "deno.json": "\uFEFF{}" },
    async (folder) => {
      const { code, output } = await runCommand("env", folder);
      assert.equal(code, 0, output);
      assert.equal(JSON.parse(output).server.port, 4711);
    },
  ));

Deno.test("folders that are not there are neither made nor taken for empty ones", async () => {
  await withProject({ file: "" }, async (root) => {
    const nowhere = `${root}/nowhere`;
    const output = /\/nowhere: There is no such folder\n$/;
    await expectMistakes([
      [["env", nowhere], output],
      [["token", nowhere], output],
      [["add", "sqlite", "--dest", nowhere], output],
      [["env", `${root}/file`], /\/file: Expected a folder\n$/],
    ]);
    assert.deepEqual([...Deno.readDirSync(root)].map(({ name }) => name), ["file"]);
  });
});

Deno.test("files and folders that stand in the way are named", () =>
  withProject({ ...SMALL, gen: "a file", "a.csn": '{\n "definitions" }' }, async (folder) => {
    await Deno.symlink("nowhere", `${folder}/db/data/shop-More.csv`);
    const metadata = `${folder}/metadata.json`;
    await Deno.writeTextFile(
      metadata,
      '{"$Version":"4.0","$EntityContainer":"x.C","x":{"C":{"$Kind":"EntityContainer"}}}',
    );
    await expectMistakes([
      [["build", folder], /^\/\S+\/gen: Cannot be made: File exists/],
      [
        ["deploy", folder, "--to", `sqlite:${folder}/db.sqlite`],
        /^\/\S+\/shop-More\.csv: Cannot be read: No such file/,
      ],
      [["import", metadata, "--dest", `${folder}/gen/x.csn`], /^\/\S+\/gen: Cannot be made: File exists/],
      [["compile", `${folder}/a.csn`], /^\/\S+\/a\.csn:2:16: Found no JSON: /],
    ]);
    await Deno.remove(`${folder}/gen`);
    await Deno.mkdir(`${folder}/gen/csn.json`, { recursive: true });
    await expectMistakes([[["build", folder], /^\/\S+\/gen\/csn\.json: Cannot be written: Is a directory/]]);
  }));

Deno.test("fw deploy tells what is wrong with a database, and shows no password", () =>
  withProject(SMALL, (folder) => {
    const url =
      /^"url" in "fw\.requires\.db\.credentials" is no valid URL: expected postgres:\/\/user:password@host/;
    return expectMistakes([
      [["deploy", folder, "--to", "postgres://me:hush@127.0.0.1:port/test"], url],
      [["deploy", folder, "--to", "postgres://me:hu sh@/@:x"], url],
      [["deploy", folder, "--to", "postgres://me:%hush@127.0.0.1:5432/test"], url],
      [
        ["deploy", folder, "--to", `sqlite:${folder}/db/schema.cds`],
        /^The database file cannot be opened: file is not a database: \/\S+\/schema\.cds\n$/,
      ],
    ]);
  }));

Deno.test("addresses of brokers that are no URLs are not shown: they may hold a password", async () => {
  const schemes = {
    "rabbitmq-messaging": "amqp",
    "redis-messaging": "redis",
    "enterprise-messaging": "amqps",
    "http-messaging": "http",
  };
  for (const [kind, scheme] of Object.entries(schemes)) {
    const credentials = { url: `${scheme}://me:hush@host:port` };
    const configuration = { requires: { messaging: { kind, credentials } } };
    await withProject(
      { ...SMALL, ".fwrc.json": JSON.stringify(configuration) },
      (folder) =>
        expectMistakes([
          [
            ["serve", folder],
            /Cannot start: (?:\.fwrc\.json:1: )?"?fw\.requires\.messaging\.credentials\.url"? (?:is no|must be an http)/,
          ],
        ]),
    );
  }
});

Deno.test("fw deploy --dry-run makes no file", () =>
  withProject(SMALL, async (folder) => {
    const to = `sqlite:${folder}/new.sqlite`;
    const { code, output } = await runCommand("deploy", folder, "--to", to, "--dry-run");
    assert.equal(code, 0, output);
    assert.match(output, /CREATE TABLE "shop_Books"/);
    assert.equal([...Deno.readDirSync(folder)].some(({ name }) => name.startsWith("new.sqlite")), false);
  }));

Deno.test("files of databases lie below the project, wherever a command is started; those after --to do not", () => {
  const configuration = { requires: { db: { kind: "sqlite", credentials: { url: "my.sqlite" } } } };
  return withProject({ ...SMALL, ".fwrc.json": JSON.stringify(configuration) }, async (folder) => {
    assert.equal((await runCommand("deploy", folder)).code, 0);
    assert.ok(Deno.statSync(`${folder}/my.sqlite`).isFile);
    const { output } = await runCommand("deploy", folder, "--dry-run");
    assert.equal(output, "-- nothing to do\n");
    assert.equal((await runCommand("queue", "list", folder)).output, "No dead letters\n");
    const inside = await startProcess({
      args: [
        "--config",
        "deno.json",
        "src/cli/mod.ts",
        "deploy",
        folder,
        "--to",
        "sqlite:nowhere/other.sqlite",
      ],
    }).ended;
    assert.match(inside.output, /^The database file cannot be opened: .*\/nowhere\/other\.sqlite\n$/);
    assert.doesNotMatch(inside.output, /fw-project/);
  });
});

Deno.test("fw import makes no file outside of the folder for models, whatever a document says", async () => {
  const document = (namespace: string) =>
    JSON.stringify({
      $Version: "4.0",
      $EntityContainer: `${namespace}.C`,
      [namespace]: { C: { $Kind: "EntityContainer" } },
    });
  const files = {
    "evil.json": document("../../evil"),
    "good.json": document("good"),
    "a.xml": "<edmx:Edmx>\n<b",
  };
  await withProject({ ...files, "empty.json": "{}" }, (folder) =>
    expectMistakes([
      [
        ["import", `${folder}/evil.json`],
        /\/evil\.json: "\.\.\/\.\.\/evil" is no name of a service: expected letters/,
      ],
      [
        ["import", `${folder}/good.json`, "--name", "../x"],
        /\/good\.json: "\.\.\/x" is no name of a service/,
      ],
      [["import", `${folder}/empty.json`], /\/empty\.json: Expected a metadata document of OData/],
      [["import", `${folder}/a.xml`], /\/a\.xml:1:\d+: Not a metadata document in XML: /],
    ]));
});
