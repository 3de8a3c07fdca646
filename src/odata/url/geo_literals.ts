/**
 * The text of geography and geometry literals (ABNF, section 7, `fullPointLiteral` and its siblings).
 *
 * @module
 */

const NUMBER = "(?:[+-]?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|NaN|-?INF)";
// positionLiteral = doubleValue SP doubleValue [ SP doubleValue ] [ SP doubleValue ]
const POSITION = `${NUMBER}(?: ${NUMBER}){1,3}`;
const list = (item: string): string => `${item}(?:,${item})*`;
const POINT_DATA = `\\(${POSITION}\\)`;
const LINE_DATA = `\\(${POSITION}(?:,${POSITION})+\\)`;
const RING = `\\(${list(POSITION)}\\)`;
const POLYGON_DATA = `\\(${list(RING)}\\)`;
const SIMPLE = [
  `Point${POINT_DATA}`,
  `LineString${LINE_DATA}`,
  `Polygon${POLYGON_DATA}`,
  `MultiPoint\\((?:${list(POINT_DATA)})?\\)`,
  `MultiLineString\\((?:${list(LINE_DATA)})?\\)`,
  `MultiPolygon\\((?:${list(POLYGON_DATA)})?\\)`,
].join("|");
const COLLECTION_DEPTH = 8;

let simple: RegExp | undefined;

/**
 * Whether text is a geo value with its reference system: `SRID=0;Point(1 2)`.
 *
 * @param text the text between the quotes
 * @returns true if it matches the grammar; letter case is ignored as ABNF does
 */
export function isGeoText(text: string): boolean {
  const srid = /^SRID=\d{1,5};/i.exec(text);
  if (srid === null) return false;
  return isGeometry(text.slice(srid[0].length), COLLECTION_DEPTH);
}

function isGeometry(text: string, depth: number): boolean {
  simple ??= new RegExp(`^(?:${SIMPLE})$`, "i");
  const collection = /^GeometryCollection\((.*)\)$/is.exec(text);
  if (collection === null) return simple.test(text);
  return depth > 0 && splitTop(collection[1]).every((item) => isGeometry(item, depth - 1));
}

/** Cuts at the commas outside of parentheses. */
function splitTop(text: string): string[] {
  const items: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "(") depth++;
    else if (text[i] === ")") depth--;
    else if (text[i] === "," && depth === 0) {
      items.push(text.slice(start, i));
      start = i + 1;
    }
  }
  items.push(text.slice(start));
  return items;
}
