/** A Durable Object that runs the contract of databases on its own storage, one test for each object. */

import { durableObjectDatabase, type DurableObjectStorage } from "../../src/db/d1/mod.ts";

type Run = () => Promise<void>;

/** The storage of the object whose test runs. */
let storage: DurableObjectStorage;
const tests = new Map<string, Run>();

// the suite registers its tests where Deno would run them
Object.assign(globalThis, { Deno: { test: (name: string, run: Run) => void tests.set(name, run) } });
const { testDatabase } = await import("../contract/database.ts");
const { testDatabaseToggles } = await import("../contract/database_toggles.ts");
testDatabase("Durable Object", (model) => durableObjectDatabase(storage)({ model, options: {} }), {
  patterns: false,
  writers: "first wins",
});
testDatabaseToggles("Durable Object", (given) => durableObjectDatabase(storage)({ ...given, options: {} }));

/** Runs a test on its storage, which is empty. */
export class Tester {
  readonly #storage: DurableObjectStorage;

  constructor(context: { readonly storage: DurableObjectStorage }) {
    this.#storage = context.storage;
  }

  async fetch(request: Request): Promise<Response> {
    storage = this.#storage;
    try {
      await tests.get(decodeURIComponent(new URL(request.url).pathname.slice(1)))!();
      return new Response("");
    } catch (error) {
      return new Response(String((error as Error).stack));
    }
  }
}

interface Env {
  readonly OBJECTS: {
    idFromName(name: string): unknown;
    get(id: unknown): { fetch(request: Request): Promise<Response> };
  };
}

export default {
  async fetch(request: Request, { OBJECTS }: Env): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === "/") return Response.json([...tests.keys()]);
    return await OBJECTS.get(OBJECTS.idFromName(pathname)).fetch(request);
  },
};
