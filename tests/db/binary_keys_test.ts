/**
 * Elements of type Binary in conditions and as keys: rows show base64, so base64 finds them (csn-cqn 4, behaviours 4).
 *
 * @module
 */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { Query, Row, Xo } from "../../src/cqn/cqn.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import type { DatabaseTransaction } from "../../src/service/database.ts";
import { createAllEngines } from "./all_engines.ts";

const MODEL = linkModel(parseCdl(`
  entity Books { key ID : Integer; pages : Composition of many Pages on pages.book = $self; cover : Composition of one Covers; }
  entity Pages { key code : Binary(4); book : Association to Books; n : Integer; }
  entity Covers { key code : Binary(4); n : Integer; }`));

const BYTES = Uint8Array.of(0xfb, 0xff, 1);
const FORMS: readonly (string | Uint8Array)[] = ["+/8B", "-_8B", BYTES];

function onAllEngines(rule: string, run: (tx: DatabaseTransaction, kind: string) => Promise<void>): void {
  Deno.test(`${rule}, on all engines`, async () => {
    for (const database of await createAllEngines(MODEL)) {
      try {
        await database.deploy();
        const tx = database.begin(new EventContext());
        await run(tx, database.kind);
        await tx.rollback();
      } finally {
        await database.close();
      }
    }
  });
}

function isCode(val: string | Uint8Array): readonly Xo[] {
  return [{ ref: ["code"] }, "=", { val }];
}

onAllEngines(
  "a Binary element is compared with base64 of both alphabets and with bytes",
  async (tx, kind) => {
    const changes = (query: Query) => tx.run(query) as Promise<number>;
    await tx.run({ INSERT: { into: "Pages", entries: [{ code: BYTES, n: 1 }, { code: "AAAA", n: 2 }] } });
    for (const code of FORMS) {
      const found = await tx.run({
        SELECT: { from: { ref: ["Pages"] }, where: isCode(code) },
      }) as Row[];
      assert.deepEqual(found.map(({ n }) => n), [1], kind);
      const among = [{ ref: ["code"] }, "in", { list: [{ val: code }] }];
      assert.equal(
        (await tx.run({ SELECT: { from: { ref: ["Pages"] }, where: among } }) as Row[]).length,
        1,
      );
      assert.equal(
        await changes({ UPDATE: { entity: "Pages", where: isCode(code), data: { n: 1 } } }),
        1,
      );
      await changes({ UPSERT: { into: "Pages", entries: [{ code, n: 1 }] } });
    }
    assert.equal((await tx.run(parseCqlQuery("SELECT from Pages")) as Row[]).length, 2, kind);
    await assert.rejects(
      async () => await tx.run({ SELECT: { from: { ref: ["Pages"] }, where: isCode("no base64!") } }),
      { status: 400 },
    );
    assert.equal(await changes({ DELETE: { from: "Pages", where: isCode("+/8B") } }), 1);
  },
);

onAllEngines("a part whose key is Binary is found by base64 when it is written again", async (tx, kind) => {
  const first = {
    ID: 1,
    pages: [{ code: "AAAA", n: 1 }, { code: "AAAB", n: 1 }],
    cover: { code: "AAAA", n: 1 },
  };
  await tx.run({ INSERT: { into: "Books", entries: [first] } });
  for (const code of FORMS) {
    const data = { pages: [{ code: "AAAA", n: 2 }, { code, n: 3 }], cover: { code: "AAAA", n: 2 } };
    const where = [{ ref: ["ID"] }, "=", { val: 1 }];
    await tx.run({ UPDATE: { entity: "Books", where, data } });
  }
  const pages = await tx.run(parseCqlQuery("SELECT from Pages { n } order by n")) as Row[];
  assert.deepEqual(pages.map(({ n }) => n), [2, 3], kind);
  assert.deepEqual(await tx.run(parseCqlQuery("SELECT from Covers { n }")), [{ n: 2 }], kind);
});
