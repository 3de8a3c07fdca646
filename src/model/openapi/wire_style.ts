/**
 * How OData and REST differ: paths of entities, bodies of collections and of values, names of bound operations.
 *
 * @module
 */

import type { CsdlParameter, CsdlProperty } from "../csdl/csdl.ts";
import type { JsonSchema } from "../schema/json_schema.ts";

/** The protocol of the document. */
export type ApiProtocol = "odata" | "rest";

/** What depends on the protocol. */
export interface WireStyle {
  /** The key of an entity behind its set: `({ID})`, `/{ID}`. */
  key(keys: readonly CsdlProperty[]): string;
  /** Name of a bound operation in a path. */
  boundName(namespace: string, name: string): string;
  /** Arguments behind the name of a function, all in the path; undefined where they are query options. */
  args(parameters: readonly CsdlParameter[]): string | undefined;
  /** Body of a collection. */
  collection(items: JsonSchema): JsonSchema;
  /** Body of a single value that is no entity or structure. */
  value(schema: JsonSchema): JsonSchema;
}

const ODATA: WireStyle = {
  key: (keys) =>
    keys.length === 1
      ? `(${literal(keys[0]!)})`
      : `(${keys.map((key) => `${key.name}=${literal(key)}`).join(",")})`,
  boundName: (namespace, name) => `${namespace}.${name}`,
  args: (parameters) => `(${parameters.map((one) => `${one.name}=${literal(one)}`).join(",")})`,
  collection: (items) => ({
    type: "object",
    properties: {
      "@odata.count": { type: "integer", minimum: 0 },
      "@odata.nextLink": { type: "string", format: "uri-reference" },
      value: { type: "array", items },
    },
    required: ["value"],
  }),
  value: (schema) => ({ type: "object", properties: { value: schema }, required: ["value"] }),
};

const REST: WireStyle = {
  key: (keys) => keys.map(({ name }) => `/{${name}}`).join(""),
  boundName: (_namespace, name) => name,
  args: () => undefined,
  collection: (items) => {
    const rows = { type: "array", items };
    const counted = {
      type: "object",
      properties: { count: { type: "integer", minimum: 0 }, value: rows },
      required: ["count", "value"],
    };
    return { anyOf: [rows, counted] };
  },
  value: (schema) => schema,
};

/** The style of each protocol. */
export const WIRE_STYLES: Readonly<Record<ApiProtocol, WireStyle>> = { odata: ODATA, rest: REST };

const UNQUOTED = /^Edm\.(?!String$|Duration$|Binary$)/;

/** The literal of a value in a path (Part 2, clause 4.3.1): texts and enumerations are quoted. */
function literal({ name, type }: CsdlProperty | CsdlParameter): string {
  if (UNQUOTED.test(type)) return `{${name}}`;
  const prefix = type === "Edm.Duration" ? "duration" : type === "Edm.Binary" ? "binary" : "";
  return `${prefix}'{${name}}'`;
}
