import { Buffer } from "node:buffer";
import pg from "pg";
import type { Row } from "../../cqn/cqn.ts";
import { answerTooLarge } from "../../errors/service_error.ts";
import type { SqlValue } from "../write/sql_value.ts";

/** A statement and the values of its placeholders; without name and values the text may hold several statements. */
export interface BoundStatement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
  /** Name under which the server keeps it prepared. */
  readonly name?: string;
  /** Characters that its rows may have. */
  readonly answerBytes?: number;
  /** A prepared statement without values that runs before it, and without which it does not run. */
  readonly behind?: string;
  /** Statements without values that are not prepared and run before it, in the same transaction. */
  readonly before?: readonly string[];
}

/** What came of a statement; of several, what came of the last one. */
export interface StatementResult {
  readonly rows: Row[];
  readonly fields: readonly ResultColumn[];
  /** How many rows it read or changed. */
  readonly rowCount: number;
  /** What the server did: a COMMIT may end with ROLLBACK. */
  readonly command: string;
}

/** Is called with an error, or with the result. */
export type Done = (error: unknown, result?: StatementResult) => void;

/** Columns of prepared statements by name, as far as a connection was told of them. */
export type KnownShapes = Map<string, Shape>;

/** The columns of a result. */
interface Shape {
  readonly fields: readonly ResultColumn[];
  readonly parsers: readonly Parser[];
  /** A row without values: copies of it share its hidden class. */
  readonly empty: Row;
}

/** What a query does with the connection of the driver. */
interface Wire {
  parse(given: { readonly text: string }): void;
  bind(given: {
    readonly portal: string;
    readonly statement: string;
    readonly values: readonly SqlValue[];
    readonly valueMapper: (value: SqlValue) => string | Buffer | null;
  }): void;
  execute(given: { readonly portal: string }): void;
  sync(): void;
}

const NONE: readonly string[] = [];
const NO_ROWS: Shape = { fields: [], parsers: [], empty: {} };
const NOTHING: StatementResult = { rows: [], fields: [], rowCount: 0, command: "" };
/** `INSERT 0 1`, `SELECT 5`, `COMMIT`. */
const COMMAND = /^(\w+)(?: \d+)*?(?: (\d+))?$/;

/**
 * Asks for the columns of a prepared statement only once: the server writes, and the driver reads, as much for them as for
 * a row. The methods are those which the driver calls for a query.
 */
export class StatementQuery extends pg.Query {
  readonly #statement: BoundStatement;
  readonly #known: KnownShapes;
  readonly #done: Done;
  #shape: Shape | undefined;
  #rows: Row[] = [];
  #result: StatementResult = NOTHING;
  #characters = 0;
  #error: unknown;
  /** How many of the statements that run before it are still to end. */
  #behind: number;

  /**
   * @param statement the statement
   * @param known columns that the connection knows
   * @param done is called in the end
   */
  constructor(statement: BoundStatement, known: KnownShapes, done: Done) {
    const { name, sql, values, behind, before = NONE } = statement;
    const isSimple = name === undefined && values.length === 0;
    const texts = behind === undefined ? before : [behind];
    const text = isSimple ? [...texts, sql].join("; ") : sql;
    super({ name, text, values: values as SqlValue[] });
    this.#statement = statement;
    this.#behind = texts.length;
    this.#known = known;
    this.#done = done;
    this.#shape = name === undefined ? undefined : known.get(name);
  }

