import assert from "node:assert/strict";
import { withProject } from "../deno/project.ts";
import { startCli, urlOf } from "../deno/project_processes.ts";
import { runCommand } from "./run_command.ts";

/** A runtime of a module that `fw build --module` has written, with entries of the configuration added. */
const MAIN = `import { createRuntime } from "@fw/runtime";
import { project } from "./gen/project.ts";
const requires = { ...project.env.requires, auth: { kind: "mocked" } };
export default createRuntime({ ...project, env: { ...project.env, requires } });
`;

/** Runs Deno in a folder as a user would, with the configuration that is there. */
async function deno(folder: string, ...args: readonly string[]): Promise<{ code: number; output: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd: folder,
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  return { code, output: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
}

Deno.test("fw init makes a project that runs, whose tests pass, and which is formatted and typed with a module of its own [design 13]", () =>
  withProject({}, async (parent) => {
    const folder = `${parent}/My Shop`;
    const { code, output } = await runCommand("init", folder);
    assert.equal(code, 0, output);
    assert.match(output, /\n {2}srv\/model\.ts\n/);
    assert.match(output, /Next:\n\n {2}cd .*My Shop\n {2}deno task watch\n {2}deno task test\n$/);
    for (
      const args of [
        ["task", "test"],
        ["fmt", "--check"],
        ["lint"],
        ["task", "types"],
        ["task", "check"],
      ]
    ) {
      if (args[1] === "check") {
        assert.equal((await runCommand("build", folder, "--module")).code, 0);
        await Deno.writeTextFile(`${folder}/main.ts`, MAIN);
      }
      const ended = await deno(folder, ...args);
      assert.equal(ended.code, 0, `${args.join(" ")}:\n${ended.output}`);
      if (args[1] === "test") assert.match(ended.output, /ok \| 3 passed \| 0 failed/);
    }
    const env = await deno(folder, "task", "--quiet", "fw", "env");
    assert.equal(JSON.parse(env.output).name, "my-shop");
    const server = startCli("serve", folder);
    try {
      const url = await urlOf(server);
      assert.match(server.output(), /impl: srv\/catalog_service\.ts/);
      const { value } = await (await fetch(`${url}/odata/v4/catalog/Books?$select=title&$top=1`)).json();
      assert.deepEqual(value, [{ ID: 11, title: "Emma" }]);
    } finally {
      await server.close();
    }
    assert.equal((await runCommand("add", "multitenancy", "--dest", folder)).code, 0);
    const ofTenants = await deno(folder, "task", "test");
    assert.match(ofTenants.output, /ok \| 3 passed \| 0 failed/, "with a database for each tenant");
  }));

Deno.test("fw init leaves a folder alone that is not empty, unless --force is given", () =>
  withProject({ "README.md": "mine\n", "notes.txt": "mine\n" }, async (folder) => {
    const { code, output } = await runCommand("init", folder);
    assert.equal(code, 1);
    assert.match(
      output,
      /is not empty: name another folder, or replace files of the same names by --force\n$/,
    );
    assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name).sort(), [
      "README.md",
      "notes.txt",
    ]);
    assert.equal((await runCommand("init", folder, "--force")).code, 0);
    assert.match(await Deno.readTextFile(`${folder}/README.md`), /^# fw-project-/);
    assert.equal(await Deno.readTextFile(`${folder}/notes.txt`), "mine\n");
  }));

Deno.test("a folder with nothing but its repository is empty for fw init; a file is no folder", () =>
  withProject({ "project/.git/config": "", "file": "" }, async (folder) => {
    assert.equal((await runCommand("init", `${folder}/project`)).code, 0);
    const { code, output } = await runCommand("init", `${folder}/file`);
    assert.equal(code, 1);
    assert.match(output, /file: Cannot be read: /);
  }));
