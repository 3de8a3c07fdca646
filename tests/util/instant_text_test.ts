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

Deno.test("instantText() leaves what begins a unit where it is, also when it is rounded up", () => {
  for (const isUp of [false, true]) {
    assert.equal(instantText(new Date("2024-02-29T00:00:00.000Z"), "days", isUp), "2024-02-29");
    assert.equal(instantText(new Date("2024-02-29T12:00:07.000Z"), "seconds", isUp), "2024-02-29T12:00:07Z");
  }
  assert.equal(instantText(new Date("2024-02-29T23:59:59.999Z"), "days", false), "2024-02-29");
  assert.equal(instantText(new Date("2024-02-29T00:00:00.001Z"), "days", true), "2024-03-01");
});
