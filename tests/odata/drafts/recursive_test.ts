import assert from "node:assert/strict";
import { createRuntime, type Row } from "../../../mod.ts";
import { denoKinds } from "../../../src/deno/deno_kinds.ts";
import { compileCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { uniqueName } from "../../contract/services.ts";
import { credentials, dropSchemas, server } from "../../db/postgres.ts";

const SOURCE = `
  entity my.Nodes { key ID : Integer; name : String(40); parent : Association to my.Nodes;
    children : Composition of many my.Nodes on children.parent = $self; }
  service Trees { @odata.draft.enabled entity Nodes as projection on my.Nodes; }`;

type Send = (method: string, path: string, body?: unknown) => Promise<{ status: number; body: Row }>;

/** A tree without branches: node 1 is the root, each other one a child of that before it. */
async function withTree(levels: number, run: (send: Send) => Promise<void>, kind = "sqlite"): Promise<void> {
  const schema = uniqueName();
  const db = kind === "postgres" ? { kind, credentials: credentials(schema) } : { kind };
  const nodes = Array.from({ length: levels }, (_, i) => ({
    ...{ ID: i + 1, name: `level ${i + 1}` },
    parent_ID: i === 0 ? null : i,
  }));
  const runtime = createRuntime({
    model: compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? SOURCE : undefined }),
    kinds: denoKinds,
    env: {
      requires: { auth: { kind: "mocked" }, db },
      log: { levels: { default: "silent" } },
    },
    data: new Map<string, Row[]>([["my.Nodes", nodes]]),
  });
  await runtime.start();
  try {
    await run(async (method, path, body) => {
      const response = await runtime.fetch(
        new Request(`http://localhost/odata/v4/trees/${path}`, {
          method,
          headers: { authorization: `Basic ${btoa("alice:")}`, "content-type": "application/json" },
          body: body === undefined ? undefined : JSON.stringify(body),
        }),
      );
      const text = await response.text();
      return { status: response.status, body: text === "" ? {} : JSON.parse(text) };
    });
  } finally {
    await runtime.close();
    if (kind === "postgres") await dropSchemas(schema);
  }
}

const ACTIVE = "Nodes(ID=1,IsActiveEntity=true)";
const DRAFT = "Nodes(ID=1,IsActiveEntity=false)";

Deno.test("a tree whose nodes are parts of each other is edited and activated with all its levels", () =>
  withTree(4, async (send) => {
    const edited = await send("POST", `${ACTIVE}/Trees.draftEdit`, {});
    assert.equal(edited.status, 201, JSON.stringify(edited.body));
    const leaf = "Nodes(ID=4,IsActiveEntity=false)";
    assert.equal((await send("PATCH", leaf, { name: "changed" })).status, 200);
    assert.equal((await send("PATCH", DRAFT, { name: "root" })).status, 200);
    const activated = await send("POST", `${DRAFT}/Trees.draftActivate`, {});
    assert.equal(activated.status, 200, JSON.stringify(activated.body));
    const { body } = await send("GET", "Nodes?$orderby=ID&$select=ID,name,parent_ID");
    assert.deepEqual((body.value as Row[]).map(({ ID, name, parent_ID }) => [ID, name, parent_ID]), [
      ...[[1, "root", null], [2, "level 2", 1], [3, "level 3", 2], [4, "changed", 3]],
    ]);
  }));

Deno.test("a tree that is deeper than drafts hold is not edited, and stays as it is", () =>
  withTree(9, async (send) => {
    const { status, body } = await send("POST", `${ACTIVE}/Trees.draftEdit`, {});
    assert.equal(status, 501, JSON.stringify(body));
    assert.match(JSON.stringify(body), /at most 6 levels/);
    assert.equal((await send("GET", "Nodes?$count=true")).body["@odata.count"], 9);
  }));

for (const kind of ["sqlite", "postgres"]) {
  Deno.test({
    name:
      `a node inside of the draft of another one goes with it: it is not activated alone, nor ends the draft (${kind})`,
    ignore: kind === "postgres" && !server.isThere,
    fn: () =>
      withTree(4, async (send) => {
        await send("POST", `${ACTIVE}/Trees.draftEdit`, {});
        const inner = "Nodes(ID=3,IsActiveEntity=false)";
        const refused = await send("POST", `${inner}/Trees.draftActivate`, {});
        const { code } = refused.body.error as Row;
        assert.deepEqual([refused.status, code], [422, "DRAFT_MODIFICATION_ONLY_VIA_ROOT"]);
        const changedAt = async () =>
          (await send("GET", `${DRAFT}/DraftAdministrativeData`)).body.LastChangeDateTime as string;
        const before = await changedAt();
        await new Promise((resolve) => setTimeout(resolve, 2));
        assert.equal((await send("DELETE", inner)).status, 204);
        assert.ok(await changedAt() > before, "the draft is changed, too");
        assert.equal((await send("GET", "Nodes(ID=4,IsActiveEntity=false)")).status, 404);
        assert.equal((await send("PATCH", DRAFT, { name: "root" })).status, 200);
        assert.equal((await send("POST", `${DRAFT}/Trees.draftActivate`, {})).status, 200);
        const { body } = await send("GET", "Nodes?$orderby=ID&$select=ID,name");
        assert.deepEqual((body.value as Row[]).map(({ ID, name }) => [ID, name]), [[1, "root"], [
          2,
          "level 2",
        ]]);
      }, kind),
  });
}

Deno.test("a new node below an active one has a draft of its own, and nodes of one draft may be parts of each other", () =>
  withTree(2, async (send) => {
    const made = await send("POST", "Nodes", { ID: 7, name: "child", parent_ID: 1 });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    assert.equal(
      (await send("POST", "Nodes(ID=7,IsActiveEntity=false)/Trees.draftActivate", {})).status,
      201,
    );
    const children = [{ ID: 9, name: "a" }, { ID: 10, name: "b", children: [{ ID: 11, name: "c" }] }];
    assert.equal((await send("POST", "Nodes", { ID: 8, name: "root", children })).status, 201);
    assert.equal((await send("PATCH", "Nodes(ID=11,IsActiveEntity=false)", { parent_ID: 9 })).status, 200);
    assert.equal(
      (await send("POST", "Nodes(ID=8,IsActiveEntity=false)/Trees.draftActivate", {})).status,
      201,
    );
    const { body } = await send("GET", "Nodes?$filter=parent_ID ne null&$orderby=ID&$select=ID,parent_ID");
    const links = (body.value as Row[]).map(({ ID, parent_ID }) => [ID, parent_ID]);
    assert.deepEqual(links, [[2, 1], [7, 1], [9, 8], [10, 8], [11, 9]]);
  }));
