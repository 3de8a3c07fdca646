/**
 * The table of conformance: requirements, and what the tests say about them.
 *
 * @module
 */

import type { ClauseTest, Level, Requirement } from "./requirement.ts";

/** What a run says about a requirement. */
export type Result = "fulfilled" | "not fulfilled" | "not tested" | "not offered";

/** A requirement with its result. */
export interface Row {
  /** Clause of the standard, complete. */
  readonly clause: string;
  readonly obligation: Requirement[1];
  readonly text: string;
  readonly result: Result;
  readonly tests: readonly ClauseTest[];
  /** The clauses that it sums up. */
  readonly sums?: string;
}

/** Levels with their rows. */
export type Table = readonly { readonly level: Level; readonly rows: readonly Row[] }[];

/** Puts tests beside the requirements that their names carry. */
export function toTable(levels: readonly Level[], tests: readonly ClauseTest[]): Table {
  const results = new Map<string, Result>();
  return levels.map((level) => ({
    level,
    rows: level.requirements.map(([number, obligation, text, sum]): Row => {
      const clause = clauseOf(level, number);
      const own = tests.filter((test) => test.clauses.includes(clause));
      const result = sum ? sumOf(summed(sum, levels), results) : resultOf(own);
      results.set(clause, result);
      return { clause, obligation, text, result, tests: own, ...(sum ? { sums: nameOf(sum) } : {}) };
    }),
  }));
}

/** The whole clause: `13.1.1.29`, `Aggregation 3.2.1`, `Further.index`. */
export function clauseOf({ clause }: Level, number: string): string {
  return `${clause}${clause === "Aggregation" ? " " : "."}${number}`;
}

function resultOf(tests: readonly ClauseTest[]): Result {
  if (tests.length === 0 || tests.some((test) => test.state === "not run")) return "not tested";
  if (tests.some((test) => test.state === "failed")) return "not fulfilled";
  return tests.every((test) => test.refuses) ? "not offered" : "fulfilled";
}

type Sum = NonNullable<Requirement[3]>;

/** Clauses of the obligations that a requirement sums up. */
function summed(sum: Sum, levels: readonly Level[]): string[] {
  const [clause, first, last] = "level" in sum ? [sum.level, 0, Infinity] : sum.rows;
  const level = levels.find((one) => one.clause === clause)!;
  return level.requirements.filter(([number, obligation]) =>
    obligation !== "MAY" && parseInt(number) >= first && parseInt(number) <= last
  ).map(([number]) => `${clause}.${number}`);
}

function sumOf(clauses: readonly string[], results: ReadonlyMap<string, Result>): Result {
  return clauses.every((clause) => results.get(clause) === "fulfilled") ? "fulfilled" : "not fulfilled";
}

function nameOf(sum: Sum): string {
  return "level" in sum ? sum.level : `${sum.rows[0]}.${sum.rows[1]} to ${sum.rows[0]}.${sum.rows[2]}`;
}

/** Obligations that no passing test shows. */
export function unfulfilled(table: Table): string[] {
  return table.flatMap(({ rows }) => rows).filter(({ obligation, result }) =>
    result !== "fulfilled" && !(obligation === "MAY" && result === "not offered")
  ).map(({ clause, obligation, text, result }) => `${clause} ${obligation} ${text}: ${result}`);
}

const INTRODUCTION = `# Conformance

What OData 4.01 Part 1, clause 13, asks of services and clients, and what the tests in
\`tests/odata/conformance\` say about it. The tests write this file: \`deno task conformance-table\`. A row is
fulfilled when every test whose name carries its clause (\`[OData 13.1.1.29]\`) passed in the run that wrote it;
a test fails when this file says something else than the run, or when a MUST or SHOULD is not fulfilled.
Requests of these tests go through the whole pipeline to a database; those of 13.3 to a server that listens.

Most tests run on the fixture \`reference\`, which has \`fw.odata.patch_as_upsert\`, \`fw.odata.put_as_replace\` and
\`fw.odata.respond_async\` switched on. Without them PATCH does not create (13.1.1.29), PUT keeps what its body
does not name (13.1.1.10, 13.2.1.20), and requests are answered at once (13.1.1.16, 13.1.3.13).
`;

/** The text of the file. */
export function renderTable(table: Table): string {
  const sections = table.map(({ level, rows }) =>
    `## ${/^\d/.test(level.clause) ? `${level.clause} ` : ""}${level.title}\n\n${renderRows(rows)}`
  );
  return [INTRODUCTION, renderSummary(table), ...sections].join("\n");
}

function renderSummary(table: Table): string {
  const count = (rows: readonly Row[], obligation: string) => {
    const all = rows.filter((row) => row.obligation === obligation);
    return `${all.filter(({ result }) => result === "fulfilled").length} of ${all.length}`;
  };
  return align([
    ["Clause", "What", "MUST", "SHOULD", "MAY"],
    ...table.map(({ level, rows }) => [
      ...[level.clause, level.title],
      ...["MUST", "SHOULD", "MAY"].map((obligation) => count(rows, obligation)),
    ]),
  ]);
}

function renderRows(rows: readonly Row[]): string {
  return align([
    ["Clause", "Level", "Requirement", "Result", "Test"],
    ...rows.map(({ clause, obligation, text, result, tests, sums }) => [
      ...[clause, obligation, text, result],
      sums ? `all of ${sums}` : tests.map((test) => `${test.name} (\`${test.file}\`)`).join("; "),
    ]),
  ]);
}

/** A table whose columns have one width each, as the formatter wants it. */
function align(given: readonly (readonly string[])[]): string {
  const lines = given.map((cells) => cells.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = lines[0].map((_, column) => Math.max(...lines.map((cells) => cells[column].length)));
  const rendered = lines.map((cells) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(" | ")} |\n`
  );
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |\n`;
  return [rendered[0], rule, ...rendered.slice(1)].join("");
}
