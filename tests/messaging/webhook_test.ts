import assert from "node:assert/strict";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { createRuntime } from "../../src/fw/create_runtime.ts";
import type { Runtime } from "../../src/fw/runtime.ts";

const EVENT = {
  ...{ "ce-specversion": "1.0", "ce-id": "1", "ce-source": "/s", "ce-type": "T.e" },
  "content-type": "application/json",
};

/** An application without database that takes events at `/hook`. */
function hookApp(requires: Readonly<Record<string, unknown>>, messaging: object = {}): Runtime {
  return createRuntime({
    name: "app",
    model: { definitions: {} },
    kinds: denoKinds,
    profiles: ["test"],
    env: {
      requires: {
        ...requires,
        db: null,
        messaging: { kind: "http-messaging", path: "/hook", ...messaging },
      },
      log: { levels: { default: "silent" } },
    },
  });
}

Deno.test("a webhook takes events only of senders that are authenticated, and tells others nothing", async () => {
  const app = hookApp({ auth: { kind: "basic", users: { hub: { password: "pw" } } } });
  const got: unknown[] = [];
  (await app.connect("messaging")).on("T.e", ({ data, user }) => void got.push([data, user.id]));
  await app.start();
  const send = async (method: string, authorization?: string) => {
    const headers = new Headers({ ...EVENT, "webhook-request-origin": "hub.example" });
    if (authorization) headers.set("authorization", authorization);
    const body = method === "POST" ? "1" : undefined;
    return await app.fetch(new Request("http://localhost/hook", { method, headers, body }));
  };
  for (const authorization of [undefined, `Basic ${btoa("hub:wrong")}`, "Bearer x"]) {
    for (const method of ["POST", "OPTIONS"]) {
      const { status, headers } = await send(method, authorization);
      assert.equal(status, 401, `${method} ${authorization}`);
      assert.equal(headers.get("webhook-allowed-origin"), null);
    }
  }
  assert.deepEqual(got, []);
  const right = `Basic ${btoa("hub:pw")}`;
  assert.equal((await send("OPTIONS", right)).headers.get("webhook-allowed-origin"), "hub.example");
  assert.equal((await send("POST", right)).status, 204);
  assert.deepEqual(got, [[1, "privileged"]]);
  await app.close();
});

Deno.test("a webhook that requires roles takes events only of senders with one of them, and tells others nothing", async () => {
  const users = { ann: {}, hub: { roles: ["event-sender"] }, client: { roles: ["system-user"] } };
  const app = hookApp({ auth: { kind: "mocked", users } }, { requires: ["event-sender", "system-user"] });
  const got: unknown[] = [];
  (await app.connect("messaging")).on("T.e", ({ data }) => void got.push(data));
  await app.start();
  const statuses = async (user: string) => {
    const authorization = `Basic ${btoa(`${user}:`)}`;
    const handshake = {
      method: "OPTIONS",
      headers: { authorization, "webhook-request-origin": "hub.example" },
    };
    const event = { method: "POST", headers: { ...EVENT, authorization }, body: JSON.stringify(user) };
    const answers = await Promise.all(
      [handshake, event].map((init) => app.fetch(new Request("http://localhost/hook", init))),
    );
    await Promise.all(answers.map(({ body }) => body?.cancel()));
    return [...answers.map(({ status }) => status), answers[0].headers.get("webhook-allowed-origin")];
  };
  assert.deepEqual(await statuses("ann"), [403, 403, null]);
  assert.deepEqual(await statuses("hub"), [200, 204, "hub.example"]);
  assert.deepEqual(await statuses("client"), [200, 204, "hub.example"]);
  assert.deepEqual(got, ["hub", "client"]);
  await app.close();
});

Deno.test("a webhook takes no events for other tenants than that of the sender, unless the sender is the application itself (tenant-isolation-001)", async () => {
  const users = {
    ann: { tenant: "t1" },
    client: { tenant: "t1", roles: ["system-user"] },
    own: { tenant: "t1", roles: ["internal-user"] },
  };
  const requires = { auth: { kind: "mocked", users }, multitenancy: true };
  const app = hookApp(requires, { tenantHeader: "tenantid" });
  const got: unknown[] = [];
  (await app.connect("messaging")).on("T.e", ({ tenant }) => void got.push(tenant));
  await app.start();
  const send = async (user: string, tenant: string | undefined, structured: boolean) => {
    const authorization = `Basic ${btoa(`${user}:`)}`;
    const { "content-type": _type, ...event } = EVENT;
    const attributes = Object.entries(event).map(([name, value]) => [name.slice("ce-".length), value]);
    const own = tenant === undefined ? {} : { tenantid: tenant };
    const binary = { ...EVENT, ...tenant === undefined ? {} : { "ce-tenantid": tenant } };
    const headers = structured ? { "content-type": "application/cloudevents-batch+json" } : binary;
    const body = structured ? JSON.stringify([{ ...Object.fromEntries(attributes), ...own, data: 1 }]) : "1";
    const request = new Request("http://localhost/hook", {
      method: "POST",
      headers: { ...headers, authorization },
      body,
    });
    const response = await app.fetch(request);
    await response.body?.cancel();
    return response.status;
  };
  try {
    for (const structured of [false, true]) {
      for (const user of ["ann", "client"]) {
        assert.equal(await send(user, "t2", structured), 403, user);
        assert.equal(await send(user, "T1", structured), 403, user);
        assert.deepEqual(got.splice(0), []);
        assert.equal(await send(user, "t1", structured), 204, user);
        assert.deepEqual(got.splice(0), ["t1"]);
      }
      assert.equal(await send("own", "t2", structured), 204);
      assert.deepEqual(got.splice(0), ["t2"]);
    }
  } finally {
    await app.close();
  }
});
