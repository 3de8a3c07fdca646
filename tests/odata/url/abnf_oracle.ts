/**
 * A parser generated from the grammar of the standard, which is no part of this project: it is read where the cases of
 * conformance are.
 *
 * @module
 */

import apgJs from "apg-js";

/** What of `apg-js` is used; the package has no types. */
interface Apg {
  readonly apgApi: new (text: string) => {
    generate(): void;
    readonly errors: readonly unknown[];
    toObject(): { readonly rules: readonly { readonly name: string }[] };
  };
  readonly apgLib: {
    readonly ids: { readonly MATCH: number; readonly NOMATCH: number };
    readonly utils: { stringToChars(text: string): readonly number[] };
    readonly parser: new () => {
      callbacks: Record<string, (state: RuleState, chars: readonly number[], at: number) => void>;
      parse(grammar: object, rule: string, chars: readonly number[]): { readonly success: boolean };
    };
  };
}

interface RuleState {
  state: number;
  phraseLength: number;
}

const { apgApi, apgLib } = apgJs as unknown as Apg; // see above

const FILES = ["odata-abnf-construction-rules.txt", "odata-aggregation-abnf.txt", "odata-temporal-abnf.txt"];

/** Names that rules of the grammar may match, by rule. */
export type RuleNames = Readonly<Record<string, readonly string[]>>;

/** Decides whether a text matches a rule. */
export type Oracle = (rule: string, text: string) => boolean;

/**
 * Makes the parser.
 *
 * @param folder where the grammar is
 * @param names names that rules may match
 */
export function createOracle(folder: string, names: RuleNames): Oracle {
  const text = FILES.map((file) => Deno.readTextFileSync(`${folder}/${file}`)).join("\n");
  const api = new apgApi(text.replace(/\r?\n/g, "\r\n"));
  api.generate();
  if (api.errors.length > 0) throw new Error(`The grammar has ${api.errors.length} errors`);
  const grammar = api.toObject();
  const rules = new Map(grammar.rules.map(({ name }) => [name.toLowerCase(), name]));
  const parser = new apgLib.parser();
  for (const [rule, allowed] of Object.entries(names)) {
    const known = new Set(allowed);
    parser.callbacks[rules.get(rule.toLowerCase())!] = (state, chars, at) => {
      if (state.state !== apgLib.ids.MATCH) return;
      if (known.has(String.fromCodePoint(...chars.slice(at, at + state.phraseLength)))) return;
      state.state = apgLib.ids.NOMATCH;
      state.phraseLength = 0;
    };
  }
  return (rule, input) =>
    parser.parse(grammar, rules.get(rule.toLowerCase())!, apgLib.utils.stringToChars(input)).success;
}
