/**
 * Definitions and extensions: the top of the CDL grammar.
 *
 * @module
 */

import { EOF, type ParserMethod, tokenMatcher, type TokenType } from "chevrotain";
import type { SelectBody } from "../../cqn/cqn.ts";
import { nameOf, stringOf } from "../../cqn/grammar/literals.ts";
import { messageProvider, type RuleDescription } from "../../cqn/grammar/messages.ts";
import * as t from "../../cqn/grammar/tokens.ts";
import type { DefinitionKind } from "../csn.ts";
import type {
  AstAnnotations,
  AstDefinition,
  AstElement,
  AstExtension,
  AstFile,
  AstName,
  AstOperationExtension,
  AstStatement,
  AstUsing,
} from "./ast.ts";
import * as c from "./tokens.ts";
import { type Mutable, TypeGrammar } from "./type_grammar.ts";
import { unqualified } from "../../util/unqualified.ts";

type Rule<R> = ParserMethod<[], R>;
type Into<T> = ParserMethod<[object], T>;
type Definition = Mutable<AstDefinition>;
type Extension = Mutable<AstExtension>;
type Import = AstUsing["names"][number];

const DESCRIPTIONS: Readonly<Record<string, RuleDescription>> = {
  cdlFile: { text: "a definition", words: c.STATEMENT_KEYWORDS },
  statementBlock: { text: 'a definition or "}"', words: c.STATEMENT_KEYWORDS },
  elementBlock: { text: 'an element or "}"' },
  operationBlock: { text: 'an action, a function or "}"', words: [c.Action, c.Function] },
  enumBlock: { text: 'an enum symbol or "}"' },
};

/** Keywords by the words that other languages have in their place. */
const OTHER_LANGUAGES: Readonly<Record<string, string>> = {
  ...{ import: "using", include: "using", table: "entity", class: "entity", struct: "type", enum: "type" },
  ...{ interface: "aspect", module: "service", method: "action", procedure: "action" },
};

/** What is written here in place of signs that types of other languages have. */
const OTHER_SIGNS: Readonly<Record<string, string>> = {
  "[": 'many of a type are written "many" or "array of" and the type',
  "?": 'an element may be null where it is not "not null"',
};

/** Annotations of definitions that other languages have as words. */
const ANNOTATIONS: ReadonlySet<string> = new Set(["readonly", "insertonly", "requires", "restrict", "path"]);

