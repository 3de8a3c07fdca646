import assert from "node:assert/strict";
import { instantOf, requestValidity } from "../../src/context/request_validity.ts";

Deno.test("a period may end where it begins, and not before", () => {
  const period = (from: string, to: string) => requestValidity(`/Items?$from=${from}&$to=${to}`);
  const day = new Date("2024-03-01");
  assert.deepEqual(period("2024-03-01", "2024-03-01"), { from: day, to: day });
  assert.throws(() => period("2024-03-01", "2024-02-29"), { status: 400 });
});

Deno.test("a time without zone is one of UTC", () => {
  const instants = ["2024-03-01", "2024-03-01T10:00:00", "2024-03-01T10:00:00Z", "2024-03-01T10:00:00+02:00"];
  assert.deepEqual(instants.map((text) => instantOf(text)?.toISOString().slice(0, 16)), [
    ...["2024-03-01T00:00", "2024-03-01T10:00", "2024-03-01T10:00", "2024-03-01T08:00"],
  ]);
});
