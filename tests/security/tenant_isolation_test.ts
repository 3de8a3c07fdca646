import assert from "node:assert/strict";
import { createSqliteDatabase } from "../../src/db/sqlite/mod.ts";
import { createRuntime, fw, type Row, SELECT, User } from "../../mod.ts";
import type { Runtime } from "../../src/fw/runtime.ts";
import type { ServiceRequest } from "../../src/service/requests/service_request.ts";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";
import { createIdentity } from "../../src/test/identity/identity.ts";
import { captureConsole } from "./app.ts";

const TEXT = `
  entity my.Notes { key ID: Integer; text: String; owner: String @cds.on.insert: $user; }
  @requires: 'authenticated-user' service Closed {
    entity Notes as projection on my.Notes;
    entity Own as select from my.Notes where owner = $user;
    action work();
    function who() returns String;
  }
  @requires: 'any' service Open {
    @requires: 'any' entity Notes as projection on my.Notes;
    @requires: 'any' function who() returns String;
    @requires: 'any' function read(tenant: String) returns Integer;
  }
`;
const MODEL = compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? TEXT : undefined });

const USERS = {
  ann: { tenant: "t1" },
  bea: { tenant: "t2" },
  cap: { tenant: "T1" },
  up: { tenant: "../t2" },
  drop: { tenant: "t1;drop" },
  blank: { tenant: "" },
  long: { tenant: "t".repeat(65) },
  nobody: {},
};

interface App {
  readonly runtime: Runtime;
  readonly lines: readonly string[];
  call(user: string | undefined, call: string, options?: Options): Promise<Answer>;
}

