import assert from "node:assert/strict";
import { describeProject } from "../../src/deno/describe_project.ts";
import { loadProject, type Project } from "../../src/deno/load_project.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { SMALL, withProject } from "./project.ts";

/** In production there is no database by itself. */
const SETTINGS = JSON.stringify({
  requires: { auth: { kind: "mocked" } },
  log: { levels: { default: "error" } },
});

Deno.test("a project without database says so at its start, and where a request would need one", () =>
  withProject({ ...SMALL, ".fwrc.json": SETTINGS }, async (folder) => {
    const project = await loadProject(folder, { variables: { FW_ENV: "production" } });
    const { runtime } = project;
    await runtime.start();
    const said = describeProject(project).find((line) => line.startsWith("database"));
    assert.match(said ?? "", /^database: none: "fw.requires.db"/);
    const reading = runtime.services.CatService!.read("Books").then();
    await assert.rejects(reading, { status: 501, message: /"fw.requires.db" names no database/ });
    await runtime.close();
  }));

const entity = { kind: "entity" as const, elements: { ID: { key: true, type: "cds.Integer" } } };

interface Described {
  readonly requires?: Readonly<Record<string, unknown>>;
  readonly project?: Partial<Project>;
  readonly runtime?: Readonly<Record<string, unknown>>;
  readonly security?: unknown;
}

/** What is said of a project in `/srv/shop`. */
function described({ requires = {}, project = {}, runtime = {}, security }: Described): readonly string[] {
  return describeProject({
    folder: "/srv/shop",
    ...{ modelFiles: [], dataFiles: [], configurationFiles: [], implementations: [], toggleFiles: new Map() },
    ...project,
    runtime: {
      ...{ name: "shop", version: undefined, endpoints: [], mocked: new Set(), filled: [] },
      deployedModel: linkModel({ definitions: { "my.Books": entity, "my.Authors": entity } }),
      kinds: {},
      env: { profiles: ["development"], requires, security },
      ...runtime,
    },
  } as unknown as Project);
}

/** The line that begins with a word. */
function line(word: string, how: Described): string | undefined {
  return described(how).find((text) => text.startsWith(`${word}: `))?.slice(word.length + 2);
}

Deno.test("a start names the project, its version and its profiles", () => {
  assert.equal(described({})[0], "shop (profile development)");
  const env = { profiles: ["production", "eu"], requires: {} };
  assert.equal(described({ runtime: { version: "1.2.3", env } })[0], "shop 1.2.3 (profile production, eu)");
});

Deno.test("a start lists files of model, feature toggles and configuration, those of the project by their short names", () => {
  const files = ["/srv/shop/db/schema.cds", "/srv/other.cds"];
  assert.deepEqual(
    described({
      project: {
        modelFiles: files,
        toggleFiles: new Map([["isbn", ["/srv/shop/fts/isbn/a.cds"]]]),
        configurationFiles: [".fwrc.json", "package.json"],
      },
    }).slice(1, 5),
    [
      "",
      "model:\n  db/schema.cds\n  /srv/other.cds",
      "feature toggle isbn:\n  fts/isbn/a.cds",
      "configuration:\n  .fwrc.json\n  package.json",
    ],
  );
  const one = { modelFiles: ["/srv/shop/csn.json"], configurationFiles: [".fwrc.json"] };
  assert.deepEqual(described({ project: one }).slice(2, 4), [
    "model:\n  csn.json",
    "configuration:\n  .fwrc.json",
  ]);
  assert.ok(described({})[2]!.startsWith("database: "), "what has no files has no line");
});

