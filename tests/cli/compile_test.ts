import assert from "node:assert/strict";
import { withProject } from "../deno/project.ts";
import { startCli } from "../deno/project_processes.ts";
import { runCommand } from "./run_command.ts";

const PROJECT = {
  "srv/shop.cds": "@requires: 'clerk' service Shop { @restrict: [{ to: 'boss' }] action close(); }\n",
  "base.json": JSON.stringify({
    scopes: [{ name: "$APPNAME.boss", description: "Runs the shop" }],
    "role-collections": [{ name: "Boss", description: "All", "role-template-references": ["$APPNAME.boss"] }],
  }),
};

Deno.test("fw compile writes the security descriptor of the model again and again [2.6.d.regen]", () =>
  withProject(PROJECT, async (folder) => {
    const compile = (...args: string[]) =>
      runCommand("compile", folder, "--to", "security-descriptor", ...args);
    const { code, output } = await startCli("compile", folder, "--to", "security-descriptor").ended;
    assert.equal(code, 0);
    const { scopes } = JSON.parse(output);
    assert.deepEqual(scopes.map(({ name }: { name: string }) => name), ["$APPNAME.clerk", "$APPNAME.boss"]);
    const dest = `${folder}/descriptor.json`;
    assert.deepEqual(await compile("--base", `${folder}/base.json`, "--dest", dest), { code: 0, output: "" });
    const first = await Deno.readTextFile(dest);
    const written = JSON.parse(first);
    assert.deepEqual(Object.keys(written), ["role-collections", "scopes", "attributes", "role-templates"]);
    assert.deepEqual(written.scopes.map(({ description }: { description: string }) => description), [
      "Runs the shop",
      "clerk",
    ]);
    await compile("--base", dest, "--dest", dest);
    assert.equal(await Deno.readTextFile(dest), first);
  }));

Deno.test("roles that a feature toggle brings are in the security descriptor", () =>
  withProject({
    ...PROJECT,
    "fts/parcels/parcels.cds":
      "using { Shop } from '../../srv/shop'; extend service Shop with { @requires: 'porter' action carry(); }\n",
  }, async (folder) => {
    const { output } = await runCommand("compile", folder, "--to", "security-descriptor");
    const { scopes } = JSON.parse(output);
    assert.deepEqual(scopes.map(({ description }: { description: string }) => description), [
      "clerk",
      "boss",
      "porter",
    ]);
  }));

Deno.test("fw compile writes metadata of both versions in XML and JSON (OData CSDL 4.01, clauses 3 and 4)", () =>
  withProject(PROJECT, async (folder) => {
    const compile = async (...args: string[]) => (await runCommand("compile", folder, ...args)).output;
    assert.match(await compile("--to", "edmx"), /Version="4.0"/);
    assert.match(await compile("--to", "edmx", "--odata-version", "4.01"), /Version="4.01"/);
    assert.equal(JSON.parse(await compile("--to", "csdl")).$Version, "4.0");
    assert.equal(JSON.parse(await compile("--to", "csdl", "--odata-version=4.01")).$Version, "4.01");
    assert.match(await compile("--to", "csdl", "--odata-version=5"), /Expected 4.0 or 4.01/);
  }));

Deno.test("fw compile tells that it cannot write", () =>
  withProject(PROJECT, async (folder) => {
    const { code, output } = await runCommand("compile", folder, "--dest", `${folder}/no/where.json`);
    assert.equal(code, 1);
    assert.match(output, /no\/where\.json: Cannot be written: /);
  }));

Deno.test("fw compile tells what is wrong with a base descriptor", () =>
  withProject({ ...PROJECT, "broken.json": "{" }, async (folder) => {
    for (
      const [base, message] of [
        [`${folder}/nowhere.json`, /nowhere\.json: No such file\n$/],
        [`${folder}/broken.json`, /broken\.json:1: Not valid JSON: close brace expected in column 2\n$/],
      ] as const
    ) {
      const { code, output } = await runCommand(
        "compile",
        folder,
        "--to",
        "security-descriptor",
        "--base",
        base,
      );
      assert.equal(code, 1);
      assert.match(output, message);
    }
  }));

