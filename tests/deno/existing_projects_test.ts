/**
 * What of existing projects does not stop a start, and what is said of it.
 *
 * @module
 */

import assert from "node:assert/strict";
import { loadProject } from "../../src/deno/mod.ts";
import { SMALL, withProject } from "./project.ts";

const { "srv/cat_service.ts": _handlers, ...MODEL } = SMALL;

/** Starts a project: the statuses of requests by a mock user, and what is said. */
async function started(
  files: Readonly<Record<string, string>>,
  paths: readonly string[] = [],
  variables: Readonly<Record<string, string>> = {},
): Promise<{ readonly statuses: readonly number[]; readonly said: string }> {
  const { warn } = console;
  const said: string[] = [];
  console.warn = (line: string) => void said.push(line);
  const statuses: number[] = [];
  try {
    await withProject({ ...MODEL, ...files }, async (folder) => {
      const { runtime } = await loadProject(folder, { variables });
      try {
        await runtime.start();
        for (const path of paths) {
          const headers = { authorization: `Basic ${btoa("alice:")}` };
          const response = await runtime.fetch(new Request(`http://localhost${path}`, { headers }));
          await response.body?.cancel();
          statuses.push(response.status);
        }
      } finally {
        await runtime.close();
      }
    });
  } finally {
    console.warn = warn;
  }
  return { statuses, said: said.join("\n") };
}

function packageOf(cds: unknown): Record<string, string> {
  return { "package.json": JSON.stringify({ name: "app", cds }) };
}

const CLOSED = {
  "srv/cat_service.cds": MODEL["srv/cat_service.cds"].replace(
    "service CatService",
    "@requires: 'authenticated-user' service CatService",
  ),
};

