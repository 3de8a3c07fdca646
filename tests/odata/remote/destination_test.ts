/*
 * Destinations of remote services: `credentials.destination`, looked up by the configuration, a module, or the table of kinds.
 */

import assert from "node:assert/strict";
import { createRuntime, type RuntimeOptions } from "../../../mod.ts";
import type { RemoteError } from "../../../src/odata/remote/remote_client.ts";
import { csnOf } from "../../fw/shop.ts";

const MODEL = `@cds.external service Far { entity Things { key ID : Integer; } }`;

async function callsOf(
  given: {
    readonly destinations?: unknown;
    readonly kinds?: RuntimeOptions["kinds"];
    readonly name?: string;
    readonly onFailure?: (error: unknown) => void;
  },
  tenants: readonly (string | undefined)[] = [undefined],
): Promise<readonly string[]> {
  const calls: string[] = [];
  const runtime = createRuntime({
    model: csnOf(MODEL),
    kinds: {
      ...given.kinds,
      fetch: (request) => {
        calls.push(`${request.url} ${request.headers.get("authorization")}`);
        return Promise.resolve(Response.json({ value: [] }));
      },
    },
    env: {
      log: { levels: { default: "silent" } },
      destinations: given.destinations,
      requires: {
        Far: { kind: "odata", credentials: { destination: given.name ?? "ERP", path: "/odata/v4/far" } },
      },
    },
    profiles: ["production"],
  });
  try {
    const far = await runtime.connect("Far");
    for (const tenant of tenants) {
      const read = far.tx({ tenant }, (tx) => tx.read("Things"));
      await (given.onFailure ? read.catch(given.onFailure) : read);
    }
    return calls;
  } finally {
    await runtime.close();
  }
}

const BASIC = `Basic ${btoa("me:secret")}`;

Deno.test("a destination of the configuration gives URL and login, the entry its path", async () => {
  const ERP = { url: "https://erp.test", username: "me", password: "secret" };
  assert.deepEqual(await callsOf({ destinations: { ERP } }), [
    `https://erp.test/odata/v4/far/Things ${BASIC}`,
  ]);
  const named = {
    URL: "https://erp.test",
    User: "me",
    Password: "secret",
    Authentication: "BasicAuthentication",
  };
  assert.deepEqual(
    await callsOf({ destinations: { ERP: named } }),
    [`https://erp.test/odata/v4/far/Things ${BASIC}`],
  );
});

Deno.test("a module of the project looks destinations up, once for each tenant", async () => {
  const asked: string[] = [];
  const find = (name: string, { tenant }: { tenant?: string }) => {
    asked.push(`${name} ${tenant}`);
    return Promise.resolve({ url: `https://${tenant}.test` });
  };
  const kinds = {
    importModule: (path: string) => Promise.resolve({ default: path === "srv/find.ts" && find }),
  };
  const calls = await callsOf({ destinations: { impl: "srv/find.ts" }, kinds }, ["t1", "t2", "t1"]);
  assert.deepEqual(calls.map((call) => call.split("/")[2]), ["t1.test", "t2.test", "t1.test"]);
  assert.deepEqual(asked, ["ERP t1", "ERP t2"]);
});

Deno.test("a destination that could not be looked up is looked up again", async () => {
  let asked = 0;
  const find = () =>
    ++asked === 1 ? Promise.reject(new Error("away")) : Promise.resolve({ url: "https://a.test" });
  const kinds = { importModule: () => Promise.resolve({ default: find }) };
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => void failures.push((error as { status?: number }).status);
  const calls = await callsOf({ destinations: { impl: "srv/find.ts" }, kinds, onFailure }, [
    "t1",
    "t1",
    "t1",
  ]);
  assert.deepEqual([failures, calls.length, asked], [[502], 2, 2]);
});

Deno.test("a destination that nobody knows is 502, and named in the log only", async () => {
  await assert.rejects(
    callsOf({ destinations: {}, name: "toString" }),
    (error: Error & { status?: number }) => {
      assert.equal(error.status, 502);
      assert.equal(error.message, 'The remote service "Far" failed');
      assert.match((error.cause as RemoteError).message, /There is no destination "toString"/);
      return true;
    },
  );
});
