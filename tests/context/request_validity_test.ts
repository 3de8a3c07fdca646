import assert from "node:assert/strict";
import { BEGINNING, behind, END, instantOf, requestValidity } from "../../src/context/request_validity.ts";

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

const DAY = new Date("2024-03-01");
const NEXT = new Date("2024-03-02");
const BEHIND = new Date("2024-03-01T00:00:00.001Z");

/** Queries, and the period that they are about. */
const PERIODS: readonly (readonly [query: string, from: Date, to: Date])[] = [
  ["sap-valid-at=2024-03-01", DAY, BEHIND],
  ["$at=2024-03-01", DAY, BEHIND],
  ["%24AT=2024-03-01", DAY, BEHIND],
  ["%73ap-valid-at=2024-03-01", DAY, BEHIND],
  ["$filter=a&$at=2024-03-01&$at=2020-01-01", DAY, BEHIND],
  ["sap-valid-at=2024-03-01&$at=2020-01-01&$from=2020-01-01", DAY, BEHIND],
  ["$at=date'2024-03-01'", DAY, BEHIND],
  ["$from=2024-03-01", DAY, END],
  ["$to=2024-03-01", BEGINNING, DAY],
  ["sap-valid-from=2024-03-01&sap-valid-to=2024-03-02", DAY, NEXT],
  ["sap-valid-from=2024-03-01&$from=2020-01-01", DAY, END],
  ["$from=2024-03-01&$toInclusive=2024-03-01", DAY, NEXT],
  ["$from=2024-03-01&$toInclusive=2024-03-01T00:00:00Z", DAY, BEHIND],
  ["$from=2024-03-01&$to=2024-03-02&$toInclusive=2024-05-01", DAY, NEXT],
  ["$from=min&$to=max", BEGINNING, END],
];

Deno.test("a request reads at a moment, or in a period that is open on the side that is not given", () => {
  for (const [query, from, to] of PERIODS) {
    assert.deepEqual(requestValidity(`/Items?${query}`), { from, to }, query);
  }
  const none = [
    "/Items",
    "/$at=2024-03-01",
    "/Items?$filter=a",
    "/Items?sap-language=de",
    "/Items?SAP-valid-at=2024-03-01",
  ];
  for (const url of none) assert.equal(requestValidity(url), undefined, url);
});

Deno.test("options of time that are no date or time are refused", () => {
  for (
    const query of [
      "$at=x",
      "$at=",
      "sap-valid-at=min",
      "$from=2024-02-30",
      "$to=2024-3-1",
      "$toInclusive=now",
    ]
  ) {
    assert.throws(() => requestValidity(`/Items?${query}`), { status: 400 }, query);
  }
});

Deno.test("behind a moment is the next millisecond, behind a day the next one, and nothing behind the end", () => {
  assert.deepEqual(behind(DAY), BEHIND);
  assert.deepEqual(behind(DAY, "2024-03-01"), NEXT);
  assert.deepEqual(behind(END), END);
});

Deno.test("instants are written in several ways, with real days and known zones", () => {
  const of = (text: string) => instantOf(text)?.toISOString();
  for (const text of ["2024-03-01T10:00:00 02:00", "datetimeoffset'2024-03-01T10:00:00+02:00'"]) {
    assert.equal(of(text), "2024-03-01T08:00:00.000Z", text);
  }
  for (
    const text of ["2024-02-30", "2024-03-01T25:00:00Z", "2024-03-01T10", "10:00", "x'2024-03-01", "24-03-01"]
  ) {
    assert.equal(of(text), undefined, text);
  }
});
