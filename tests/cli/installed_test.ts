/** What a machine has installed, and what a project names. */

import assert from "node:assert/strict";
import { REPOSITORY, SMALL, withProject } from "../deno/project.ts";
import { startProcess } from "../deno/project_processes.ts";

const LINKED = {
  "@fw/runtime": "jsr:@fw/runtime@^0.1.0",
  "@fw/runtime/": "jsr:/@fw/runtime@^0.1.0/",
  "shop/own": "./srv/own.ts",
};

/** A project whose handlers import by names that its own deno.json gives. */
function project(
  imports: Readonly<Record<string, string>>,
  version = "0.1.0",
): Readonly<Record<string, string>> {
  return {
    ...SMALL,
    "srv/own.ts": 'export const hello = (): string => "from the project";\n',
    "srv/cat_service.ts": `import fw from "@fw/runtime";
import { hello } from "shop/own";
export class CatService extends fw.ApplicationService {
  override init() {
    this.on("hello", hello);
    return super.init();
  }
}
`,
    "deno.json": JSON.stringify({ imports, links: [REPOSITORY], fw: { version } }),
  };
}

const installed = (...args: readonly string[]) => startProcess({ args: ["src/cli/installed.ts", ...args] });

Deno.test("fw installed for a machine runs a project with the imports of the project, from another folder", () =>
  withProject(project(LINKED), async (folder) => {
    const server = installed("serve", folder);
    try {
      const [, url] = await server.waitFor(/listening on (http:\S+)/);
      const { value } = await (await fetch(`${url}/odata/v4/cat/hello()`)).json();
      assert.equal(value, "from the project");
      server.kill("SIGTERM");
      assert.equal((await server.ended).code, 0, server.output());
      assert.match(server.output(), /\[server\] - stopped/, "the signal reaches the server");
    } finally {
      await server.close();
    }
  }));

Deno.test("fw installed for a machine works outside of projects, and hands on exit codes", () =>
  withProject(project(LINKED), async (folder) => {
    const version = await installed("version").ended;
    assert.match(version.output, /^\d+\.\d+\.\d+\n$/);
    const wrong = await installed("compile", folder, "--to", "pdf").ended;
    assert.notEqual(wrong.code, 0, wrong.output);
  }));

Deno.test("deno install gives a command that makes and runs projects elsewhere", () =>
  withProject({}, async (root) => {
    const deno = (cwd: string, ...args: readonly string[]) =>
      new Deno.Command(Deno.execPath(), { args: [...args], cwd, stdin: "null" }).output();
    const { code, stderr } = await deno(
      REPOSITORY,
      ...[
        "install",
        "-g",
        "-A",
        "-f",
        "-n",
        "fw",
        "--root",
        root,
        "--config",
        "deno.json",
        "src/cli/installed.ts",
      ],
    );
    assert.equal(code, 0, new TextDecoder().decode(stderr));
    const fw = (cwd: string, ...args: readonly string[]) =>
      new Deno.Command(`${root}/bin/fw`, { args: [...args], cwd, stdin: "null", env: { NO_COLOR: "1" } })
        .output();
    assert.equal((await fw(root, "init", "shop")).code, 0);
    const { imports, links } = JSON.parse(await Deno.readTextFile(`${root}/shop/deno.json`));
    assert.equal(imports["@fw/runtime"], "jsr:@fw/runtime@^0.1.0");
    assert.doesNotMatch(links[0], /^[/]|^file:/, "relative: it works where the folders lie side by side");
    const env = await fw(`${root}/shop`, "env");
    assert.equal(JSON.parse(new TextDecoder().decode(env.stdout)).name, "shop");
  }));
