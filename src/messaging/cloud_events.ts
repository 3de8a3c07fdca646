/**
 * CloudEvents 1.0.2 attributes of messages (spec 2.7, 6.3.7; `messaging` 5). The attributes are the headers of a
 * message; the payload stays in `data`.
 *
 * @module
 */

/** Attributes that are filled in where the emitter gave none. */
export interface CloudEventDefaults {
  /** Unique together with the source. */
  readonly id: string;
  /** The event name, without any prefix. */
  readonly type: string;
  /** Stable over restarts: identifies the event together with `id`. */
  readonly source: string;
  /** When it happened, in RFC 3339. */
  readonly time: string;
  /** What the payload is; default: JSON. */
  readonly datacontenttype?: string;
}

/** CloudEvents 1.0.2, section 3.1: lower-case letters and digits. */
const ATTRIBUTE = /^[a-z0-9]+$/;
/** CloudEvents 1.0.2, section 3.2. */
const NOT_ALLOWED = /[\p{Cc}\p{Cs}]/u;
const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/**
 * The headers of a message as CloudEvents attributes: given values stay, required ones are filled in, names that are
 * not allowed are left out.
 *
 * @param headers what the emitter gave
 * @param defaults values for missing attributes
 */
export function cloudEventHeaders(
  headers: Readonly<Record<string, unknown>>,
  defaults: CloudEventDefaults,
): Record<string, unknown> {
  const given = Object.entries(headers)
    .filter(([name, value]) => ATTRIBUTE.test(name) && value !== undefined && value !== null);
  return {
    id: defaults.id,
    type: defaults.type,
    source: defaults.source,
    time: defaults.time,
    datacontenttype: defaults.datacontenttype ?? "application/json",
    specversion: "1.0",
    ...Object.fromEntries(given.map(([name, value]) => [name, attributeValue(value)])),
  };
}

/** The names of headers that CloudEvents does not allow as attributes. */
export function droppedHeaders(headers: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(headers).filter((name) => !ATTRIBUTE.test(name));
}

/**
 * What is wrong with the headers of a CloudEvent.
 *
 * @param headers the attributes
 * @returns the first fault, undefined if there is none
 */
export function cloudEventFault(headers: Readonly<Record<string, unknown>>): string | undefined {
  if (headers.specversion !== "1.0") return `specversion is '${headers.specversion}', expected '1.0'`;
  for (const name of ["id", "source", "type"]) {
    const value = headers[name];
    if (typeof value !== "string" || value === "") return `${name} is missing`;
    // Databases and brokers keep them as other characters, by which two events would be one.
    if (NOT_ALLOWED.test(value)) return `${name} holds control characters or half of a surrogate pair`;
  }
  if (headers.time !== undefined && !(typeof headers.time === "string" && RFC_3339.test(headers.time))) {
    return `time is '${headers.time}', expected RFC 3339`;
  }
  const extension = Object.entries(headers).find(([, value]) => !isAttributeValue(value));
  return extension && `${extension[0]} is no string, integer or boolean`;
}

/** The stable source of an application. */
export function sourceOf(application: string): string {
  return `/${encodeURIComponent(application)}`;
}

function attributeValue(value: unknown): unknown {
  return isAttributeValue(value) ? value : typeof value === "object" ? JSON.stringify(value) : String(value);
}

function isAttributeValue(value: unknown): boolean {
  return typeof value === "string" || typeof value === "boolean" || Number.isInteger(value);
}
