/**
 * What existing projects take for granted of their configuration.
 *
 * @module
 */

import assert from "node:assert/strict";
import { carryOn, changeable } from "../../src/config/changeable.ts";
import { createEnvironment } from "../../src/config/environment.ts";
import { loadProject } from "../../src/deno/mod.ts";
import { withProject } from "./project.ts";

type Send = (
  method: string,
  path: string,
  options?: { body?: unknown; accept?: string },
) => Promise<Response>;

async function withStarted(
  files: Readonly<Record<string, string>>,
  test: (send: Send) => Promise<void>,
): Promise<void> {
  await withProject(files, async (folder) => {
    const log = { levels: { default: "silent" } };
    const { runtime } = await loadProject(folder, { variables: {}, env: { log } });
    try {
      await runtime.start();
      await test((method, path, { body, accept } = {}) =>
        runtime.fetch(
          new Request(`http://localhost${path}`, {
            method,
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
            headers: {
              authorization: `Basic ${btoa("alice:")}`,
              ...(body === undefined ? {} : { "content-type": "application/json" }),
              ...(accept === undefined ? {} : { accept }),
            },
          }),
        )
      );
    } finally {
      await runtime.close();
    }
  });
}

const MODEL = {
  "srv/cat.cds": `using { managed } from '@sap/cds/common';
@requires: 'authenticated-user' service Cat {
  entity Books : managed { key ID : Integer; price : Decimal(9,2); status : Association to Status; parts : Composition of many Parts on parts.book = $self; }
  entity Parts { key ID : Integer; book : Association to Books; }
  entity Status { key code : String(1) default 'O'; }
}`,
};

const PATH = "/odata/v4/cat/Books";

Deno.test("existing projects know mock users by their plain names, others as mock/<name> (spec 2.5.3)", async () => {
  for (
    const [described, name] of [[{ cds: {} }, "alice"], [{ dependencies: { "@sap/cds": "^9" } }, "alice"], [
      {},
      "mock/alice",
    ]] as const
  ) {
    await withStarted({ ...MODEL, "package.json": JSON.stringify(described) }, async (send) => {
      const created = await send("POST", PATH, { body: { ID: 1 } });
      assert.equal((await created.json()).createdBy, name);
    });
  }
  const cds = { requires: { auth: { id_prefix: "x-" } } };
  await withStarted({ ...MODEL, "package.json": JSON.stringify({ cds }) }, async (send) => {
    assert.equal((await (await send("POST", PATH, { body: { ID: 1 } })).json()).createdBy, "x-alice");
  });
});

Deno.test("a foreign key has the default of the key that it refers to (csn-cqn 5)", () =>
  withStarted(MODEL, async (send) => {
    assert.equal((await (await send("POST", PATH, { body: { ID: 1 } })).json()).status_code, "O");
    const given = await send("POST", PATH, { body: { ID: 2, status: null } });
    assert.equal((await given.json()).status_code, null);
  }));

Deno.test("projects decide how numbers are written that clients say nothing of (JSON Format 3.2)", async () => {
  const path = `${PATH}?$count=true&$expand=parts($count=true)`;
  const written = async (features: Record<string, boolean>, accept?: string) => {
    let seen: unknown[] = [];
    await withStarted({ ...MODEL, "package.json": JSON.stringify({ cds: { features } }) }, async (send) => {
      await send("POST", PATH, { body: { ID: 1, price: 12.5, parts: [{ ID: 1 }] } });
      const answer = await (await send("GET", path, { accept })).json();
      seen = [answer["@odata.count"], answer.value[0].price, answer.value[0]["parts@odata.count"]];
    });
    return seen;
  };
  assert.deepEqual(await written({}), [1, 12.5, 1]);
  assert.deepEqual(await written({ ieee754compatible: true }), [1, "12.50", 1]);
  assert.deepEqual(await written({ count_as_string: true }), ["1", 12.5, "1"]);
  assert.deepEqual(await written({}, "application/json;IEEE754Compatible=true"), ["1", "12.50", "1"]);
  const both = { ieee754compatible: true, count_as_string: true };
  assert.deepEqual(await written(both, "application/json;IEEE754Compatible=false"), [1, 12.5, 1]);
});

Deno.test("server.js changes the configuration before services start", () =>
  withStarted({
    ...MODEL,
    "package.json": JSON.stringify({ cds: {} }),
    "server.js": `const cds = require("@sap/cds");
cds.env.features.count_as_string = true;
cds.env.requires.auth.users = { alice: { roles: ["boss"] } };
cds.env.own = { limit: 3 };
cds.on("bootstrap", (app) => app.get("/own", (req, res) => res.json(cds.env.own)));
`,
  }, async (send) => {
    assert.deepEqual(await (await send("GET", "/own")).json(), { limit: 3 });
    assert.equal((await (await send("GET", `${PATH}?$count=true`)).json())["@odata.count"], "0");
  }));

Deno.test("carryOn() keeps what programs have changed of required services when they read the configuration again", () => {
  const read = (url: string) =>
    changeable(
      createEnvironment([{
        name: "a",
        value: { requires: { db: { kind: "sqlite", credentials: { url } } } },
      }]),
    );
  const [before, after] = [read("a"), read("b")];
  const requires = before.requires as Record<string, Record<string, unknown>>;
  requires.auth.users = { ann: { roles: ["r"] } };
  requires.own = { kind: "x" };
  carryOn(before, after);
  assert.deepEqual(after.requires.auth?.users, { ann: { roles: ["r"] } });
  assert.deepEqual(after.requires.own, { kind: "x" });
  assert.deepEqual(after.requires.db?.credentials, { url: "b" });
});