Deno.test("mock users stand in for an identity service that is not bound, for this machine only", async () => {
  for (const auth of ["xsuaa", "ias", { kind: "jwt-auth" }]) {
    const { statuses, said } = await started({ ...CLOSED, ...packageOf({ requires: { auth } }) }, [
      "/odata/v4/cat/Books",
    ]);
    assert.deepEqual(statuses, [200]);
    assert.match(said, /no service of that kind is bound: the mock users of development stand in/);
  }
  const open = packageOf({ requires: { auth: "xsuaa" }, server: { host: "0.0.0.0" } });
  await assert.rejects(started(open), /clientid" is missing/);
  await assert.rejects(
    started(packageOf({ requires: { auth: "xsuaa" } }), [], { NODE_ENV: "production" }),
    /clientid" is missing/,
  );
  await assert.rejects(
    started(packageOf({ strict: true, requires: { auth: "xsuaa" } })),
    /no service of that kind is bound/,
  );
});

Deno.test("annotations behind an underscore are switched off", async () => {
  for (const name of ["_requires", "requires_"]) {
    const model = MODEL["srv/cat_service.cds"].replace(
      "service CatService",
      `service CatService @(${name}: 'x')`,
    );
    const { statuses, said } = await started({ "srv/cat_service.cds": model }, ["/odata/v4/cat/Books"]);
    assert.deepEqual(statuses, [200]);
    assert.match(said, new RegExp(`@${name} of "CatService" has no effect: .* it is @requires`));
  }
});

Deno.test("a mocked service gives way to an own one at the same path", async () => {
  const { statuses, said } = await started({
    ...packageOf({ requires: { Api: { kind: "odata", model: "srv/external/Api" } } }),
    "srv/external/Api.cds": "@path: 'cat' service Api { entity Parts { key ID : Integer; } }",
  }, ["/odata/v4/cat/Books", "/odata/v4/cat/Parts"]);
  assert.deepEqual(statuses, [200, 404]);
  assert.match(said, /Api, which is mocked, is called in this process only/);
});

Deno.test("what only a binding describes is stood in for outside production: databases and channels", async () => {
  const requires = { db: { kind: "postgres" }, messaging: { kind: "enterprise-messaging" } };
  for (const db of [requires.db, { kind: "other" }]) {
    const files = packageOf({ requires: { ...requires, db, other: { impl: "other-db" } } });
    const { statuses, said } = await started(files, ["/odata/v4/cat/Books"]);
    assert.deepEqual(statuses, [200]);
    assert.match(said, /"requires\.db\.kind" is ".*: the default database of development stands in for it/);
    assert.match(said, /"requires\.messaging\.kind" is .*: messages stay in this process/);
  }
  await assert.rejects(
    started(packageOf({ requires: { ...requires, auth: "mocked" } }), [], { NODE_ENV: "production" }),
    /credentials/,
  );
});

Deno.test("texts of initial data longer than declared are stored and said in existing projects, refused in others", async () => {
  const model = {
    "db/schema.cds": MODEL["db/schema.cds"] + "\nextend shop.Books with { code : String(3); }",
    "db/data/shop-Books.csv": "ID,title,code\n1,Emma,abc\n2,Persuasion,abcdef\n",
  };
  const filter = `/odata/v4/cat/Books/$count?$filter=code eq 'abcdef'`;
  const { statuses, said } = await started({ ...model, ...packageOf({}) }, [
    filter,
    "/odata/v4/cat/Books(2)",
  ]);
  assert.deepEqual(statuses, [200, 200]);
  const problem = /shop-Books\.csv:3: "code" has a text longer than the 3 characters of its declaration/;
  assert.match(said, problem);
  await assert.rejects(started(model), problem);
  await assert.rejects(
    started({ ...model, "package.json": `{ "cds": {}, "fw": { "strict": true } }` }),
    problem,
  );
});

Deno.test("fields too many in initial data and handlers for undefined entities are left out of existing projects", async () => {
  const files = {
    "db/data/shop-Books.csv": "ID;title\n1;Emma;4.5\n",
    "srv/cat_service.js": "module.exports = (srv) => srv.on('READ', srv.entities.Absent, () => [])",
  };
  const { statuses, said } = await started({ ...files, ...packageOf({ requires: { auth: "mock" } }) }, [
    "/odata/v4/cat/Books(1)",
  ]);
  assert.deepEqual(statuses, [200]);
  assert.match(said, /shop-Books\.csv:2: Expected 2 fields, but found 3: it is left out/);
  assert.match(said, /An entity is expected for the handler on READ, but found undefined: it never runs/);
  await assert.rejects(started(files), /Expected 2 fields, but found 3/);
  const broken = { "db/data/shop-Books.csv": 'ID;title\n1;"Emma\n2;"Persuasion"\n' };
  const left = await started({ ...broken, ...packageOf({}) }, ["/odata/v4/cat/Books(1)"]);
  assert.deepEqual(left.statuses, [404]);
  assert.match(
    left.said,
    /shop-Books\.csv:2: Expected ; or a line end after the quote.*: the file is left out/,
  );
  await assert.rejects(started(broken), /after the quote/);
  const [, handlers] = Object.entries(files)[1];
  await assert.rejects(started({ "srv/cat_service.js": handlers }), /An entity is expected/);
});

Deno.test("jobs get the database in their transaction, which knows the entities", async () => {
  const text = `const cds = require('@sap/cds');
module.exports = (srv) => srv.on('hello', () => new Promise((resolve, reject) => cds.spawn({}, async (tx) => {
  const { Books } = tx.entities('shop');
  await cds.transaction(tx).run(DELETE.from(Books));
  return (await tx.run(SELECT.from(Books))).length;
}).on('succeeded', (count) => resolve(String(count))).on('failed', reject)))`;
  await import("../../src/globals.ts");
  const { statuses } = await started({ "srv/cat_service.js": text }, [
    "/odata/v4/cat/hello()",
    "/odata/v4/cat/Books(1)",
  ]);
  assert.deepEqual(statuses, [200, 404]);
});

Deno.test("handlers find operations as actions of their service, and call loggers", async () => {
  const text = `const cds = require('@sap/cds'), LOG = cds.log('cat', 'silent');
module.exports = class CatService extends cds.ApplicationService { init() {
  LOG('said like', LOG.id);
  this.on(this.actions.hello, () => 'one');
  return super.init();
} }`;
  const { statuses } = await started({ "srv/cat_service.js": text }, ["/odata/v4/cat/hello()"]);
  assert.deepEqual(statuses, [200]);
});

Deno.test("a file of handlers that exports nothing is said, and the service is served without", async () => {
  const { statuses, said } = await started({ "srv/cat_service.js": "const cds = require('@sap/cds')" }, [
    "/odata/v4/cat/Books",
  ]);
  assert.deepEqual(statuses, [200]);
  assert.match(said, /cat_service\.js: The file exports nothing/);
});

Deno.test("handlers find the facade as the global cds", async () => {
  await import("../../src/globals.ts");
  const text = "module.exports = cds.service.impl((srv) => srv.on('hello', () => cds.utils.uuid()))";
  const { statuses } = await started({ "srv/cat_service.js": text }, ["/odata/v4/cat/hello()"]);
  assert.deepEqual(statuses, [200]);
});

Deno.test("services of packages are found by what the package calls them", async () => {
  const files = {
    ...packageOf({ requires: { mail: { impl: "@x/mail/srv/sender" } } }),
    "node_modules/@x/mail/package.json": '{ "name": "@x/mail" }',
    "node_modules/@x/mail/srv/sender.js":
      "const cds = require('@sap/cds'); module.exports = class extends cds.Service { init() { this.on('send', () => 'sent') } }",
    "srv/cat_service.js":
      "const cds = require('@sap/cds'); module.exports = (srv) => srv.on('hello', async () => (await cds.connect.to('mail')).send('send'))",
  };
  assert.deepEqual((await started(files, ["/odata/v4/cat/hello()"])).statuses, [200]);
});

Deno.test("of the files at the root of a project with folders, those that CAP looks for are its model", async () => {
  const files = {
    "snippet.cds": "@requires: 'nobody'",
    "services.cds": "service Top { function hello() returns String; }",
  };
  assert.deepEqual((await started(files, ["/odata/v4/top", "/odata/v4/cat"])).statuses, [200, 200]);
});

Deno.test("drafts may be kept for ever, and models named in the way of Windows", async () => {
  const files = packageOf({
    fiori: { draft_deletion_timeout: false },
    requires: { other: { kind: "odata", model: "srv\\external\\other" } },
  });
  const other = "@cds.external service other { entity Things { key ID : Integer; } }";
  assert.deepEqual(
    (await started({ ...files, "srv/external/other.cds": other }, ["/odata/v4/cat/Books"])).statuses,
    [200],
  );
});

Deno.test("services of OData V2 and HCQL that nobody says where they are of are mocked, and handlers read them", async () => {
  const files = {
    ...packageOf({ requires: { other: { kind: "odata-v2", model: "srv/external/other" } } }),
    "srv/external/other.cds":
      "@cds.external service other { entity Things { key ID : Integer; name : String; } }",
    "srv/external/data/other-Things.csv": "ID,name\n1,mocked\n",
    "srv/cat_service.js": `const cds = require("@sap/cds");
module.exports = (srv) => srv.on("hello", async () => {
  const other = await cds.connect.to("other");
  return (await other.run(SELECT.one.from("other.Things"))).name;
});`,
  };
  await import("../../src/globals.ts");
  assert.deepEqual((await started(files, ["/odata/v4/cat/hello()"])).statuses, [200]);
});

Deno.test("parsers of bodies and middleware that rewrites paths run in front of services", async () => {
  const files = {
    "server.js": `const cds = require("@sap/cds");
cds.on("bootstrap", (app) => app.use((req, res, next) => {
  if (!req._body) throw new Error("the body is for the service");
  req.originalUrl = req.originalUrl.toLowerCase();
  next();
}));
module.exports = cds.server;`,
  };
  assert.deepEqual((await started(files, ["/odata/v4/cat/Books"])).statuses, [200]);
});

Deno.test("misspelt checks of input are said in existing projects, misspelt rights stop the start everywhere", async () => {
  const model = (annotation: string) => ({
    "srv/cat_service.cds": MODEL["srv/cat_service.cds"].replace("entity Books", `${annotation} entity Books`),
  });
  const typo = "@asser.unique: { title: [title] }";
  const { statuses, said } = await started({ ...model(typo), ...packageOf({}) }, ["/odata/v4/cat/Books"]);
  assert.deepEqual(statuses, [200]);
  assert.match(said, /It checks nothing: .*@asser\.unique.* did you mean @assert\.unique\?/);
  await assert.rejects(started(model(typo)), /did you mean @assert\.unique\?/);
  await assert.rejects(
    started({ ...model("@requries: 'admin'"), ...packageOf({}) }),
    /did you mean @requires\?/,
  );
});

Deno.test("privileges that cannot be understood grant nothing in existing projects, which is said; elsewhere they stop the start", async () => {
  const model = (privilege: string) => ({
    "srv/cat_service.cds": MODEL["srv/cat_service.cds"].replace(
      "entity Books",
      `@restrict: [${privilege}, { grant: 'CREATE', to: 'admin' }] entity Books`,
    ),
  });
  for (
    const [privilege, problem] of [
      ["{ grant: 'READ', actions: ['a'] }", /unknown member "actions", expected grant, to, where/],
      ["{ grant: 'READ', where: 'Titel = 1' }", /"Titel" of a restriction of CatService.Books is no element/],
    ] as const
  ) {
    const { statuses, said } = await started({ ...model(privilege), ...packageOf({}) }, [
      "/odata/v4/cat/Books",
      "/odata/v4/cat/hello()",
    ]);
    assert.deepEqual(statuses, [403, 501]);
    assert.match(said, problem);
    assert.match(said, /It grants nothing: /);
    await assert.rejects(started(model(privilege)), problem);
  }
  const other = "{ grant: ['READ', 'EXECUTE'] }";
  const { statuses, said } = await started({ ...model(other), ...packageOf({}) }, ["/odata/v4/cat/Books"]);
  assert.deepEqual(statuses, [200]);
  assert.match(said, /"EXECUTE" in grant of .* is no event or operation/);
});

Deno.test("the only class of services in a file implements its service of an existing project, whatever its name", async () => {
  const files = {
    "srv/cat_service.js": `const cds = require("@sap/cds");
class Catalog extends cds.ApplicationService { init() { this.on("hello", () => "one"); return super.init(); } }
module.exports = { Catalog };`,
  };
  const { statuses, said } = await started({ ...files, ...packageOf({}) }, ["/odata/v4/cat/hello()"]);
  assert.deepEqual(statuses, [200]);
  assert.match(said, /cat_service\.js: "Catalog" implements CatService, which has another name/);
  await assert.rejects(started(files), /must export a class or function "CatService" or a default/);
});

Deno.test("members of conditions that are undefined are met by no row in existing projects, which is said", async () => {
  const files = {
    "srv/cat_service.js": `const cds = require("@sap/cds");
module.exports = (srv) => srv.on("hello", async (req) => {
  const none = [
    await SELECT.from("shop.Books").where({ ID: req.data.ID }),
    await SELECT.one.from("shop.Books", { ID: undefined }),
  ];
  await DELETE.from("shop.Books").where({ title: undefined });
  return none[0].length === 0 && !none[1] ? "none" : req.reject(400, "some");
});`,
  };
  await import("../../src/globals.ts");
  const paths = ["/odata/v4/cat/hello()", "/odata/v4/cat/Books(1)"];
  const { statuses, said } = await started({ ...files, ...packageOf({}) }, paths);
  assert.deepEqual(statuses, [200, 200]);
  assert.match(said, /"ID" in SELECT\.where\(…\) is undefined: no row has that/);
  assert.deepEqual((await started(files, paths)).statuses, [500, 200]);
});

Deno.test("a server file that serves all by itself gets the application, and its listening is that of the project", async () => {
  const files = {
    "server.js": `"use strict";
const cds = require("@sap/cds");
module.exports = async (options) => {
  const app = cds.app = options.app;
  cds.emit("bootstrap", app);
  app.get("/own", (_, res) => res.send("own"));
  const model = cds.model = await cds.load(options.from);
  await cds.serve(options).from(model).in(app);
  return app.listen(4004, () => {});
};`,
  };
  const { statuses } = await started({ ...files, ...packageOf({}) }, ["/own", "/odata/v4/cat/Books"]);
  assert.deepEqual(statuses, [200, 200]);
});
