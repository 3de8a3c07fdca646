/**
 * Elements, parameters and type expressions of CDL.
 *
 * @module
 */

import { EOF, type ParserMethod, tokenMatcher, type TokenType } from "chevrotain";
import type { Expression, Xo } from "../../cqn/cqn.ts";
import { nameOf, numberLiteral } from "../../cqn/grammar/literals.ts";
import * as t from "../../cqn/grammar/tokens.ts";
import type { Cardinality } from "../csn.ts";
import { AnnotationGrammar } from "./annotation_grammar.ts";
import type {
  AstAnnotations,
  AstAssociation,
  AstElement,
  AstEnumSymbol,
  AstFacet,
  AstName,
  AstReturns,
  AstType,
} from "./ast.ts";
import * as c from "./tokens.ts";

type Rule<R> = ParserMethod<[], R>;
/** A part of the tree while it is being built. */
export type Mutable<T> = { -readonly [P in keyof T]: T[P] };
type Keys = NonNullable<AstAssociation["keys"]>[number];

/** What goes on with the name of an annotation. */
const NAME_SIGNS: readonly TokenType[] = [t.Dot, t.Hash];
/** What the value of an annotation may begin with. */
const VALUE_SIGNS: readonly TokenType[] = [t.Hash, t.Minus];
const OPENING: readonly TokenType[] = [t.LParen, t.LSquare, t.LCurly];
const CLOSING: readonly TokenType[] = [t.RParen, t.RSquare, t.RCurly];
/** Words that go on with an element or a type. */
const ITEM_PROPERTIES: readonly TokenType[] = [t.Not, t.Null, c.Default, c.Enum];

/** Rules for elements and types on top of those for annotations. */
export abstract class TypeGrammar extends AnnotationGrammar {
  // name = word { "." word }
  readonly astName: Rule<AstName> = this.RULE("astName", () => {
    const location = this.locationOf(this.LA(1));
    let name = nameOf(this.CONSUME(t.Name));
    this.MANY({
      GATE: () => tokenMatcher(this.LA(2), t.Word),
      DEF: () => {
        this.CONSUME(t.Dot);
        name += `.${nameOf(this.CONSUME(t.Word))}`;
      },
    });
    return { name, location };
  });

  readonly namePath: Rule<string[]> = this.RULE("namePath", () => {
    const path: string[] = [];
    this.AT_LEAST_ONE_SEP({ SEP: t.Dot, DEF: () => path.push(nameOf(this.CONSUME(t.Word))) });
    return path;
  });

  // elementBlock = "{" { element } "}"
  readonly elementBlock: Rule<AstElement[]> = this.RULE("elementBlock", () => {
    const elements: AstElement[] = [];
    this.enter();
    this.CONSUME(t.LCurly);
    this.MANY(() => elements.push(this.SUBRULE(this.element)));
    this.CONSUME(t.RCurly);
    this.leave();
    return elements;
  });

  // element = annotations { modifier } name annotations [ ":" type | "{" … "}" | "=" value ] { property } end
  readonly element: Rule<AstElement> = this.RULE("element", () => {
    const annotations: AstAnnotations = {};
    const element: Partial<Mutable<AstElement>> = { annotations };
    this.ACTION(() => this.document(element));
    this.SUBRULE(this.annotations, { ARGS: [annotations] });
    this.ACTION(() => this.document(element));
    this.MANY({
      GATE: () => this.#isModifierAhead(),
      DEF: () =>
        this.OR([
          { ALT: () => element.key = this.CONSUME(t.Key) !== undefined },
          { ALT: () => element.virtual = this.CONSUME(t.Virtual) !== undefined },
          { ALT: () => element.isExtension = this.CONSUME(c.Extend) !== undefined },
          { ALT: () => this.CONSUME(c.Element) },
        ]),
    });
    this.SUBRULE(this.elementRest, { ARGS: [element] });
    this.SUBRULE(this.endOfItem);
    return element as AstElement;
  });

