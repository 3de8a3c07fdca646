/**
 * Services of other systems while a project has no credentials for them: they are mocked outside production.
 */

import assert from "node:assert/strict";
import { createRuntime } from "../../mod.ts";
import { serveProject } from "../../src/deno/mod.ts";
import { compile } from "../../src/fw/facade_compile.ts";
import type { Csn } from "../../src/model/csn.ts";
import { unqueued } from "../../src/service/queue/queued_service.ts";
import { test } from "../../src/test/mod.ts";
import { withProject } from "./project.ts";
import { startCli, startProcess, urlOf } from "./project_processes.ts";

/** The model of the other system, as `fw import` writes it. */
const PARTNERS = {
  definitions: {
    PartnerApi: { kind: "service", "@cds.external": true },
    "PartnerApi.Partners": {
      kind: "entity",
      "@cds.persistence.skip": true,
      elements: {
        ID: { key: true, type: "cds.Integer" },
        name: { type: "cds.String", length: 40 },
        sites: {
          type: "cds.Association",
          target: "PartnerApi.Sites",
          cardinality: { max: "*" },
          on: [{ ref: ["sites", "partner"] }, "=", { ref: ["ID"] }],
        },
      },
    },
    "PartnerApi.Sites": {
      kind: "entity",
      "@cds.persistence.skip": true,
      elements: {
        ID: { key: true, type: "cds.Integer" },
        partner: { type: "cds.Integer" },
        city: { type: "cds.String", length: 40 },
      },
    },
    "PartnerApi.block": {
      kind: "action",
      params: { partner: { type: "cds.Integer" } },
      returns: { type: "cds.String" },
    },
  },
};

const PROJECT = {
  "srv/external/PartnerApi.csn": JSON.stringify(PARTNERS),
  "srv/external/data/PartnerApi-Partners.csv": "ID;name\n1;Mock & Sons\n",
  "srv/external/data/PartnerApi-Sites.csv": "ID;partner;city\n7;1;Berlin\n",
  "srv/orders.cds": `using { PartnerApi } from './external/PartnerApi';
service Orders {
  @readonly entity Suppliers as projection on PartnerApi.Partners { ID, name as title };
  function cities(partner : Integer) returns many String;
  action block(partner : Integer) returns String;
}
`,
  "srv/orders.ts": `import fw, { SELECT } from "@fw/runtime";
export class Orders extends fw.ApplicationService {
  override async init() {
    const api = await fw.connect.to("PartnerApi");
    this.on("READ", "Suppliers", (req) => api.run(req.query));
    this.on("cities", async (req) => {
      const found = await api.run(SELECT.one.from("PartnerApi.Partners", req.data.partner).columns("ID", (p) => p.sites((s) => s.city)));
      return found.sites.map((site) => site.city);
    });
    this.on("block", (req) => api.send("block", req.data));
    await super.init();
  }
}
`,
};

const REQUIRED = { PartnerApi: { kind: "odata" } };

/** The other system itself. */
const OTHER = {
  "srv/api.cds": `service PartnerApi {
  entity Partners { key ID : Integer; name : String(40); sites : Association to many Sites on sites.partner = ID; }
  entity Sites { key ID : Integer; partner : Integer; city : String(40); }
  action block(partner : Integer) returns String;
}
`,
  "srv/api.js": "export default (srv) => srv.on('block', ({ data }) => 'really blocked ' + data.partner);\n",
  "db/data/PartnerApi-Partners.csv": "ID;name\n1;Real Ltd\n",
  "db/data/PartnerApi-Sites.csv": "ID;partner;city\n8;1;Lima\n",
};

const SILENT = { log: { levels: { default: "silent" } } };

for (
  const [what, requires] of [
    ["that the configuration names without credentials", REQUIRED],
    ["that srv/external imports and the configuration does not name", {}],
  ] as const
) {
  Deno.test(`a service ${what} is served from own tables outside production [design 13]`, () =>
    withProject(PROJECT, async (folder) => {
      const { GET, POST, runtime, close } = test(folder, { requires });
      try {
        const suppliers = await GET("/odata/v4/orders/Suppliers?$filter=contains(title,'Mock')");
        assert.deepEqual((suppliers.data as { value: unknown }).value, [{ ID: 1, title: "Mock & Sons" }]);
        const cities = await GET("/odata/v4/orders/cities(partner=1)");
        assert.deepEqual((cities.data as { value: unknown }).value, ["Berlin"]);
        const created = await POST("/odata/v4/partner-api/Partners", { ID: 2, name: "Another" });
        assert.equal(created.status, 201);
        const all = await GET("/odata/v4/orders/Suppliers/$count");
        assert.equal(all.data, "2");
        assert.deepEqual([...runtime.mocked], ["PartnerApi"]);
      } finally {
        await close();
      }
    }));
}

