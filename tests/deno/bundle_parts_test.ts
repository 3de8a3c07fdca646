import assert from "node:assert/strict";
import { toEnvironment } from "../../src/config/environment.ts";
import { absentModules, type PartChoice, partsLeftOut } from "../../src/deno/bundle_parts.ts";
import { AppRouter as WithRoutes } from "../../src/fw/app_router.ts";
import { AppRouter } from "../../src/fw/no_app_router.ts";
import { AsyncRequests } from "../../src/odata/async/no_async_requests.ts";
import type { Answer, Exchange } from "../../src/odata/exchange.ts";
import { HeaderList } from "../../src/odata/header_list.ts";
import { Middlewares } from "../../src/http/middlewares.ts";
import { csnOf, linkModel } from "../../src/model/link_model.ts";

const BOOKS = { kind: "entity", elements: { ID: { key: true, type: "cds.Integer" } } } as const;

/** Values that nobody reads but the part itself, and calls of it. */
const OWN_VALUES = new Set([
  "APPLICATION_PREFIX",
  "EDM",
  "EDMX",
  "PLAIN",
  "PLATFORM_PATH",
  "POSTGRES",
  "QUEUE_SEQUENCE",
  "SQLITE",
]);

/** Parts that annotations of the model ask for. */
const OF_MODELS = ["drafts", "constraints", "flows", "trees"];

/** The parts that a project leaves out. */
function leftOut(
  env: Readonly<Record<string, unknown>>,
  service: Readonly<Record<string, unknown>> = {},
  choice?: PartChoice,
): readonly string[] {
  const definitions = { Shop: { kind: "service", ...service }, "Shop.Books": { ...BOOKS, ...service } };
  const model = csnOf(linkModel({ definitions } as Parameters<typeof linkModel>[0]));
  return partsLeftOut({ model, toggles: {}, env: toEnvironment(env, ["production"]) }, choice);
}

Deno.test("a bundle leaves out what neither the configuration nor the model asks for", () => {
  const bare = leftOut({ requires: { db: { kind: "memory" } } });
  for (
    const name of [
      "tokens",
      "remote",
      "messaging",
      "tenants",
      "rest",
      "inference",
      "toggles",
      "sql",
      "limits",
      "welcome",
      ...OF_MODELS,
    ]
  ) {
    assert.ok(bare.includes(name), name);
  }
  for (const name of ["batch", "apply", "cql", "live", "metadata", "outbox", "letters", "tracking"]) {
    assert.ok(!bare.includes(name), name);
  }
  const requires = {
    auth: { kind: "jwt" },
    db: { kind: "d1" },
    messaging: { kind: "local-messaging" },
    Reviews: { kind: "odata" },
  };
  const asked = leftOut({
    requires,
    server: { live: false, rate_limits: { per_user: 5 } },
    console: { requires: "admin" },
    outbox: false,
  }, {
    "@protocol": "rest",
    "@odata.draft.enabled": true,
    "@flow.status": "ID",
    "@hierarchy": { "=": "parent" },
    "elements": {
      ID: { key: true, type: "cds.Integer", "@assert": { xpr: [{ val: null }] } },
      parent: { type: "cds.Association", target: "Shop.Books", keys: [{ ref: ["ID"] }] },
    },
  });
  for (const name of ["tokens", "remote", "messaging", "rest", "sql", "limits", "welcome", ...OF_MODELS]) {
    assert.ok(!asked.includes(name), name);
  }
  for (const name of ["live", "outbox"]) assert.ok(asked.includes(name), name);
  // only by name
  for (const name of ["telemetry", "openapi", "compile"]) assert.ok(asked.includes(name), name);
});

Deno.test("a bundle has own routes and an outbox where the program names them, or nobody knows what it does", () => {
  const env = (more: Readonly<Record<string, unknown>>) =>
    toEnvironment({ requires: { db: { kind: "memory" } }, server: { live: false }, ...more }, ["production"]);
  const parts = (program: string | undefined, more: Readonly<Record<string, unknown>> = {}) => {
    const model = csnOf(linkModel({ definitions: { "Shop.Books": BOOKS } }));
    const absent = partsLeftOut({ model, toggles: {}, env: env(more), program });
    return ["outbox", "async", "letters", "routes"].filter((name) => !absent.includes(name));
  };
  const all = ["outbox", "async", "letters", "routes"];
  assert.deepEqual(parts(undefined), all);
  assert.deepEqual(parts('fw.emit("application",wrapped.sapphire)'), []);
  assert.deepEqual(parts('fw.app.get("/",()=>{})'), ["routes"]);
  assert.deepEqual(parts('fw.on("bootstrap",a=>{})'), ["routes"]);
  assert.deepEqual(parts("", { server: { live: false, index: true } }), ["routes"]);
  assert.deepEqual(parts("", { server: { live: false, metrics: { requires: "any" } } }), ["routes"]);
  for (const program of ["fw.queued(srv)", 'this.schedule("x").after(1)', "await fw.outbox.flush()"]) {
    assert.deepEqual(parts(program), all, program);
  }
  assert.deepEqual(parts("", { outbox: true }), all);
  assert.deepEqual(parts("", { server: {} }), all);
  const requires = { db: { kind: "memory" }, Reviews: { kind: "odata", outboxed: true } };
  assert.deepEqual(parts("", { requires }), all);
  assert.deepEqual(parts("fw.queued(srv)", { outbox: false }), []);
});

