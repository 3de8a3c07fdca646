/**
 * What changed since `tests/mutants.json` did: the floor below which changes have been looked at.
 *
 * @module
 */

/** What changed since the floor. */
export interface Changes {
  /** The commit of the floor. */
  readonly floor: string;
  /** New and changed lines of `src` by file, counted from 1. */
  readonly lines: ReadonlyMap<string, ReadonlySet<number>>;
  /** Test files by the source files that a commit changed together with them. */
  readonly testsWith: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Reads the history; `undefined` where that of this clone does not reach the floor. */
export function changesSinceFloor(): Changes | undefined {
  const floor = git("log", "-1", "--format=%H", "--", "tests/mutants.json");
  if (floor === "" || git("rev-parse", "--is-shallow-repository") === "true") return undefined;
  const lines = changedLines(git("diff", "-U0", "--no-color", "--no-ext-diff", floor, "--", "src"));
  const commits = git("log", "--format=%x00", "--name-only", `${floor}..HEAD`, "--", "src", "tests");
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
