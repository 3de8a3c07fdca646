import assert from "node:assert/strict";
import { loadProject, serveProject } from "../../src/deno/mod.ts";
import { runCommand } from "../cli/run_command.ts";
import { SMALL, withProject } from "./project.ts";
import { startCli, startProcess, urlOf } from "./project_processes.ts";

Deno.test("serveProject() prints model, data, services with implementation, users and URL, and serves", async () => {
  await withProject(SMALL, async (folder) => {
    const lines: string[] = [];
    const server = await serveProject(folder, { port: 0, print: (line) => lines.push(line), variables: {} });
    const printed = lines.join("\n");
    assert.match(printed, /model:\n {2}db\/schema\.cds\n {2}srv\/cat_service\.cds/);
    assert.match(printed, / {2}> init from db\/data\/shop-Books\.csv/);
    assert.match(
      printed,
      /serving CatService \{ at: \/odata\/v4\/cat, protocol: odata, impl: srv\/cat_service\.ts \}/,
    );
    assert.match(printed, /mock users, any password: alice \(admin\)/);
    assert.match(printed, new RegExp(`server listening on ${server.url} `));
    const response = await fetch(`${server.url}/odata/v4/cat/Books/$count`);
    assert.equal(await response.text(), "2");
    await server.stop();
    await server.finished;
    await assert.rejects(fetch(server.url));
  });
});

Deno.test("serveProject() tells mock users with a password of their own from the others, and keeps the password", () =>
  withProject({
    ...SMALL,
    ".fwrc.json":
      '{ "requires": { "auth": { "users": { "sally": { "password": "s3cret", "roles": ["support"] } } } } }',
  }, async (folder) => {
    const lines: string[] = [];
    const server = await serveProject(folder, { port: 0, print: (line) => lines.push(line), variables: {} });
    await server.stop();
    await server.finished;
    const printed = lines.join("\n");
    assert.match(printed, /mock users, their password: sally \(support\)\n/);
    assert.doesNotMatch(printed, /any password:.*sally|s3cret/);
  }));

const TWO_SERVICES = {
  ...SMALL,
  "srv/cat_service.cds": `${SMALL["srv/cat_service.cds"]}
    service AdminService { entity Books as projection on shop.Books; }`,
};

Deno.test("a module implements the services of its model file that it exports something for (API 3)", () =>
  withProject(TWO_SERVICES, async (folder) => {
    const lines: string[] = [];
    const server = await serveProject(folder, { port: 0, print: (line) => lines.push(line), variables: {} });
    const printed = lines.join("\n");
    assert.match(printed, /serving CatService \{.* impl: srv\/cat_service\.ts \}/);
    assert.match(printed, /serving AdminService \{.* impl: generic handlers \}/);
    const answers = ["cat/hello()", "admin/Books/$count"].map((path) =>
      fetch(`${server.url}/odata/v4/${path}`)
    );
    for (const answer of await Promise.all(answers)) {
      assert.equal(answer.status, 200);
      await answer.body?.cancel();
    }
    await server.stop();
    await server.finished;
  }));

Deno.test("serveProject() names the files whose rows it filled in, not those of tables that have rows", () =>
  withProject({
    ...SMALL,
    "db/data/shop-Pens.csv": "ID\n",
    "db/pens.cds": "entity shop.Pens { key ID : Integer; }",
  }, async (folder) => {
    const env = {
      requires: { db: { kind: "sqlite", credentials: { url: `${folder}/shop.sqlite` } } },
      log: { levels: { default: "silent" } },
    };
    const starts: string[][] = [];
    for (let i = 0; i < 2; i++) {
      const lines: string[] = [];
      const print = (line: string) => lines.push(line);
      const server = await serveProject(folder, { port: 0, print, variables: {}, env });
      starts.push(lines.filter((line) => line.includes("init from")));
      await server.stop();
    }
    assert.deepEqual(starts, [["  > init from db/data/shop-Books.csv"], []]);
  }));

Deno.test("fw serve answers requests under way when SIGTERM arrives, then ends with code 0", async () => {
  const handlers = `import fw from "@fw/runtime";
export class CatService extends fw.ApplicationService {
  override init() {
    this.on("hello", async () => {
      console.log("under way");
      await new Promise((resolve) => setTimeout(resolve, 500));
      return "done";
    });
    return super.init();
  }
}
`;
  await withProject({ ...SMALL, "srv/cat_service.ts": handlers }, async (folder) => {
    const server = startCli("serve", folder);
    try {
      const url = await urlOf(server);
      const pending = fetch(`${url}/odata/v4/cat/hello()`);
      await server.waitFor(/under way/);
      server.kill("SIGTERM");
      const response = await pending;
      assert.deepEqual([response.status, (await response.json()).value], [200, "done"]);
      assert.equal((await server.ended).code, 0);
    } finally {
      await server.close();
    }
  });
});

