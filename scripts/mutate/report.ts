/**
 * What `deno task mutate` prints.
 *
 * @module
 */

import { roomOf } from "./find_mutants.ts";
import type { Outcome, Verdict } from "./run_mutants.ts";

/** One line about a mutant. */
export function printVerdict({ mutant, outcome, tests, ms }: Verdict): string {
  const { file, line, kind, original, replacement } = mutant;
  const change = `${shorten(original)} → ${shorten(replacement)}`;
  return `${outcome}: ${file}:${line} ${kind}: ${change} (${tests} test files, ${(ms / 1000).toFixed(1)} s)`;
}

/** All survivors and lines that no test reaches, then a table of scores by room. */
export function summary(verdicts: readonly Verdict[]): string {
  const open = verdicts.filter(({ outcome }) => outcome === "survived" || outcome === "not reached");
  const rooms = Object.groupBy(verdicts, ({ mutant }) => roomOf(mutant.file));
  const rows = Object.entries(rooms).sort(([a], [b]) => a < b ? -1 : 1)
    .map(([room, found]) => rowOf(room, found ?? []));
  const head = ["room", "changes", "noticed", "timed out", "survived", "not reached", "undecided", "score"];
  const table = [head, ...rows, rowOf("all", verdicts)]
    .map((cells) => cells.map((cell, i) => i === 0 ? cell.padEnd(32) : cell.padStart(12)).join(""));
  return [...open.map(printVerdict), "", ...table, "", times(verdicts)].join("\n");
}

function rowOf(room: string, verdicts: readonly Verdict[]): string[] {
  const count = (outcome: Outcome) => verdicts.filter((verdict) => verdict.outcome === outcome).length;
  const seen = count("noticed") + count("timed out");
  const decided = verdicts.length - count("undecided");
  const score = decided === 0 ? "–" : `${(100 * seen / decided).toFixed(1)} %`;
  const counts = [
    verdicts.length,
    count("noticed"),
    count("timed out"),
    count("survived"),
    count("not reached"),
    count("undecided"),
  ];
  return [room, ...counts.map(String), score];
}

function times(verdicts: readonly Verdict[]): string {
  const mean = (value: (verdict: Verdict) => number) =>
    verdicts.reduce((sum, verdict) => sum + value(verdict), 0) / Math.max(1, verdicts.length);
  const seconds = mean(({ ms }) => ms / 1000).toFixed(1);
  return `per change: ${mean(({ tests }) => tests).toFixed(1)} test files, ${seconds} s`;
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length > 60 ? `${line.slice(0, 57)}…` : line;
}
