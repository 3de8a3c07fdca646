/**
 * Capturing the console in tests (api 10).
 *
 * @module
 */

/** What was written to the console. */
export interface CapturedLog {
  /** All text so far. */
  readonly output: string;
  /** Forgets what was written. */
  clear(): void;
  /** Gives the console back. */
  release(): void;
  /** Gives the console back: `using log = client.log()`. */
  [Symbol.dispose](): void;
}

const METHODS = ["log", "info", "warn", "error", "debug"] as const;

/** Takes everything that is written to the console, until it is released. */
export function captureLog(): CapturedLog {
  let output = "";
  const originals = METHODS.map((name) => [name, console[name]] as const);
  for (const name of METHODS) {
    console[name] = (...values: readonly unknown[]) => {
      output += `${
        values.map((value) => typeof value === "string" ? value : Deno.inspect(value)).join(" ")
      }\n`;
    };
  }
  const release = () => {
    for (const [name, original] of originals) console[name] = original;
  };
  return {
    get output() {
      return output;
    },
    clear: () => void (output = ""),
    release,
    [Symbol.dispose]: release,
  };
}
