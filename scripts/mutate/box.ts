/**
 * A copy of the working tree in which files are changed and tests run; the working tree stays as it is.
 *
 * @module
 */

/**
 * How long a test waits for what has to come (`tests/contract/within.ts`). What passes with it before any change is measured
 * with several files at a time, so a change, whose tests have the processor for themselves, is not blamed for a slow machine.
 */
const PATIENCE_MS = 8_000;

/** How a run of tests ended. */
export interface TestRun {
  readonly code: number;
  readonly output: string;
  readonly timedOut: boolean;
}

/** How tests are run. */
export interface RunOptions {
  readonly parallel?: boolean;
  /** Stop at the first failure. */
  readonly failFast?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly preload?: string;
  /** `Infinity`: it takes as long as it takes. */
  readonly timeoutMs?: number;
}

/** A copy of the tree. */
export class Box {
  /** Where it is. */
  readonly folder: string = Deno.makeTempDirSync({ prefix: "fw-mutate-" });
  readonly #disposed = new AbortController();

  constructor() {
    for (const file of trackedFiles()) {
      const target = `${this.folder}/${file}`;
      Deno.mkdirSync(target.slice(0, target.lastIndexOf("/")), { recursive: true });
      Deno.copyFileSync(file, target);
    }
  }

  /** Writes a file of the copy. */
  write(file: string, text: string): void {
    Deno.writeTextFileSync(`${this.folder}/${file}`, text);
  }

  /** Runs test files of the copy. */
  async runTests(files: readonly string[], options: RunOptions): Promise<TestRun> {
    const args = ["test", "--no-check", "--quiet", "-A"];
    if (options.parallel) args.push("--parallel");
    if (options.failFast) args.push("--fail-fast");
    if (options.preload) args.push("--preload", options.preload);
    const ends = [this.#disposed.signal];
    const { timeoutMs = Infinity } = options;
    if (timeoutMs < Infinity) ends.push(AbortSignal.timeout(Math.max(0, timeoutMs)));
    const command = new Deno.Command(Deno.execPath(), {
      args: [...args, ...files],
      cwd: this.folder,
      env: { ...options.env, NO_COLOR: "1", TEST_PATIENCE_MS: String(PATIENCE_MS) },
      stdin: "null",
      signal: AbortSignal.any(ends),
    });
    const { code, signal, stdout, stderr } = await command.output();
    const decoder = new TextDecoder();
    return { code, output: decoder.decode(stdout) + decoder.decode(stderr), timedOut: signal !== null };
  }

  /** Ends what runs and deletes the copy. */
  [Symbol.dispose](): void {
    this.#disposed.abort();
    Deno.removeSync(this.folder, { recursive: true });
  }
}

/** The test files that the output of a run calls failed. */
export function failingFiles(output: string): Set<string> {
  const failing = new Set<string>();
  let current: string | undefined;
  for (const line of output.split("\n")) {
    current = /^running \d+ tests? from \.\/(\S+)/.exec(line)?.[1] ?? current;
    const inModule = /^Uncaught error from \.\/(\S+) FAILED/.exec(line)?.[1];
    const inTest = /^(?:\.\/(\S+) => )?.* \.\.\. .*\bFAILED\b/.exec(line);
    const file = inModule ?? (inTest ? inTest[1] ?? current : undefined);
    if (file !== undefined) failing.add(file);
  }
  return failing;
}

/** Files that git knows or would add. */
function trackedFiles(): string[] {
  const { success, stdout, stderr } = new Deno.Command("git", {
    args: ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"],
  }).outputSync();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).split("\0").filter((file) => file !== "" && isFile(file));
}

/** Whether there is a file. */
export function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
