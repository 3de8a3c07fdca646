import assert from "node:assert/strict";
import { type ApplicationService, createRuntime, type Row, type SelectQuery } from "../../../mod.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { send } from "../../http/fixture.ts";

/** The token of the second page, where handlers run before a page is read. */
async function tokenOf(before?: (query: SelectQuery) => unknown): Promise<string | null> {
  const runtime = createRuntime({
    model: parseCdl("service S { entity E { key ID : Integer; name : String; } }"),
    data: new Map<string, Row[]>([["S.E", ["c", "a", "b"].map((name, ID) => ({ ID, name }))]]),
    env: { log: { levels: { default: "silent" } } },
    handlers: {
      S: (srv: ApplicationService) =>
        before && srv.before("READ", "E", (req) => void before(req.query as SelectQuery)),
    },
  });
  await runtime.start();
  try {
    const { body } = await send(runtime, "/odata/v4/s/E?$orderby=name", {
      user: "alice",
      headers: { prefer: "odata.maxpagesize=2" },
    });
    const link = body["@odata.nextLink"] as string;
    return new URL(link, "http://localhost").searchParams.get("$skiptoken");
  } finally {
    await runtime.close();
  }
}

Deno.test("a page goes on behind its last row where handlers leave the order, else behind as many rows", async () => {
  const usual = await tokenOf();
  assert.match(usual!, /^\D/);
  assert.equal(await tokenOf(() => {}), usual);
  assert.equal(await tokenOf((query) => query.SELECT.where), usual);
  const turned = await tokenOf((query) => {
    Object.assign(query.SELECT, { orderBy: [{ ref: ["name"], sort: "desc" }, { ref: ["ID"] }] });
  });
  assert.equal(turned, "2");
  const shorter = await tokenOf((query) => Object.assign(query.SELECT, { orderBy: [{ ref: ["ID"] }] }));
  assert.equal(shorter, "2");
});
