/**
 * The example bookshop in process, on a database of its own.
 *
 * @module
 */

import { loadProject } from "../../src/deno/mod.ts";
import type { Runtime } from "../../mod.ts";
import { REPOSITORY } from "../deno/project.ts";
import { send } from "../http/fixture.ts";

/** A bookshop that logs nothing and sends events to nobody. */
export async function openBookshop(env: Readonly<Record<string, unknown>> = {}): Promise<Runtime> {
  const project = await loadProject(`${REPOSITORY}examples/bookshop`, {
    variables: {},
    env: {
      requires: { messaging: { kind: "local-messaging" } },
      log: { levels: { default: "silent" } },
      ...env,
    },
  });
  return project.runtime;
}

/** Everything the database of the bookshop holds, to compare before and after. */
export async function contentOf(runtime: Runtime): Promise<string> {
  const entities = ["Books", "Authors", "Genres", "Orders"];
  const rows = await Promise.all(entities.map(async (entity) => {
    const expand = entity === "Books" ? "&$expand=chapters,texts" : "";
    const { status, body } = await send(runtime, `/odata/v4/admin/${entity}?$count=true${expand}`, {
      user: "alice",
    });
    if (status !== 200) throw new Error(`${entity}: ${status} ${JSON.stringify(body)}`);
    return body;
  }));
  return JSON.stringify(rows);
}
