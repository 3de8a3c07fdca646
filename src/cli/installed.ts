/**
 * The command line for the whole machine: `deno install -g -A -n fw jsr:@fw/runtime/installed`. In a project it runs the
 * version that the project names, with the imports of the project.
 *
 * @module
 */

import { projectRoot } from "../deno/project_root.ts";
import { main } from "./mod.ts";
import { projectConfiguration } from "./project_configuration.ts";
import { V8_FLAGS } from "./project_files.ts";

const SIGNALS: readonly Deno.Signal[] = ["SIGINT", "SIGTERM"];

/**
 * Runs a command: in the project of the folder it is given, else of the working directory; outside of projects by itself.
 *
 * @param args the words after `fw`
 * @returns the exit code
 */
export async function runInstalled(args: readonly string[]): Promise<number> {
  const folders = [...args.slice(1).filter((word) => !word.startsWith("-")), "."];
  const project = folders.map((folder) => projectConfiguration(projectRoot(folder))).find((one) =>
    one !== undefined
  );
  if (project === undefined) return await main(args);
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", "--quiet", `--v8-flags=${V8_FLAGS}`, `--config=${project.file}`],
      ...[`${project.target}/cli`, ...args],
    ],
  }).spawn();
  // a terminal sends its signals to both: the child decides when it ends
  const handOn = SIGNALS.map((signal) => [signal, () => child.kill(signal)] as const);
  for (const [signal, listener] of handOn) Deno.addSignalListener(signal, listener);
  const { code } = await child.status;
  for (const [signal, listener] of handOn) Deno.removeSignalListener(signal, listener);
  return code;
}

if (import.meta.main) Deno.exitCode = await runInstalled(Deno.args);
