import assert from "node:assert/strict";
import { isKnownInstant, isRealDay } from "../../src/util/is_real_day.ts";

Deno.test("isRealDay() knows the months and leap years", () => {
  const days = ["2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31", "2023-12-31", "2023-04-30T10:00:00Z"];
  for (const day of days) assert(isRealDay(day), day);
  const others = ["2023-02-29", "1900-02-29", "2023-04-31", "2023-13-01", "2023-00-10", "2023-01-00"];
  for (const other of others) assert(!isRealDay(other), other);
});

Deno.test("isRealDay() knows each day of a year", () => {
  const days = Array.from({ length: 14 * 33 }, (_, at) => [Math.floor(at / 33), at % 33] as const);
  for (const year of [2023, 2024]) {
    for (const [month, day] of days) {
      const text = [year, ...[month, day].map((part) => String(part).padStart(2, "0"))].join("-");
      const time = new Date(Date.UTC(year, month - 1, day));
      assert.equal(isRealDay(text), time.toISOString().startsWith(text), text);
    }
  }
});

Deno.test("days and instants are those of the years 1 to 9999, which all databases know", () => {
  const others = ["0000-02-29", "12024-02-29", "-0004-02-29", "-123-12-31", "102023-04-30T10:00:00Z"];
  for (const other of others) assert(!isRealDay(other), other);
  const instants = ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59+14:00"];
  for (const instant of instants) assert(isKnownInstant(new Date(instant)), instant);
  for (const other of ["0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "no time"]) {
    assert(!isKnownInstant(new Date(other)), other);
  }
});
