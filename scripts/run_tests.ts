/**
 * Runs all tests, or those of the given paths. Test files of a folder share a process's module cache: loading the framework
 * takes longer than most of them.
 *
 *     deno task test [PATH…] [options of deno test]
 *
 * @module
 */

import { pathToFileURL } from "node:url";
import { testArguments, testGroups } from "./test_groups.ts";

const LINES = ["--lock=deno.lock", "--no-check", "-A", "--parallel"];
/** Many tests wait for other processes, so more run at a time than there are processors. */
const jobs = Deno.env.get("DENO_JOBS") ?? String(2 * navigator.hardwareConcurrency + 1);

// the tests end by it, and then this process
Deno.addSignalListener("SIGINT", () => {});

const { paths, options } = testArguments(Deno.args);
const groups = testGroups("tests", paths);
if (groups.length === 0) {
  console.error(
    `There is no test file at ${paths.join(", ")}. Use deno task test [PATH…] [options of deno test]`,
  );
  Deno.exit(2);
}
const folder = Deno.makeTempDirSync({ prefix: "fw-tests-" });
let status: number;
try {
  for (const { name, files } of groups) {
    const imports = files.map((file) => `import ${JSON.stringify(pathToFileURL(file))};\n`);
    Deno.writeTextFileSync(`${folder}/${name}_test.ts`, imports.join(""));
  }
  status = await run([...options, folder, ...paths.length === 0 ? ["--doc", "src", "mod.ts"] : []]);
} finally {
  Deno.removeSync(folder, { recursive: true });
}
Deno.exit(status);

async function run(args: readonly string[]): Promise<number> {
  const options = { args: ["test", ...LINES, ...args], env: { DENO_JOBS: jobs } };
  return (await new Deno.Command(Deno.execPath(), options).spawn().status).code;
}
