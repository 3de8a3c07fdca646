/**
 * What changed with the floor and since: the last commit that put an entry on the list of equivalent changes,
 * `tests/mutants.json`. What changed before has been looked at; a commit that only takes entries off or corrects them looked at
 * nothing.
 *
 * @module
 */

const LIST = "tests/mutants.json";

/** What changed with the floor and since. */
export interface Changes {
  /** The commit of the floor. */
  readonly floor: string;
  /** New and changed lines of `src` by file, counted from 1. */
  readonly lines: ReadonlyMap<string, ReadonlySet<number>>;
  /** Test files by the source files that a commit changed together with them. */
  readonly testsWith: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Reads the history. `undefined` where that of this clone does not reach the floor. */
export function changesSinceFloor(): Changes | undefined {
  const floor = lastAddition(git("log", "-p", "-U0", "--no-color", "--format=%x00%H", "--", LIST));
  if (floor === undefined || git("rev-parse", "--is-shallow-repository") === "true") return undefined;
  const before = git("rev-parse", "--verify", "--quiet", `${floor}^`) || floor;
  const lines = changedLines(git("diff", "-U0", "--no-color", "--no-ext-diff", before, "--", "src"));
  const commits = git("log", "--format=%x00", "--name-only", `${before}..HEAD`, "--", "src", "tests");
  return {
    floor,
    lines,
    testsWith: testsByFile(commits.split("\0").map((names) => names.trim().split("\n"))),
  };
}

/** What git prints; nothing where it fails. */
export function git(...args: string[]): string {
  const { success, stdout } = new Deno.Command("git", { args }).outputSync();
  return success ? new TextDecoder().decode(stdout).trim() : "";
}

/** The newest commit of a log with differences that has more new entries of the list than old ones. */
function lastAddition(log: string): string | undefined {
  const commits = log.split("\0").slice(1);
  const found = commits.find((text) => entriesIn(text, "+") > entriesIn(text, "-"));
  return (found ?? commits.at(-1))?.split("\n")[0];
}

function entriesIn(difference: string, sign: "+" | "-"): number {
  return difference.split("\n").filter((line) => line.startsWith(`${sign}    "reason": `)).length;
}

function changedLines(diff: string): Map<string, Set<number>> {
  const lines = new Map<string, Set<number>>();
  let current = new Set<number>();
  for (const line of diff.split("\n")) {
    const file = /^\+\+\+ b\/(.+)$/.exec(line)?.[1];
    if (file !== undefined) lines.set(file, current = new Set());
    const [, from, count = "1"] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    if (from === undefined) continue;
    for (let i = 0; i < Number(count); i++) current.add(Number(from) + i);
  }
  return lines;
}

function testsByFile(commits: readonly (readonly string[])[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const names of commits) {
    const tests = names.filter((name) => name.endsWith("_test.ts"));
    for (const file of names.filter((name) => name.startsWith("src/"))) {
      found.set(file, new Set([...found.get(file) ?? [], ...tests]));
    }
  }
  return found;
}
