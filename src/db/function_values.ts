import { ServiceError } from "../errors/service_error.ts";
import { boundedPattern } from "../util/bounded_pattern.ts";
import { jsonOr } from "../util/json_text.ts";

/**
 * Whether a text matches a pattern; null if one of them is null.
 *
 * @param text a value
 * @param pattern a regular expression
 * @throws ServiceError 400 for patterns that could take long, for this text or any, or are wrong
 */
export function matchesPattern(text: unknown, pattern: unknown): 0 | 1 | null {
  if (text === null || pattern === null) return null;
  const compiled = boundedPattern(String(pattern));
  if ("reason" in compiled) throw refused(compiled.reason);
  const given = String(text);
  if (given.length > compiled.maxLength) {
    throw refused(`may take too long for a text of ${given.length} characters`);
  }
  return compiled.expression.test(given) ? 1 : 0;
}

function refused(reason: string): ServiceError {
  return new ServiceError({ status: 400, message: `The pattern of matchesPattern ${reason}` });
}

/** By the name of the function: from the first instant to the second, negative where that is earlier. */
export const TIME_BETWEEN: Readonly<Record<string, (from: unknown, to: unknown) => bigint>> = {
  years_between: (from, to) => monthsBetween(from, to) / 12n,
  months_between: monthsBetween,
  days_between: (from, to) => millisecondsBetween(from, to) / 86_400_000n,
  seconds_between: (from, to) => millisecondsBetween(from, to) / 1000n,
  nano100_between: (from, to) => millisecondsBetween(from, to) * 10_000n,
};

/** A date alone begins at midnight. */
function instant(value: unknown): Date {
  return new Date(String(value));
}

function millisecondsBetween(from: unknown, to: unknown): bigint {
  return BigInt(instant(to).getTime()) - BigInt(instant(from).getTime());
}

/** A month is over on the same day at the same time of day. */
function monthsBetween(from: unknown, to: unknown): bigint {
  const [start, end] = [instant(from), instant(to)];
  const months = monthOf(end) - monthOf(start);
  const rest = restOf(end) - restOf(start);
  if (months > 0 && rest < 0) return BigInt(months - 1);
  return BigInt(months < 0 && rest > 0 ? months + 1 : months);
}

function monthOf(date: Date): number {
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** Day and time of day in milliseconds. */
function restOf(date: Date): number {
  return date.getTime() - Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

/** The mean radius of the earth in metres. */
export const EARTH_RADIUS = 6371008.8;

/** Coordinates beyond are no places. */
export const MOST_DEGREES = 1_000_000;

type Place = readonly [longitude: number, latitude: number];

/**
 * `geo.distance`: the way between two points.
 *
 * @param left GeoJSON of a point, as text
 * @param right the other one
 * @returns metres; null where one is no point
 */
export function geoDistance(left: unknown, right: unknown): number | null {
  const [from, to] = [pointOf(left), pointOf(right)];
  return from && to ? toMillimetres(haversine(from, to)) : null;
}

/**
 * `geo.length`: the length of a line.
 *
 * @param line GeoJSON of a line, as text
 * @returns metres; null where it is none
 */
export function geoLength(line: unknown): number | null {
  const places = placesOf(coordinatesOf(line, "LineString"));
  if (!places || places.length < 2) return null;
  return toMillimetres(places.slice(1).reduce((sum, place, at) => sum + haversine(places[at]!, place), 0));
}

/**
 * `geo.intersects`: whether a point lies in an area; in holes it does not.
 *
 * @param point GeoJSON of a point, as text
 * @param polygon GeoJSON of the area
 * @returns null where one is not what it should be
 */
export function geoIntersects(point: unknown, polygon: unknown): boolean | null {
  const place = pointOf(point);
  const rings = coordinatesOf(polygon, "Polygon");
  if (!place || !Array.isArray(rings)) return null;
  let isInside = false;
  for (const ring of rings) {
    const places = Array.isArray(ring) ? placesOf(ring) : [];
    if (!places) return null;
    for (const [at, to] of places.slice(1).entries()) {
      if (crosses(place, places[at]!, to)) isInside = !isInside;
    }
  }
  return isInside;
}

/** Whether an edge crosses the ray to the east. */
function crosses([x, y]: Place, [fromX, fromY]: Place, [toX, toY]: Place): boolean {
  return fromY > y !== toY > y && x < (toX - fromX) * (y - fromY) / (toY - fromY) + fromX;
}

function haversine([fromX, fromY]: Place, [toX, toY]: Place): number {
  const radians = (degrees: number) => degrees * Math.PI / 180;
  const chord = Math.sin(radians(toY - fromY) / 2) ** 2 +
    Math.cos(radians(fromY)) * Math.cos(radians(toY)) * Math.sin(radians(toX - fromX) / 2) ** 2;
  return 2 * EARTH_RADIUS * Math.asin(Math.sqrt(Math.min(1, chord)));
}

function toMillimetres(metres: number): number {
  return Math.round(metres * 1000) / 1000;
}

function pointOf(value: unknown): Place | undefined {
  return placeOf(coordinatesOf(value, "Point"));
}

function placesOf(value: unknown): readonly Place[] | undefined {
  const places = Array.isArray(value) ? value.map(placeOf) : [undefined];
  return places.some((place) => place === undefined) ? undefined : places as readonly Place[];
}

function placeOf(value: unknown): Place | undefined {
  if (!Array.isArray(value)) return undefined;
  const [longitude, latitude] = value;
  return isDegrees(longitude) && isDegrees(latitude) ? [longitude, latitude] : undefined;
}

function isDegrees(value: unknown): value is number {
  return typeof value === "number" && Math.abs(value) <= MOST_DEGREES;
}

function coordinatesOf(value: unknown, shape: string): unknown {
  const json = typeof value === "string" ? jsonOr(value, undefined) : value;
  const { type, coordinates } = (json ?? {}) as { readonly type?: unknown; readonly coordinates?: unknown };
  return type === shape ? coordinates : undefined;
}

/** Steps between two looks at the clock. */
const STEPS = 64;

/** Tells whether a statement has taken too long; engines ask as they go from row to row. */
export class StatementClock {
  readonly #limitMs: number;
  #steps = 0;
  #end = 0;

  /** @param limitMs how long a statement may take */
  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** A statement begins. */
  begin(): void {
    this.#steps = 0;
  }

  /** The error to end the statement with, once its time is over. */
  step(): ServiceError | undefined {
    if (this.#steps++ % STEPS !== 0) return undefined;
    const now = performance.now();
    if (this.#steps === 1) this.#end = now + this.#limitMs;
    return now > this.#end
      ? new ServiceError({ status: 504, code: "HANDLER_TIMEOUT", $sanitize: false })
      : undefined;
  }

  /**
   * Takes a step.
   *
   * @throws ServiceError 504 once the time is over
   */
  check(): void {
    const late = this.step();
    if (late) throw late;
  }
}
