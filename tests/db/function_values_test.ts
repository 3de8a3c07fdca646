/** Functions that engines of the process calculate themselves: patterns, times, geography, and the clock of statements. */

import assert from "node:assert/strict";
import {
  geoDistance,
  geoIntersects,
  geoLength,
  matchesPattern,
  StatementClock,
  TIME_BETWEEN,
} from "../../src/db/function_values.ts";

const shape = (type: string, coordinates: unknown) => JSON.stringify({ type, coordinates });
const point = (...place: unknown[]) => shape("Point", place);

Deno.test("matchesPattern() finds a pattern anywhere in a text, and gives null for null", () => {
  const cases: readonly [text: unknown, pattern: unknown, found: 0 | 1 | null][] = [
    ["abc", "b", 1],
    ["abc", "^b", 0],
    [123, 2, 1],
    [null, "b", null],
    ["abc", null, null],
  ];
  for (const [text, pattern, found] of cases) assert.equal(matchesPattern(text, pattern), found);
});

Deno.test("matchesPattern() refuses patterns that are wrong, and texts that would take too long", () => {
  assert.throws(() => matchesPattern("a", "["), { status: 400, message: /^The pattern of matchesPattern / });
  assert.throws(() => matchesPattern("a".repeat(100_000), "a*a*b"), {
    status: 400,
    message: "The pattern of matchesPattern may take too long for a text of 100000 characters",
  });
});

Deno.test("times between two instants are whole numbers, negative where the second is earlier", () => {
  const between = (name: string, from: string, to: string) => TIME_BETWEEN[name]!(from, to);
  const cases: readonly [name: string, from: string, to: string, count: bigint][] = [
    ["months_between", "2024-01-31", "2024-02-29", 0n],
    ["months_between", "2024-01-31", "2024-03-31", 2n],
    ["months_between", "2024-01-15T10:00:00Z", "2024-03-15T09:59:59Z", 1n],
    ["months_between", "2024-01-15T10:00:00Z", "2024-03-15T10:00:00Z", 2n],
    ["months_between", "2024-03-15T09:59:59Z", "2024-01-15T10:00:00Z", -1n],
    ["months_between", "2024-03-15T10:00:00Z", "2024-01-15T10:00:00Z", -2n],
    ["months_between", "2024-03-15T09:59:59.999Z", "2024-01-15T10:00:00.000Z", -1n],
    ["months_between", "2024-01-10", "2024-01-05", 0n],
    ["months_between", "2024-01-05", "2024-01-10", 0n],
    ["months_between", "2024-01-15T10:00:00.001Z", "2024-02-15T10:00:00.000Z", 0n],
    ["months_between", "2024-03-15T10:00:00.000Z", "2024-01-15T10:00:00.001Z", -1n],
    ["months_between", "2024-02-15T10:00:00.000Z", "2024-01-15T10:00:00.001Z", 0n],
    ["months_between", "2024-01-05", "2024-02-05", 1n],
    ["months_between", "2024-02-05", "2024-01-05", -1n],
    ["months_between", "2024-02-05", "2024-01-10", 0n],
    ["months_between", "2023-12-05", "2024-01-10", 1n],
    ["years_between", "2024-02-29", "2025-02-28", 0n],
    ["years_between", "2024-02-29", "2025-03-01", 1n],
    ["years_between", "2025-03-01", "2023-02-28", -2n],
    ["days_between", "2024-02-28", "2024-03-01", 2n],
    ["days_between", "2024-02-28T10:00:00Z", "2024-02-29T09:59:59Z", 0n],
    ["days_between", "2024-03-01", "2024-02-28T23:59:59Z", -1n],
    ["seconds_between", "2024-01-01T00:00:00.900Z", "2024-01-01T00:00:02.100Z", 1n],
    ["nano100_between", "2024-01-01T00:00:00.000Z", "2024-01-01T00:00:00.001Z", 10_000n],
  ];
  for (const [name, from, to, count] of cases) {
    assert.equal(between(name, from, to), count, `${name} ${from} ${to}`);
  }
});

Deno.test("geo.distance is the way along the surface of the earth, in metres to the millimetre", () => {
  assert.equal(geoDistance(point(0, 0), point(0, 0)), 0);
  // a quarter of the circumference of a sphere with the mean radius of the earth
  const quarter = Math.round(6371008.8 * Math.PI / 2 * 1000) / 1000;
  assert.equal(geoDistance(point(0, 0), point(90, 0)), quarter);
  assert.equal(geoDistance(point(0, 0), point(0, 90)), quarter);
  assert.equal(geoDistance(point(0, 0), point(180, 0)), Math.round(6371008.8 * Math.PI * 1000) / 1000);
  const north = geoDistance(point(8, 49), point(8, 50))!;
  assert.equal(north, Math.round(6371008.8 * Math.PI / 180 * 1000) / 1000);
  // as far as the cosine of the latitude on a circle of latitude, for short ways
  const east = geoDistance(point(8, 60), point(8.001, 60))!;
  assert.ok(Math.abs(east - north / 1000 * Math.cos(Math.PI / 3)) < 0.01);
  assert.equal(geoDistance(JSON.parse(point(0, 0)), point(90, 0)), quarter);
});

