/**
 * Values of OData 2: literals of URLs and values of JSON (OData 2.0, "Operations", "JSON Format").
 *
 * Bodies of OData 2 (OData 2.0, "JSON Format").
 *
 * @module
 */

import { elementAt, type RemoteType, remoteType } from "../remote_expression.ts";
import type { Row } from "../../../cqn/cqn.ts";
import type { LinkedEntity } from "../../../model/linked.ts";
import { isPlainObject } from "../../../util/is_plain_object.ts";

const DAY = /^\d{4}-\d\d-\d\d$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
const CLOCK = /^(\d\d):(\d\d)(?::(\d\d(?:\.\d+)?))?$/;
const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What stands behind numbers. */
const SUFFIXES: Readonly<Record<string, string>> = {
  "cds.Int64": "L",
  "cds.Integer64": "L",
  "cds.Decimal": "M",
  "cds.DecimalFloat": "M",
  "cds.Double": "d",
};

/**
 * A value as literal of a URL. Text is quoted unless it has the form of its type.
 *
 * @param value a value of a query
 * @param type type of what it is compared with
 */
export function v2Literal(value: unknown, type?: RemoteType): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "boolean") return String(value);
  const { builtin = "" } = type ?? {};
  if (value instanceof Uint8Array) return `X'${value.toHex()}'`;
  if (value instanceof Date) return instantLiteral(value.toISOString(), type);
  const text = String(value);
  const isNumber = typeof value === "number" || typeof value === "bigint";
  if ((isNumber || builtin in SUFFIXES) && NUMBER.test(text)) return text + suffixOf(text, type);
  if (builtin === "cds.UUID" && UUID.test(text)) return `guid'${text}'`;
  if (builtin === "cds.Date" && DAY.test(text)) return `datetime'${text}T00:00:00'`;
  if ((builtin === "cds.DateTime" || builtin === "cds.Timestamp") && INSTANT.test(text)) {
    return instantLiteral(text, type);
  }
  const duration = builtin === "cds.Time" ? toDuration(text) : undefined;
  if (duration !== undefined) return `time'${duration}'`;
  if (builtin === "cds.Binary" || builtin === "cds.LargeBinary") {
    return `X'${Uint8Array.fromBase64(text.replaceAll("-", "+").replaceAll("_", "/")).toHex()}'`;
  }
  return `'${text.replaceAll("'", "''")}'`;
}

function suffixOf(text: string, type: RemoteType | undefined): string {
  if (type?.edmType === "Edm.Single") return "f";
  const suffix = SUFFIXES[type?.builtin ?? ""] ?? "";
  return suffix === "L" && !/^-?\d+$/.test(text) ? "" : suffix;
}