Deno.test("a bundle without own routes finds nothing there, and refuses them with the part that is missing", () => {
  const app = new AppRouter();
  assert.deepEqual(app.methods(), []);
  assert.throws(() => app.fetch(), { status: 404 });
  const names = ["get", "post", "put", "patch", "delete", "all", "use", "serve", "listen"] as const;
  for (const name of names) assert.throws(() => app[name](), { status: 501, message: /--with routes"/ });
  const routes: object = new WithRoutes({ middlewares: new Middlewares(), streamBytes: 1 });
  const members = [...Object.keys(routes), ...Object.getOwnPropertyNames(WithRoutes.prototype)];
  assert.deepEqual(members.filter((name) => !(name in app)), []);
});

Deno.test("a bundle without asynchronous requests answers those that prefer them at once", async () => {
  const requests = new AsyncRequests();
  const answer: Answer = { status: 200, headers: new HeaderList(), body: null };
  assert.equal(requests.answer({} as Exchange, () => answer), answer);
  assert.equal(requests.isBusy(), false);
  await requests.clear();
  await requests.close();
});

Deno.test("parts of a bundle are wanted or left out by name; a name that is none is refused", () => {
  const env = { requires: { db: { kind: "memory" } } };
  const chosen = leftOut(env, {}, { with: ["remote"], without: ["apply"] });
  assert.deepEqual([chosen.includes("remote"), chosen.includes("apply")], [false, true]);
  assert.throws(
    () => leftOut(env, {}, { without: ["aply"] }),
    /A bundle has no part "aply".*did you mean "apply"/,
  );
});

Deno.test("what stands in place of a part has all that its modules export, and says what is missing", async () => {
  const without = ["apply", "batch", "cql", "delta", "letters", "live", "metadata", "outbox", "tracking"];
  const all = leftOut({}, {}, { without });
  for (const [url, text] of await absentModules(all)) {
    const replaced = await import(url);
    // modules that others take the place of have the same exports, and a test of their own
    const [, standIn] = /^export \* from "(.+)";$/m.exec(text) ?? [];
    if (standIn !== undefined) {
      assert.deepEqual(Object.keys(await import(standIn)), Object.keys(replaced), url);
      continue;
    }
    const absent = await import(`data:text/javascript,${encodeURIComponent(localErrors(text))}`);
    assert.deepEqual(Object.keys(absent).sort(), Object.keys(replaced).sort(), url);
    for (const [name, member] of Object.entries(absent) as [string, (given: unknown) => unknown][]) {
      assert.ok(typeof replaced[name] === "function" || OWN_VALUES.has(name), `${url} ${name}`);
      try {
        assert.ok([undefined, false, "given"].includes(member("given") as string), name);
      } catch (error) {
        assert.match(
          (error as Error).message,
          /^This bundle was made without .+ --with [a-z]+" makes one with it$/,
        );
        // a class is asked whether something is an instance of it
        assert.equal(({} as unknown) instanceof (member as unknown as new () => unknown), false);
      }
    }
  }
});

/** Modules of texts import no files. */
function localErrors(text: string): string {
  return text.replace(
    /^import \{ ServiceError \}.*$/m,
    "class ServiceError extends Error { constructor(o) { super(o.message); } }",
  ).replace(/^import \{ isInferred \}.*$/m, "const isInferred = ({ meta }) => meta?.flavor === 'inferred';");
}

Deno.test("models of few feature toggles need nothing that infers, but what puts them together", () => {
  const model = csnOf(linkModel({ definitions: { "Shop.Books": BOOKS } }));
  const toggles = { isbn: { definitions: {}, meta: { flavor: "inferred" } } };
  const absent = partsLeftOut({ model, toggles, env: toEnvironment({}, ["production"]) });
  assert.deepEqual([absent.includes("toggles"), absent.includes("inference")], [false, true]);
  const parsed = partsLeftOut({
    model: { definitions: {} },
    toggles,
    env: toEnvironment({}, ["production"]),
  });
  assert.deepEqual([parsed.includes("toggles"), parsed.includes("inference")], [false, false]);
});

Deno.test("a bundle takes models that were compiled before, and refuses others: nothing would check them", async () => {
  const texts = [...await absentModules(["inference"])].map(([, text]) => localErrors(text));
  const { inferModel } = await import(
    `data:text/javascript,${encodeURIComponent(texts.find((text) => text.includes("inferModel"))!)}`
  );
  const model = csnOf(linkModel({ definitions: { "Shop.Books": BOOKS } }));
  assert.equal(inferModel(model), model);
  const message = /without what infers and checks models.*: "fw build --edge --with inference" makes/;
  assert.throws(() => inferModel({ definitions: { "Shop.Books": BOOKS } }), { message });
  assert.throws(() => inferModel({ ...model, extensions: [{ annotate: "Shop.Books" }] }), { message });
});

Deno.test("dead letters are part of a bundle with an outbox or a channel, changes of one that follows them", () => {
  const parts = (env: Readonly<Record<string, unknown>>, service = {}) => {
    const absent = leftOut(env, service);
    return ["letters", "tracking"].filter((name) => !absent.includes(name));
  };
  const quiet = { outbox: false, server: { live: false } };
  assert.deepEqual(parts(quiet), []);
  assert.deepEqual(parts({ ...quiet, requires: { messaging: { kind: "local-messaging" } } }), ["letters"]);
  assert.deepEqual(parts(quiet, { "@odata.trackChanges": true }), ["tracking"]);
  assert.deepEqual(parts({ outbox: false }), ["tracking"]);
});