Deno.test("fw compile --locale has labels in the language, else in that of the project, else as keys", () =>
  withProject({
    "srv/shop.cds": `using { managed } from '@sap/cds/common';
service Shop {
  entity Books : managed {
    key ID : Integer @title: '{i18n>Number}'; title : String @title: '{i18n>Title}'; rest : String @title: '{i18n>Rest}';
  }
}
`,
    "_i18n/i18n.properties": "Number=Number\nTitle=Title\n",
    "_i18n/i18n_de.properties": "Title=Titel\n",
  }, async (folder) => {
    const compile = async (...args: string[]) => (await runCommand("compile", folder, ...args)).output;
    const edmx = await compile("--to", "edmx", "--locale", "de-AT");
    for (const label of ["Number", "Titel", "{i18n>Rest}", "Angelegt am"]) {
      assert.ok(edmx.includes(`Term="Common.Label" String="${label}"`), label);
    }
    const labels = (json: string) =>
      [...json.matchAll(/"@Common\.Label": "(.*?)"/g)].map(([, label]) => label);
    assert.ok(labels(await compile("--to", "edm", "--locale=de")).includes("Titel"));
    assert.ok(labels(await compile("--to", "edm")).includes("{i18n>Title}"));
    assert.match(await compile("--to", "openapi", "--locale", "de"), /"title": "Titel"/);
    assert.match(await compile("--locale", "!"), /^Expected a language like "de" or "pt_PT" after --locale/);
  }));

Deno.test("fw compile shows mistakes with their lines and carets, each cause once", () =>
  withProject({
    "srv/a.cds":
      "entity A {\n\tkey id : Integr;\n  b : Association to Bs;\n}\nentity B { key id : Integer; }\n",
  }, async (folder) => {
    const { code, output } = await runCommand("compile", folder);
    assert.equal(code, 1);
    assert.equal(
      output.replaceAll(folder, ""),
      '/srv/a.cds:2:11: Unknown type "Integr" (did you mean "Integer"?)\n' +
        "  2 | \tkey id : Integr;\n" +
        "    | \t         ^^^^^^\n" +
        '/srv/a.cds:3:22: Unknown association target "Bs" (did you mean "B"?)\n' +
        "  3 |   b : Association to Bs;\n" +
        "    |                      ^^\n",
    );
  }));

Deno.test("fw compile warns of what is legal but suspicious", () =>
  withProject({
    "srv/a.cds":
      "using { cuid } from '@sap/cds/common';\nentity A { key id : Integer; }\nannotate Aa with @x;\n",
  }, async (folder) => {
    const { code, output } = await runCommand("compile", folder, "--to", "sql");
    assert.equal(code, 0);
    const shown = output.replaceAll(folder, "").slice(0, output.indexOf("CREATE"));
    assert.match(shown, /Warning: \/srv\/a.cds:1:9: "cuid" of using is not used\n {2}1 \| using/);
    assert.match(
      shown,
      /Warning: \/srv\/a.cds:3:10: Annotated definition "Aa" is unknown, did you mean "A"\?/,
    );
  }));

Deno.test("fw compile passes over privileges of existing projects that the start passes over, and says so", () => {
  const grant = "service Shop { @restrict: [{ grant: 'EXECUTE' }] entity A { key id : Integer; } }\n";
  return withProject({ "srv/a.cds": grant }, async (folder) => {
    const run = () => runCommand("compile", folder, "--to", "sql");
    assert.equal((await run()).code, 1);
    await Deno.writeTextFile(`${folder}/package.json`, JSON.stringify({ name: "shop", cds: { log: {} } }));
    const { code, output } = await run();
    assert.equal(code, 0);
    assert.match(output, /Warning: It grants nothing: .*srv\/a.cds:1:.*"EXECUTE" in grant/);
  });
});
