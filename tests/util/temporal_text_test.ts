import assert from "node:assert/strict";
import { isTemporal, temporalText, type TemporalType } from "../../src/util/temporal_text.ts";

Deno.test("temporalText() gives instants, days and times of day the one form they compare in (db/README, Time)", () => {
  const noon = "2024-02-29T12:00:00.000Z";
  const cases: readonly [string | Date, TemporalType, string][] = [
    [new Date(noon), "cds.Timestamp", noon],
    [new Date(noon), "cds.DateTime", "2024-02-29T12:00:00Z"],
    [new Date(noon), "cds.Date", "2024-02-29"],
    [new Date(noon), "cds.Time", "12:00:00"],
    [noon, "cds.Timestamp", noon],
    ["2024-02-29T12:00:00Z", "cds.Timestamp", noon],
    ["2024-02-29T12:00Z", "cds.Timestamp", noon],
    ["2024-02-29 12:00:00", "cds.Timestamp", noon],
    ["2024-02-29T13:30:00+01:30", "cds.Timestamp", noon],
    ["2024-02-29T07:00:00-0500", "cds.Timestamp", noon],
    ["2024-02-29 12:00:00.000Z", "cds.Timestamp", noon],
    ["2024-02-29T13:00:00+0100", "cds.Timestamp", noon],
    ["2024-02-29 12:00:00Z", "cds.DateTime", "2024-02-29T12:00:00Z"],
    ["2024-02-29T12:00:00.5Z", "cds.Timestamp", "2024-02-29T12:00:00.500Z"],
    ["2024-02-29T12:00:00.1234567Z", "cds.Timestamp", "2024-02-29T12:00:00.123Z"],
    ["2024-02-29T13:00:00.1234567+01:00", "cds.Timestamp", "2024-02-29T12:00:00.123Z"],
    ["9999-12-31T23:59:59.9999999Z", "cds.Timestamp", "9999-12-31T23:59:59.999Z"],
    ["2024-02-29", "cds.Timestamp", "2024-02-29T00:00:00.000Z"],
    ["2024-02-29T12:00:00.123Z", "cds.DateTime", "2024-02-29T12:00:00Z"],
    ["2024-03-01T00:30:00+01:00", "cds.DateTime", "2024-02-29T23:30:00Z"],
    ["2024-03-01T00:30:00+01:00", "cds.Date", "2024-02-29"],
    ["2024-02-29", "cds.Date", "2024-02-29"],
    ["12:00", "cds.Time", "12:00:00"],
    ["12:00:00.250", "cds.Time", "12:00:00"],
    [noon, "cds.Time", "12:00:00"],
    ["soon", "cds.Timestamp", "soon"],
    ["2024-02-29T12:00:00+99:00", "cds.Timestamp", "2024-02-29T12:00:00+99:00"],
  ];
  for (const [value, type, text] of cases) assert.equal(temporalText(value, type), text, `${value} ${type}`);
});

Deno.test("temporalText() completes and cuts what has the length of another form", () => {
  const cases: readonly [string, TemporalType, string][] = [
    // 24, 20, 10 and 8 characters that are no canonical form of the type
    ["2024-02-29 12:00:00.000Z", "cds.Timestamp", "2024-02-29T12:00:00.000Z"],
    ["2024-02-29T12:00:00+0000", "cds.Timestamp", "2024-02-29T12:00:00.000Z"],
    ["2024-02-29T12:00:00.1230", "cds.Timestamp", "2024-02-29T12:00:00.123Z"],
    ["2024-02-29T12:00:00.00Z", "cds.Timestamp", "2024-02-29T12:00:00.000Z"],
    ["2024-02-29T12:00:00.0000Z", "cds.Timestamp", "2024-02-29T12:00:00.000Z"],
    ["2024-02-29 12:00:00Z", "cds.DateTime", "2024-02-29T12:00:00Z"],
    ["2024-02-29T12:00:00.", "cds.DateTime", "2024-02-29T12:00:00."],
    ["2024-02-29T12:00:00", "cds.DateTime", "2024-02-29T12:00:00Z"],
    ["2024-02-29T12:00:00z", "cds.DateTime", "2024-02-29T12:00:00Z"],
    ["2024-02-29Z", "cds.Date", "2024-02-29"],
    ["2024-02-29T12:00Z", "cds.Date", "2024-02-29"],
    ["not a date", "cds.Date", "not a date"],
    ["12:00:0", "cds.Time", "12:00:0"],
    ["23:59:59.9", "cds.Time", "23:59:59"],
    ["2024-02-29T23:30-01:00", "cds.Time", "00:30:00"],
    ["2024-02-29T12:00:00+01", "cds.Timestamp", "2024-02-29T11:00:00.000Z"],
  ];
  for (const [value, type, text] of cases) assert.equal(temporalText(value, type), text, `${value} ${type}`);
});

Deno.test("isTemporal() knows the types of instants, days and times of day", () => {
  const types = ["cds.Timestamp", "cds.DateTime", "cds.Date", "cds.Time", "cds.String", undefined];
  assert.deepEqual(types.map(isTemporal), [true, true, true, true, false, false]);
});