Deno.test("an implementation beside the imported model is that of the mocked service", () =>
  withProject({
    ...PROJECT,
    "srv/external/PartnerApi.js":
      "export default (srv) => srv.on('block', ({ data }) => 'mocked ' + data.partner);\n",
  }, async (folder) => {
    const { POST, close } = test(folder, { requires: REQUIRED });
    const { data } = await POST("/odata/v4/orders/block", { partner: 4 });
    assert.equal((data as { value: unknown }).value, "mocked 4");
    await close();
  }));

Deno.test("associations without keys and condition, as imports have them, lead to no rows", () => {
  const elements = {
    ...PARTNERS.definitions["PartnerApi.Partners"].elements,
    lost: { type: "cds.Association", target: "PartnerApi.Sites", cardinality: { max: "*" } },
    alone: { type: "cds.Association", target: "PartnerApi.Sites", keys: [] },
  };
  const definitions = {
    ...PARTNERS.definitions,
    "PartnerApi.Partners": { ...PARTNERS.definitions["PartnerApi.Partners"], elements },
  };
  const files = { ...PROJECT, "srv/external/PartnerApi.csn": JSON.stringify({ ...PARTNERS, definitions }) };
  return withProject(files, async (folder) => {
    const { GET, close } = test(folder, { requires: REQUIRED });
    const { data } = await GET("/odata/v4/partner-api/Partners?$expand=lost,alone&$filter=not lost/any()");
    const [{ lost, alone }] = (data as { value: { lost: unknown; alone: unknown }[] }).value;
    assert.deepEqual([lost, alone], [[], null]);
    await close();
  });
});

Deno.test("another name of a mocked service leads to it", () =>
  withProject({
    ...PROJECT,
    "srv/orders.ts": PROJECT["srv/orders.ts"].replace('to("PartnerApi")', 'to("partners")'),
  }, async (folder) => {
    const { GET, close } = test(folder, {
      requires: { partners: { kind: "odata", service: "PartnerApi" } },
    });
    const { data } = await GET("/odata/v4/orders/Suppliers(1)/title");
    assert.equal((data as { value: unknown }).value, "Mock & Sons");
    await close();
  }));

Deno.test("a mocked service with outboxed: true is called through the outbox, as the one it stands for (api 1)", () =>
  withProject({
    ...PROJECT,
    "srv/orders.ts": "export default () => {};\n",
    "srv/external/PartnerApi.js":
      "export default (srv) => srv.on('block', ({ data }) => { globalThis.blocked = data.partner; return 'mocked'; });\n",
  }, async (folder) => {
    const { runtime, close } = test(folder, { requires: { PartnerApi: { kind: "odata", outboxed: true } } });
    const blocked = () => (globalThis as { blocked?: unknown }).blocked;
    try {
      await runtime.start();
      const api = await runtime.connect("PartnerApi");
      assert.equal(await runtime.connect("PartnerApi"), api);
      await runtime.db!.tx(async () => {
        assert.equal(await api.send("block", { partner: 4 }), undefined);
        assert.equal(blocked(), undefined);
      });
      await runtime.queue!.flush();
      assert.equal(blocked(), 4);
      assert.equal(await unqueued(api).send("block", { partner: 5 }), "mocked");
      assert.equal(unqueued(api), runtime.services.PartnerApi);
    } finally {
      await close();
    }
  }));