Deno.test("what is no point has no distance", () => {
  const wrong = [
    null,
    undefined,
    "{",
    "1",
    shape("LineString", [0, 0]),
    point(),
    point(0),
    point("0", 0),
    point(0, 1_000_001),
  ];
  for (const other of wrong) {
    assert.equal(geoDistance(other, point(0, 0)), null);
    assert.equal(geoDistance(point(0, 0), other), null);
  }
  assert.notEqual(geoDistance(point(1_000_000, -1_000_000, 5), point(0, 0)), null);
});

Deno.test("geo.length is the sum of the ways from place to place of a line", () => {
  const line = (...places: unknown[]) => geoLength(shape("LineString", places));
  const quarter = geoDistance(point(0, 0), point(90, 0));
  assert.equal(line([0, 0], [90, 0]), quarter);
  assert.equal(line([0, 0], [90, 0], [90, 90]), Math.round(6371008.8 * Math.PI * 1000) / 1000);
  for (
    const length of [
      line([0, 0]),
      line(),
      line([0, 0], ["1", 0]),
      geoLength(point(0, 0)),
      geoLength(shape("LineString", 1)),
    ]
  ) {
    assert.equal(length, null);
  }
});

Deno.test("geo.intersects tells whether a point lies in an area, whose holes are outside", () => {
  const square = (from: number, to: number) => [[from, from], [to, from], [to, to], [from, to], [from, from]];
  const area = shape("Polygon", [square(0, 10), square(4, 6)]);
  const cases: readonly [x: number, y: number, isInside: boolean][] = [
    [1, 1, true],
    [5, 5, false],
    [7, 5, true],
    [3, 5, true],
    [-1, 5, false],
    [11, 5, false],
    [5, 11, false],
    [5, -1, false],
    [9.9, 9.9, true],
  ];
  for (const [x, y, isInside] of cases) assert.equal(geoIntersects(point(x, y), area), isInside, `${x} ${y}`);
  const triangle = shape("Polygon", [[[0, 0], [10, 0], [0, 10], [0, 0]]]);
  assert.deepEqual([[4, 5], [5, 6], [6, 3], [6, 5]].map(([x, y]) => geoIntersects(point(x, y), triangle)), [
    ...[true, false, true, false],
  ]);
  const slanted = shape("Polygon", [[[1, 2], [9, 4], [3, 8], [1, 2]]]);
  const places = [[5, 3.1], [5, 2.9], [2, 4.9], [2, 5.1], [6, 5.9], [6, 6.1], [1.5, 3], [8, 4]];
  assert.deepEqual(places.map(([x, y]) => geoIntersects(point(x, y), slanted)), [
    ...[true, false, true, false, true, false, true, true],
  ]);
  // areas beside each other have no point in common
  const border = [[0, 5], [10, 5], [5, 0], [5, 10]].map(([x, y]) =>
    geoIntersects(point(x, y), shape("Polygon", [square(0, 10)]))
  );
  assert.deepEqual(border, [true, false, true, false]);
  assert.equal(geoIntersects(point(1, 1), shape("Polygon", [7])), false);
  for (
    const wrong of [
      shape("Polygon", 7),
      shape("Point", [[0, 0]]),
      shape("Polygon", [[[0, 0], ["1", 0]]]),
      null,
    ]
  ) {
    assert.equal(geoIntersects(point(1, 1), wrong), null);
  }
  assert.equal(geoIntersects(null, area), null);
});

Deno.test("a statement ends behind its time, which is looked at every 64 steps and begins with the first of them", () => {
  const { now } = performance;
  let ms = 1000;
  performance.now = () => ms;
  try {
    const clock = new StatementClock(100);
    const steps = (count: number) =>
      Array.from({ length: count }, () => clock.step()).findIndex((one) => one);
    assert.equal(steps(64), -1);
    ms = 1100;
    assert.equal(steps(64), -1, "not later than it may be");
    ms = 1101;
    const late = clock.step() as unknown as { status: number; code: string };
    assert.deepEqual([late.status, late.code], [504, "HANDLER_TIMEOUT"]);
    assert.equal(steps(64), 63, "63 steps without a look");
    clock.begin();
    assert.equal(clock.step(), undefined, "another statement has all its time");
    ms = 1300;
    for (let step = 1; step < 64; step++) clock.check();
    assert.throws(() => clock.check(), { status: 504 });
  } finally {
    performance.now = now;
  }
});
