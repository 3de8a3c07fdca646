/**
 * Functions of geography values in the SQL of PostgreSQL, without extensions: the same as in `geo.ts`.
 *
 * @module
 */

import { EARTH_RADIUS, MOST_DEGREES } from "../geo.ts";
import type { FunctionRenderer } from "./dialect.ts";

/** A coordinate of a position; null where it is none. */
function degrees(position: string, index: 0 | 1): string {
  const value = `(${position} ->> ${index})::numeric`;
  return `(case when jsonb_typeof(${position} -> ${index}) = 'number' then case when abs(${value}) <= ${MOST_DEGREES} ` +
    `then ${value}::float8 end end)`;
}

function coordinates(value: string, shape: string): string {
  const list = `${value} -> 'coordinates'`;
  return `(case when ${value} ->> 'type' = '${shape}' and jsonb_typeof(${list}) = 'array' then ${list} end)`;
}

function array(value: string): string {
  return `coalesce(case jsonb_typeof(${value}) when 'array' then ${value} end, '[]')`;
}

function haversine(from: string, to: string): string {
  const [fromX, fromY, toX, toY] = [`${from}x`, `${from}y`, `${to}x`, `${to}y`];
  const chord =
    `power(sin(radians(${toY} - ${fromY}) / 2), 2) + cos(radians(${fromY})) * cos(radians(${toY})) * ` +
    `power(sin(radians(${toX} - ${fromX}) / 2), 2)`;
  return `(2 * ${EARTH_RADIUS} * asin(sqrt(least(1, ${chord}))))`;
}

function toMillimetres(metres: string): string {
  return `round((${metres})::numeric, 3)::float8`;
}

/** The positions of a list in order, each with the one before as `ax`, `ay`. */
function edges(list: string): string {
  const position = "p.value";
  return `(select ${degrees(position, 0)} as bx, ${degrees(position, 1)} as by, lag(${
    degrees(position, 0)
  }) over w as ax, ` +
    `lag(${degrees(position, 1)}) over w as ay, p.key as key from jsonb_array_elements(${array(list)}) ` +
    `with ordinality as p(value, key) window w as (order by p.key)) as e`;
}

/** Functions by lower-case name. */
export const POSTGRES_GEO: Readonly<Record<string, FunctionRenderer>> = {
  "geo.distance": (left, right) =>
    `(select case when g.ax + g.ay + g.bx + g.by is not null then ${
      toMillimetres(haversine("g.a", "g.b"))
    } end from (select ${degrees("c.a", 0)} as ax, ${degrees("c.a", 1)} as ay, ` +
    `${degrees("c.b", 0)} as bx, ${degrees("c.b", 1)} as by from (select ${
      coordinates("j.a", "Point")
    } as a, ` +
    `${
      coordinates("j.b", "Point")
    } as b from (select (${left})::jsonb as a, (${right})::jsonb as b) as j) as c) as g)`,
  "geo.length": (line) =>
    `(select case when count(*) > 1 and count(*) = count(e.bx + e.by) then ` +
    `${toMillimetres(`sum(${haversine("e.a", "e.b")}) filter (where e.key > 1)`)} end ` +
    `from (select ${
      coordinates("j.a", "LineString")
    } as list from (select (${line})::jsonb as a) as j) as c, ` +
    `lateral ${edges("c.list")})`,
  "geo.intersects": (point, polygon) =>
    `(select case when c.x is null or c.y is null or c.rings is null then null else ` +
    `(select case when bool_and(e.bx is not null and e.by is not null) is false then null else ` +
    `count(*) filter (where e.key > 1 and (e.ay > c.y) <> (e.by > c.y) and ` +
    `c.x < (e.bx - e.ax) * (c.y - e.ay) / nullif(e.by - e.ay, 0) + e.ax) % 2 = 1 end ` +
    `from jsonb_array_elements(${array("c.rings")}) as r(value), lateral ${
      edges("r.value")
    }) end from (select ` +
    `${degrees(coordinates("j.a", "Point"), 0)} as x, ${degrees(coordinates("j.a", "Point"), 1)} as y, ` +
    `${
      coordinates("j.b", "Polygon")
    } as rings from (select (${point})::jsonb as a, (${polygon})::jsonb as b) as j) as c)`,
};
