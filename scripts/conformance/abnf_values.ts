/**
 * Rules of the ABNF for single literals and values: what a payload or one literal may be.
 *
 * @module
 */

import { DEFAULT_LIMITS } from "../../src/config/limits.ts";
import { isServiceError } from "../../src/errors/service_error.ts";
import type { LiteralType, PrimitiveLiteral } from "../../src/odata/url/ast.ts";
import { parseUrl } from "../../src/odata/url/parse_url.ts";
import { parseText } from "../../src/odata/url/url_parser.ts";
import { isGeoText } from "../../src/odata/url/literals.ts";

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
const hasSign = (text: string) => text[0] === "+" || text[0] === "-";
/** A whole number of so many digits: the standard leaves its range to the service. */
const whole = (digits: number, { signed = true } = {}): Form => (text) => {
  const isWhole = typed("Edm.Int64")(text);
  return isWhole && (signed || !hasSign(text)) && text.length - (hasSign(text) ? 1 : 0) <= digits;
};
const within = (before: string, form: Form, after = ""): Form => (text) => form(`${before}${text}${after}`);
const quoted = (prefix: string, form: Form): Form => within(`${prefix}'`, form, "'");
const isQuoted = (text: string) => text.length > 1 && text[0] === "'" && text.at(-1) === "'";
/** A literal whose prefix may be left out where the type is known. */
const unprefixed = (prefix: string, form: Form): Form => (text) =>
  form(text) || (isQuoted(text) && form(`${prefix}${text}`));
const DURATION = quoted("duration", typed("Edm.Duration"));
const ENUM = quoted("N.T", typed("Edm.Enum"));
const BINARY = quoted("binary", typed("Edm.Binary"));
/** Values in payloads are not percent-encoded. */
const plain = (form: Form): Form => (text) => !text.includes("%") && form(text);

/** A name without namespace, as a segment of a path. */
const identifier: Form = (text) => {
  try {
    const [segment, ...others] = parseUrl(encodeURIComponent(text)).path;
    return others.length === 0 && segment.kind === "nameSegment" && segment.name === text &&
      !text.includes(".") && text.length <= 128;
  } catch (error) {
    if (isServiceError(error)) return false;
    throw error;
  }
};

const SHAPES = [
  "GeometryCollection",
  "LineString",
  "MultiLineString",
  "MultiPoint",
  "MultiPolygon",
  "Point",
  "Polygon",
];
const isShape = (text: string, shape: string) =>
  text.slice(text.indexOf(";") + 1).toLowerCase().startsWith(`${shape.toLowerCase()}(`);
const geo = (type: LiteralType, shape: string): Form => (text) => {
  const found = literal(text);
  return found?.type === type && isShape(String(found.value), shape);
};
const shapeText = (shape: string): Form => (text) => isGeoText(text) && isShape(text, shape);

/** The shapes, as literals with prefix, with and without reference system. */
const SHAPE_FORMS = SHAPES.flatMap((shape): [string, Form][] => {
  const name = shape.replace("Geometry", "");
  return [
    [`geography${name}`, geo("Edm.Geography", shape)],
    [`geometry${name}`, geo("Edm.Geometry", shape)],
    [`full${name}Literal`, shapeText(shape)],
    [`${name[0].toLowerCase()}${name.slice(1)}Literal`, within("SRID=0;", shapeText(shape))],
  ];
});

/** Decides by rule. */
export const VALUE_FORMS: Readonly<Record<string, Form>> = {
  ...Object.fromEntries(SHAPE_FORMS),
  ...Object.fromEntries(
    ("odataIdentifier namespacePart entitySetName singletonEntity entityTypeName complexTypeName termName " +
      "typeDefinitionName enumerationTypeName enumerationMember computedProperty parameterName " +
      "lambdaVariableExpr primitiveKeyProperty primitiveNonKeyProperty primitiveColProperty complexProperty " +
      "complexColProperty streamProperty entityNavigationProperty entityColNavigationProperty action " +
      "actionImport entityFunction entityColFunction complexFunction complexColFunction primitiveFunction " +
      "primitiveColFunction entityFunctionImport entityColFunctionImport complexFunctionImport " +
      "complexColFunctionImport primitiveFunctionImport primitiveColFunctionImport navigationProperty " +
      "primitiveProperty function").split(" ").map((rule) => [rule, identifier]),
  ),
  geoLiteral: within("SRID=0;", isGeoText),
  sridLiteral: within("", isGeoText, "Point(1 2)"),
  positionLiteral: within("SRID=0;Point(", isGeoText, ")"),
  pointData: within("SRID=0;Point", isGeoText),
  lineStringData: within("SRID=0;LineString", isGeoText),
  polygonData: within("SRID=0;Polygon", isGeoText),
  ringLiteral: within("SRID=0;Polygon(", isGeoText, ")"),
  null: typed("null"),
  binaryLiteral: typed("Edm.Binary"),
  binaryValue: plain(BINARY),
  boolean: typed("Edm.Boolean"),
  booleanValue: (text) => text === text.toLowerCase() && typed("Edm.Boolean")(text),
  date: typed("Edm.Date"),
  dateValue: plain(typed("Edm.Date")),
  year: within("", typed("Edm.Date"), "-01-01"),
  month: within("2000-", typed("Edm.Date"), "-01"),
  day: within("2000-01-", typed("Edm.Date")),
  hour: within("", typed("Edm.TimeOfDay"), ":00"),
  minute: within("00:", typed("Edm.TimeOfDay")),
  zeroToFiftyNine: within("00:", typed("Edm.TimeOfDay")),
  second: within("00:00:", typed("Edm.TimeOfDay")),
  fractionalSeconds: within("00:00:00.", typed("Edm.TimeOfDay")),
  oneToNine: (text) => text.length === 1 && text !== "0" && whole(1, { signed: false })(text),
  dateTimeOffsetLiteral: typed("Edm.DateTimeOffset"),
  dateTimeOffsetValueInUrl: typed("Edm.DateTimeOffset"),
  dateTimeOffsetValue: plain(typed("Edm.DateTimeOffset")),
  decimalLiteral: number,
  decimalValue: plain(number),
  doubleValue: plain(number),
  singleValue: plain(number),
  doubleLiteral: number,
  singleLiteral: number,
  nanInfinity: (text) => typed("Edm.Double")(text) && !Number.isFinite(Number(literal(text)!.value)),
  durationValue: plain(DURATION),
  durationLiteral: unprefixed("duration", typed("Edm.Duration")),
  primitiveLiteral: (text) => literal(text) !== undefined,
  byte: whole(3, { signed: false }),
  byteValue: whole(3, { signed: false }),
  sbyteLiteral: whole(3),
  sbyteValue: whole(3),
  int16Literal: whole(5),
  int16Value: whole(5),
  int32Literal: whole(10),
  int32Value: whole(10),
  int64Literal: whole(19),
  int64Value: whole(19),
  stringLiteral: typed("Edm.String"),
  enumLiteral: unprefixed("N.T", typed("Edm.Enum")),
  singleEnumLiteral: unprefixed("N.T", typed("Edm.Enum")),
  enumValue: plain(ENUM),
  singleEnumValue: plain((text) => !text.includes(",") && ENUM(text)),
  guid: typed("Edm.Guid"),
  guidValue: plain(typed("Edm.Guid")),
  timeOfDayLiteral: typed("Edm.TimeOfDay"),
  timeOfDayValue: plain(typed("Edm.TimeOfDay")),
  primitiveValue: (text) =>
    isGeoText(text) || ENUM(text) || BINARY(text) || DURATION(text) || literal(text) !== undefined,
};
