import assert from "node:assert/strict";
import { instantText } from "../../src/util/temporal_text.ts";

Deno.test("instantText() rounds to the unit an instant is in, or to the one behind it", () => {
  const noon = new Date("2024-02-29T12:00:00.5Z");
  assert.equal(instantText(noon, undefined, true), "2024-02-29T12:00:00.500Z");
  assert.equal(instantText(noon, "seconds", false), "2024-02-29T12:00:00Z");
  assert.equal(instantText(noon, "seconds", true), "2024-02-29T12:00:01Z");
  assert.equal(instantText(noon, "days", false), "2024-02-29");
  assert.equal(instantText(noon, "days", true), "2024-03-01");
  assert.equal(instantText(new Date("2024-03-01"), "days", true), "2024-03-01");
});

Deno.test("instantText() stays before the year 10000", () => {
  const last = new Date("9999-12-31T23:59:59.999Z");
  assert.equal(instantText(last, "seconds", true), "9999-12-31T23:59:59Z");
  assert.equal(instantText(last, "days", true), "9999-12-31");
});
