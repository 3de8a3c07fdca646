/** Drafts that nobody has changed for long are gone when somebody makes another one (drafts 3). */

import assert from "node:assert/strict";
import { type ApplicationService, createRuntime, type Row, SELECT } from "../../../mod.ts";
import { compileCdl } from "../../../src/model/cdl/compile_cdl.ts";

const SOURCE = `service Shop {
  @odata.draft.enabled entity Orders { key ID : Integer; title : String(10); }
}`;

Deno.test("whoever makes or edits a draft deletes those that nobody has changed for long", async () => {
  const runtime = createRuntime({
    model: compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? SOURCE : undefined }),
    env: { requires: { auth: { kind: "mocked" } }, log: { levels: { default: "silent" } } },
    data: new Map<string, Row[]>([["Shop.Orders", [{ ID: 1 }]]]),
  });
  await runtime.start();
  try {
    const srv = runtime.services.Shop as ApplicationService;
    const as = (user: string, work: () => PromiseLike<unknown>) => srv.tx({ user }, async () => await work());
    const drafts = async () => {
      const rows = await runtime.db!.run(SELECT.from("Shop.Orders.drafts").orderBy("ID")) as Row[];
      return rows.map(({ ID }) => ID);
    };
    const age = () =>
      runtime.db!.run({
        UPDATE: {
          entity: "DRAFT.DraftAdministrativeData",
          data: { LastChangeDateTime: "2020-01-01T00:00:00.000Z" },
        },
      });
    await as("ann", () => srv.new("Orders", { ID: 2 }));
    await as("ben", () => srv.new("Orders", { ID: 3 }));
    assert.deepEqual(await drafts(), [2, 3]);
    await age();
    await as("ann", () => srv.new("Orders", { ID: 4 }));
    assert.deepEqual(await drafts(), [4]);
    await age();
    await as("ben", () => srv.edit("Orders", { ID: 1 }));
    assert.deepEqual(await drafts(), [1]);
    await age();
    runtime.db!.before("DELETE", () => {
      throw new Error("locked");
    });
    await assert.rejects(as("ann", () => srv.new("Orders", { ID: 5 })), /locked/);
    await assert.rejects(as("ann", () => srv.edit("Orders", { ID: 1 })), /locked/);
    assert.deepEqual(await drafts(), [1]);
  } finally {
    await runtime.close();
  }
});
