/**
 * The applications that a world is made into, and what is sent to them.
 *
 * @module
 */

import { denoKinds } from "../../../src/deno/deno_kinds.ts";
import { createSqliteDatabase } from "../../../src/db/sqlite/sqlite_database.ts";
import { createRuntime } from "../../../src/fw/create_runtime.ts";
import type { Runtime } from "../../../src/fw/runtime.ts";
import { compileCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { flatCdl, layeredCdl } from "./cdl.ts";
import { Oracle } from "./evaluate.ts";
import type { Row, Rows, World } from "./world.ts";

/** A request below the root of the service. */
export interface Sent {
  readonly method: string;
  readonly url: string;
  readonly body?: unknown;
  /** Whether it is sent as the only part of a batch. */
  readonly isBatched: boolean;
  readonly language?: string;
}

/** Status and body of an answer. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Users with other privileges, for whom the same queries are restricted in another way. */
const OTHERS = {
  nobody: { roles: [], attr: {} },
  everybody: { roles: ["r1", "r2"], attr: { p: ["x", "z"], q: ["y"] } },
};

/** The name of another user. */
export type Other = keyof typeof OTHERS;

const ROOT = "http://localhost/odata/v4/s";

/** An application of a world. */
export class App {
  readonly #runtime: Runtime;
  readonly #world: World;

  private constructor(runtime: Runtime, world: World) {
    this.#runtime = runtime;
    this.#world = world;
  }

  /** The application with its restrictions. */
  static restricted(world: World, kind: string): App {
    return App.#open(world, { text: layeredCdl(world, true), kind, data: tablesOf(world, world.rows) });
  }

  /** The same application without restrictions. */
  static open(world: World, kind: string): App {
    return App.#open(world, { text: layeredCdl(world, false), kind, data: tablesOf(world, world.rows) });
  }

  /** An application without restrictions that holds only what the user may see. */
  static reduced(world: World, kind: string): App {
    return App.#open(world, { text: flatCdl(world), kind, data: visibleRows(world) });
  }

  static #open(world: World, options: { text: string; kind: string; data: Map<string, Row[]> }): App {
    const { text, kind, data } = options;
    const model = compileCdl(["m.cds"], {
      readFile: (path) => path === "m.cds" ? text : undefined,
      isFile: (path) => path === "m.cds",
    });
    const { caller } = world;
    const users = {
      ...OTHERS,
      ...(caller ? { [caller.id]: { roles: caller.roles, attr: caller.attr } } : {}),
    };
    const auth = { kind: "mocked", id_prefix: "", users };
    const runtime = createRuntime({
      model,
      env: { log: { levels: { default: "silent" } }, requires: { auth, db: { kind } } },
      data,
      handlers: { S: (srv) => void srv.on("touch", () => "touched") },
      kinds: { ...denoKinds, databases: { sqlite: () => createSqliteDatabase } },
    });
    return new App(runtime, world);
  }

  /** Sends a request as the user of the world, or as another one. */
  async send({ method, url, body, isBatched, language }: Sent, other?: Other): Promise<Answer> {
    const id = other ?? this.#world.caller?.id;
    const headers = {
      ...(id ? { authorization: `Basic ${btoa(`${id}:`)}` } : {}),
      ...(language ? { "accept-language": language } : {}),
      ...(body !== undefined || isBatched ? { "content-type": "application/json" } : {}),
    };
    if (!isBatched) {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const request = new Request(`${ROOT}/${url}`, { method, headers, body: text });
      const response = await this.#runtime.fetch(request);
      return { status: response.status, body: parse(await response.text()) };
    }
    const part = {
      id: "1",
      method,
      url,
      ...(body === undefined ? {} : { body, headers: { "content-type": "application/json" } }),
    };
    const batch = new Request(`${ROOT}/$batch`, {
      method: "POST",
      headers,
      body: JSON.stringify({ requests: [part] }),
    });
    const response = await this.#runtime.fetch(batch);
    const answer = parse(await response.text()) as { responses?: { status: number; body?: unknown }[] };
    const [first] = answer.responses ?? [];
    return first
      ? { status: first.status, body: first.body ?? "" }
      : { status: response.status, body: answer };
  }

  /** Sends a body by another protocol than OData, as the user of the world. */
  async post(path: string, body: unknown): Promise<Answer> {
    const id = this.#world.caller?.id;
    const headers = {
      "content-type": "application/json",
      ...(id ? { authorization: `Basic ${btoa(`${id}:`)}` } : {}),
    };
    const request = new Request(`http://localhost${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    const response = await this.#runtime.fetch(request);
    return { status: response.status, body: parse(await response.text()) };
  }

  /** All rows of the database. */
  async rows(): Promise<Rows> {
    await this.#runtime.start();
    const rows: Record<string, Row[]> = {};
    for (const name of Object.keys(this.#world.rows)) {
      const found = await this.#runtime.db!.run({ SELECT: { from: { ref: [`my.${name}`] } } }) as Row[];
      rows[name] = found.map((row) => ({ ...row })).sort((a, b) => keyOf(a) < keyOf(b) ? -1 : 1);
    }
    return rows;
  }

  /** Replaces all rows of the database. */
  async restore(rows: Rows): Promise<void> {
    const { db } = this.#runtime;
    for (const name of Object.keys(rows)) await db!.run({ DELETE: { from: `my.${name}` } });
    for (const [name, entries] of Object.entries(rows)) {
      const stored = entries.map(withoutCalculated);
      if (stored.length > 0) await db!.run({ INSERT: { into: `my.${name}`, entries: stored } });
    }
  }

  /** Stops the application. */
  close(): Promise<void> {
    return this.#runtime.close();
  }
}

function keyOf(row: Row): string {
  return [row.up__ID, row.ID, row.no, row.locale].join("|");
}

function withoutCalculated({ calc: _, ...row }: Row): Row {
  return row;
}

function tablesOf(world: World, rows: Rows): Map<string, Row[]> {
  return new Map(Object.keys(world.rows).map((name) => [`my.${name}`, structuredClone(rows[name]) as Row[]]));
}

function visibleRows(world: World): Map<string, Row[]> {
  const oracle = new Oracle(world, world.rows);
  const data = new Map<string, Row[]>();
  for (const view of world.views) {
    const rows = oracle.visible(view);
    const columns = new Set([...view.keys, ...view.texts, ...view.numbers]);
    data.set(
      `S.${view.name}`,
      rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => columns.has(name)))),
    );
    const texts = world.rows[`${view.name}.texts`];
    if (texts) data.set(`S.${view.name}.texts`, texts.filter(({ ID }) => rows.some((row) => row.ID === ID)));
  }
  return data;
}

/** JSON without what only names the model. */
function parse(text: string): unknown {
  if (!text.startsWith("{")) return text;
  return JSON.parse(text, (name, value) => name === "@odata.context" ? undefined : value);
}
