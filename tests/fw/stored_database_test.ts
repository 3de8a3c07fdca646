import assert from "node:assert/strict";
import { isStored } from "../../src/fw/stored_database.ts";

Deno.test("isStored() tells databases whose rows outlive the process", () => {
  for (const credentials of [{ url: "shop.sqlite" }, { database: "shop.sqlite" }]) {
    assert.equal(isStored({ kind: "sqlite", credentials }), true);
    assert.equal(isStored({ kind: "memory", credentials }), false);
    assert.equal(isStored({ kind: "postgres", credentials }), true);
  }
  for (const credentials of [undefined, {}, { url: ":memory:" }, { url: "x.sqlite", database: ":memory:" }]) {
    assert.equal(isStored({ kind: "sqlite", credentials }), false);
    assert.equal(isStored({ kind: "postgres", credentials }), true);
  }
});
