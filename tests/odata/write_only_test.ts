import assert from "node:assert/strict";
import { createRuntime } from "../../mod.ts";
import { compileText } from "../../src/deno/compiler.ts";
import { send } from "../http/fixture.ts";

const MODEL = compileText(`service Shop {
  @restrict: [{ grant: ['CREATE', 'UPDATE'], to: 'authenticated-user' }, { grant: 'READ', to: 'admin' }]
  entity Notes { key ID : Integer; text : String; }
}`);
const NOTES = "/odata/v4/shop/Notes";

Deno.test("what is written by those who may not read it is answered without content (authorization, Protocol 11.4.2)", async () => {
  const users = { alice: { roles: ["admin"] }, bob: {} };
  const runtime = createRuntime({
    model: MODEL,
    env: {
      requires: { auth: { kind: "mocked", users }, db: { kind: "memory" } },
      log: { levels: { default: "silent" } },
    },
  });
  try {
    const bob = { user: "bob" };
    const created = await send(runtime, NOTES, { method: "POST", body: { ID: 1, text: "a" }, ...bob });
    assert.deepEqual([created.status, created.body], [204, ""]);
    const changed = await send(runtime, `${NOTES}(1)`, { method: "PATCH", body: { text: "b" }, ...bob });
    assert.deepEqual([changed.status, changed.body], [204, ""]);
    assert.equal((await send(runtime, `${NOTES}(1)`, bob)).status, 403);
    const { body } = await send(runtime, `${NOTES}(1)`, { user: "alice" });
    assert.equal((body as { text: string }).text, "b");
  } finally {
    await runtime.close();
  }
});
