import assert from "node:assert/strict";
import { temporalText, type TemporalType } from "../../src/util/temporal_text.ts";

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
