/**
 * The built-in types of CDS by their names in CSN.
 *
 * @module
 */

const INTEGER_NAMES = [
  "cds.UInt8",
  "cds.Int16",
  "cds.Int32",
  "cds.Integer",
  "cds.Int64",
  "cds.Integer64",
];
const NUMBER_NAMES = [...INTEGER_NAMES, "cds.Decimal", "cds.DecimalFloat", "cds.Double"];

/** The types of whole numbers. */
export const INTEGER_TYPES: ReadonlySet<unknown> = new Set(INTEGER_NAMES);
/** The types of numbers. */
export const NUMBER_TYPES: ReadonlySet<unknown> = new Set(NUMBER_NAMES);

const BUILTIN_TYPES: ReadonlySet<string> = new Set([
  "cds.UUID",
  "cds.Boolean",
  ...NUMBER_NAMES,
  "cds.Date",
  "cds.Time",
  "cds.DateTime",
  "cds.Timestamp",
  "cds.String",
  "cds.Binary",
  "cds.LargeString",
  "cds.LargeBinary",
  "cds.Map",
  "cds.Vector",
  "cds.Association",
  "cds.Composition",
]);

/** Types of one database, and those of all databases whose values are the same. */
const PLAIN_TYPES: ReadonlyMap<string, string> = new Map([
  ["cds.hana.TINYINT", "cds.UInt8"],
  ["cds.hana.SMALLINT", "cds.Int16"],
  ["cds.hana.SMALLDECIMAL", "cds.Decimal"],
  ["cds.hana.REAL", "cds.Double"],
  ["cds.hana.CHAR", "cds.String"],
  ["cds.hana.NCHAR", "cds.String"],
  ["cds.hana.VARCHAR", "cds.String"],
  ["cds.hana.CLOB", "cds.LargeString"],
  ["cds.hana.BINARY", "cds.Binary"],
]);

/**
 * The type that a type of one database is treated as: checked, stored, compared.
 *
 * @param name the name of a built-in type
 * @returns the same name for all others
 */
export function plainType(name: string): string {
  return PLAIN_TYPES.get(name) ?? name;
}

/**
 * Tells built-in type names from user-defined ones. Names below `cds.hana.` are types of one database; they count as
 * built-in so that models using them load.
 *
 * @param name a type name as in CSN (`cds.String`)
 */
export function isBuiltinType(name: string): boolean {
  return BUILTIN_TYPES.has(name) || name.startsWith("cds.hana.");
}

/**
 * The names of all built-in types, for messages.
 *
 * @returns names with the prefix `cds.`
 */
export function builtinTypeNames(): Iterable<string> {
  return BUILTIN_TYPES;
}