Deno.test("in production fw serve writes nothing but JSON lines, its end included (README, logs)", () => {
  const settings = '{ "requires": { "auth": { "kind": "mocked" }, "db": { "kind": "sqlite" } } }';
  return withProject({ ...SMALL, ".fwrc.json": settings }, async (folder) => {
    const server = startProcess({
      args: ["src/cli/mod.ts", "serve", folder],
      variables: { FW_ENV: "production" },
    });
    try {
      await urlOf(server);
      server.kill("SIGTERM");
      const { code, output } = await server.ended;
      const lines = output.trim().split("\n").map((line) => JSON.parse(line).msg as string);
      assert.equal(code, 0);
      assert.ok(lines.some((line) => /^serving CatService /.test(line)));
      // warnings have a stream of their own, which may be read later
      const end = lines.filter((line) => /^SIGTERM: requests under way are answered|^stopped$/.test(line));
      assert.deepEqual(end.map((line) => line.slice(0, 7)), ["SIGTERM", "stopped"]);
    } finally {
      await server.close();
    }
  });
});

Deno.test("a request that takes longer than fw.server.shutdownMs is cut off with a line in the log", () => {
  const handlers = `export default (srv) => srv.on("hello", () => {
    console.log("under way");
    return new Promise((resolve) => setTimeout(resolve, 20_000));
  });`;
  const settings = '{ "server": { "shutdownMs": 200 } }';
  return withProject({ ...SMALL, "srv/cat_service.ts": handlers, ".fwrc.json": settings }, async (folder) => {
    const server = startCli("serve", folder);
    try {
      const url = await urlOf(server);
      const pending = fetch(`${url}/odata/v4/cat/hello()`).catch(() => undefined);
      await server.waitFor(/under way/);
      server.kill("SIGTERM");
      const { code, output } = await server.ended;
      await pending;
      assert.equal(code, 1);
      assert.match(output, /cut off after 200 ms \("fw.server.shutdownMs"\)/);
    } finally {
      await server.close();
    }
  });
});

/** What development leaves out with a warning stops the start. */
const STRICT = { FW_CONFIG: '{"strict":true}' };

/** What stops the start: the changed files, variables, and what the last lines must say. */
const FAILURES: readonly [string, Record<string, string>, Record<string, string>, RegExp][] = [
  [
    "a wrong model",
    { "srv/cat_service.cds": "service CatService {\n  entity Books as projektion on X;\n}" },
    {},
    /Cannot start: \S*srv\/cat_service\.cds:2\b.*projektion/s,
  ],
  [
    "a model with an unknown entity",
    { "srv/cat_service.cds": "service CatService {\n  entity Books as projection on Nothing;\n}" },
    {},
    /Cannot start: \S*srv\/cat_service\.cds:2\b.*Nothing/s,
  ],
  [
    "a wrong column of a CSV file",
    { "db/data/shop-Books.csv": "ID;titel\n1;Emma\n" },
    STRICT,
    /Cannot start: \S*shop-Books\.csv:1\b.*titel/s,
  ],
  [
    "a wrong value of a CSV file",
    { "db/data/shop-Books.csv": "ID;title\n1;Emma\nx;Persuasion\n" },
    STRICT,
    /Cannot start: \S*shop-Books\.csv:3\b/,
  ],
  [
    "a wrong configuration",
    { ".fwrc.json": '{\n  "requires": {\n    "auht": { "knd": "mocked" }\n  }\n}' },
    {},
    /Cannot start: \.fwrc\.json:3: "fw\.requires\.auht\.knd" is unknown/,
  ],
  [
    "a missing implementation",
    { ".fwrc.json": '{ "services": { "CatService": { "impl": "srv/missing.ts" } } }' },
    {},
    /Cannot start: .*Expected the implementation .*srv\/missing\.ts, but there is no such file/,
  ],
  [
    "a broken implementation",
    { "srv/cat_service.ts": "export class CatService {\n  init( {\n}" },
    {},
    /Cannot start: .*srv\/cat_service\.ts:\d+:\d+: The implementation cannot be loaded: /,
  ],
  [
    "an implementation that is no service class",
    { "srv/cat_service.ts": "export class CatService {\n  init() {}\n}\n" },
    {},
    /Cannot start: \S*srv\/cat_service\.ts: The implementation of CatService must be .* derived from fw\.ApplicationService, but the class CatService is not/,
  ],
  [
    "an implementation that exports nothing for its service",
    { "srv/cat_service.ts": "export class CatServcie {}\n" },
    {},
    /Cannot start: \S*srv\/cat_service\.ts: The implementation of CatService must export .* "CatService" .* exports CatServcie/,
  ],
  [
    "an implementation that exports a class for no service of its model file",
    {
      ...TWO_SERVICES,
      "srv/cat_service.ts": `${
        SMALL["srv/cat_service.ts"]
      }\nexport class AdmnService extends fw.ApplicationService {}`,
    },
    {},
    /Cannot start: \S*srv\/cat_service\.ts: .*AdminService must export .* exports AdmnService, CatService/,
  ],
  [
    "a database that cannot be reached",
    {
      ".fwrc.json":
        '{ "requires": { "db": { "kind": "postgres", "credentials": { "url": "postgres://me:pw-1@127.0.0.1:1/x" } } } }',
    },
    {},
    /Cannot start: The database does not answer: (?!.*pw-1).*ECONNREFUSED/,
  ],
  [
    "a database file in no folder",
    {
      ".fwrc.json":
        '{ "requires": { "db": { "kind": "sqlite", "credentials": { "url": "/nowhere/x.sqlite" } } } }',
    },
    {},
    /Cannot start: The database file cannot be opened: there is no folder for \/nowhere\/x\.sqlite/,
  ],
  [
    "an address that is not of this machine",
    { ".fwrc.json": '{ "server": { "host": "192.0.2.1" } }' },
    {},
    /Cannot start: Cannot listen on port \d+ of 192\.0\.2\.1 \("fw\.server\.host"\): /,
  ],
  [
    "production without authentication",
    {},
    { FW_ENV: "production" },
    /Cannot start: "fw\.requires\.auth\.kind" is missing/,
  ],
];

