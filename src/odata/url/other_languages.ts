/**
 * What words of other languages are in URLs of OData: of OData 2 and 3, SQL, JavaScript.
 *
 * @module
 */

const OPERATORS: Readonly<Record<string, string>> = {
  ...{ "=": "eq", "==": "eq", "===": "eq", "!=": "ne", "!==": "ne", "<>": "ne" },
  ...{ "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "&&": "and", "||": "or", "!": "not" },
};

const WORDS: Readonly<Record<string, string>> = {
  $inlinecount: "$count=true",
  $where: "$filter",
  $limit: "$top",
  $offset: "$skip",
  $sort: "$orderby",
  $include: "$expand",
  substringof: "contains",
  len: "length",
  upper: "toupper",
  lower: "tolower",
  ceil: "ceiling",
  like: "contains(…)",
};

/**
 * The nearest of OData to a word or sign of another language.
 *
 * @param found the text of a URL, from the place on that cannot be read
 * @returns undefined for what is not known
 */
export function meantBy(found: string): string | undefined {
  const sign = /^[=!<>&|]+/.exec(found)?.[0];
  if (sign !== undefined) return Object.hasOwn(OPERATORS, sign) ? OPERATORS[sign] : undefined;
  const text = /^"([^"]*)"$/.exec(found)?.[1];
  if (text !== undefined) return `'${text.replaceAll("'", "''")}'`;
  const [, prefix, value] = /^(datetime|datetimeoffset|time|guid)'([^']*)'$/i.exec(found) ?? [];
  if (prefix !== undefined) {
    return prefix.toLowerCase() === "datetime" && /T[\d:.]+$/.test(value!) ? `${value}Z` : value;
  }
  return Object.hasOwn(WORDS, found) ? WORDS[found] : undefined;
}
