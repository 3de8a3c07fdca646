import {
  EmbeddedActionsParser,
  type IParserErrorMessageProvider,
  type IToken,
  type TokenType,
} from "chevrotain";
import { nearestName } from "../../util/nearest_name.ts";
import { Name } from "./tokens.ts";

const EXPECTED_SHOWN = 12;

/**
 * Names a token in messages.
 *
 * @param token the token, maybe the end of the text
 * @returns its quoted image, or `end of text`
 */
export function found(token: IToken): string {
  if (token.tokenType.name === "EOF") return "Found end of text";
  const image = token.image.length > 40 ? `${token.image.slice(0, 37)}...` : token.image;
  return `Found ${JSON.stringify(image)}`;
}

function label(type: TokenType): string {
  return type.name === "EOF" ? "end of text" : type.LABEL ?? type.name;
}

function expectedOneOf(actual: IToken, types: readonly TokenType[]): string {
  const labels = [...new Set(types.map(label))];
  const shown = labels.slice(0, EXPECTED_SHOWN);
  const rest = labels.length > shown.length ? " and others" : "";
  const list = shown.length > 1 ? `one of ${shown.join(", ")}${rest}` : shown.join("");
  return `${found(actual)}, expected ${list}${hint(actual, types)}`;
}

function hint(actual: IToken, types: readonly TokenType[], meant: Meant = none): string {
  const words = types.filter((type) => type.name.endsWith("Keyword")).map((type) => label(type).slice(1, -1));
  if (!actual.tokenType.CATEGORIES?.includes(Name)) return meant(actual.image, words);
  const near = nearestName(actual.image, words);
  if (near === undefined) return meant(actual.image, words);
  return ` (did you mean "${near}"?)`;
}

/** What people mean who know other languages, as the end of a message, by what was found and the keywords there may be. */
export type Meant = (image: string, words: readonly string[]) => string;

const none: Meant = () => "";

/** What a rule expects where its closing token is missing, and the keywords to suggest. */
export interface RuleDescription {
  readonly text: string;
  readonly words?: readonly TokenType[];
}

const CQL_DESCRIPTIONS: Readonly<Record<string, RuleDescription>> = {
  bracedColumns: { text: 'a column or "}"' },
};

/**
 * The texts Chevrotain puts into its errors.
 *
 * @param descriptions descriptions by rule name, besides those of CQL
 * @param meant what people mean by words that are far from all keywords
 * @returns the provider for a parser's configuration
 */
export function messageProvider(
  descriptions: Readonly<Record<string, RuleDescription>> = {},
  meant: Meant = none,
): IParserErrorMessageProvider {
  return {
    buildMismatchTokenMessage({ expected, actual, ruleName }) {
      const description = descriptions[ruleName] ?? CQL_DESCRIPTIONS[ruleName];
      if (!description) return expectedOneOf(actual, [expected]);
      const words = description.words ?? [];
      return `${found(actual)}, expected ${description.text}${hint(actual, words, meant)}`;
    },
    buildNotAllInputParsedMessage({ firstRedundant }) {
      return `${found(firstRedundant)}, expected end of text`;
    },
    buildNoViableAltMessage({ expectedPathsPerAlt, actual, previous, customUserDescription }) {
      if (customUserDescription) {
        return `${found(actual[0])}, expected ${customUserDescription}${
          meant(actual[0].image, [previous.image])
        }`;
      }
      const first = expectedPathsPerAlt.flat().map((path) => path[0]).filter((type) => type !== undefined);
      return expectedOneOf(actual[0], first);
    },
    buildEarlyExitMessage({ expectedIterationPaths, actual }) {
      return expectedOneOf(actual[0], expectedIterationPaths.map((path) => path[0]));
    },
  };
}

/** Settings of a parser of this family. */
export interface GrammarOptions {
  readonly tokens: readonly TokenType[];
  readonly messages: IParserErrorMessageProvider;
  /** Leave out Chevrotain's own checks of the grammar; they are made in a test. */
  readonly skipValidations?: boolean;
}

/** Counts how deep rules nest, and refuses a text before the recursion of the parser can grow with it. */
export abstract class BoundedGrammar extends EmbeddedActionsParser {
  #depth = 0;

  /** @param options tokens and messages of the language */
  constructor({ tokens, messages, skipValidations = true }: GrammarOptions) {
    super([...tokens], { maxLookahead: 1, errorMessageProvider: messages, skipValidations });
  }

  /** How many levels may nest. */
  protected abstract get nestingLimit(): number;

  /** Throws the error for a text that nests deeper. */
  protected abstract refuseNesting(): never;

  /** Forgets what belongs to the text parsed before. */
  override reset(): void {
    super.reset();
    this.#depth = 0;
  }

  /** Begins a level of nesting. */
  protected enter(): void {
    if (++this.#depth > this.nestingLimit) this.refuseNesting();
  }

  /** Ends a level of nesting. */
  protected leave(): void {
    this.#depth--;
  }
}
