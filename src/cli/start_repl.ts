/**
 * What the process of `fw repl` does before it reads its first line.
 *
 * @module
 */

import { loadProject } from "../deno/load_project.ts";
import { fw } from "../fw.ts";
import type { Runtime } from "../fw/runtime.ts";
import "../globals.ts";
import { describeFailure } from "./describe_mistakes.ts";
import { INCOMPLETE } from "./repl_command.ts";
import { unqualified } from "../util/unqualified.ts";

/**
 * Starts a project and makes the facade and the services global; ends the process if that is not possible.
 *
 * @param folder root of the project
 */
export async function startRepl(folder: string): Promise<void> {
  try {
    // who reads and writes the database directly is not asked for roles either
    fw.User.default = fw.User.privileged;
    const { runtime } = await loadProject(folder, { env: { log: { levels: { default: "warn" } } } });
    await runtime.start();
    takeLocalNames(runtime);
    const names = nameServices(runtime);
    if (!Deno.stdin.isTerminal()) expectEnd();
    else {
      console.log(
        `${runtime.name}: fw, SELECT, INSERT, UPSERT, UPDATE, DELETE, ${names.join(", ")}; Ctrl+D ends`,
      );
    }
  } catch (error) {
    const reason = describeFailure(error);
    if (reason === undefined) throw error;
    console.error(`Cannot start: ${reason}`);
    Deno.exit(1);
  }
}

/** The loop ends with its input, without `unload`, or by `Deno.exit()`: the last line of the input, or one before. */
function expectEnd(): void {
  Deno.exitCode = INCOMPLETE;
  addEventListener("unload", () => {
    if (Deno.exitCode === INCOMPLETE) Deno.exitCode = 0;
  });
}

/** `Books` means the entity of that name, also in queries on the database, which otherwise want full names. */
function takeLocalNames({ db, model }: Runtime): void {
  if (!db) return;
  const entities = model.entities();
  const qualify = (name: string) => model.entity(name) ? name : entities[name]?.name ?? name;
  Object.defineProperty(db, "qualify", { value: qualify });
  // with a handler, queries pass through the service, which resolves their names
  db.before("*", () => {});
}

/** Services by their local names, unless something else has the name. */
function nameServices(runtime: Runtime): readonly string[] {
  Object.assign(globalThis, { fw });
  const named = Object.entries(runtime.services).map(([name, service]) =>
    [unqualified(name), service] as const
  )
    .filter(([name]) => /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) && !(name in globalThis));
  Object.assign(globalThis, Object.fromEntries(named));
  return named.map(([name]) => name);
}
