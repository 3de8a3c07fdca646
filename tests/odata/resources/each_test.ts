import assert from "node:assert/strict";
import { withApp } from "../../data/app.ts";

const MODEL = `service Test {
  entity Orders { key ID : Integer; name : String;
    lines : Composition of many { key pos : Integer; text : String; parts : Composition of many { key at : Integer; text : String; }; }; }
}`;
const ROWS = {
  "Test.Orders": [{ ID: 1 }, { ID: 2 }],
  "Test.Orders.lines": [{ up__ID: 1, pos: 1 }, { up__ID: 1, pos: 2 }, { up__ID: 2, pos: 1 }],
  "Test.Orders.lines.parts": [{ up__up__ID: 1, up__pos: 1, at: 1 }, { up__up__ID: 1, up__pos: 2, at: 1 }],
};

Deno.test("what /$each changes is answered where that is preferred, also of parts behind their whole (OData Protocol 11.4.13)", () =>
  withApp({ model: MODEL, rows: ROWS, database: "memory" }, async ({ patch }) => {
    const changed = async (path: string, body: object) => {
      const answer = await patch(path, body, { prefer: "return=representation" });
      assert.equal(answer.status, 200, path);
      return answer.body.value;
    };
    assert.deepEqual(await changed("Orders/$each", { name: "a" }), [
      { ID: 1, name: "a" },
      { ID: 2, name: "a" },
    ]);
    assert.deepEqual(await changed("Orders(1)/lines/$each", { text: "b" }), [
      { up__ID: 1, pos: 1, text: "b" },
      { up__ID: 1, pos: 2, text: "b" },
    ]);
    assert.deepEqual(await changed("Orders(1)/lines(2)/parts/$each", { text: "c" }), [
      { up__up__ID: 1, up__pos: 2, at: 1, text: "c" },
    ]);
  }));
