/** Parts that carry no restriction, in services that carry one: they need a login like all endpoints there (auth 7). */

import assert from "node:assert/strict";
import { createRuntime } from "../../../src/fw/create_runtime.ts";
import { compileCdl } from "../../../src/model/cdl/compile_cdl.ts";

const TEXT = `
@requires: 'any' service S {
  @restrict: [{ to: 'any' }] entity Open { key ID: Integer; pages: Composition of many Pages on pages.whole = $self; }
  entity Pages { key ID: Integer; no: Integer; whole: Association to Open; }
}`;

Deno.test("nobody writes parts with their whole that need a login [5.2.7]", async () => {
  const runtime = createRuntime({
    model: compileCdl(["m.cds"], {
      readFile: (path) => path === "m.cds" ? TEXT : undefined,
      isFile: (path) => path === "m.cds",
    }),
    data: new Map<string, Record<string, unknown>[]>([
      ["S.Open", [{ ID: 1 }]],
      ["S.Pages", [{ ID: 1, no: 1, whole_ID: 1 }]],
    ]),
    env: {
      log: { levels: { default: "silent" } },
      requires: { auth: { kind: "mocked", users: { nora: {} } } },
    },
  });
  const send = async (as: string, method: string, path: string, body?: object) => {
    const response = await runtime.fetch(
      new Request(`http://localhost/odata/v4/s/${path}`, {
        method,
        headers: {
          ...(as ? { authorization: `Basic ${btoa(`${as}:`)}` } : {}),
          ...(body ? { "content-type": "application/json" } : {}),
        },
        body: body && JSON.stringify(body),
      }),
    );
    await response.body?.cancel();
    return response.status;
  };
  try {
    for (const pages of [[], [{ ID: 1, no: 2 }], [{ ID: 1 }, { ID: 2 }]]) {
      assert.equal(await send("", "PATCH", "Open(1)", { pages }), 401, JSON.stringify(pages));
    }
    assert.equal(await send("", "POST", "Open", { ID: 2, pages: [{ ID: 2 }] }), 401);
    assert.equal(await send("", "DELETE", "Open(1)"), 401);
    assert.equal(await send("nora", "GET", "Pages(1)"), 200);
    // without parts there is nothing to refuse
    assert.equal(await send("", "POST", "Open", { ID: 2, pages: [] }), 204);
    assert.equal(await send("", "PATCH", "Open(2)", { pages: [] }), 200);
    assert.equal(await send("nora", "PATCH", "Open(1)", { pages: [] }), 200);
    assert.equal(await send("nora", "GET", "Pages(1)"), 404);
  } finally {
    await runtime.close();
  }
});