  readonly elementRest: ParserMethod<[object], void> = this.RULE("elementRest", (target: object = {}) => {
    const element = target as Mutable<AstElement>;
    const token = this.CONSUME(t.Word);
    this.ACTION(() => {
      element.name = nameOf(token);
      element.location = this.locationOf(token);
    });
    this.SUBRULE(this.annotations, { ARGS: [element.annotations] });
    this.OPTION({ GATE: () => element.isExtension === true, DEF: () => this.CONSUME(c.With) });
    this.OPTION1(() =>
      this.OR([
        {
          GATE: () => element.isExtension === true,
          ALT: () => element.type = { facets: this.SUBRULE(this.facetList) },
        },
        {
          ALT: () => {
            this.CONSUME(t.Colon);
            element.type = this.SUBRULE(this.typeSpec);
          },
        },
        { ALT: () => element.type = { elements: this.SUBRULE(this.elementBlock) } },
        { ALT: () => element.type = { enum: this.SUBRULE(this.enumBlock) } },
      ])
    );
    this.MANY({
      GATE: () => this.isStillInItem(element.type),
      DEF: () => this.SUBRULE(this.elementProperty, { ARGS: [element] }),
    });
  });

  // elementProperty = annotation | "not" "null" | "null" | "default" expression | enum | "=" expression [ "stored" ]
  readonly elementProperty: ParserMethod<[object], void> = this.RULE(
    "elementProperty",
    (target: object = {}) => {
      const element = target as Mutable<AstElement>;
      this.OR([
        {
          ALT: () => {
            this.CONSUME(t.At);
            this.SUBRULE(this.annotationBody, { ARGS: [element.annotations] });
          },
        },
        {
          ALT: () => {
            this.CONSUME(t.Not);
            this.CONSUME(t.Null);
            element.notNull = true;
          },
        },
        {
          ALT: () => {
            this.CONSUME1(t.Null);
            element.notNull = false;
          },
        },
        {
          GATE: () => element.default === undefined,
          ALT: () => {
            this.CONSUME(c.Default);
            element.default = this.SUBRULE(this.expression);
          },
        },
        {
          // An enum may also follow the annotations of its type.
          GATE: () => element.type !== undefined && !element.type.enum,
          ALT: () => {
            const symbols = this.SUBRULE(this.enumBlock);
            element.type = { ...element.type, enum: symbols };
          },
        },
        {
          GATE: () => element.value === undefined,
          ALT: () => {
            this.CONSUME(t.Equal);
            element.value = this.SUBRULE1(this.expression);
            this.OPTION(() => element.stored = this.CONSUME(c.Stored) !== undefined);
          },
        },
      ]);
    },
  );

