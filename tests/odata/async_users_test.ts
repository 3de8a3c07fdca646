import assert from "node:assert/strict";
import { User } from "../../src/context/user.ts";
import { createRuntime } from "../../src/fw/create_runtime.ts";
import type { Kinds } from "../../src/fw/kinds.ts";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";

const CDL = `
  @requires: 'authenticated-user' @path: '/s'
  service S {
    entity Notes { key ID : Integer; text : String; by : String @cds.on.insert: $user; }
  }`;
const ROOT = "http://localhost/s";

const MODEL = compileCdl(["m.cds"], {
  readFile: (path) => path === "m.cds" ? CDL : undefined,
  isFile: (path) => path === "m.cds",
});

const openNotes = (limits: object = {}) =>
  createRuntime({
    model: MODEL,
    env: {
      limits,
      odata: { respond_async: true },
      log: { levels: { default: "silent" } },
      requires: {
        auth: { kind: "mocked", users: { alice: {}, bob: {}, carol: {} } },
        db: { kind: "memory" },
      },
    },
  });

Deno.test("only who sent an asynchronous request sees its monitor, and it runs as that user (Protocol 11.6)", async () => {
  const runtime = openNotes();
  const send = async (user: string | undefined, method: string, url: string, body?: unknown) => {
    const headers = {
      "odata-maxversion": "4.01",
      ...(user === undefined ? {} : { authorization: `Basic ${btoa(`${user}:`)}` }),
      ...(body === undefined ? {} : { "content-type": "application/json", prefer: "respond-async" }),
    };
    return await runtime.fetch(
      new Request(`${ROOT}/${url}`, {
        method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
      }),
    );
  };
  try {
    assert.equal((await send(undefined, "POST", "Notes", { ID: 1 })).status, 401);
    const accepted = await send("alice", "POST", "Notes", { ID: 1, text: "x" });
    assert.equal(accepted.status, 202);
    const monitor = accepted.headers.get("location")!;
    assert.equal((await send(undefined, "GET", monitor)).status, 401);
    for (const method of ["GET", "DELETE"]) assert.equal((await send("bob", method, monitor)).status, 404);
    let answer = await send("alice", "GET", monitor);
    while (answer.status === 202) {
      await new Promise((resolve) => setTimeout(resolve));
      answer = await send("alice", "GET", monitor);
    }
    assert.equal(answer.headers.get("asyncresult"), "201");
    assert.equal((await answer.json()).by, "mock/alice");
    assert.equal((await send("bob", "GET", monitor)).status, 404);
  } finally {
    await runtime.close();
  }
});

Deno.test("a compressed asynchronous request is read once (Protocol 8.2.8.8, RFC 9110 8.4)", async () => {
  const runtime = openNotes();
  const headers = {
    "authorization": `Basic ${btoa("alice:")}`,
    "content-encoding": "gzip",
    "content-type": "application/json",
    "prefer": "respond-async, wait=20",
  };
  const text = new Blob([JSON.stringify({ ID: 1, text: "x" })]).stream();
  const compressed = await new Response(text.pipeThrough(new CompressionStream("gzip"))).bytes();
  try {
    const request = new Request(`${ROOT}/Notes`, { method: "POST", headers, body: compressed });
    const answer = await runtime.fetch(request);
    assert.deepEqual([answer.status, (await answer.json()).text], [201, "x"]);
  } finally {
    await runtime.close();
  }
});

/** Everybody is one technical user, with the roles that the request names. */
const ROLES: Kinds["strategies"] = {
  "test-roles": () => ({
    kind: "test-roles",
    challenge: "Bearer",
    authenticate: ({ headers }) => ({
      user: new User({ id: "system", roles: headers.get("x-roles")?.split(",") ?? [] }),
    }),
  }),
};

Deno.test("a monitor shows nothing to whoever lacks a role that the request was made with (Protocol 11.6)", async () => {
  const runtime = createRuntime({
    model: MODEL,
    kinds: { strategies: ROLES },
    env: {
      odata: { respond_async: true },
      log: { levels: { default: "silent" } },
      requires: { auth: { kind: "test-roles" }, db: { kind: "memory" } },
    },
  });
  const send = (roles: string, url: string, init: RequestInit = {}) =>
    runtime.fetch(new Request(`${ROOT}/${url}`, { ...init, headers: { "x-roles": roles, ...init.headers } }));
  try {
    const accepted = await send("admin,clerk", "Notes", { headers: { prefer: "respond-async" } });
    const monitor = accepted.headers.get("location")!;
    for (const roles of ["", "admin", "clerk", "other"]) {
      for (const method of ["GET", "HEAD", "DELETE"]) {
        const { status, body } = await send(roles, monitor, { method });
        await body?.cancel();
        assert.equal(status, 404, `${method} ${roles}`);
      }
    }
    const { status, body } = await send("clerk,other,admin", monitor);
    await body?.cancel();
    assert.ok(status === 200 || status === 202);
  } finally {
    await runtime.close();
  }
});

/** Sends asynchronous requests of users, one after the other, and asks their monitors until there are results. */
function asking(runtime: ReturnType<typeof openNotes>) {
  const send = (user: string, url: string, init: RequestInit = {}) => {
    const headers = {
      authorization: `Basic ${btoa(`${user}:`)}`,
      "odata-maxversion": "4.01",
      ...init.headers,
    };
    return runtime.fetch(new Request(`${ROOT}/${url}`, { ...init, headers }));
  };
  /** The body of a result; undefined where none is kept. */
  const result = async (user: string, monitor: string): Promise<string | undefined> => {
    for (;;) {
      const answer = await send(user, monitor);
      const text = await answer.text();
      if (answer.status !== 202) return answer.status === 404 ? undefined : text;
      await new Promise((resolve) => setTimeout(resolve));
    }
  };
  const ask = async (user: string, url = "Notes", init: RequestInit = {}) => {
    const prefer = `respond-async${init.method ? ", return=minimal" : ""}`;
    const accepted = await send(user, url, {
      ...init,
      headers: { prefer, "content-type": "application/json" },
    });
    assert.equal(accepted.status, 202);
    const monitor = accepted.headers.get("location")!;
    assert.notEqual(await result(user, monitor), undefined);
    return monitor;
  };
  return { ask, result };
}

Deno.test("who needs room for a result loses own ones first, and no more than it takes (asyncResultLength)", async () => {
  const measured = openNotes();
  const { ask, result } = asking(measured);
  const size = (await result("alice", await ask("alice")))!.length;
  await measured.close();
  const runtime = openNotes({ asyncResultLength: 3 * size });
  try {
    const { ask, result } = asking(runtime);
    const kept: [user: string, monitor: string][] = [];
    /** Asks as a user; tells which of the requests, by their position, have results. */
    const left = async (user: string) => {
      kept.push([user, await ask(user)]);
      const results = await Promise.all(kept.map((one) => result(...one)));
      return [...results.keys()].filter((at) => results[at] !== undefined);
    };
    // takes no room
    const empty = await ask("alice", "Notes", { method: "POST", body: JSON.stringify({ ID: 1 }) });
    await ask("alice", "Notes(1)", { method: "DELETE" });
    assert.deepEqual(await left("bob"), [0]);
    assert.deepEqual(await left("alice"), [0, 1]);
    assert.deepEqual(await left("alice"), [0, 1, 2]);
    assert.deepEqual(await left("alice"), [0, 2, 3]);
    assert.deepEqual(await left("bob"), [2, 3, 4]);
    assert.deepEqual(await left("carol"), [3, 4, 5]);
    assert.equal(await result("alice", empty), "");
  } finally {
    await runtime.close();
  }
});
