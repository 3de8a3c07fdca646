/**
 * Parts of URLs: literals, key predicates, query options.
 *
 * @module
 */

/** A value as the ABNF of URLs wants it. */
export function literal(value, type) {
  if (value === null || value === undefined) return "null";
  const text = String(value);
  if (type === "Edm.String") return encodeURIComponent(`'${text.replaceAll("'", "''")}'`);
  return encodeURIComponent(type === "Edm.Duration" ? `duration'${text}'` : text);
}

/** The key of a row behind the name of its set. */
export function keyPredicate(type, row) {
  const typeOf = (name) => type.properties.find((one) => one.name === name)?.type ?? "Edm.String";
  const [first] = type.keys;
  if (type.keys.length === 1) return `(${literal(row[first], typeOf(first))})`;
  return `(${type.keys.map((name) => `${name}=${literal(row[name], typeOf(name))}`).join(",")})`;
}

/** Path of a row of a collection. */
export function rowPath(collectionPath, type, row) {
  return `${collectionPath}${keyPredicate(type, row)}`;
}

/** Query options as a string that begins with `?`. */
export function query(options) {
  const parts = Object.entries(options).filter(([, value]) => value !== undefined && value !== "");
  return parts.length === 0 ? "" : `?${parts.map(([name, value]) => `${name}=${value}`).join("&")}`;
}

/** Operators for a type, by their texts. */
export function operatorsFor(type) {
  if (type === "Edm.String") return ["contains", "eq", "ne", "startswith", "endswith"];
  if (type === "Edm.Boolean" || type === "Edm.Guid") return ["eq", "ne"];
  return ["eq", "ne", "gt", "ge", "lt", "le"];
}

/** A condition for `$filter`. */
export function condition({ property, operator, value }) {
  const text = value === "" ? "null" : literal(value, property.type);
  if (/^[a-z]{2}$/.test(operator)) return `${property.name}%20${operator}%20${text}`;
  return `${operator}(${property.name},${text})`;
}