for (const [what, files, variables, message] of FAILURES) {
  Deno.test(`fw serve ends with code 1, file, line and reason for ${what}`, async () => {
    await withProject({ ...SMALL, ...files }, async (folder) => {
      // variables belong to a process
      const { code, output } = Object.keys(variables).length > 0
        ? await startProcess({ args: ["src/cli/mod.ts", "serve", folder], variables }).ended
        : await runCommand("serve", folder, "--port", "0");
      assert.match(output, message);
      assert.equal(code, 1);
      assert.doesNotMatch(output, /\n\s+at .*\/src\//);
    });
  });
}

Deno.test("fw serve ends with code 1 when the port is in use", async () => {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  await withProject(SMALL, async (folder) => {
    const server = startCli("serve", folder, "--port", String(listener.addr.port));
    const { code, output } = await server.ended;
    assert.match(output, new RegExp(`Cannot start: Port ${listener.addr.port} is in use`));
    assert.equal(code, 1);
  });
  listener.close();
});

/** A project that counts in the process how often its runtime ended. */
const COUNTED = {
  ...SMALL,
  "server.js": `const cds = require("@sap/cds");
cds.on("shutdown", () => { globalThis.endedRuntimes++; });
module.exports = cds.server;
`,
};

Deno.test("the runtime ends with its server, and where its port is in use", async () => {
  const counted = globalThis as { endedRuntimes?: number };
  counted.endedRuntimes = 0;
  const options = { print: () => {}, variables: {} };
  await withProject(COUNTED, async (folder) => {
    const server = await serveProject(folder, { ...options, port: 0 });
    await withProject(COUNTED, async (other) => {
      const port = Number(new URL(server.url).port);
      await assert.rejects(serveProject(other, { ...options, port }), /is in use/);
      assert.equal(counted.endedRuntimes, 1);
    });
    await server.stop();
    assert.equal(counted.endedRuntimes, 2);
  });
  delete counted.endedRuntimes;
});

Deno.test("a project is the same by whatever path its folder is named", async () => {
  await withProject(SMALL, async (folder) => {
    const up = "../".repeat(Deno.cwd().split("/").length - 1);
    for (
      const path of [
        `${folder}/`,
        `${folder}/./srv/..`,
        folder.replaceAll("/", "//"),
        `./${up}${folder.slice(1)}`,
      ]
    ) {
      const project = await loadProject(path, {
        variables: {},
        env: { log: { levels: { default: "silent" } } },
      });
      assert.equal(project.folder, folder);
      assert.equal(project.implementations.length, 1, path);
      const response = await project.runtime.fetch(new Request("http://localhost/odata/v4/cat/hello()"));
      assert.equal((await response.json()).value, "one");
      await project.runtime.close();
    }
  });
});
