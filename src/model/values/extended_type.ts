/**
 * Enumerations of OData: in rows and columns a number, in OData names; several of flags (CSDL 4.01, clause 10).
 *
 * @module
 */

/** A primitive type of OData with rules of its own, or an enumeration whose values are names. */
export type ExtendedType =
  | "Edm.SByte"
  | "Edm.Single"
  | "Edm.Duration"
  | "Edm.Geo"
  | "enum"
  | "flags";

const WHOLE_NUMBERS = new Set([
  "cds.UInt8",
  "cds.Int16",
  "cds.Int32",
  "cds.Integer",
  "cds.Int64",
  "cds.Integer64",
]);

/** What annotations say about a type. */
interface Annotated {
  readonly [annotation: `@${string}`]: unknown;
}

/**
 * The extended type of an element.
 *
 * @param builtin the built-in type at its base, which rows and columns hold
 * @param annotated the annotations in effect
 * @returns undefined where the built-in type decides alone, or does not fit the annotation
 */
export function extendedType(builtin: string, annotated: Annotated): ExtendedType | undefined {
  const named = annotated["@odata.enum"];
  if (named !== undefined && named !== null && named !== false && WHOLE_NUMBERS.has(builtin)) {
    return isFlags(named) ? "flags" : "enum";
  }
  switch (annotated["@odata.Type"]) {
    case "Edm.SByte":
      return WHOLE_NUMBERS.has(builtin) ? "Edm.SByte" : undefined;
    case "Edm.Single":
      return builtin === "cds.Double" ? "Edm.Single" : undefined;
    case "Edm.Duration":
      return builtin === "cds.Decimal" ? "Edm.Duration" : undefined;
    default:
      return builtin === "cds.Map" && isGeo(annotated["@odata.Type"]) ? "Edm.Geo" : undefined;
  }
}

function isFlags(named: unknown): boolean {
  return typeof named === "object" && named !== null && "#" in named && named["#"] === "flags";
}

function isGeo(type: unknown): boolean {
  return typeof type === "string" && /^Edm\.Geo(?:graphy|metry)/.test(type);
}

/** Members by name. */
export type EnumMembers = Readonly<Record<string, { readonly val?: unknown }>>;

/** An enumeration. */
export interface EnumType {
  readonly members: EnumMembers;
  /** Values are combined bits. */
  readonly flags: boolean;
}

/**
 * The number that a value of an enumeration stands for.
 *
 * @param text a name or number; of flags also a list of them, separated by commas
 * @param type the enumeration
 * @returns undefined when a name is unknown, or a number is no value of the enumeration
 */
export function enumNumber(text: string, { members, flags }: EnumType): number | undefined {
  const parts = text.split(",").map((part) => part.trim());
  if (parts.length > 1 && !flags) return undefined;
  const known = values(members);
  let result = 0n;
  for (const part of parts) {
    const value = known.get(part) ?? (/^-?\d{1,19}$/.test(part) ? BigInt(part) : undefined);
    if (value === undefined) return undefined;
    result |= value;
  }
  const all = [...known.values()];
  const isValue = flags
    ? result >= 0n && (result & ~all.reduce((bits, value) => bits | value, 0n)) === 0n
    : all.includes(result);
  return isValue ? Number(result) : undefined;
}

/**
 * The names of a number.
 *
 * @param value the number
 * @param type the enumeration
 * @returns one name, several flags separated by commas, or the number where names do not make it up
 */
export function enumText(value: unknown, { members, flags }: EnumType): string {
  const text = String(value);
  if (!/^-?\d+$/.test(text)) return text;
  const number = BigInt(text);
  const known = [...values(members)];
  const exact = known.find(([, member]) => member === number);
  if (exact) return exact[0];
  if (!flags || number < 0n) return text;
  const set = known.filter(([, member]) => member !== 0n && (number & member) === member);
  const covered = set.reduce((bits, [, member]) => bits | member, 0n);
  return covered === number ? set.map(([name]) => name).join(",") : text;
}

function values(members: EnumMembers): Map<string, bigint> {
  const found = new Map<string, bigint>();
  for (const [name, { val }] of Object.entries(members)) {
    if (typeof val === "number" && Number.isSafeInteger(val)) found.set(name, BigInt(val));
  }
  return found;
}
