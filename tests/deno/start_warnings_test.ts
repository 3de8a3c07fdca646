/**
 * What a start warns of: handlers that nobody loads, profiles that nobody knows, services without generic handlers.
 *
 * @module
 */

import assert from "node:assert/strict";
import { loadProject } from "../../src/deno/mod.ts";
import type { Runtime } from "../../src/fw/runtime.ts";
import { runCommand } from "../cli/run_command.ts";
import { SMALL, withProject } from "./project.ts";
import { startCli } from "./project_processes.ts";

const HANDLERS = SMALL["srv/cat_service.ts"];

/** The warnings of a start, and what a request logs after it. */
async function warningsOf(
  files: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>> = {},
  use: (runtime: Runtime) => Promise<void> = () => Promise.resolve(),
): Promise<readonly string[]> {
  const { warn } = console;
  const lines: string[] = [];
  console.warn = (line: string) => void lines.push(line);
  try {
    await withProject(files, async (folder) => {
      const { runtime } = await loadProject(folder, { variables });
      try {
        await runtime.start();
        await use(runtime);
      } finally {
        await runtime.close();
      }
    });
  } finally {
    console.warn = warn;
  }
  return lines;
}

function withoutHandlers(more: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { "srv/cat_service.ts": _handlers, ...others } = SMALL;
  return { ...others, ...more };
}

Deno.test("a start warns of a file with handlers that belongs to no service, and names the nearest (api 3)", async () => {
  for (
    const name of [
      "srv/cat-service.ts",
      "srv/CatService.ts",
      "srv/cat_servce.ts",
      "srv/handlers/cat_service.ts",
    ]
  ) {
    const lines = await warningsOf(withoutHandlers({ [name]: HANDLERS }));
    assert.equal(lines.length, 1, `${name}: ${lines.join("\n")}`);
    assert.ok(lines[0].includes(`${name} has handlers, but belongs to no service`), lines[0]);
    assert.match(lines[0], /did you mean "cat_service\.ts" for "CatService"\?/);
  }
  const [line] = await warningsOf(
    withoutHandlers({ "srv/zebra.js": "module.exports = (srv) => { srv.on('x', () => 1) }" }),
  );
  assert.match(line, /srv\/zebra\.js has handlers, but belongs to no service.*@impl/);
});

Deno.test("a start does not warn of what a handler in TypeScript was compiled to", async () => {
  assert.deepEqual(await warningsOf({ ...SMALL, "srv/cat_service.js": HANDLERS }), []);
});

Deno.test("a start does not warn of files that others import, of tests, and of files without handlers", async () => {
  const base = "import fw from '@fw/runtime';\nexport class Base extends fw.ApplicationService {}\n";
  const lines = await warningsOf({
    ...SMALL,
    "srv/base.ts": base,
    "srv/lib/more.ts": base,
    "srv/cat_service.ts": `import "./base.ts";\nimport "./lib/more.ts";\n${HANDLERS}`,
    "srv/cat_service.test.ts": HANDLERS,
    "srv/helper.ts": "export const one = 1;\n",
    "srv/server.ts": "// this.on('x') is none\n",
  });
  assert.deepEqual(lines, []);
});

Deno.test("a start warns of profiles that nothing is known of, with the nearest name (api 9)", async () => {
  const settings = '{ "log": { "[staging]": { "levels": { "default": "info" } } } }';
  for (
    const [profile, warning] of [
      ["prodution", 'The profile "prodution" is not known; did you mean "production"?'],
      ["stagin", 'The profile "stagin" is not known; did you mean "staging"?'],
      ["quality", 'The profile "quality" is not known, only development, production, test, hybrid, staging'],
    ]
  ) {
    const lines = await warningsOf({ ...SMALL, ".fwrc.json": settings }, { FW_ENV: profile });
    assert.deepEqual(lines.length, 1, lines.join("\n"));
    assert.ok(lines[0].includes(warning), lines[0]);
  }
  for (const profile of ["staging", "test,hybrid", "development"]) {
    assert.deepEqual(await warningsOf({ ...SMALL, ".fwrc.json": settings }, { FW_ENV: profile }), []);
  }
});

Deno.test("a start warns of blocks for profiles that are almost usual ones: they never have an effect", async () => {
  const settings = '{ "log": { "[prodution]": {}, "[staging]": {}, "[production]": {} } }';
  const [line, ...more] = await warningsOf({ ...SMALL, ".fwrc.json": settings }, {});
  assert.match(line, /"\[prodution\]" in \S*\.fwrc\.json has no effect; did you mean "\[production\]"\?/);
  assert.deepEqual(more, []);
});

Deno.test("fw env tells of a profile that nothing is known of", () =>
  withProject(SMALL, async (folder) => {
    const { output } = await startCli("env", folder, "--profile", "prodution").ended;
    assert.match(output, /The profile "prodution" is not known; did you mean "production"\?/);
    assert.doesNotMatch((await runCommand("env", folder)).output, /is not known/);
  }));

Deno.test("a class whose init() does not call super.init() is named at the start and in the log of a 501 (api 3)", async () => {
  const { error } = console;
  const lines = await warningsOf(
    { ...SMALL, "srv/cat_service.ts": HANDLERS.replace("return super.init();", "") },
    {},
    async (runtime) => {
      console.error = console.warn;
      try {
        const headers = { authorization: "Basic YWxpY2U6" };
        const { status } = await runtime.fetch(new Request("http://x/odata/v4/cat/Books", { headers }));
        assert.equal(status, 501);
      } finally {
        console.error = error;
      }
    },
  );
  const warnings = lines.filter((line) =>
    line.includes("init() of class CatService has not called super.init()")
  );
  assert.equal(warnings.length, 2, lines.join("\n"));
  assert.match(warnings[1], /no handler for "READ"/);
});
