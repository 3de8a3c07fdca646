import assert from "node:assert/strict";
import { createRuntime, type Row } from "../../../mod.ts";
import { denoKinds } from "../../../src/deno/deno_kinds.ts";
import { compileCdl } from "../../../src/model/cdl/compile_cdl.ts";

const SOURCE = `
  entity my.Nodes { key ID : Integer; name : String(40); parent : Association to my.Nodes;
    children : Composition of many my.Nodes on children.parent = $self; }
  service Trees { @odata.draft.enabled entity Nodes as projection on my.Nodes; }`;

type Send = (method: string, path: string, body?: unknown) => Promise<{ status: number; body: Row }>;

/** A tree without branches: node 1 is the root, each other one a child of that before it. */
async function withTree(levels: number, run: (send: Send) => Promise<void>): Promise<void> {
  const nodes = Array.from({ length: levels }, (_, i) => ({
    ...{ ID: i + 1, name: `level ${i + 1}` },
    parent_ID: i === 0 ? null : i,
  }));
  const runtime = createRuntime({
    model: compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? SOURCE : undefined }),
    kinds: denoKinds,
    env: {
      requires: { auth: { kind: "mocked" }, db: { kind: "sqlite" } },
      log: { levels: { default: "silent" } },
    },
    data: new Map<string, Row[]>([["my.Nodes", nodes]]),
  });
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
