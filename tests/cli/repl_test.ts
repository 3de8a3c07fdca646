import assert from "node:assert/strict";
import { REPOSITORY, SMALL, withProject } from "../deno/project.ts";
import { startProcess } from "../deno/project_processes.ts";

function repl(folder: string, ...lines: readonly string[]) {
  return startProcess({ args: ["src/cli/mod.ts", "repl", folder], input: `${lines.join("\n")}\n` }).ended;
}

Deno.test("fw repl evaluates what is piped: queries by local names, services, the facade [design 13]", () =>
  withProject(SMALL, async (folder) => {
    const { code, output } = await repl(
      folder,
      'await SELECT.from("Books").columns("title").limit(1)',
      "await CatService.hello()",
      'const n: number = Number(await UPDATE("shop.Books", 2).with({ title: "Lady Susan" }))',
      'await CatService.read("Books", 2)',
      "fw.services.CatService === CatService",
    );
    assert.equal(code, 0);
    assert.equal(output, '[ { title: "Emma" } ]\n"one"\nundefined\n{ ID: 2, title: "Lady Susan" }\ntrue\n');
  }));

Deno.test("fw repl goes on after a mistake, as a privileged user", () =>
  withProject({
    ...SMALL,
    "srv/cat_service.cds": SMALL["srv/cat_service.cds"].replace(
      "service CatService",
      "@requires: 'admin' service CatService",
    ),
  }, async (folder) => {
    const { output } = await repl(folder, 'await SELECT.from("Boks")', "await CatService.hello()");
    assert.match(output, /Unknown entity "Boks"/);
    assert.match(output, /"one"\n$/);
  }));

Deno.test("fw repl ends with code 1 for a project that cannot start", async () => {
  const { code, output } = await repl("/nowhere", "1 + 1");
  assert.equal(code, 1);
  assert.match(output, /^Cannot start: .*(?:No model found|There is no such folder)/);
});

Deno.test("fw repl runs in any working directory, with a profile", () =>
  withProject({ ...SMALL, ".fwrc.json": '{"[hybrid]":{"name":"mixed"}}' }, async (folder) => {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-lock", `${REPOSITORY}src/cli/mod.ts`, "repl", "--profile", "hybrid"],
      cwd: folder,
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    await new Blob(["fw.env.name\n"]).stream().pipeTo(child.stdin);
    const { stdout } = await child.output();
    assert.equal(new TextDecoder().decode(stdout), '"mixed"\n');
  }));

Deno.test("fw repl says so when its input ends in the middle of an expression, and nothing else does", () =>
  withProject(SMALL, async (folder) => {
    assert.deepEqual(await repl(folder, "1 + 1", 'SELECT.from("Books").where('), {
      code: 1,
      output: "2\nThe input ends in the middle of an expression, which was not evaluated\n",
    });
    assert.deepEqual(await repl(folder, "[1,", "2]"), { code: 0, output: "[ 1, 2 ]\n" });
    assert.deepEqual(await repl(folder, "Deno.exit()", "1"), { code: 0, output: "" });
    assert.deepEqual(await repl(folder, "Deno.exit(3)"), { code: 3, output: "" });
  }));