  /** A semicolon, which may be left out after and before a closing brace. */
  readonly endOfItem: Rule<void> = this.RULE("endOfItem", () => {
    this.OR({
      DEF: [
        { ALT: () => this.CONSUME(t.Semicolon) },
        { GATE: () => this.#isBraceBeside(), ALT: () => {} },
      ],
      ERR_MSG: '";" or "}"',
    });
  });

  /**
   * The end of a definition, an extension or an import: the semicolon may also be left out at the end of the text, and
   * where the next line begins another one. The latter only after items that take no annotations at their end, as those
   * of the next item would be taken for them.
   */
  readonly endOfStatement: ParserMethod<[boolean], void> = this.RULE(
    "endOfStatement",
    (isOpen: boolean = false) => {
      this.OR({
        DEF: [
          { ALT: () => this.CONSUME(t.Semicolon) },
          {
            GATE: () =>
              this.#isBraceBeside() || this.LA(1).tokenType === EOF ||
              (!isOpen && this.#isStatementAhead()),
            ALT: () => {},
          },
        ],
        ERR_MSG: '";" or "}"',
      });
    },
  );

  // parameters = "(" [ parameter { "," parameter } ] ")"
  readonly parameterList: Rule<AstElement[]> = this.RULE("parameterList", () => {
    const parameters: AstElement[] = [];
    this.CONSUME(t.LParen);
    this.MANY(() => {
      parameters.push(this.SUBRULE(this.parameterElement));
      this.SUBRULE(this.annotationSeparator);
    });
    this.CONSUME(t.RParen);
    return parameters;
  });

  readonly parameterElement: Rule<AstElement> = this.RULE("parameterElement", () => {
    const annotations: AstAnnotations = {};
    const element: Partial<Mutable<AstElement>> = { annotations };
    this.ACTION(() => this.document(element));
    this.SUBRULE(this.annotations, { ARGS: [annotations] });
    this.SUBRULE(this.elementRest, { ARGS: [element] });
    return element as AstElement;
  });

  readonly returnsClause: Rule<AstReturns> = this.RULE("returnsClause", () => {
    const annotations: AstAnnotations = {};
    const element: Partial<Mutable<AstElement>> = { annotations };
    this.CONSUME(c.Returns);
    this.SUBRULE(this.annotations, { ARGS: [annotations] });
    this.OPTION(() => element.type = this.SUBRULE(this.typeSpec));
    this.MANY(() => this.SUBRULE(this.elementProperty, { ARGS: [element] }));
    return this.ACTION(() => ({
      annotations,
      ...(element.type && { type: { ...element.type, ...(element.notNull && { notNull: true }) } }),
    }));
  });

  readonly typeSpec: Rule<AstType> = this.RULE("typeSpec", () => {
    this.enter();
    const type = this.OR({
      DEF: [
        { ALT: () => ({ elements: this.SUBRULE(this.elementBlock) }) as AstType },
        {
          GATE: () => tokenMatcher(this.LA(2), t.Word) || this.LA(2).tokenType === t.LCurly,
          ALT: () => {
            this.CONSUME(c.Many);
            return { items: this.SUBRULE(this.typeSpec) } as AstType;
          },
        },
        {
          GATE: () => this.LA(2).tokenType === c.Of,
          ALT: () => {
            this.CONSUME(c.ArrayWord);
            this.CONSUME(c.Of);
            return { items: this.SUBRULE1(this.typeSpec) } as AstType;
          },
        },
        {
          GATE: () => tokenMatcher(this.LA(2), t.Word),
          ALT: () => {
            this.CONSUME(c.Localized);
            const inner = this.SUBRULE2(this.typeSpec);
            return { ...inner, localized: true } as AstType;
          },
        },
        {
          GATE: () => this.LA(2).tokenType === c.Of,
          ALT: () => {
            this.CONSUME(c.Type);
            this.CONSUME1(c.Of);
            return { ...this.SUBRULE(this.typeOfPath), isTypeOf: true } as AstType;
          },
        },
        {
          GATE: () => this.LA(2).tokenType === t.To || this.LA(2).tokenType === t.LSquare,
          ALT: () => ({ association: this.SUBRULE(this.association) }) as AstType,
        },
        {
          GATE: () => this.LA(2).tokenType === c.Of || this.LA(2).tokenType === t.LSquare,
          ALT: () => ({ association: this.SUBRULE(this.composition) }) as AstType,
        },
        { ALT: () => this.SUBRULE(this.namedType) as AstType },
      ],
      IGNORE_AMBIGUITIES: true,
      ERR_MSG: "a type",
    });
    const symbols = this.OPTION(() => this.SUBRULE(this.enumBlock));
    this.leave();
    return symbols ? { ...type, enum: symbols } : type;
  });

  // namedType = name [ "(" facet { "," facet } ")" ] [ ":" path ]
  readonly namedType: Rule<AstType> = this.RULE("namedType", () => {
    const type: Mutable<AstType> = { named: this.SUBRULE(this.astName) };
    this.OPTION(() => type.facets = this.SUBRULE(this.facetList));
    this.OPTION1(() => {
      this.CONSUME(t.Colon);
      type.path = this.SUBRULE(this.namePath);
    });
    return type;
  });

  readonly typeOfPath: Rule<AstType> = this.RULE("typeOfPath", () => {
    const type: Mutable<AstType> = { named: this.SUBRULE(this.astName) };
    this.OPTION(() => {
      this.CONSUME(t.Colon);
      type.path = this.SUBRULE(this.namePath);
    });
    return type;
  });

  readonly facetList: Rule<AstFacet[]> = this.RULE("facetList", () => {
    const facets: AstFacet[] = [];
    this.CONSUME(t.LParen);
    this.AT_LEAST_ONE_SEP({
      SEP: t.Comma,
      DEF: () => {
        let name: string | undefined;
        const location = this.locationOf(this.LA(1));
        this.OPTION({
          GATE: () => this.LA(2).tokenType === t.Colon,
          DEF: () => {
            name = nameOf(this.CONSUME(t.Word));
            this.CONSUME(t.Colon);
          },
        });
        const value = this.OR([
          { ALT: () => Number(this.CONSUME(t.NumberLiteral).image) as number | string },
          { ALT: () => nameOf(this.CONSUME1(t.Word)) as number | string },
        ]);
        facets.push({ ...(name !== undefined && { name }), value, location });
      },
    });
    this.CONSUME(t.RParen);
    return facets;
  });

  readonly enumBlock: Rule<AstEnumSymbol[]> = this.RULE("enumBlock", () => {
    const symbols: AstEnumSymbol[] = [];
    this.CONSUME(c.Enum);
    this.CONSUME(t.LCurly);
    this.MANY(() => {
      const annotations: AstAnnotations = {};
      const symbol: Partial<Mutable<AstEnumSymbol>> = { annotations };
      this.ACTION(() => this.document(symbol));
      this.SUBRULE(this.annotations, { ARGS: [annotations] });
      const token = this.CONSUME(t.Name);
      symbol.name = nameOf(token);
      symbol.location = this.locationOf(token);
      this.SUBRULE1(this.annotations, { ARGS: [annotations] });
      this.OPTION(() => {
        this.CONSUME(t.Equal);
        symbol.value = this.SUBRULE(this.enumValue);
      });
      this.SUBRULE2(this.annotations, { ARGS: [annotations] });
      this.SUBRULE(this.endOfItem);
      symbols.push(symbol as AstEnumSymbol);
    });
    this.CONSUME(t.RCurly);
    return symbols;
  });

  readonly enumValue: Rule<Expression> = this.RULE("enumValue", () =>
    this.OR([
      { ALT: () => this.SUBRULE(this.literal) },
      {
        ALT: () => {
          this.CONSUME(t.Minus);
          return numberLiteral(`-${this.CONSUME(t.NumberLiteral).image}`);
        },
      },
    ]));

  // association = "association" [ cardinality ] "to" [ "many" | "one" ] name [ "{" keys "}" | "on" condition ]
  readonly association: Rule<AstAssociation> = this.RULE("association", () => {
    const association: Mutable<AstAssociation> = { isComposition: false };
    this.CONSUME(c.Association);
    this.OPTION(() => association.cardinality = this.SUBRULE(this.cardinality));
    this.CONSUME(t.To);
    this.SUBRULE(this.plurality, { ARGS: [association] });
    association.target = this.SUBRULE(this.astName);
    this.SUBRULE(this.associationRest, { ARGS: [association] });
    return association;
  });

  // composition = "composition" [ cardinality ] "of" [ "many" | "one" ] ( "{" elements "}" | name [ keys | "on" … ] )
  readonly composition: Rule<AstAssociation> = this.RULE("composition", () => {
    const association: Mutable<AstAssociation> = { isComposition: true };
    this.CONSUME(c.Composition);
    this.OPTION(() => association.cardinality = this.SUBRULE(this.cardinality));
    this.CONSUME(c.Of);
    this.SUBRULE(this.plurality, { ARGS: [association] });
    this.OR([
      { ALT: () => association.aspect = this.SUBRULE(this.elementBlock) },
      {
        ALT: () => {
          association.target = this.SUBRULE(this.astName);
          this.SUBRULE(this.associationRest, { ARGS: [association] });
        },
      },
    ]);
    return association;
  });

  readonly plurality: ParserMethod<[object], void> = this.RULE("plurality", (target: object = {}) => {
    const association = target as Mutable<AstAssociation>;
    this.OPTION({
      GATE: () => tokenMatcher(this.LA(2), t.Name) || this.LA(2).tokenType === t.LCurly,
      DEF: () => {
        const max = this.OR([
          { ALT: () => (this.CONSUME(c.Many), "*" as const) },
          { ALT: () => (this.CONSUME(c.One), 1 as const) },
        ]);
        association.cardinality = { ...association.cardinality, max };
      },
    });
  });

  readonly associationRest: ParserMethod<[object], void> = this.RULE(
    "associationRest",
    (target: object = {}) => {
      const association = target as Mutable<AstAssociation>;
      this.OPTION(() =>
        this.OR([
          { ALT: () => association.keys = this.SUBRULE(this.foreignKeys) },
          {
            ALT: () => {
              this.CONSUME(t.On);
              association.on = this.SUBRULE(this.expression) as Xo[];
            },
          },
        ])
      );
    },
  );

  readonly foreignKeys: Rule<Keys[]> = this.RULE("foreignKeys", () => {
    const keys: Keys[] = [];
    this.CONSUME(t.LCurly);
    this.MANY(() => {
      const ref = this.SUBRULE(this.namePath);
      const as = this.OPTION(() => {
        this.CONSUME(t.As);
        return nameOf(this.CONSUME(t.Word));
      });
      this.SUBRULE(this.annotationSeparator);
      keys.push({ ref, ...(as !== undefined && { as }) });
    });
    this.CONSUME(t.RCurly);
    return keys;
  });

  // cardinality = "[" [ source "," ] [ min ".." ] max "]"
  readonly cardinality: Rule<Cardinality> = this.RULE("cardinality", () => {
    const result: Mutable<Cardinality> = {};
    this.CONSUME(t.LSquare);
    this.OPTION({
      GATE: () => this.LA(2).tokenType === t.Comma,
      DEF: () => {
        result.src = this.SUBRULE(this.bound);
        this.CONSUME(t.Comma);
      },
    });
    this.OPTION1({
      GATE: () => this.LA(2).tokenType === t.DotDot,
      DEF: () => {
        result.min = Number(this.CONSUME(t.NumberLiteral).image);
        this.CONSUME(t.DotDot);
      },
    });
    this.OPTION2(() => result.max = this.SUBRULE1(this.bound));
    this.CONSUME(t.RSquare);
    return this.ACTION(() => result.max === undefined ? { ...result, max: "*" as const } : result);
  });

  readonly bound: Rule<number | "*"> = this.RULE("bound", () =>
    this.OR([
      { ALT: () => (this.CONSUME(t.Star), "*" as const) },
      { ALT: () => Number(this.CONSUME(t.NumberLiteral).image) },
    ]));

  override readonly castType: Rule<object> = this.RULE("castType", () => {
    const type = this.SUBRULE(this.namedType);
    return { ast: type };
  });

  // columnType = type [ "default" expression ] | "redirected" "to" name [ keys | "on" condition ]
  override readonly columnType: Rule<object> = this.RULE("columnType", () =>
    this.OR({
      DEF: [
        {
          GATE: () => this.LA(2).tokenType === t.To,
          ALT: () => {
            const association: Mutable<AstAssociation> = { isComposition: false };
            this.CONSUME(t.Redirected);
            this.CONSUME(t.To);
            association.target = this.SUBRULE(this.astName);
            this.SUBRULE(this.associationRest, { ARGS: [association] });
            return { ast: { association } as AstType };
          },
        },
        {
          ALT: () => {
            const ast = this.SUBRULE(this.typeSpec);
            const value = this.OPTION(() => {
              this.CONSUME(c.Default);
              return this.SUBRULE(this.expression);
            });
            return { ast, ...(value && { default: value }) };
          },
        },
      ],
      IGNORE_AMBIGUITIES: true,
    }));

  override readonly mixinElements: Rule<Record<string, unknown>> = this.RULE("mixinElements", () => ({
    ast: this.SUBRULE(this.elementBlock),
  }));

  /**
   * Whether an annotation at hand belongs to the item before it: after a closing brace it begins the next item, as the
   * semicolon may be left out there, unless it stands on the same line, or the brace closed an enum and the item goes on
   * behind the annotations.
   *
   * @param type the type of the item
   * @returns true when it is no annotation
   */
  protected isStillInItem(type: AstType | undefined): boolean {
    const before = this.LA(0);
    const next = this.LA(1);
    if (next.tokenType !== t.At || before.tokenType !== t.RCurly) return true;
    if (!this.source.text.slice(before.startOffset, next.startOffset).includes("\n")) return true;
    return type?.enum !== undefined && !this.#isItemBehind();
  }

  /** Whether the annotations at hand are followed by the name of an item; `default` and the like go on with the one before. */
  #isItemBehind(): boolean {
    let i = 1;
    while (this.LA(i).tokenType === t.At) {
      i = this.#behindBrackets(i + 1);
      while (NAME_SIGNS.includes(this.LA(i).tokenType)) {
        i = this.#behindBrackets(i + (this.LA(i + 1).tokenType === t.At ? 2 : 1));
      }
      if (this.LA(i).tokenType !== t.Colon) continue;
      i = this.#behindBrackets(i + (VALUE_SIGNS.includes(this.LA(i + 1).tokenType) ? 2 : 1));
      while (this.LA(i).tokenType === t.Dot) i += 2;
    }
    const token = this.LA(i);
    return tokenMatcher(token, t.Word) && !ITEM_PROPERTIES.includes(token.tokenType);
  }

  /** The number of the token behind a bracket and what it holds, or behind a single token. */
  #behindBrackets(from: number): number {
    let depth = 0;
    let i = from;
    do {
      const { tokenType } = this.LA(i++);
      if (tokenType === EOF) return i;
      if (OPENING.includes(tokenType)) depth++;
      if (CLOSING.includes(tokenType)) depth--;
    } while (depth > 0);
    return i;
  }

  #isBraceBeside(): boolean {
    return this.LA(0).tokenType === t.RCurly || this.LA(1).tokenType === t.RCurly;
  }

  #isStatementAhead(): boolean {
    const before = this.LA(0);
    const next = this.LA(1);
    if (next.tokenType !== t.At && !c.STATEMENT_KEYWORDS.includes(next.tokenType)) return false;
    return this.source.text.slice(before.startOffset, next.startOffset).includes("\n");
  }

  /** `key` and other modifiers are such only before a name. */
  #isModifierAhead(): boolean {
    return tokenMatcher(this.LA(2), t.Word);
  }
}
