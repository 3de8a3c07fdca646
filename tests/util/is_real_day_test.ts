import assert from "node:assert/strict";
import { isRealDay } from "../../src/util/is_real_day.ts";

Deno.test("isRealDay() knows the months and leap years", () => {
  const days = ["2024-02-29", "2000-02-29", "0000-02-29", "2023-12-31", "2023-04-30T10:00:00Z"];
  for (const day of days) assert(isRealDay(day), day);
  const others = ["2023-02-29", "1900-02-29", "2023-04-31", "2023-13-01", "2023-00-10", "2023-01-00"];
  const long = ["12024-02-29", "-0004-02-29", "-12345-12-31", "102023-04-30T10:00:00Z"];
  for (const day of long) assert(isRealDay(day), day);
  others.push("12023-02-29", "-0001-02-29", "-12345-04-31", "102023-13-01");
  for (const other of others) assert(!isRealDay(other), other);
});