  /** Sends it. */
  prepare(connection: Wire): void {
    const { name, values, behind, before = NONE } = this.#statement;
    for (const text of before) {
      connection.parse({ text });
      connection.bind({ portal: "", statement: "", values: [], valueMapper: bound });
      connection.execute({ portal: "" });
    }
    if (behind !== undefined) {
      connection.bind({ portal: "", statement: behind, values: [], valueMapper: bound });
      connection.execute({ portal: "" });
    }
    if (name === undefined || this.#shape === undefined) return super.prepare(connection);
    connection.bind({ portal: "", statement: name, values, valueMapper: bound });
    connection.execute({ portal: "" });
    connection.sync();
  }

  /** Takes its columns. */
  handleRowDescription({ fields }: { readonly fields: readonly ResultColumn[] }): void {
    if (this.#behind > 0) return;
    const parsers = fields.map(({ dataTypeID }) => parserOf(dataTypeID));
    const empty = { ...Object.fromEntries(fields.map(({ name }) => [name, null])) };
    this.#shape = { fields, parsers, empty };
  }

  /** Takes a row. */
  handleDataRow({ fields: texts }: { readonly fields: readonly (string | null)[] }): void {
    if (this.#behind > 0) return;
    const { fields, parsers, empty } = this.#shape!;
    if (!this.#hasRoomFor(texts)) return;
    const row: Row = { ...empty };
    // each row comes here: by index nothing is allocated
    for (let i = 0; i < texts.length; i++) {
      const text = texts[i]!;
      if (text !== null) row[fields[i]!.name] = parsers[i]!(text);
    }
    this.#rows.push(row);
  }

  /** Whether there is room for a row; once there is none, all rows are dropped. */
  #hasRoomFor(texts: readonly (string | null)[]): boolean {
    const { answerBytes } = this.#statement;
    if (answerBytes === undefined) return true;
    for (const text of texts) this.#characters += text?.length ?? 0;
    if (this.#characters <= answerBytes) return true;
    this.#error ??= answerTooLarge(answerBytes);
    this.#rows = [];
    return false;
  }

  /** Takes what was done. */
  handleCommandComplete({ text }: { readonly text: string }): void {
    if (this.#behind > 0) return void this.#behind--;
    const [, command = "", count = "0"] = COMMAND.exec(text) ?? [];
    const { fields } = this.#shape ??= NO_ROWS;
    this.#result = { rows: this.#rows, fields, rowCount: Number(count), command };
    this.#rows = [];
  }

  /** Ends with an error. */
  handleError(error: unknown): void {
    this.#done(error);
  }

  /** Ends. */
  handleReadyForQuery(): void {
    const { name } = this.#statement;
    if (name !== undefined) this.#known.set(name, this.#shape!);
    if (this.#error === undefined) this.#done(undefined, this.#result);
    else this.#done(this.#error);
  }
}

function bound(value: SqlValue): string | Buffer | null {
  if (value === null || typeof value === "string") return value;
  return value instanceof Uint8Array ? Buffer.from(value) : String(value);
}

/** A column of a result as the driver describes it. */
interface ResultColumn {
  readonly name: string;
  /** Its type, as number. */
  readonly dataTypeID: number;
}

/**
 * A row in payload form.
 *
 * @param row the values as the driver gives them: numbers that JavaScript cannot hold are text
 * @param columns the columns of the result
 */
export function payloadRow(row: Row, columns: readonly ResultColumn[]): string {
  // each row comes here: by index nothing is allocated
  for (let i = 0; i < columns.length; i++) {
    const { name, dataTypeID } = columns[i]!;
    if (mayBeNoNumber(dataTypeID) && !isJsonNumber(row[name])) return written(row, columns);
  }
  return JSON.stringify(row);
}

function isJsonNumber(value: unknown): boolean {
  return value === null || Number.isFinite(value);
}

function written(row: Row, columns: readonly ResultColumn[]): string {
  const members = columns.map(({ name, dataTypeID }) => {
    const value = row[name];
    const text = mayBeNoNumber(dataTypeID) ? numberText(value) : JSON.stringify(value);
    return `${JSON.stringify(name)}:${text}`;
  });
  return `{${members.join(",")}}`;
}

/** Digits stay as they are; what is no number of JSON has a name (JSON Format 7.1). */
function numberText(value: unknown): string {
  if (value === Infinity) return '"INF"';
  if (value === -Infinity) return '"-INF"';
  return Number.isNaN(value) ? '"NaN"' : String(value);
}

const BOOL = 16;
const BYTEA = 17;
const INT8 = 20;
const [INT2, INT4, OID] = [21, 23, 26];
const TIMESTAMPS = [1114, 1184];
const NUMERIC = 1700;
const [FLOAT4, FLOAT8] = [700, 701];
/** Of truth values, integers, numbers, texts and UUIDs; statements of ours have none, those of applications may. */
const ARRAYS = [1000, 1005, 1007, 1009, 1015, 1016, 1021, 1022, 1231, 2951];

/**
 * Whether values of a type may be numbers that JSON or JavaScript does not have.
 *
 * @param type number of the type
 */
function mayBeNoNumber(type: number): boolean {
  return type === INT8 || type === NUMERIC || type === FLOAT4 || type === FLOAT8;
}

/** Makes a value from its text. */
type Parser = (text: string) => unknown;

const PARSERS: ReadonlyMap<number, Parser> = new Map([
  ...entries([BOOL], (text) => text === "t"),
  ...entries([BYTEA], (text) => fromHex(text.slice(2))),
  ...entries([INT2, INT4, OID, FLOAT4, FLOAT8], Number),
  ...entries([INT8, NUMERIC], toNumber),
  ...entries(TIMESTAMPS, toTimestamp),
  ...ARRAYS.map((type): [number, Parser] => [type, pg.types.getTypeParser(type)]),
]);

function entries(types: readonly number[], parse: Parser): [number, Parser][] {
  return types.map((type) => [type, parse]);
}

/**
 * Makes values of a type from what the server sends; what has no type of ours is text.
 *
 * @param type number of the type
 */
export function parserOf(type: number): Parser {
  return PARSERS.get(type) ?? asText;
}

function asText(text: string): string {
  return text;
}

/** A number where it holds all digits, else the text. */
function toNumber(text: string): number | string {
  const number = Number(text);
  if (text.length <= MAX_DIGITS) return number;
  const isExact = FRACTION.test(text) ? significant(text).length <= MAX_DIGITS : Number.isSafeInteger(number);
  return isExact ? number : text;
}

/** A fraction that is not zero, which a number may lose. */
const FRACTION = /\.\d*[1-9]/;

/** Digits that a double always keeps. */
const MAX_DIGITS = 15;

function significant(text: string): string {
  return text.replace(/^-?0*\.?0*/, "").replace(".", "").replace(/0+$/, "");
}

/** `2024-01-02 03:04:05.6` is `2024-01-02T03:04:05.600Z`. */
function toTimestamp(text: string): string {
  const [, day, time, fraction = ""] = /^(\S+) (\d\d:\d\d:\d\d)(?:\.(\d+))?/.exec(text) ?? [];
  return day === undefined ? text : `${day}T${time}.${fraction.padEnd(3, "0")}Z`;
}

function fromHex(text: string): Uint8Array {
  // digit by digit it would take half a second for 16 MB
  return new Uint8Array(Buffer.from(text, "hex"));
}
