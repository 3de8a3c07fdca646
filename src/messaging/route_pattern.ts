/**
 * Glob patterns over event names (spec 2.7, `messaging` 2).
 *
 * `**` stands for any characters, `*` for any characters but `/` and `.`, `?` for one character; everything else is
 * literal, and the whole name must match.
 *
 * @module
 */

import globToRegExp from "glob-to-regexp";
import { ConfigurationError } from "../errors/configuration_error.ts";

/** Wildcards in the order in which they are recognized, and what they become. */
const WILDCARDS: readonly (readonly [glob: string, mark: string, source: string])[] = [
  ["**", "\uE000", "[^]*"],
  ["*", "\uE001", "[^/.]*"],
  ["?", "\uE002", "[^]"],
  ["\\", "\uE003", "\\\\"],
];

const MAX_DEEP_WILDCARDS = 2;
const MAX_SEGMENT_WILDCARDS = 2;
const MAX_TRADING_WILDCARDS = 3;

/**
 * Compiles a pattern after checking that no event name can make it slow.
 *
 * @param pattern the glob
 * @param channel name of the channel, for messages
 * @throws ConfigurationError for a pattern with too many wildcards
 */
export function compileRoutePattern(pattern: string, channel: string): RegExp {
  assertCheap(pattern, channel);
  let marked = pattern;
  for (const [glob, mark] of WILDCARDS) marked = marked.replaceAll(glob, mark);
  // Escapes of characters that need none are errors in expressions with the flag u.
  let source = globToRegExp(marked).source.replace(/\\([=!,])/g, "$1");
  for (const [, mark, replacement] of WILDCARDS) source = source.replaceAll(mark, () => replacement);
  return new RegExp(source, "u");
}

function assertCheap(pattern: string, channel: string): void {
  const refuse = (reason: string): never => {
    throw new ConfigurationError(`Route '${pattern}' of channel '${channel}' ${reason}`);
  };
  if (pattern.length === 0) refuse("is empty");
  if (/[\uE000-\uE003]/.test(pattern)) refuse("holds a private-use character");
  const deep = pattern.split("**").length - 1;
  if (deep > MAX_DEEP_WILDCARDS) refuse(`has more than ${MAX_DEEP_WILDCARDS} '**'`);
  let trading = deep;
  for (const segment of pattern.split(/[/.]/)) {
    const wide = segment.split("**").length - 1;
    const stars = segment.replaceAll("**", "").split("*").length - 1;
    const others = wide + segment.split("?").length - 1;
    if (stars > MAX_SEGMENT_WILDCARDS) refuse(`has more than ${MAX_SEGMENT_WILDCARDS} '*' in one segment`);
    if (stars + others > 1) trading += stars;
  }
  if (trading > MAX_TRADING_WILDCARDS) {
    refuse(`has more than ${MAX_TRADING_WILDCARDS} wildcards that can trade characters`);
  }
}
