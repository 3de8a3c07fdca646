/**
 * Functions of the memory database: the canonical ones of OData that need no calendar beyond ISO text.
 *
 * @module
 */

type ScalarFunction = (args: readonly unknown[]) => unknown;

/** Null if any argument is null (OData 4.01 Part 2, 5.1.1). */
function strict(run: (...args: never[]) => unknown): ScalarFunction {
  return (args) => args.some((arg) => arg === null || arg === undefined) ? null : run(...args as never[]);
}

const part = (start: number, end: number) => strict((text: string) => Number(String(text).slice(start, end)));

/** Functions by lower-case name. */
export const FUNCTIONS: Readonly<Record<string, ScalarFunction>> = {
  contains: strict((text: string, part: string) => String(text).includes(String(part))),
  startswith: strict((text: string, part: string) => String(text).startsWith(String(part))),
  endswith: strict((text: string, part: string) => String(text).endsWith(String(part))),
  indexof: strict((text: string, part: string) => String(text).indexOf(String(part))),
  length: strict((text: string) => [...String(text)].length),
  substring: strict((text: string, start: number, length?: number) => {
    const from = start < 0 ? Math.max(String(text).length + start, 0) : start;
    return String(text).slice(from, length === undefined ? undefined : from + length);
  }),
  tolower: strict((text: string) => String(text).toLowerCase()),
  lower: strict((text: string) => String(text).toLowerCase()),
  toupper: strict((text: string) => String(text).toUpperCase()),
  upper: strict((text: string) => String(text).toUpperCase()),
  trim: strict((text: string) => String(text).trim()),
  concat: strict((...texts: string[]) => texts.join("")),
  coalesce: (args) => args.find((arg) => arg !== null && arg !== undefined) ?? null,
  round: strict((value: number) => Math.sign(value) * Math.round(Math.abs(value))),
  floor: strict((value: number) => Math.floor(value)),
  ceiling: strict((value: number) => Math.ceil(value)),
  mod: strict((left: number, right: number) => right === 0 ? null : left % right),
  div: strict((left: number, right: number) => right === 0 ? null : Math.trunc(left / right)),
  divby: strict((left: number, right: number) => right === 0 ? null : left / right),
  year: part(0, 4),
  month: part(5, 7),
  day: part(8, 10),
  hour: strict((text: string) => Number(String(text).slice(-13).match(/(\d\d):\d\d/)?.[1])),
  minute: strict((text: string) => Number(String(text).match(/\d\d:(\d\d)/)?.[1])),
  second: strict((text: string) => Number(String(text).match(/\d\d:\d\d:(\d\d)/)?.[1])),
  date: strict((text: string) => String(text).slice(0, 10)),
  $size: ([array]) => Array.isArray(array) ? array.length : 0,
  like: strict((text: string, pattern: string) => matchesLike(String(text), String(pattern))),
};

/** `%` stands for any text, `_` for one character; linear in text times pattern. */
function matchesLike(text: string, pattern: string): boolean {
  let [t, p, star, mark] = [0, 0, -1, 0];
  while (t < text.length) {
    if (p < pattern.length && pattern[p] === "%") [star, mark, p] = [p, t, p + 1];
    else if (p < pattern.length && (pattern[p] === "_" || pattern[p] === text[t])) [t, p] = [t + 1, p + 1];
    else if (star >= 0) [p, mark, t] = [star + 1, mark + 1, mark + 1];
    else return false;
  }
  while (pattern[p] === "%") p++;
  return p === pattern.length;
}