Deno.test("a start names the database and where it is, without its password", () => {
  const table: readonly (readonly [unknown, string])[] = [
    [{ kind: "sqlite", credentials: { url: "db.sqlite" } }, "sqlite { url: db.sqlite }"],
    [{ kind: "sqlite", credentials: { database: "db.sqlite" } }, "sqlite { url: db.sqlite }"],
    [{ kind: "sqlite" }, "sqlite { url: :memory: }"],
    [{}, "memory { url: :memory: }"],
    [
      { kind: "postgres", credentials: { uri: "postgres://me:secret@host/db" } },
      "postgres { url: postgres://***@host/db }",
    ],
    [
      { kind: "postgres", credentials: { url: "postgres://a", uri: "postgres://b" } },
      "postgres { url: postgres://a }",
    ],
    [{ kind: "postgres", credentials: { host: "h", database: "d" } }, "postgres { url: h/d }"],
    [
      { kind: "postgres", credentials: { hostname: "h", port: 5433, database: "d" } },
      "postgres { url: h:5433/d }",
    ],
    [{ kind: "postgres", credentials: { host: "h", hostname: "i" } }, "postgres { url: h/ }"],
  ];
  for (const [db, said] of table) assert.equal(line("database", { requires: { db } }), said);
  const kinds = { defaultDatabase: "sqlite" };
  assert.equal(line("database", { requires: { db: {} }, runtime: { kinds } }), "sqlite { url: :memory: }");
  assert.match(line("database", {})!, /^none: "fw\.requires\.db" names one/);
});

Deno.test("a start names files with rows that this start has stored", () => {
  const dataFiles = ["my-Books.csv", "my-Authors.csv", "my-None.csv"].map((name) =>
    `/srv/shop/db/data/${name}`
  );
  const said = (filled: readonly string[]) =>
    described({ project: { dataFiles }, runtime: { filled } }).filter((text) => text.includes("init from"));
  assert.deepEqual(said(["my.Books"]), ["  > init from db/data/my-Books.csv"]);
  assert.deepEqual(said([]), []);
});

Deno.test("a start tells how users are authenticated", () => {
  const table: readonly (readonly [unknown, string])[] = [
    [undefined, "none"],
    [{ kind: "mocked" }, "mocked"],
    [{ kind: "custom", impl: "srv/auth.ts" }, "custom { impl: srv/auth.ts }"],
    [{ kind: "openid" }, "openid"],
    [{ kind: "openid", issuer: "https://a" }, "openid { issuer: https://a }"],
    [
      { kind: ["openid", "basic"], issuers: ["https://a", { issuer: "https://b" }] },
      "openid and basic { issuer: https://a, https://b }",
    ],
    [
      { kind: "openid", issuer: ["https://a"], issuers: "https://b" },
      "openid { issuer: https://a, https://b }",
    ],
    [{ kind: "jwt", issuer: "https://a" }, "jwt"],
  ];
  for (const [auth, said] of table) assert.equal(line("authentication", { requires: { auth } }), said);
});

Deno.test("a start lists services with paths and implementations, and which are mocked", () => {
  const endpoints = ["Cat", "Api"].map((name) => ({
    service: { name },
    protocol: "odata",
    path: `/${name}`,
  }));
  const implementations = [{
    service: { name: "Cat" },
    file: "/srv/shop/srv/cat.ts",
  }] as unknown as Project["implementations"];
  const said = described({ project: { implementations }, runtime: { endpoints, mocked: new Set(["Api"]) } });
  assert.deepEqual(said.filter((text) => /^\w+ing /.test(text)), [
    "serving Cat { at: /Cat, protocol: odata, impl: srv/cat.ts }",
    "mocking Api { at: /Api, protocol: odata, impl: generic handlers }",
  ]);
});

Deno.test("a start lists mock users: first those with any password, with their roles", () => {
  const security = { mock: { defaultUsers: false } };
  const said = (kind: string, users: unknown) =>
    described({ requires: { auth: { kind, users } }, security }).filter((text) =>
      text.startsWith("mock users")
    );
  const users = { ann: { password: "x", roles: ["a", "b"] }, bea: {}, cleo: { roles: ["c"] } };
  assert.deepEqual(said("mocked", users), [
    "mock users, any password: bea, cleo (c)",
    "mock users, their password: ann (a, b)",
  ]);
  assert.deepEqual(said("mocked", { ann: { password: "x" } }), ["mock users, their password: ann"]);
  assert.deepEqual(said("basic", users), []);
  assert.equal(described({ requires: { auth: { kind: "mocked", users } }, security }).at(-3), "");
  assert.equal(described({ requires: { auth: { kind: "mocked" } }, security }).at(-1), "", "there are none");
  assert.notEqual(described({ requires: { auth: { kind: "mocked" } }, security }).at(-2), "");
});
