import assert from "node:assert/strict";
import { ENGINES } from "./engines.ts";
import { openShop } from "./fixture_host.ts";

const MODEL = {
  definitions: {
    "ShopService": { kind: "service" as const },
    "ShopService.Parts": {
      kind: "entity" as const,
      elements: {
        ID: { key: true, type: "cds.hana.SMALLINT" },
        tiny: { type: "cds.hana.TINYINT" },
        exact: { type: "cds.hana.SMALLDECIMAL" },
        real: { type: "cds.hana.REAL" },
        fixed: { type: "cds.hana.CHAR", length: 3 },
        long: { type: "cds.hana.CLOB" },
        bytes: { type: "cds.hana.BINARY", length: 4 },
      },
    },
  },
};
const ROW = { ID: 1, tiny: 0, exact: 1.5, real: 0.25, fixed: "abc", long: "a text", bytes: "AQID" };

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`types of one database are those of all with the same values (csn-cqn 4), on ${engine}`, async () => {
    const shop = await openShop({ model: MODEL, database });
    try {
      assert.equal((await shop.send("POST", "Parts", { body: ROW })).status, 201);
      const { "@odata.context": _, ...read } = (await shop.send("GET", "Parts(1)")).body as typeof ROW & {
        "@odata.context": string;
      };
      assert.deepEqual(read, ROW);
      for (const condition of ["tiny lt 1", "exact gt 1.25", "real eq 0.25", "contains(fixed,'b')"]) {
        const { body } = await shop.send("GET", `Parts?$filter=${encodeURIComponent(condition)}`);
        assert.equal((body as { value: unknown[] }).value.length, 1, condition);
      }
      for (
        const wrong of [{ tiny: 256 }, { ID: 40000 }, { fixed: "abcd" }, { real: "x" }, { bytes: "AQIDBAU=" }]
      ) {
        const { status } = await shop.send("POST", "Parts", { body: { ID: 2, ...wrong } });
        assert.equal(status, 400, JSON.stringify(wrong));
      }
    } finally {
      await shop.close();
    }
  });
}
