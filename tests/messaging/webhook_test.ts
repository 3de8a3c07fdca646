import assert from "node:assert/strict";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { createRuntime } from "../../src/fw/create_runtime.ts";
import type { Runtime } from "../../src/fw/runtime.ts";
import { SELECT } from "../../src/cqn/builders/select.ts";
import type { Csn } from "../../src/model/csn.ts";
import { captureConsole } from "../security/app.ts";
import { eventually } from "../contract/channel.ts";

const EVENT = {
  ...{ "ce-specversion": "1.0", "ce-id": "1", "ce-source": "/s", "ce-type": "T.e" },
  "content-type": "application/json",
};

/** An application without database that takes events at `/hook`. */
function hookApp(
  requires: Readonly<Record<string, unknown>>,
  messaging: object = {},
  level = "silent",
): Runtime {
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
      log: { levels: { default: level }, format: "plain" },
    },
  });
}

Deno.test("a webhook takes events only of senders that are authenticated, and tells others nothing", async () => {
  const app = hookApp({
    auth: { kind: "basic", users: { hub: { password: "pw", roles: ["event-sender"] } } },
  });
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
  assert.deepEqual(got, [[1, "mock/hub"]]);
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
    ann: { tenant: "t1", roles: ["event-sender"] },
    client: { tenant: "t1", roles: ["event-sender", "system-user"] },
    own: { tenant: "t1", roles: ["event-sender", "internal-user"] },
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

/** Sends an event as a user; gives the status. */
async function sendAs(app: Runtime, user: string, id = "1"): Promise<number> {
  const headers = { ...EVENT, "ce-id": id, authorization: `Basic ${btoa(`${user}:`)}` };
  const { status, body } = await app.fetch(
    new Request("http://localhost/hook", { method: "POST", headers, body: "1" }),
  );
  await body?.cancel();
  return status;
}

Deno.test("senders of events need the role event-sender unless other roles are configured, and the log says so", async () => {
  const users = {
    nils: {},
    boss: { roles: ["admin", "system-user", "internal-user"] },
    hub: { roles: ["event-sender"] },
  };
  const lines: string[] = [];
  const restore = captureConsole(lines);
  try {
    for (
      const [requires, statuses, said] of [
        [undefined, [403, 403, 204], "from users with the role event-sender"],
        ["admin", [403, 204, 403], "from users with the role admin"],
        [["admin", "event-sender"], [403, 204, 204], "from users with one of the roles admin, event-sender"],
        ["authenticated-user", [204, 204, 204], "from users with the role authenticated-user"],
        [[], [403, 403, 403], "from nobody"],
      ] as const
    ) {
      const app = hookApp({ auth: { kind: "mocked", users } }, { requires }, "debug");
      (await app.connect("messaging")).on("T.e", () => {});
      await app.start();
      const found = [];
      for (const user of Object.keys(users)) found.push(await sendAs(app, user));
      await app.close();
      assert.deepEqual(found, statuses, String(requires));
      assert.ok(lines.splice(0).some((line) => line.includes(said)), said);
    }
  } finally {
    restore();
  }
});

const OPEN: Csn = {
  definitions: {
    "db.Notes": {
      kind: "entity",
      elements: { ID: { key: true, type: "cds.Integer" }, area: { type: "cds.String" } },
    },
    Shop: { kind: "service" },
    "Shop.Notes": {
      kind: "entity",
      projection: { from: { ref: ["db.Notes"] } },
      "@restrict": [{ grant: "READ", to: "reader", where: "area = $user.area" }],
    },
    "Shop.boss": { kind: "action", "@requires": "Boss", returns: { type: "cds.String" } },
  },
};

/** What the handler of an event may do. */
interface Rights {
  readonly id: string;
  readonly isAdmin: boolean;
  readonly rows: number | string;
  readonly action: string;
}

/** The rights of handlers of events that the users send, handled at once or later. */
async function rightsOf(users: object, inboxed: boolean, names: readonly string[]): Promise<Rights[]> {
  const got: Rights[] = [];
  const app = createRuntime({
    name: "app",
    model: OPEN,
    kinds: denoKinds,
    profiles: ["test"],
    env: {
      requires: {
        auth: { kind: "mocked", users, id_prefix: "" },
        db: { kind: "sqlite" },
        messaging: { kind: "http-messaging", path: "/hook", inboxed },
      },
      log: { levels: { default: "silent" } },
    },
    handlers: { Shop: (srv) => void srv.on("boss", () => "done") },
    data: new Map([["db.Notes", [{ ID: 1, area: "A" }, { ID: 2, area: "B" }]]]),
  });
  await app.start();
  const shop = await app.connect("Shop");
  const orStatus = (error: unknown) => String((error as { status?: number }).status);
  (await app.connect("messaging")).on("T.e", async ({ user }) => {
    got.push({
      id: user.id,
      isAdmin: user.is("admin"),
      rows: await shop.run(SELECT.from("Shop.Notes")).then((rows) => (rows as unknown[]).length, orStatus),
      action: await shop.send("boss").then(String, orStatus),
    });
  });
  for (const [index, name] of names.entries()) {
    assert.equal(await sendAs(app, name, String(index)), 204, name);
    await eventually(() => got.length === index + 1);
  }
  await app.close();
  return got;
}

for (const inboxed of [false, true]) {
  Deno.test(`handlers of events from http-messaging have the rights of the sender, inboxed: ${inboxed}`, async () => {
    const users = {
      hub: { roles: ["event-sender"] },
      reader: { roles: ["event-sender", "reader"], attr: { area: ["A"] } },
      boss: { roles: ["event-sender", "Boss"] },
    };
    assert.deepEqual(await rightsOf(users, inboxed, ["hub", "reader", "boss", "privileged"]), [
      { id: "hub", isAdmin: false, rows: "403", action: "403" },
      { id: "reader", isAdmin: false, rows: 1, action: "403" },
      { id: "boss", isAdmin: false, rows: "403", action: "done" },
      { id: "privileged", isAdmin: true, rows: 2, action: "done" },
    ]);
  });
}

Deno.test("what is no event in any content mode is 415 with the expected types, text with attributes is an event", async () => {
  const app = hookApp({ auth: { kind: "dummy" } }, { requires: "any" });
  const got: unknown[] = [];
  (await app.connect("messaging")).on("T.e", ({ data }) => void got.push(data));
  await app.start();
  const send = async (headers: Record<string, string>) => {
    const request = new Request("http://localhost/hook", { method: "POST", headers, body: "hello" });
    const response = await app.fetch(request);
    return { status: response.status, text: await response.text() };
  };
  try {
    for (const type of ["text/plain", "text/plain; charset=utf-8", "application/x-www-form-urlencoded"]) {
      const { status, text } = await send({ "content-type": type });
      assert.equal(status, 415, type);
      for (
        const part of [
          type.split(";")[0]!,
          "application/cloudevents+json",
          "application/cloudevents-batch+json",
          "ce-id",
        ]
      ) {
        assert.ok(text.includes(part), text);
      }
    }
    assert.deepEqual(got, []);
    assert.equal((await send({ ...EVENT, "content-type": "text/plain" })).status, 204);
    assert.deepEqual(got, ["hello"]);
  } finally {
    await app.close();
  }
});
