import assert from "node:assert/strict";
import { createRuntime } from "../../src/fw/create_runtime.ts";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";

const TEXT = `
context my {
  entity Wholes { key ID: Integer; parts: Composition of many Parts on parts.whole = $self; }
  @restrict: [{ where: 'ID > 1' }] entity Parts {
    key ID: Integer; whole: Association to Wholes; items: Composition of many { key no: Integer; };
  }
}
service S {
  @requires: 'reader' entity Wholes as projection on my.Wholes;
}
`;

Deno.test("where the caller may read none of the sets of $all the answer is 403, or 401 where a login would help, whatever cannot be read by anybody (URL 4.14)", async () => {
  const runtime = createRuntime({
    model: compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? TEXT : undefined }),
    env: { requires: { db: { kind: "memory" } }, log: { levels: { default: "silent" } } },
  });
  const status = async (user: string) => {
    const headers = user === "" ? undefined : { authorization: `Basic ${btoa(`${user}:`)}` };
    const response = await runtime.fetch(new Request("http://localhost/odata/v4/s/$all", { headers }));
    await response.body?.cancel();
    return response.status;
  };
  try {
    assert.equal(await status(""), 401);
    assert.equal(await status("bob"), 403);
    assert.equal(await status("privileged"), 200);
  } finally {
    await runtime.close();
  }
});
