import assert from "node:assert/strict";
import { createRuntime } from "../../../mod.ts";
import { denoKinds } from "../../../src/deno/deno_kinds.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { uniqueName } from "../../contract/services.ts";
import { credentials, dropSchemas, server } from "../../db/postgres.ts";
import { sendLine } from "./send_line.ts";

async function discardWhatIsNotThere(kind: string): Promise<void> {
  const schema = uniqueName();
  const seen: string[] = [];
  const runtime = createRuntime({
    model: parseCdl("service Shop { @odata.draft.enabled entity Orders { key ID : Integer; } }"),
    kinds: denoKinds,
    env: {
      requires: {
        auth: { kind: "mocked", id_prefix: "", users: { ann: {}, ben: {} } },
        db: kind === "postgres" ? { kind, credentials: credentials(schema) } : { kind },
      },
      log: { levels: { default: "silent" } },
    },
    handlers: {
      Shop: (srv) => srv.before("CANCEL", "Orders.drafts", (req) => void seen.push(req.user.id)),
    },
  });
  await runtime.start();
  const statusOf = async (line: string, user: string, body?: unknown) =>
    (await sendLine(runtime, line, { user, body })).status;
  try {
    assert.equal(await statusOf("POST Orders", "ann", { ID: 1 }), 201);
    assert.equal(await statusOf("DELETE Orders(ID=2,IsActiveEntity=false)", "ben"), 404);
    assert.deepEqual(seen, ["ben"]);
    assert.equal(await statusOf("DELETE Orders(ID=1,IsActiveEntity=false)", "ben"), 403);
    assert.deepEqual(seen, ["ben"]);
    assert.equal(await statusOf("DELETE Orders(ID=2,IsActiveEntity=true)", "ben"), 404);
    assert.equal(await statusOf("DELETE Orders(ID=1,IsActiveEntity=false)", "ann"), 204);
    assert.deepEqual(seen, ["ben", "ann"]);
  } finally {
    await runtime.close();
    if (kind === "postgres") await dropSchemas(schema);
  }
}

for (const kind of ["sqlite", "postgres"]) {
  Deno.test({
    name: `a draft that is not there is 404 when handlers of the discarding have run (${kind})`,
    ignore: kind === "postgres" && !server.isThere,
    fn: () => discardWhatIsNotThere(kind),
  });
}
