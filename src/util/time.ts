/**
 * Resolves after a while.
 *
 * @param ms milliseconds
 */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Runs from its creation until it is stopped, which it must be. */
export class Stopwatch {
  /** The time until it was stopped, in milliseconds. */
  elapsedMs = 0;
  /** Whether the event loop had no turn meanwhile. */
  isBlocking = true;
  readonly #startedAt: number = performance.now();
  readonly #timer: ReturnType<typeof setTimeout> = setTimeout(() => this.isBlocking = false, 0);

  /** Ends measuring. */
  stop(): void {
    clearTimeout(this.#timer);
    this.elapsedMs = performance.now() - this.#startedAt;
  }
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/^(ms|millis(econds?)?)$/, "ms"],
  [/^(s|secs?|seconds?)$/, "s"],
  [/^(m|mins?|minutes?)$/, "m"],
  [/^(h|hrs?|hours?)$/, "h"],
  [/^(d|days?)$/, "d"],
];

/**
 * The milliseconds of a duration.
 *
 * @param value milliseconds, a number of units, or text as `10s`, `5 min`, `1 hour`
 * @param unit unit of a number: `ms`, `seconds`, `min`, `h`, `days`, …
 * @throws TypeError for anything else, and for negative numbers
 */
export function toMilliseconds(value: number | string, unit?: string): number {
  const [, number = "", name = unit ?? "ms"] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]+)?\s*$/i.exec(String(value)) ??
    [];
  const found = NAMES.find(([pattern]) => pattern.test(name.toLowerCase()));
  if (number === "" || !found) {
    const given = unit === undefined ? String(value) : `${value} ${unit}`;
    throw new TypeError(
      `A duration like "10 s", "5 min", "1h" or milliseconds is expected, but found "${given}"`,
    );
  }
  return Math.round(Number(number) * UNITS[found[1]]!);
}