Deno.test("fw serve tells what is mocked; with credentials the real service is called and has no tables here", () =>
  withProject(
    OTHER,
    (other) =>
      withProject({ ...PROJECT, ".fwrc.json": JSON.stringify({ requires: REQUIRED }) }, async (folder) => {
        const mocked = startCli("serve", folder);
        try {
          await mocked.waitFor(/> init from srv\/external\/data\/PartnerApi-Partners\.csv/);
          await mocked.waitFor(
            /mocking PartnerApi \{ at: \/odata\/v4\/partner-api, protocol: odata, impl: generic handlers \}/,
          );
          const url = await urlOf(mocked);
          const { value } = await (await fetch(`${url}/odata/v4/orders/Suppliers`)).json();
          assert.deepEqual(value, [{ ID: 1, title: "Mock & Sons" }]);
        } finally {
          await mocked.close();
        }
        const real = await serveProject(other, { port: 0, print: () => {}, variables: {}, env: SILENT });
        const variables = {
          FW_CONFIG: JSON.stringify({
            requires: { PartnerApi: { credentials: { url: `${real.url}/odata/v4/partner-api` } } },
          }),
        };
        const client = startProcess({ args: ["src/cli/mod.ts", "serve", folder], variables });
        try {
          const url = await urlOf(client);
          assert.doesNotMatch(client.output(), /mocking|init from/);
          const read = async (path: string) => (await (await fetch(`${url}/odata/v4/${path}`)).json()).value;
          assert.deepEqual(await read("orders/Suppliers?$orderby=title"), [{ ID: 1, title: "Real Ltd" }]);
          assert.deepEqual(await read("orders/cities(partner=1)"), ["Lima"]);
          assert.equal((await fetch(`${url}/odata/v4/partner-api/Partners`)).status, 404);
        } finally {
          await client.close();
          await real.stop();
        }
      }),
  ));

Deno.test("without handler, a projection on what another system has is answered 501", () =>
  withProject({ ...PROJECT, "srv/orders.ts": "export default () => {};\n" }, async (folder) => {
    const credentials = { url: "http://localhost:1" };
    const { GET, close } = test(folder, { requires: { PartnerApi: { kind: "odata", credentials } } });
    assert.equal((await GET("/odata/v4/orders/Suppliers")).status, 501);
    await close();
  }));

Deno.test("without handler, what a projection on another system exposes along compositions is answered 501", () => {
  const model = {
    "srv/external/Shop.cds": `@cds.external service Shop {
      @cds.persistence.skip entity Orders { key ID : Integer; items : Composition of many Items on items.order = $self; }
      @cds.persistence.skip entity Items { key ID : Integer; order : Association to Orders; } }`,
    "srv/local.cds":
      `using { Shop } from './external/Shop'; service Local { entity Orders as projection on Shop.Orders; }`,
  };
  return withProject(model, async (folder) => {
    const { GET, close } = test(folder, {
      requires: { Shop: { kind: "odata", credentials: { url: "http://localhost:1" } } },
    });
    assert.equal((await GET("/odata/v4/local/Orders(1)/items")).status, 501);
    await close();
  });
});

Deno.test("views on entities of other systems are not in the database", () => {
  const views = {
    "Local.Partners": {
      kind: "entity",
      elements: { ID: { key: true, type: "cds.Integer" } },
      query: { SELECT: { from: { ref: ["PartnerApi.Partners"] }, columns: [{ ref: ["ID"] }] } },
    },
    "Local.Few": {
      kind: "entity",
      elements: { ID: { key: true, type: "cds.Integer" } },
      query: { SELECT: { from: { ref: ["Local.Partners"] }, columns: [{ ref: ["ID"] }] } },
    },
    "Local.Own": { kind: "entity", elements: { ID: { key: true, type: "cds.Integer" } } },
  };
  const statements = compile.to.sql({ definitions: { ...PARTNERS.definitions, ...views } } as Csn);
  assert.equal(statements.length, 1);
  assert.match(statements[0], /Local_Own/);
});

Deno.test("a service without credentials that no model describes is refused with what to do", async () => {
  const runtime = createRuntime({
    model: { definitions: {} },
    env: { requires: { db: false, PartnerApi: { kind: "odata" } }, log: { levels: { default: "silent" } } },
  });
  await assert.rejects(runtime.connect("PartnerApi"), {
    name: "ConfigurationError",
    message: '"fw.requires.PartnerApi" has no credentials, and no model to mock the service from: ' +
      'use its model in that of the project, or name it by "fw.requires.PartnerApi.model"',
  });
});

Deno.test("nothing is mocked in production: a missing binding stops the start [design 12]", () =>
  withProject({
    ...PROJECT,
    ".fwrc.json": JSON.stringify({
      requires: {
        ...REQUIRED,
        db: { kind: "sqlite" },
        auth: { kind: "basic", users: { zoe: { password: "z" } } },
      },
    }),
    "srv/orders.ts": "export default () => {};\n",
  }, async (folder) => {
    const { code, output } = await startProcess({
      args: ["src/cli/mod.ts", "serve", folder],
      variables: { FW_ENV: "production" },
    }).ended;
    assert.equal(code, 1);
    assert.match(
      output,
      /Cannot start: \.fwrc\.json:1: "fw\.requires\.PartnerApi\.credentials\.url" must be an http or https URL, but is undefined/,
    );
  }));
