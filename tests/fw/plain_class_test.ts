import assert from "node:assert/strict";
import { ApplicationService } from "../../mod.ts";
import { createRuntime } from "../../src/fw/create_runtime.ts";
import type { ServiceRequest } from "../../src/service/requests/service_request.ts";

const MODEL = {
  definitions: {
    say: { kind: "service" },
    "say.hello": {
      kind: "function",
      params: { to: { type: "cds.String" } },
      returns: { type: "cds.String" },
    },
    "say.loud": { kind: "function", returns: { type: "cds.String" } },
    "say.Words": {
      kind: "entity",
      "@cds.persistence.skip": true,
      elements: { ID: { key: true, type: "cds.Integer" } },
      actions: { spell: { kind: "function", returns: { type: "cds.String" } } },
    },
    "say.bye": { kind: "function", returns: { type: "cds.String" } },
  },
} as const;

Deno.test("a plain class implements a service by methods that are named as its operations (api 3)", async () => {
  class Say {
    init() {
      (this as unknown as { on(event: string, handler: () => string): void }).on("bye", () => "Bye");
    }
    hello(req: ServiceRequest) {
      return `Hello ${(req.data as { to: string }).to}`;
    }
  }
  const runtime = createRuntime({
    model: MODEL,
    env: { log: { levels: { default: "silent" } }, requires: { auth: { kind: "dummy" } } },
    handlers: { say: Say as never },
  });
  const ask = async (path: string) =>
    (await (await runtime.fetch(new Request(`http://localhost/odata/v4/say/${path}`))).json()).value;
  assert.equal(await ask("hello(to='World')"), "Hello World");
  assert.equal(await ask("bye()"), "Bye");
  await runtime.close();
});

Deno.test("methods of a class of services handle operations that nothing else does, bound ones as well (api 3)", async () => {
  class Say extends ApplicationService {
    prefix = "Hello";
    override async init() {
      this.on("*", (_req: unknown, next: () => unknown) => next());
      this.on("loud", () => this.loud("explicit"));
      await super.init();
    }
    hello(req: ServiceRequest) {
      return `${this.prefix} ${(req.data as { to: string }).to}`;
    }
    loud(word: string) {
      return word.toUpperCase();
    }
    spell(req: ServiceRequest) {
      return `word ${JSON.stringify(req.params)}`;
    }
  }
  const runtime = createRuntime({
    model: MODEL,
    env: { log: { levels: { default: "silent" } }, requires: { auth: { kind: "dummy" } } },
    handlers: { say: Say },
  });
  const ask = async (path: string) =>
    (await (await runtime.fetch(new Request(`http://localhost/odata/v4/say/${path}`))).json()).value;
  assert.equal(await ask("hello(to='World')"), "Hello World");
  assert.equal(await ask("loud()"), "EXPLICIT");
  assert.equal(await ask("Words(7)/say.spell()"), 'word [{"ID":7}]');
  await runtime.close();
});
