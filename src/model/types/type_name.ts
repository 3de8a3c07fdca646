/**
 * Names of definitions as names of TypeScript: the same words, with dots between namespaces.
 *
 * @module
 */

const RESERVED: ReadonlySet<string> = new Set(
  ("any as asserts bigint boolean break case catch class const continue debugger declare default delete do else enum " +
    "export extends false finally for function if implements import in instanceof interface let module namespace " +
    "never new null number object package private protected public return static string super switch symbol this " +
    "throw true try type typeof undefined unique unknown var void while with yield")
    .split(" "),
);

/**
 * One segment of a name as identifier.
 *
 * @param segment any text: delimited names may hold anything
 * @returns an identifier; words that TypeScript keeps for itself end with `_`
 */
export function identifier(segment: string): string {
  const text = segment.replace(/[^\p{ID_Continue}$]/gu, "_").replace(/^(?=[^\p{ID_Start}_$])/u, "_");
  return RESERVED.has(text) || text === "" ? `${text}_` : text;
}

/**
 * How types refer to a definition.
 *
 * @param name its full name: `sap.common.Currencies`
 */
export function typeReference(name: string): string {
  return name.split(".").map(identifier).join(".");
}
