/**
 * Annotations in all their positions and forms (csn-cqn 12): flat keys, records, arrays, paths, expressions.
 *
 * @module
 */

import type { IToken, ParserMethod } from "chevrotain";
import { toExpression } from "../../cqn/conjunction.ts";
import { nameOf, numberLiteral, stringOf, typedLiteral } from "../../cqn/grammar/literals.ts";
import { QueryGrammar } from "../../cqn/grammar/query_grammar.ts";
import { lineAndColumn } from "../../cqn/grammar/lexer.ts";
import * as t from "../../cqn/grammar/tokens.ts";
import type { SourceLocation } from "../csn.ts";
import * as c from "./tokens.ts";

/** A record value as written; whether it is flattened depends on its place. */
class AnnotationRecord {
  readonly entries: [string, unknown][] = [];
}

/**
 * Sets an annotation; a record sets one annotation for each of its entries, `$value` the one of the record itself.
 * A record with `$edmJson` is one value.
 *
 * @param target what carries the annotations
 * @param name with `@`
 * @param value as parsed
 */
function assignAnnotation(target: object, name: string, value: unknown): void {
  const isFlat = value instanceof AnnotationRecord && !value.entries.some(([key]) => key === "$edmJson");
  if (!isFlat) {
    Object.assign(target, { [name]: plainValue(value) });
    return;
  }
  if (value.entries.length === 0) Object.assign(target, { [name]: {} });
  for (const [key, entry] of value.entries) {
    assignAnnotation(target, key === "$value" ? name : `${name}.${key}`, entry);
  }
}

/**
 * The value as data.
 *
 * @param value as parsed, records included
 * @returns plain data
 */
function plainValue(value: unknown): unknown {
  if (!(value instanceof AnnotationRecord)) return value;
  return Object.fromEntries(value.entries.map(([key, entry]) => [key, plainValue(entry)]));
}

type Rule<R> = ParserMethod<[], R>;

/** Rules for annotations on top of those for queries. */
export abstract class AnnotationGrammar extends QueryGrammar {
  /** Doc comments by the offset of the token that follows them; undefined when switched off. */
  docComments: ReadonlyMap<number, string> | undefined;

  // annotations = { "@" ( "(" [ entry { "," entry } ] ")" | name [ ":" value ] ) }
  readonly annotations: ParserMethod<[object], void> = this.RULE("annotations", (target: object = {}) => {
    this.MANY(() => {
      this.CONSUME(t.At);
      this.SUBRULE(this.annotationBody, { ARGS: [target] });
    });
  });

  /** At least one, for places where the annotations may belong to what follows. */
  readonly someAnnotations: ParserMethod<[object], void> = this.RULE(
    "someAnnotations",
    (target: object = {}) => {
      this.AT_LEAST_ONE(() => {
        this.CONSUME(t.At);
        this.SUBRULE(this.annotationBody, { ARGS: [target] });
      });
    },
  );

  readonly annotationBody: ParserMethod<[object], void> = this.RULE(
    "annotationBody",
    (target: object = {}) => {
      this.OR([
        {
          ALT: () => {
            this.CONSUME(t.LParen);
            this.MANY(() => {
              this.SUBRULE(this.annotationEntry, { ARGS: [target] });
              this.SUBRULE(this.annotationSeparator);
            });
            this.CONSUME(t.RParen);
          },
        },
        { ALT: () => this.SUBRULE(this.annotation, { ARGS: [target] }) },
      ]);
    },
  );

  /** A comma, which may be left out before the closing bracket. */
  readonly annotationSeparator: Rule<void> = this.RULE("annotationSeparator", () => {
    this.OR([
      { ALT: () => this.CONSUME(t.Comma) },
      {
        GATE: () => [t.RParen, t.RCurly, t.RSquare].includes(this.LA(1).tokenType),
        ALT: () => {},
      },
    ]);
  });

  readonly annotationEntry: ParserMethod<[object], void> = this.RULE(
    "annotationEntry",
    (target: object = {}) => {
      this.OPTION(() => this.CONSUME(t.At));
      this.SUBRULE(this.annotation, { ARGS: [target] });
    },
  );

  readonly annotation: ParserMethod<[object], void> = this.RULE("annotation", (target: object = {}) => {
    const name = this.SUBRULE(this.annotationName);
    let value: unknown = true;
    this.OPTION(() => {
      this.CONSUME(t.Colon);
      value = this.SUBRULE(this.annotationValue);
    });
    this.ACTION(() => assignAnnotation(target, `@${name}`, value));
  });

  // annotationName = word { ( "." | ".@" | "#" ) word }
  readonly annotationName: Rule<string> = this.RULE("annotationName", () => {
    let name = nameOf(this.CONSUME(t.Word));
    this.MANY(() => {
      this.OR([
        {
          ALT: () => {
            this.CONSUME(t.Dot);
            name += ".";
            this.OPTION(() => name += this.CONSUME(t.At).image);
          },
        },
        { ALT: () => name += this.CONSUME(t.Hash).image },
      ]);
      name += nameOf(this.CONSUME1(t.Word));
    });
    return name;
  });

