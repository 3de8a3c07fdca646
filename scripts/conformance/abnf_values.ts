/**
 * Rules of the ABNF for single literals and values: what a payload or one literal may be.
 *
 * @module
 */

import { DEFAULT_LIMITS } from "../../src/config/limits.ts";
import { isServiceError } from "../../src/errors/service_error.ts";
import type { LiteralType, PrimitiveLiteral } from "../../src/odata/url/ast.ts";
import { isGeoText } from "../../src/odata/url/geo_literals.ts";
import { parseText } from "../../src/odata/url/parse_text.ts";

type Form = (text: string) => boolean;

function literal(text: string): PrimitiveLiteral | undefined {
  try {
    const options = { mode: "expression", limits: DEFAULT_LIMITS } as const;
    return parseText({ text, raw: text, base: 0 }, (parser) => parser.primitiveLiteral(), options);
  } catch (error) {
    if (isServiceError(error)) return undefined;
    throw error;
  }
}

const typed = (...types: readonly LiteralType[]): Form => (text) => {
  const found = literal(text);
  return found !== undefined && types.includes(found.type);
};

const number: Form = typed("Edm.Int64", "Edm.Decimal", "Edm.Double");
const whole = (digits: number): Form => (text) =>
  new RegExp(`^[+-]?\\d{1,${digits}}$`).test(text) && number(text);
const DURATION: Form = (text) => typed("Edm.Duration")(`duration'${text}'`);
const ENUM: Form = (text) => typed("Edm.Enum")(`T'${text}'`);
const BINARY: Form = (text) => typed("Edm.Binary")(`binary'${text}'`);
const geo = (name: string): Form => (text) =>
  typed("Edm.Geography", "Edm.Geometry")(text) &&
  new RegExp(`^geo[a-z]+'SRID=\\d+;${name}\\(`, "i").test(text);
/** Values in payloads are not percent-encoded. */
const plain = (form: Form): Form => (text) => !text.includes("%") && form(text);

/** Decides by rule. */
export const VALUE_FORMS: Readonly<Record<string, Form>> = {
  odataIdentifier: (text) => /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]{0,127}$/u.test(text),
  binaryLiteral: typed("Edm.Binary"),
  boolean: typed("Edm.Boolean"),
  booleanValue: (text) => text === "true" || text === "false",
  date: typed("Edm.Date"),
  dateTimeOffsetLiteral: typed("Edm.DateTimeOffset"),
  dateTimeOffsetValueInUrl: typed("Edm.DateTimeOffset"),
  dateTimeOffsetValue: plain(typed("Edm.DateTimeOffset")),
  decimalValue: plain(number),
  doubleValue: plain(number),
  singleValue: plain(number),
  doubleLiteral: number,
  singleLiteral: number,
  durationValue: plain(DURATION),
  durationLiteral: (text) =>
    typed("Edm.Duration")(text) || (/^'.*'$/.test(text) && DURATION(text.slice(1, -1))),
  primitiveLiteral: (text) => literal(text) !== undefined,
  byteValue: (text) => /^\d{1,3}$/.test(text),
  sbyteLiteral: whole(3),
  sbyteValue: whole(3),
  int16Literal: whole(5),
  int32Value: whole(10),
  int64Literal: whole(19),
  int64Value: whole(19),
  stringLiteral: typed("Edm.String"),
  enumLiteral: (text) => typed("Edm.Enum")(text) || (/^'.*'$/.test(text) && ENUM(text.slice(1, -1))),
  enumValue: plain(ENUM),
  guid: typed("Edm.Guid"),
  timeOfDayLiteral: typed("Edm.TimeOfDay"),
  timeOfDayValue: plain(typed("Edm.TimeOfDay")),
  primitiveValue: (text) =>
    isGeoText(text) || ENUM(text) || BINARY(text) || DURATION(text) || literal(text) !== undefined,
  geographyCollection: geo("GeometryCollection"),
  geographyLineString: geo("LineString"),
  geographyMultiLineString: geo("MultiLineString"),
  geographyMultiPoint: geo("MultiPoint"),
  geographyMultiPolygon: geo("MultiPolygon"),
  geographyPoint: geo("Point"),
  geographyPolygon: geo("Polygon"),
  geometryCollection: geo("GeometryCollection"),
  geometryLineString: geo("LineString"),
  geometryMultiLineString: geo("MultiLineString"),
  geometryMultiPoint: geo("MultiPoint"),
  geometryMultiPolygon: geo("MultiPolygon"),
  geometryPoint: geo("Point"),
  geometryPolygon: geo("Polygon"),
};
