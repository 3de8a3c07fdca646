/**
 * A copy of the working tree in which files are changed and tests run; the working tree stays as it is.
 *
 * @module
 */

/**
 * How long a test waits for what has to come (`tests/contract/within.ts`). What passes with it before any change is measured
 * in the same processes, so a change is not blamed for a slow machine.
 */
const PATIENCE_MS = 8_000;

const ENVIRONMENT = { NO_COLOR: "1", TEST_PATIENCE_MS: String(PATIENCE_MS) };

/** What tests install for minutes, and only where it is missing. */
const INSTALLED = ["dist/clients", "dist/workerd"];

/** How a run of tests ended. */
export interface TestRun {
  readonly code: number;
  readonly output: string;
  readonly timedOut: boolean;
}

/** How tests are run. */
export interface RunOptions {
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
    Deno.mkdirSync(`${this.folder}/dist`, { recursive: true });
    for (const installed of INSTALLED.filter(isFolder)) {
      Deno.symlinkSync(Deno.realPathSync(installed), `${this.folder}/${installed}`);
    }
  }

  /** Writes a file of the copy. */
  write(file: string, text: string): void {
    Deno.writeTextFileSync(`${this.folder}/${file}`, text);
  }

  /** Starts a process that keeps test files of the copy loaded, in a group with the processes that they start. */
  startHost(args: readonly string[]): Deno.ChildProcess {
    const host = new URL("./host.ts", import.meta.url).href;
    const config = isFile(`${this.folder}/deno.json`) ? ["--config", "deno.json"] : ["--no-config"];
    return new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-check", "--quiet", "-A", ...config, ...this.#lock(), host, ...args],
      cwd: this.folder,
      env: ENVIRONMENT,
      stdin: "null",
      stdout: "null",
      stderr: "null",
      detached: true,
    }).spawn();
  }

  /** Runs test files of the copy in a process of their own, up to the first failure. */
  async runTests(files: readonly string[], options: RunOptions): Promise<TestRun> {
    const args = ["test", "--no-check", "--quiet", "-A", "--fail-fast", ...this.#lock()];
    if (options.preload) args.push("--preload", options.preload);
    const ends = [this.#disposed.signal];
    const { timeoutMs = Infinity } = options;
    if (timeoutMs < Infinity) ends.push(AbortSignal.timeout(Math.max(0, timeoutMs)));
    const command = new Deno.Command(Deno.execPath(), {
      args: [...args, ...files],
      cwd: this.folder,
      env: { ...options.env, ...ENVIRONMENT },
      stdin: "null",
      signal: AbortSignal.any(ends),
    });
    const { code, signal, stdout, stderr } = await command.output();
    const decoder = new TextDecoder();
    return { code, output: decoder.decode(stdout) + decoder.decode(stderr), timedOut: signal !== null };
  }

  /** The lock file names packages that projects of tests ask for at run time, too: `deno task test` has it. */
  #lock(): readonly string[] {
    return isFile(`${this.folder}/deno.lock`) ? ["--lock=deno.lock"] : [];
  }

  /** Ends what runs and deletes the copy. */
  [Symbol.dispose](): void {
    this.#disposed.abort();
    Deno.removeSync(this.folder, { recursive: true });
  }
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
  return statOf(path)?.isFile ?? false;
}

function isFolder(path: string): boolean {
  return statOf(path)?.isDirectory ?? false;
}

function statOf(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch {
    return undefined;
  }
}
