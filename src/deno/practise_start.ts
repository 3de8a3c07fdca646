/**
 * A start for practice, so that the next one is fast: modules are loaded, parsers made, functions compiled by the engine.
 *
 * @module
 */

import type { Environment } from "../config/environment.ts";
import { Remarks } from "../config/remarks.ts";
import { createRuntimeAside } from "../fw/create_runtime.ts";
import type { Runtime } from "../fw/runtime.ts";
import { servicePaths } from "../model/service_path.ts";
import { denoKinds } from "./deno_kinds.ts";
import { findModelFiles } from "./find_model_files.ts";
import { findDataFiles, loadData } from "./load_data.ts";
import { loadModel } from "./load_model.ts";
import { projectRoot } from "./project_root.ts";
import { readConfiguration } from "./read_configuration.ts";

/** What stands in for databases, brokers and identity services: nothing outside of the process notices. */
const INSIDE = {
  requires: {
    db: { kind: "sqlite", credentials: { url: ":memory:" } },
    messaging: { kind: "local-messaging" },
    auth: { kind: "mocked" },
  },
  log: { levels: { default: "silent" } },
};

/**
 * Starts the services of a project without its handlers, its plugins and all that is outside of the process, asks for rows, and
 * ends. Modules of the project are not loaded: what they are when they count, is read then. A project that cannot start is no
 * mistake here.
 *
 * @param folder the project
 * @param isUrgent whether somebody waits for the end; it is asked between two steps
 */
export async function practiseStart(folder: string, isUrgent: () => boolean): Promise<void> {
  try {
    const root = projectRoot(folder);
    const { env } = readConfiguration(root);
    const model = await loadModel(findModelFiles(root, env));
    if (await isAsked(isUrgent)) return;
    await loadKinds(env);
    const data = findDataFiles(root, env, model);
    const runtime = createRuntimeAside({
      model,
      env: INSIDE,
      kinds: denoKinds,
      data: (model) => loadData(data, model, { remarks: new Remarks(), isLenient: true }),
    });
    try {
      if (await isAsked(isUrgent)) return;
      await runtime.start();
      await askFor(runtime, isUrgent);
    } finally {
      await runtime.close();
    }
  } catch {
    // the start tells it
  }
}

/** How many answers are made. */
const ASKED = 3;

/** What the project needs in earnest is loaded, but neither opened nor connected. */
async function loadKinds({ requires }: Environment): Promise<void> {
  const { databases = {}, channels = {} } = denoKinds;
  for (const entry of Object.values(requires)) {
    const kind = entry?.kind;
    if (typeof kind !== "string") continue;
    for (const table of [databases, channels] as Readonly<Record<string, (() => unknown) | undefined>>[]) {
      if (Object.hasOwn(table, kind)) await table[kind]?.();
    }
  }
}

/** One request for each kind of answer: the services, and rows, by a URL that needs a parser. */
async function askFor(runtime: Runtime, isUrgent: () => boolean): Promise<void> {
  const paths = ["/"];
  for (const service of runtime.model.services) {
    const [entity] = service.entities;
    const [served] = servicePaths(service);
    if (entity && served) {
      paths.push(`${served.path}/${entity.name.slice(service.name.length + 1)}?$filter=1%20eq%201&$top=1`);
    }
  }
  for (const path of paths.slice(0, ASKED)) {
    if (await isAsked(isUrgent)) return;
    const headers = { authorization: `Basic ${btoa("alice:")}` };
    await (await runtime.fetch(new Request(new URL(path, "http://localhost"), { headers }))).text();
  }
}

/** After what has arrived meanwhile was noticed. */
async function isAsked(isUrgent: () => boolean): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve));
  return isUrgent();
}