/** `Edm.DateTime` has no time zone. */
function instantLiteral(text: string, type: RemoteType | undefined): string {
  const given = /(?:Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`;
  const iso = new Date(given).toISOString().replace(".000Z", "Z");
  return type?.edmType === "Edm.DateTime" ? `datetime'${iso.slice(0, -1)}'` : `datetimeoffset'${iso}'`;
}

function toDuration(text: string): string | undefined {
  const [, hours, minutes, seconds = "00"] = CLOCK.exec(text) ?? [];
  return hours === undefined ? undefined : `PT${hours}H${minutes}M${seconds}S`;
}

/**
 * A value as it stands in a body.
 *
 * @param value a value of a row
 * @param type its type
 */
function v2BodyValue(value: unknown, type: RemoteType | undefined): unknown {
  const { builtin = "" } = type ?? {};
  if (value === null || value === undefined) return value;
  if (value instanceof Uint8Array) return value.toBase64();
  if (typeof value === "bigint") return String(value);
  if (value instanceof Date) return toJsonDate(value, type);
  if (typeof value === "number") return builtin in SUFFIXES ? String(value) : value;
  if (typeof value !== "string") return value;
  if (builtin === "cds.Date" && DAY.test(value)) return toJsonDate(new Date(`${value}T00:00:00Z`), type);
  if ((builtin === "cds.DateTime" || builtin === "cds.Timestamp") && INSTANT.test(value)) {
    const hasZone = /(?:Z|[+-]\d\d:\d\d)$/.test(value);
    return toJsonDate(new Date(hasZone ? value : `${value}Z`), type);
  }
  return builtin === "cds.Time" ? toDuration(value) ?? value : value;
}

function toJsonDate(date: Date, type: RemoteType | undefined): string {
  const hasOffset = type?.builtin !== "cds.Date" && type?.edmType !== "Edm.DateTime";
  return `/Date(${date.getTime()}${hasOffset ? "+0000" : ""})/`;
}

/** What `JSON` of OData 2 has for dates: milliseconds since 1970, and minutes that the zone differs. */
const JSON_DATE = /^\/Date\((-?\d+)(?:[+-]\d{1,4})?\)\/$/;
const DURATION = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?$/;

/**
 * A value of an answer. What OData 4 has for these types stays as it is.
 *
 * @param value a value of parsed JSON
 * @param type its type, if it is known
 */
export function fromV2Value(value: unknown, type: RemoteType | undefined): unknown {
  if (typeof value !== "string") return value;
  const { builtin } = type ?? {};
  if (builtin === "cds.Time") return clockOf(value);
  if (builtin === "cds.Double" && NUMBER.test(value)) return Number(value);
  if (builtin === "cds.Date" || builtin === "cds.DateTime" || builtin === "cds.Timestamp") {
    const milliseconds = JSON_DATE.exec(value)?.[1];
    return milliseconds === undefined
      ? value
      : instantText(new Date(Number(milliseconds)).toISOString(), type);
  }
  return value;
}

function instantText(iso: string, type: RemoteType | undefined): string {
  if (type?.builtin === "cds.Date") return iso.slice(0, 10);
  return type?.builtin === "cds.DateTime" ? iso.replace(/\.\d+(?=Z$)/, "") : iso;
}

function clockOf(value: string): string {
  const [whole, hours = "0", minutes = "0", seconds = "0"] = DURATION.exec(value) ?? [];
  if (whole === undefined) return value;
  const two = (text: string) => text.replace(/^\d(?!\d)/, "0$&");
  return `${two(hours)}:${two(minutes)}:${two(seconds)}`;
}

/**
 * An answer in the form of OData 4: without `d` and `results`, what is deferred left out.
 *
 * @param body what came
 * @param name of the function import that was called, whose name simple results have
 */
export function fromV2Body(body: unknown, name?: string): unknown {
  if (!isPlainObject(body) || !("d" in body)) return body;
  const { d } = body;
  if (Array.isArray(d)) return { value: d.map(plain) };
  if (!isPlainObject(d)) return { value: d };
  if (Array.isArray(d.results)) {
    return {
      value: d.results.map(plain),
      ...(d.__count === undefined ? {} : { "@odata.count": d.__count }),
      ...(d.__next === undefined ? {} : { "@odata.nextLink": d.__next }),
    };
  }
  const members = Object.keys(d).filter((member) => member !== "__metadata");
  if (name === undefined || members.length !== 1 || members[0] !== name) return plain(d);
  const result = plain(d[name]);
  return isPlainObject(result) ? result : { value: result };
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isPlainObject(value)) return value;
  if (Array.isArray(value.results)) return value.results.map(plain);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => name !== "__metadata" && !(isPlainObject(member) && "__deferred" in member))
      .map(([name, member]) => [name, plain(member)]),
  );
}

/**
 * Data as JSON text of a body. A to-one association given by its key is sent as foreign key.
 *
 * @param data a row, or rows
 * @param entity definition of the rows, if it is known
 */
export function toV2Body(data: unknown, entity?: LinkedEntity): string {
  return JSON.stringify(toValue(data, entity));
}

function toValue(data: unknown, entity: LinkedEntity | undefined): unknown {
  if (Array.isArray(data)) return data.map((one) => toValue(one, entity));
  if (!isPlainObject(data)) return v2BodyValue(data, undefined);
  return Object.fromEntries(
    Object.entries(data).filter(([, value]) => value !== undefined)
      .flatMap(([name, value]) => toMembers(name, value, entity)),
  );
}

function toMembers(name: string, value: unknown, entity: LinkedEntity | undefined): [string, unknown][] {
  const element = elementAt(entity, [name]);
  const target = element?.$target;
  if (!target) {
    const isNested = Array.isArray(value) || isPlainObject(value);
    return [[name, isNested ? toValue(value, undefined) : v2BodyValue(value, remoteType(element))]];
  }
  const foreign = element.isComposition || !isPlainObject(value) ? [] : element.$foreignKeys ?? [];
  if (foreign.length === 0) return [[name, toValue(value, target)]];
  const row = value as Row;
  return foreign.filter((one) => Object.hasOwn(row, one.target)).map((one) => [
    one.name,
    v2BodyValue(row[one.target], remoteType(one.element.element)),
  ]);
}
