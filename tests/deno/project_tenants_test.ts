/** The tenants of a project whose server may be running. */

import assert from "node:assert/strict";
import { toEnvironment } from "../../src/config/environment.ts";
import { loadProject } from "../../src/deno/load_project.ts";
import { namedTenant, withTenants } from "../../src/deno/project_tenants.ts";
import { ConfigurationError } from "../../src/errors/configuration_error.ts";
import type { TenantOperations } from "../../src/fw/tenants/tenant_operations.ts";
import { printedBy, SMALL, withProject } from "./project.ts";

/** A project whose tenants have databases in files. */
function tenantProject(db: object = { kind: "sqlite", credentials: { url: "shop.sqlite" } }) {
  return { ...SMALL, ".fwrc.json": JSON.stringify({ requires: { multitenancy: true, db } }) };
}

/** Databases in files that are open: SQLite keeps a log beside them. */
function openIn(folder: string): readonly string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => name.endsWith("-wal"));
}

Deno.test("a project without multitenancy has no tenants to work with", async () => {
  await withProject(SMALL, async (folder) => {
    await assert.rejects(
      withTenants(folder, () => Promise.resolve()),
      (error) => error instanceof ConfigurationError && error.message.startsWith("There are no tenants"),
    );
  });
});

Deno.test("a project whose database ends with its process has no tenants that stay", async () => {
  for (
    const db of [{ kind: "memory" }, { kind: "sqlite", credentials: { url: ":memory:" } }, false] as const
  ) {
    await withProject(tenantProject(db as object), async (folder) => {
      const message =
        `The project in "${folder}" names no database that outlives the process: configure "fw.requires.db"`;
      const error = { name: "ConfigurationError", message };
      await assert.rejects(withTenants(folder, () => Promise.resolve()), error, JSON.stringify(db));
    });
  }
});

Deno.test("tenants that subscribe while no server runs have databases with initial rows, and the list is closed", async () => {
  await withProject(tenantProject(), async (folder) => {
    const isNew = await withTenants(folder, async (given) => {
      const first = await given.subscribe("t1", { plan: "free" });
      await new Promise((resolve) => setTimeout(resolve));
      return [first, await given.subscribe("t1")];
    });
    assert.deepEqual(isNew, [true, false]);
    assert.deepEqual(openIn(folder), []);
    const found = await withTenants(folder, ({ list }) => list.all());
    assert.deepEqual(found.map(({ tenant, metadata }) => [tenant, metadata]), [["t1", { plan: "free" }]]);
    const env = { log: { levels: { default: "silent" } } };
    const { runtime } = await loadProject(folder, { variables: {}, env });
    await runtime.start();
    const headers = { authorization: `Basic ${btoa("alice:")}` };
    const request = new Request("http://localhost/odata/v4/cat/Books?$select=title", { headers });
    const { value } = await (await runtime.fetch(request)).json();
    await runtime.close();
    assert.deepEqual(value.map(({ title }: { title: string }) => title), ["Emma", "Persuasion"]);
  });
});

Deno.test("where the work with tenants fails, its error is thrown and the list is closed as well", async () => {
  await withProject(tenantProject(), async (folder) => {
    const work = async ({ list }: TenantOperations) => {
      await list.put("t1", { status: "new" });
      assert.equal(openIn(folder).length, 1);
      throw new Error("half done");
    };
    await assert.rejects(withTenants(folder, work), { message: "half done" });
    assert.deepEqual(openIn(folder), []);
  });
});

Deno.test("what databases of tenants cannot hold is warned of", async () => {
  const files = {
    ...tenantProject(),
    "db/wide.cds": "entity shop.Wide { key ID : Integer; price : Decimal(30, 2); }",
  };
  await withProject(files, async (folder) => {
    const { output } = await printedBy(async () => {
      await withTenants(folder, (operations) => operations.subscribe("t1"));
      return 0;
    });
    assert.match(output, /Decimals with more than \d+ digits are rounded by sqlite: shop\.Wide\.price/);
  });
});

Deno.test("a command is about one tenant where each has a database of its own, else about none", () => {
  const [many, one] = [true, false].map((multitenancy) => toEnvironment({ requires: { multitenancy } }, []));
  const longest = "t".repeat(64);
  for (const tenant of ["t1", "T_1.a-b", longest]) assert.equal(namedTenant(many, tenant), tenant);
  assert.equal(namedTenant(one, undefined), undefined);
  const refused: readonly (readonly [typeof many, string | undefined, RegExp])[] = [
    [one, "t1", /^All tenants have one database: "fw\.requires\.multitenancy" is not set$/],
    [many, undefined, /^Each tenant has a database of its own: name one by --tenant$/],
    [many, "", /^"" is no name of a tenant: up to 64 letters/],
    [many, "a b", /^"a b" is no name of a tenant: up to 64 letters/],
    [many, `${longest}t`, /^"t{65}" is no name of a tenant: up to 64 letters/],
  ];
  for (const [env, tenant, message] of refused) {
    assert.throws(() => namedTenant(env, tenant), { name: "ConfigurationError", message });
  }
});