  readonly annotationValue: Rule<unknown> = this.RULE("annotationValue", () => {
    this.enter();
    const value = this.OR({
      DEF: [
        { ALT: () => this.SUBRULE(this.annotationRecord) as unknown },
        { ALT: () => this.SUBRULE(this.annotationList) as unknown },
        { ALT: () => this.SUBRULE(this.annotationExpression) as unknown },
        { ALT: () => this.SUBRULE(this.annotationNumber) as unknown },
        { ALT: () => stringOf(this.CONSUME(t.StringLiteral)) as unknown },
        { ALT: () => stringOf(this.CONSUME(t.TemplateLiteral)) as unknown },
        { ALT: () => typedLiteral(this.CONSUME(t.TypedLiteral).image).val as unknown },
        { ALT: () => (this.CONSUME(t.True), true) as unknown },
        { ALT: () => (this.CONSUME(t.False), false) as unknown },
        { ALT: () => (this.CONSUME(t.Null), null) as unknown },
        {
          ALT: () => {
            this.CONSUME(t.Hash);
            return { "#": this.SUBRULE(this.dottedName) } as unknown;
          },
        },
        { ALT: () => ({ "=": this.SUBRULE(this.annotationPath) }) as unknown },
      ],
      IGNORE_AMBIGUITIES: true,
      ERR_MSG: "an annotation value",
    });
    this.leave();
    return value;
  });

  readonly annotationPath: Rule<string> = this.RULE("annotationPath", () => {
    let path = this.OPTION(() => this.CONSUME(t.At).image) ?? "";
    path += this.SUBRULE(this.annotationName);
    return path;
  });

  readonly annotationNumber: Rule<number | string> = this.RULE("annotationNumber", () => {
    let sign = "";
    this.OPTION(() =>
      this.OR([
        { ALT: () => this.CONSUME(t.Plus) },
        { ALT: () => sign = this.CONSUME(t.Minus).image },
      ])
    );
    const { image } = this.CONSUME(t.NumberLiteral);
    return this.ACTION(() => numberLiteral(sign + image).val as number | string);
  });

  readonly annotationExpression: Rule<object> = this.RULE("annotationExpression", () => {
    this.CONSUME(t.LParen);
    const xos = this.SUBRULE(this.expression);
    this.CONSUME(t.RParen);
    return this.ACTION(() => toExpression(xos));
  });

  readonly annotationRecord: Rule<AnnotationRecord> = this.RULE("annotationRecord", () => {
    const record = new AnnotationRecord();
    this.CONSUME(t.LCurly);
    this.MANY(() => {
      const at = this.OPTION(() => this.CONSUME(t.At).image) ?? "";
      const name = this.SUBRULE(this.annotationName);
      let value: unknown = true;
      this.OPTION1(() => {
        this.CONSUME(t.Colon);
        value = this.SUBRULE(this.annotationValue);
      });
      this.SUBRULE(this.annotationSeparator);
      record.entries.push([at + name, value]);
    });
    this.CONSUME(t.RCurly);
    return record;
  });

  // annotationList = "[" { value | "..." [ "up" "to" value ] } "]"
  readonly annotationList: Rule<unknown[]> = this.RULE("annotationList", () => {
    const items: unknown[] = [];
    this.CONSUME(t.LSquare);
    this.MANY(() => {
      this.OR([
        {
          ALT: () => {
            let upTo: unknown = true;
            this.CONSUME(t.Ellipsis);
            this.OPTION(() => {
              this.CONSUME(c.Up);
              this.CONSUME(t.To);
              upTo = this.SUBRULE(this.annotationValue);
            });
            this.ACTION(() => items.push({ "...": plainValue(upTo) }));
          },
        },
        {
          ALT: () => {
            const value = this.SUBRULE1(this.annotationValue);
            this.ACTION(() => items.push(plainValue(value)));
          },
        },
      ]);
      this.SUBRULE(this.annotationSeparator);
    });
    this.CONSUME(t.RSquare);
    return items;
  });

  override readonly columnAnnotations: ParserMethod<[object], void> = this.RULE(
    "columnAnnotations",
    (target: object = {}) => {
      this.ACTION(() => this.document(target));
      this.SUBRULE(this.annotations, { ARGS: [target] });
    },
  );

  /**
   * The position of a token.
   *
   * @param token any token
   * @returns file, line and column
   */
  protected locationOf(token: IToken): SourceLocation {
    const { line, column } = lineAndColumn(this.source, token.startOffset || 0);
    return { file: this.source.file ?? "", line, col: column };
  }

  /** Puts the position on a node where it does not show as data. */
  protected override located<T extends object>(node: T, token: IToken): T {
    return Object.defineProperty(node, "$location", { value: this.locationOf(token), configurable: true });
  }

  /** Gives a node the doc comment before the token at hand, if there is one and it has none. */
  protected document(node: object): void {
    const doc = this.docComments?.get(this.LA(1).startOffset);
    if (doc !== undefined && !("doc" in node)) Object.assign(node, { doc });
  }
}
