/**
 * Functions of geography values in JavaScript (URL Conventions 5.1.1.11): points on a sphere with the mean radius of the
 * earth, in metres to the millimetre; areas in the plane of longitude and latitude.
 *
 * @module
 */

import { jsonOr } from "../util/json_text.ts";
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