/** What people mean who know other languages; where no keyword is due, the word before is given. */
function meantBy(image: string, words: readonly string[]): string {
  const isDefinition = words.includes("entity");
  if (isDefinition && /^(?:#|-|--)$/.test(image)) return " (comments begin with //)";
  if (image === "-") return ` (a name with other signs is written ![${words[0]}-…])`;
  if (isDefinition && ANNOTATIONS.has(image)) return ` (did you mean "@${image}"?)`;
  if (Object.hasOwn(OTHER_SIGNS, image) && !isDefinition) return ` (${OTHER_SIGNS[image]})`;
  const meant = Object.hasOwn(OTHER_LANGUAGES, image) ? OTHER_LANGUAGES[image]! : "";
  return words.includes(meant) ? ` (did you mean "${meant}"?)` : "";
}

const SECTIONS: readonly TokenType[] = [c.Actions, c.Columns, c.Definitions, c.Elements, c.Enum];
const EXTENDED_KINDS: readonly TokenType[] = [
  ...[c.Service, c.Context, c.Entity, c.Type, c.Aspect, c.Projection, c.View, c.Event],
];

/** The parser of CDL files. */
export class CdlParser extends TypeGrammar {
  /** @param skipValidations false to have the grammar checked, which a test does */
  constructor(skipValidations = true) {
    super({
      tokens: [...t.ABSTRACT_TOKENS, ...t.LEXED_TOKENS, ...t.CQL_KEYWORDS, ...c.CDL_KEYWORDS],
      messages: messageProvider(DESCRIPTIONS, meantBy),
      skipValidations,
    });
    this.performSelfAnalysis();
  }

  // file = { namespace | using | statement }
  readonly cdlFile: Rule<AstFile> = this.RULE("cdlFile", () => {
    const usings: AstUsing[] = [];
    const statements: AstStatement[] = [];
    let namespace: string | undefined;
    this.MANY(() =>
      this.OR([
        {
          ALT: () => {
            this.CONSUME(c.Namespace);
            namespace = this.SUBRULE(this.dottedName);
            this.SUBRULE(this.endOfStatement, { ARGS: [false] });
          },
        },
        {
          ALT: () => {
            usings.push(this.SUBRULE(this.using));
            this.SUBRULE1(this.endOfStatement, { ARGS: [false] });
          },
        },
        { ALT: () => this.CONSUME(t.Semicolon) },
        { ALT: () => statements.push(this.SUBRULE(this.statement)) },
      ])
    );
    this.CONSUME(EOF);
    return { ...(namespace !== undefined && { namespace }), usings, statements };
  });

  // using = "using" [ "{" import { "," import } "}" | import { "," import } ] [ "from" string ]
  readonly using: Rule<AstUsing> = this.RULE("using", () => {
    const names: Import[] = [];
    let from: AstName | undefined;
    this.CONSUME(c.Using);
    this.OPTION({
      GATE: () => this.LA(1).tokenType !== t.From,
      DEF: () =>
        this.OR([
          {
            ALT: () => {
              this.CONSUME(t.LCurly);
              this.MANY(() => {
                names.push(this.SUBRULE(this.import));
                this.SUBRULE(this.annotationSeparator);
              });
              this.CONSUME(t.RCurly);
            },
          },
          {
            ALT: () => {
              this.AT_LEAST_ONE_SEP({ SEP: t.Comma, DEF: () => names.push(this.SUBRULE1(this.import)) });
            },
          },
        ]),
    });
    this.OPTION1(() => {
      this.CONSUME(t.From);
      const token = this.CONSUME(t.StringLiteral);
      from = { name: stringOf(token), location: this.locationOf(token) };
    });
    return { names, ...(from && { from }) };
  });

  readonly import: Rule<Import> = this.RULE("import", () => {
    const location = this.locationOf(this.LA(1));
    const name = this.SUBRULE(this.dottedName);
    const alias = this.OPTION(() => {
      this.CONSUME(t.As);
      return nameOf(this.CONSUME(t.Word));
    });
    return { name, location, alias: alias ?? unqualified(name) };
  });

  readonly statementBlock: Rule<AstStatement[]> = this.RULE("statementBlock", () => {
    const statements: AstStatement[] = [];
    this.enter();
    this.CONSUME(t.LCurly);
    this.MANY(() => {
      this.OR([
        { ALT: () => this.CONSUME(t.Semicolon) },
        { ALT: () => statements.push(this.SUBRULE(this.statement)) },
      ]);
    });
    this.CONSUME(t.RCurly);
    this.leave();
    return statements;
  });

  // statement = annotations [ "define" ] ( definition | annotate | extend )
  readonly statement: Rule<AstStatement> = this.RULE("statement", () => {
    const annotations: AstAnnotations = {};
    const node = { annotations };
    this.ACTION(() => this.document(node));
    this.SUBRULE(this.annotations, { ARGS: [annotations] });
    this.ACTION(() => this.document(node));
    this.OPTION(() => this.CONSUME(c.Define));
    let isAbstract = false;
    this.OPTION1(() => isAbstract = this.CONSUME(c.Abstract) !== undefined);
    this.OR([
      { ALT: () => this.SUBRULE(this.container, { ARGS: [node] }) },
      { ALT: () => this.SUBRULE(this.entity, { ARGS: [node] }) },
      { ALT: () => this.SUBRULE(this.aspect, { ARGS: [node] }) },
      { ALT: () => this.SUBRULE(this.typeDefinition, { ARGS: [node] }) },
      { ALT: () => this.SUBRULE(this.event, { ARGS: [node] }) },
      { ALT: () => this.SUBRULE(this.operationDefinition, { ARGS: [node] }) },
      { ALT: () => this.SUBRULE(this.annotationDefinition, { ARGS: [node] }) },
      { ALT: () => this.SUBRULE(this.annotate, { ARGS: [node] }) },
      { ALT: () => this.SUBRULE(this.extend, { ARGS: [node] }) },
    ]);
    this.SUBRULE(this.endOfStatement, { ARGS: [!isPlainView(node)] });
    if (isAbstract) Object.assign(node, { kind: "aspect" }); // what `abstract entity` was called before
    return node as unknown as AstStatement; // every alternative has completed it
  });

  /** Kind, name and the annotations around the name. */
  readonly head: ParserMethod<[object, DefinitionKind], void> = this.RULE(
    "head",
    (node: object = {}, kind: DefinitionKind = "type") => {
      const definition = node as Definition;
      const { name, location } = this.SUBRULE(this.astName);
      Object.assign(definition, { statement: "definition", kind, name, location });
      this.SUBRULE(this.annotations, { ARGS: [definition.annotations] });
    },
  );

  readonly container: Into<void> = this.RULE("container", (node: object = {}) => {
    const kind = this.OR([
      { ALT: () => (this.CONSUME(c.Service), "service" as const) },
      { ALT: () => (this.CONSUME(c.Context), "context" as const) },
    ]);
    this.SUBRULE(this.head, { ARGS: [node, kind] });
    this.OPTION(() => (node as Definition).members = this.SUBRULE(this.statementBlock));
  });

  // entity = ( "entity" | "view" ) name [ params ] ( "as" ( query | projection ) | [ ":" includes ] [ elements ] ) [ actions ]
  readonly entity: Into<void> = this.RULE("entity", (node: object = {}) => {
    const definition = node as Definition;
    this.OR([{ ALT: () => this.CONSUME(c.Entity) }, { ALT: () => this.CONSUME(c.View) }]);
    this.SUBRULE(this.head, { ARGS: [node, "entity"] });
    this.OPTION(() => {
      definition.params = this.OR3([
        { ALT: () => this.SUBRULE(this.parameterList) },
        { ALT: () => this.SUBRULE(this.withParameters) },
      ]);
    });
    this.SUBRULE(this.annotations, { ARGS: [definition.annotations] });
    this.OR1([
      {
        ALT: () => {
          this.CONSUME(t.As);
          this.OR2([
            { ALT: () => definition.projection = this.SUBRULE(this.projection) },
            { ALT: () => definition.query = this.SUBRULE(this.query) },
          ]);
        },
      },
      { ALT: () => this.SUBRULE(this.structure, { ARGS: [node] }) },
    ]);
    this.OPTION2(() => {
      this.CONSUME(c.Actions);
      definition.actions = this.SUBRULE(this.operationBlock);
    });
  });

  // withParameters = "with" "parameters" parameter { "," parameter }
  readonly withParameters: Rule<AstElement[]> = this.RULE("withParameters", () => {
    const parameters: AstElement[] = [];
    this.CONSUME(c.With);
    this.CONSUME(c.Parameters);
    this.AT_LEAST_ONE_SEP({
      SEP: t.Comma,
      DEF: () => parameters.push(this.SUBRULE(this.parameterElement)),
    });
    return parameters;
  });

  // structure = [ ":" [ name { "," name } [ "," ] ] annotations ] [ "{" elements "}" ]
  readonly structure: Into<void> = this.RULE("structure", (node: object = {}) => {
    const definition = node as Definition;
    this.OPTION(() => {
      this.CONSUME(t.Colon);
      const includes = this.SUBRULE(this.includeList);
      if (includes.length > 0) definition.includes = includes;
      this.SUBRULE(this.annotations, { ARGS: [definition.annotations] });
    });
    definition.elements = [];
    this.OPTION1(() => definition.elements = this.SUBRULE(this.elementBlock));
  });

  /** Names of aspects before an element list: there may be none, and a comma after the last. */
  readonly includeList: Rule<AstName[]> = this.RULE("includeList", () => {
    const names: AstName[] = [];
    this.MANY({
      GATE: () => names.length === 0 || this.LA(0).tokenType === t.Comma,
      DEF: () => {
        names.push(this.SUBRULE(this.astName));
        this.OPTION(() => this.CONSUME(t.Comma));
      },
    });
    return names;
  });

  readonly nameList: Rule<AstName[]> = this.RULE("nameList", () => {
    const names: AstName[] = [];
    this.AT_LEAST_ONE_SEP({ SEP: t.Comma, DEF: () => names.push(this.SUBRULE(this.astName)) });
    return names;
  });

  // projection = "projection" "on" path [ alias ] [ "{" columns "}" ] clauses
  readonly projection: Rule<SelectBody> = this.RULE("projection", () => {
    const body: Partial<Mutable<SelectBody>> = {};
    this.CONSUME(c.Projection);
    this.CONSUME(t.On);
    const source = this.SUBRULE(this.fromPath);
    const as = this.OPTION(() => this.SUBRULE(this.sourceAlias));
    this.ACTION(() => body.from = as ? this.located({ ...source, as }, this.LA(0)) : source);
    this.OPTION1(() => {
      const list = this.SUBRULE(this.bracedColumns);
      body.columns = list.columns;
    });
    this.SUBRULE(this.queryClauses, { ARGS: [body] });
    return body as SelectBody;
  });

  readonly aspect: Into<void> = this.RULE("aspect", (node: object = {}) => {
    this.CONSUME(c.Aspect);
    this.SUBRULE(this.head, { ARGS: [node, "aspect"] });
    this.SUBRULE(this.structure, { ARGS: [node] });
    this.OPTION(() => {
      this.CONSUME(c.Actions);
      (node as Definition).actions = this.SUBRULE(this.operationBlock);
    });
  });

  readonly typeDefinition: Into<void> = this.RULE("typeDefinition", (node: object = {}) => {
    this.CONSUME(c.Type);
    this.SUBRULE(this.head, { ARGS: [node, "type"] });
    this.SUBRULE(this.structureOrType, { ARGS: [node] });
    this.MANY({
      GATE: () => this.isStillInItem((node as Definition).type),
      DEF: () => this.SUBRULE(this.elementProperty, { ARGS: [node] }),
    });
  });

  readonly event: Into<void> = this.RULE("event", (node: object = {}) => {
    this.CONSUME(c.Event);
    this.SUBRULE(this.head, { ARGS: [node, "event"] });
    this.SUBRULE(this.structureOrType, { ARGS: [node] });
    this.OPTION({
      GATE: () => this.isStillInItem((node as Definition).type),
      DEF: () => this.SUBRULE(this.someAnnotations, { ARGS: [(node as Definition).annotations] }),
    });
  });

  // structureOrType = ":" ( projection | includes "{" … | type ) | "{" elements "}" | nothing
  readonly structureOrType: Into<void> = this.RULE("structureOrType", (node: object = {}) => {
    const definition = node as Definition;
    this.OR({
      DEF: [
        {
          GATE: () => this.LA(1).tokenType === t.LCurly || this.#isIncludeListAhead(),
          ALT: () => this.SUBRULE(this.structure, { ARGS: [node] }),
        },
        {
          ALT: () => {
            this.CONSUME(t.Colon);
            this.OR1({
              DEF: [
                {
                  GATE: () => this.LA(2).tokenType === t.On,
                  ALT: () => definition.projection = this.SUBRULE(this.projection),
                },
                { ALT: () => definition.type = this.SUBRULE(this.typeSpec) },
              ],
              IGNORE_AMBIGUITIES: true,
              ERR_MSG: "a type",
            });
          },
        },
        { ALT: () => {} },
      ],
      IGNORE_AMBIGUITIES: true,
    });
  });

  // operation = "action" name [ "(" parameters ")" ] [ "returns" type ]
  //           | "function" name [ "(" parameters ")" ] "returns" type
  readonly operationDefinition: Into<void> = this.RULE("operationDefinition", (node: object = {}) => {
    const definition = node as Definition;
    const kind = this.OR([
      { ALT: () => (this.CONSUME(c.Action), "action" as const) },
      { ALT: () => (this.CONSUME(c.Function), "function" as const) },
    ]);
    this.SUBRULE(this.head, { ARGS: [node, kind] });
    this.OPTION(() => definition.params = this.SUBRULE(this.parameterList));
    this.SUBRULE(this.annotations, { ARGS: [definition.annotations] });
    const returns = () => {
      definition.returns = this.SUBRULE(this.returnsClause);
    };
    this.OR1({
      DEF: [
        { GATE: () => kind === "function", ALT: returns },
        {
          GATE: () => kind === "action",
          ALT: () => this.OPTION1(() => definition.returns = this.SUBRULE1(this.returnsClause)),
        },
      ],
      IGNORE_AMBIGUITIES: true,
    });
  });

  readonly operationBlock: Rule<AstDefinition[]> = this.RULE("operationBlock", () => {
    const operations: AstDefinition[] = [];
    this.CONSUME(t.LCurly);
    this.MANY(() => {
      const node = { annotations: {} };
      this.ACTION(() => this.document(node));
      this.SUBRULE(this.annotations, { ARGS: [node.annotations] });
      this.SUBRULE(this.operationDefinition, { ARGS: [node] });
      this.SUBRULE(this.endOfItem);
      operations.push(node as unknown as AstDefinition); // completed by the rule
    });
    this.CONSUME(t.RCurly);
    return operations;
  });

  readonly annotationDefinition: Into<void> = this.RULE("annotationDefinition", (node: object = {}) => {
    this.CONSUME(c.Annotation);
    this.SUBRULE(this.head, { ARGS: [node, "annotation"] });
    this.SUBRULE(this.structureOrType, { ARGS: [node] });
    this.SUBRULE(this.annotations, { ARGS: [(node as Definition).annotations] });
  });

  /** Name, path of elements, `with` and annotations of an extension. */
  readonly target: Into<void> = this.RULE("target", (node: object = {}) => {
    const extension = node as Extension;
    extension.target = this.SUBRULE(this.astName);
    this.OPTION(() => {
      this.CONSUME(t.Colon);
      extension.path = this.SUBRULE(this.namePath);
    });
    this.OPTION1(() => this.CONSUME(c.With));
    this.SUBRULE(this.annotations, { ARGS: [extension.annotations] });
  });

  // annotate = "annotate" name [ ":" path ] [ "with" ] annotations [ elements ] [ "(" params ")" ] [ returns ] [ actions ]
  readonly annotate: Into<void> = this.RULE("annotate", (node: object = {}) => {
    const extension = node as Extension;
    this.CONSUME(c.Annotate);
    extension.statement = "annotate";
    this.SUBRULE(this.target, { ARGS: [node] });
    this.OPTION(() =>
      this.OR([
        { ALT: () => extension.elements = this.SUBRULE(this.elementBlock) },
        { ALT: () => extension.enum = this.SUBRULE(this.enumBlock) },
        {
          ALT: () => {
            this.CONSUME(c.Elements);
            extension.elements = this.SUBRULE1(this.elementBlock);
          },
        },
      ])
    );
    this.OPTION1(() => extension.params = this.SUBRULE(this.parameterList));
    this.OPTION4({
      GATE: () => this.isStillInItem(undefined),
      DEF: () => this.SUBRULE(this.someAnnotations, { ARGS: [extension.annotations] }),
    });
    this.OPTION2(() => extension.returns = this.SUBRULE(this.returnsClause));
    this.OPTION3(() => {
      this.CONSUME(c.Actions);
      extension.actions = this.SUBRULE(this.operationExtensions);
    });
  });

  readonly operationExtensions: Rule<AstOperationExtension[]> = this.RULE("operationExtensions", () => {
    const operations: AstOperationExtension[] = [];
    this.CONSUME(t.LCurly);
    this.MANY(() => {
      const annotations: AstAnnotations = {};
      this.SUBRULE(this.annotations, { ARGS: [annotations] });
      const { name, location } = this.SUBRULE(this.astName);
      this.SUBRULE1(this.annotations, { ARGS: [annotations] });
      const params = this.OPTION(() => this.SUBRULE(this.parameterList));
      const returns = this.OPTION1(() => this.SUBRULE(this.returnsClause));
      this.SUBRULE(this.endOfItem);
      const parts = { ...(params && { params }), ...(returns && { returns }) };
      operations.push({ statement: "annotate", name, location, annotations, ...parts });
    });
    this.CONSUME(t.RCurly);
    return operations;
  });

  // extend = "extend" [ kind ] name [ ":" path ] [ "with" ] annotations body
  readonly extend: Into<void> = this.RULE("extend", (node: object = {}) => {
    const extension = node as Extension;
    let kind: TokenType | undefined;
    this.CONSUME(c.Extend);
    extension.statement = "extend";
    this.OPTION({
      GATE: () => EXTENDED_KINDS.includes(this.LA(1).tokenType) && tokenMatcher(this.LA(2), t.Name),
      DEF: () => kind = this.CONSUME(t.Name).tokenType,
    });
    this.SUBRULE(this.target, { ARGS: [node] });
    this.OPTION1({
      GATE: () => !SECTIONS.includes(this.LA(1).tokenType) || this.LA(2).tokenType !== t.LCurly,
      DEF: () => extension.includes = this.SUBRULE(this.nameList),
    });
    this.OPTION2(() => extension.facets = this.SUBRULE(this.facetList));
    this.OPTION3(() => {
      this.OR({
        DEF: [
          {
            GATE: () => this.#isStatementBlockAhead(kind),
            ALT: () => extension.members = this.SUBRULE(this.statementBlock),
          },
          {
            GATE: () => kind === c.Projection || kind === c.View,
            ALT: () => extension.columns = this.SUBRULE(this.bracedColumns).columns,
          },
          { ALT: () => extension.elements = this.SUBRULE(this.elementBlock) },
        ],
        IGNORE_AMBIGUITIES: true,
      });
    });
    this.MANY(() => this.SUBRULE(this.extensionSection, { ARGS: [node] }));
  });

  // section = "actions" "{" … "}" | "columns" "{" … "}" | "definitions" … | "elements" … | "enum" …
  readonly extensionSection: Into<void> = this.RULE("extensionSection", (node: object = {}) => {
    const extension = node as Extension;
    this.OR([
      {
        ALT: () => {
          this.CONSUME(c.Actions);
          extension.actions = this.SUBRULE(this.operationBlock);
        },
      },
      {
        ALT: () => {
          this.CONSUME(c.Columns);
          extension.columns = this.SUBRULE(this.bracedColumns).columns;
        },
      },
      {
        ALT: () => {
          this.CONSUME(c.Definitions);
          extension.members = this.SUBRULE(this.statementBlock);
        },
      },
      {
        ALT: () => {
          this.CONSUME(c.Elements);
          extension.elements = this.SUBRULE(this.elementBlock);
        },
      },
      { ALT: () => extension.enum = this.SUBRULE(this.enumBlock) },
    ]);
  });

  /** `: name , …` or `: name {`: a list of includes, not a type. */
  #isIncludeListAhead(): boolean {
    let i = 2;
    while (tokenMatcher(this.LA(i), t.Word) && this.LA(i + 1).tokenType === t.Dot) i += 2;
    const isNamed = this.LA(1).tokenType === t.Colon && tokenMatcher(this.LA(i), t.Name);
    if (!isNamed || this.LA(i).tokenType === c.Many) return false;
    const { tokenType } = this.LA(i + 1);
    return tokenType === t.LCurly || tokenType === t.Comma;
  }

  /** Services and contexts take definitions; without a kind the first words of the block decide. */
  #isStatementBlockAhead(kind: TokenType | undefined): boolean {
    if (kind) return kind === c.Service || kind === c.Context;
    let i = 2;
    while (this.LA(i).tokenType === t.At && tokenMatcher(this.LA(i + 1), t.Word)) i += 2;
    const isKeyword = c.STATEMENT_KEYWORDS.includes(this.LA(i).tokenType);
    return isKeyword && this.LA(i).tokenType !== c.Extend && tokenMatcher(this.LA(i + 1), t.Name);
  }
}

/** An entity with a query: annotations stand before it or behind its name only. */
function isPlainView(node: object): boolean {
  const { kind, query, projection } = node as Definition;
  return kind === "entity" && (query !== undefined || projection !== undefined);
}