interface Options {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface Answer {
  readonly status: number;
  // deno-lint-ignore no-explicit-any
  readonly json: any;
}

async function withApp(
  test: (app: App) => Promise<void>,
  auth: object = { kind: "mocked", users: USERS, id_prefix: "" },
  work: (req: ServiceRequest) => unknown = () => {},
): Promise<void> {
  const lines: string[] = [];
  const restore = captureConsole(lines);
  const identity = (req: ServiceRequest) => `${req.user.id} ${req.tenant}`;
  const runtime = createRuntime({
    model: MODEL,
    kinds: { databases: { sqlite: () => createSqliteDatabase } },
    env: {
      log: { levels: { default: "debug" } },
      requires: { db: { kind: "sqlite" }, multitenancy: true, auth },
    },
    handlers: {
      Closed: (srv) => {
        srv.on("work", work);
        srv.on("who", identity);
      },
      Open: (srv) => {
        srv.on("who", identity);
        srv.on("read", async (req) => {
          const { tenant } = req.data as { tenant: string };
          const read = () => fw.db.run(SELECT.from("my.Notes")) as Promise<Row[]>;
          return (await (tenant === "" ? read() : srv.tx({ tenant }, read))).length;
        });
      },
    },
  });
  const call: App["call"] = async (user, target, { headers, body } = {}) => {
    const [method, path] = target.split(" ");
    const response = await runtime.fetch(
      new Request(`http://localhost/odata/v4/${path}`, {
        method,
        headers: {
          ...user === undefined ? {} : { authorization: `Basic ${btoa(`${user}:`)}` },
          ...body === undefined ? {} : { "content-type": "application/json" },
          ...headers,
        },
        body: body === undefined ? undefined : JSON.stringify(body),
      }),
    );
    const text = await response.text();
    return { status: response.status, json: text.startsWith("{") ? JSON.parse(text) : text };
  };
  try {
    await runtime.start();
    await test({ runtime, call, lines });
  } finally {
    await runtime.close();
    restore();
  }
}

const note = (ID: number, text: string) => ({ body: { ID, text } });
const texts = async (app: App, user: string, set = "closed/Notes") =>
  (await app.call(user, `GET ${set}`)).json.value.map((row: { text: string }) => row.text);

Deno.test("the tenant is that of the credentials, whatever headers and URL say (tenant-isolation-001)", () =>
  withApp(async (app) => {
    await app.call("ann", "POST closed/Notes", note(1, "of t1"));
    await app.call("bea", "POST closed/Notes", note(1, "of t2"));
    for (
      const name of ["x-tenant", "x-tenant-id", "tenant", "zid", "x-zid", "x-app_tid", "x-forwarded-tenant"]
    ) {
      const { json } = await app.call("ann", "GET closed/Notes?tenant=t2&sap-client=t2", {
        headers: { [name]: "t2" },
      });
      assert.deepEqual(json.value.map((row: { text: string }) => row.text), ["of t1"], name);
    }
  }));

/** An application in production whose users have tokens of an identity service. */
function tokenApp() {
  const identity = createIdentity({ kind: "oauth2" });
  const runtime = createRuntime({
    model: MODEL,
    profiles: ["production"],
    env: {
      log: { levels: { default: "silent" } },
      requires: {
        db: false,
        multitenancy: true,
        auth: { kind: "oauth2", credentials: identity.credentials },
      },
    },
    handlers: { Closed: (srv) => srv.on("who", (req) => `${req.tenant}`) },
    kinds: { fetch: identity.fetch },
  });
  return { identity, runtime };
}

Deno.test("a token of one tenant with headers of another reads the tenant of the token (tenant-isolation-001)", async () => {
  const { identity, runtime } = tokenApp();
  const ask = async (claims: Record<string, unknown>) => {
    const headers = {
      authorization: `Bearer ${await identity.token({ user: "alice", claims })}`,
      "x-tenant": "t2",
      zid: "t2",
      "x-zid": "t2",
    };
    const response = await runtime.fetch(new Request("http://localhost/odata/v4/closed/who()", { headers }));
    return [response.status, (await response.json()).value];
  };
  assert.deepEqual(await ask({ zid: "t1" }), [200, "t1"]);
  await runtime.close();
});

Deno.test("in multitenant operation a user without tenant is refused where a login is needed (tenant-isolation-002)", () =>
  withApp(async (app) => {
    for (const user of ["nobody", "yves", "privileged", "system"]) {
      for (const path of ["closed/Notes", "closed", "closed/$metadata", "closed/who()"]) {
        const { status, json } = await app.call(user, `GET ${path}`);
        assert.equal(status, 401, `${user} ${path}`);
        assert.deepEqual(json, { error: { code: "401", message: "Unauthorized" } });
      }
    }
    assert.deepEqual((await app.call("nobody", "GET open/who()")).json.value, "anonymous undefined");
  }));

Deno.test("a token without tenant is refused where a login is needed (tenant-isolation-002)", async () => {
  const { identity, runtime } = tokenApp();
  const token = await identity.token({ user: "alice", claims: { zid: undefined } });
  const headers = { authorization: `Bearer ${token}` };
  const response = await runtime.fetch(new Request("http://localhost/odata/v4/closed/Notes", { headers }));
  await response.body?.cancel();
  assert.equal(response.status, 401);
  await runtime.close();
});

Deno.test("a public endpoint is served without tenant, but reaches no database unless code sets one [5.2.7c]", () =>
  withApp(async (app) => {
    assert.equal((await app.call(undefined, "GET open/who()")).json.value, "anonymous undefined");
    assert.equal((await app.call(undefined, "GET open/Notes")).status, 401);
    assert.equal((await app.call(undefined, "GET open/read(tenant='')")).status, 401);
    await app.call("ann", "POST closed/Notes", note(1, "of t1"));
    assert.equal((await app.call(undefined, "GET open/read(tenant='t1')")).json.value, 1);
    assert.equal((await app.call(undefined, "GET open/read(tenant='t2')")).json.value, 0);
    // code may not take it from the caller either, if it is no tenant
    assert.equal((await app.call(undefined, "GET open/read(tenant='..%2Ft1')")).status, 401);
  }));

Deno.test("what is no tenant is refused, and tenants are compared exactly (tenant-isolation-004)", () =>
  withApp(async (app) => {
    await app.call("ann", "POST closed/Notes", note(1, "of t1"));
    for (const user of ["up", "drop", "blank", "long"]) {
      for (const path of ["closed/Notes", "open/who()"]) {
        assert.equal((await app.call(user, `GET ${path}`)).status, 401, user);
      }
    }
    assert.deepEqual(await texts(app, "cap"), []);
    assert.deepEqual(await texts(app, "ann"), ["of t1"]);
    assert.ok(!app.lines.some((line) => line.includes("../t2") || line.includes("t1;drop")));
  }));

Deno.test("work after the answer belongs to its own tenant while others run (tenant-isolation-006)", async () => {
  const seen: string[] = [];
  const done = new Map(["ann", "bea"].map((user) => [user, Promise.withResolvers<void>()]));
  const read = async (when: string) => {
    const rows = await fw.db.run(SELECT.from("my.Notes")) as { text: string }[];
    seen.push(`${when} ${fw.context?.tenant} ${rows.map(({ text }) => text)}`);
  };
  await withApp(
    async (app) => {
      await app.call("ann", "POST closed/Notes", note(1, "of t1"));
      await app.call("bea", "POST closed/Notes", note(1, "of t2"));
      await Promise.all(["ann", "bea"].map((user) => app.call(user, "POST closed/work", { body: {} })));
      await Promise.all([...done.values()].map(({ promise }) => promise));
    },
    undefined,
    (req) => {
      const { tenant, user } = req;
      req.on("succeeded", () => fw.tx({ tenant, user }, () => read("succeeded")));
      req.on("done", () => {
        fw.spawn({ tenant, user }, () => read("spawn")).on("done", () => done.get(user.id)!.resolve());
      });
    },
  );
  assert.deepEqual(seen.sort(), [
    "spawn t1 of t1",
    "spawn t2 of t2",
    "succeeded t1 of t1",
    "succeeded t2 of t2",
  ]);
});

Deno.test("a connection keeps nothing of who used it before (tenant-isolation-009)", () =>
  withApp(async (app) => {
    const { runtime } = app;
    await app.call("ann", "POST closed/Notes", note(1, "of ann"));
    assert.deepEqual(await texts(app, "ann", "closed/Own"), ["of ann"]);
    // the same tenant, so the same connection, by others
    const own = (user: User) =>
      runtime.db!.tx({ tenant: "t1", user }, (tx) => tx.run(SELECT.from("Closed.Own"))) as Promise<Row[]>;
    assert.deepEqual(await own(new User("zoe")), []);
    assert.deepEqual((await own(new User("ann"))).length, 1);
    assert.deepEqual(await own(User.anonymous), []);
  }));
