/**
 * Drafts of temporal data, and of texts: they are there whatever the time and the locale of a request are, and
 * activation writes the slice that was edited (drafts 0 "Temporal writes by key", 4).
 */

import assert from "node:assert/strict";
import { createRuntime, type Row } from "../../../mod.ts";
import { denoKinds } from "../../../src/deno/deno_kinds.ts";
import { compileCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { sendLine } from "./send_line.ts";

const SOURCE = `
  context my {
    entity Rates { key ID : Integer; validFrom : Timestamp @cds.valid.from; validTo : Timestamp @cds.valid.to;
      value : Integer; title : localized String(20); }
  }
  service Shop { @odata.draft.enabled @fiori.draft.enabled entity Rates as projection on my.Rates; }`;
const ACTIVE = "Rates(ID=1,IsActiveEntity=true)";
const DRAFT = "Rates(ID=1,IsActiveEntity=false)";
const [OLD, NEW, END] = ["2000-01-01", "2010-01-01", "9999-01-01"].map((day) => `${day}T00:00:00.000Z`);

for (const kind of ["sqlite", "memory"]) {
  Deno.test(`${kind}: the draft of a slice is read, changed and activated at any time, and nothing but its slice is written`, async () => {
    const runtime = createRuntime({
      model: compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? SOURCE : undefined }),
      kinds: denoKinds,
      env: {
        requires: { auth: { kind: "mocked", users: { ann: {} } }, db: { kind } },
        log: { levels: { default: "silent" } },
      },
      data: new Map<string, Row[]>([["my.Rates", [
        { ID: 1, validFrom: OLD, validTo: NEW, value: 1, title: "old" },
        { ID: 1, validFrom: NEW, validTo: END, value: 2, title: "new" },
      ]]]),
    });
    await runtime.start();
    const send = async (request: string, body?: unknown): Promise<[number, Row]> => {
      const { status, body: found } = await sendLine(runtime, request, { user: "ann", body });
      return [status, found];
    };
    try {
      const [made, edited] = await send(`POST ${ACTIVE}/draftEdit?sap-valid-at=2005-01-01`, {});
      assert.deepEqual([made, edited.validFrom, edited.value], [201, OLD, 1]);
      assert.equal((await send(`PATCH ${DRAFT}`, { value: 9 }))[1].value, 9);
      assert.equal((await send(`POST ${DRAFT}/texts`, { locale: "en", title: "english" }))[0], 201);
      const [, shown] = await send(`GET ${DRAFT}?$expand=localized($select=title)&$select=value,title`);
      assert.deepEqual([shown.value, shown.title], [9, "old"]);
      const [status, active] = await send(`POST ${DRAFT}/draftActivate`, {});
      assert.deepEqual([status, active.validFrom, active.value], [200, OLD, 9]);
      const [, { value }] = await send("GET Rates?sap-valid-from=1990-01-01&$orderby=validFrom");
      assert.deepEqual((value as Row[]).map((row) => [row.validFrom, row.value]), [[OLD, 9], [NEW, 2]]);
    } finally {
      await runtime.close();
    }
  });
}
