/**
 * Values as literals of OData URLs (ABNF, section 7).
 *
 * @module
 */

import type { LinkedElement, ResolvedType } from "../../model/linked.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { LiteralType, PrimitiveLiteral } from "../url/ast.ts";
import { toBase64Url, writePrimitive } from "../payload/write_value.ts";

/** Texts that stand in URLs without quotes, by type; anything else is a quoted string. */
const BARE: Readonly<Record<string, RegExp>> = {
  "cds.UUID": /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  "cds.Date": /^\d{4}-\d\d-\d\d$/,
  "cds.Time": /^\d\d:\d\d(:\d\d(\.\d+)?)?$/,
  "cds.DateTime": /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/,
  "cds.Timestamp": /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/,
  "cds.Int64": /^-?\d+$/,
  "cds.Integer64": /^-?\d+$/,
  "cds.Decimal": /^-?\d+(\.\d+)?$/,
  "cds.DecimalFloat": /^-?\d+(\.\d+)?$/,
};

/** The type of an element, and what the service itself calls it. */
export interface RemoteType extends ResolvedType {
  /** Value of `@odata.Type`. */
  readonly edmType?: string;
}

/** A literal that knows what it was made of: other versions write it in another way. */
export interface RemoteLiteral extends PrimitiveLiteral {
  readonly origin?: { readonly value: unknown; readonly type: RemoteType | undefined };
}

/** The type that literals take their form from. */
export function remoteType(element: LinkedElement | undefined): RemoteType | undefined {
  const edmType = element?.["@odata.Type"];
  return typeof edmType === "string" ? { ...element!.$type, edmType } : element?.$type;
}

/**
 * A value as literal. Text is quoted unless it has the form of its type, so that no value is ever read as syntax.
 *
 * @param value a value of a query
 * @param type type of what it is compared with
 * @throws ServiceError 501 for a value without literal form
 */
export function remoteLiteral(value: unknown, type?: RemoteType): RemoteLiteral {
  return { ...literal(textOf(value, type)), origin: { value, type } };
}

/** A literal of a text that is one already. */
export function literal(text: string): PrimitiveLiteral {
  return { kind: "primitiveLiteral", type: "Edm.String" satisfies LiteralType, value: text, text, offset: 0 };
}

function textOf(value: unknown, type: ResolvedType | undefined): string {
  if (value === null || value === undefined) return "null";
  switch (typeof value) {
    case "number":
    case "bigint":
      return Number.isNaN(value) ? "NaN" : String(value).replace("Infinity", "INF");
    case "boolean":
      return String(value);
    case "string":
      return stringText(value, type);
  }
  if (value instanceof Date) {
    const json = writePrimitive(value, type?.builtin ? type : { builtin: "cds.Timestamp" }, {
      ieee754: false,
    });
    return JSON.parse(json);
  }
  if (value instanceof Uint8Array) return `binary'${toBase64Url(value)}'`;
  throw new ServiceError({ status: 501, message: "A remote query takes primitive values only" });
}

function stringText(value: string, type: ResolvedType | undefined): string {
  const { builtin = "" } = type ?? {};
  if (BARE[builtin]?.test(value)) return value;
  if (builtin === "cds.Binary") return `binary'${String(toBase64Url(value)).replaceAll("'", "")}'`;
  return `'${value.replaceAll("'", "''")}'`;
}
