/**
 * Finding the service a path belongs to.
 *
 * @module
 */

import type { ProtocolAdapter } from "../service/protocol_adapter.ts";

/** A service root that owns a path. */
export interface Mount {
  readonly adapter: ProtocolAdapter;
  /** What follows the root, without leading slash. */
  readonly rest: string;
}

/**
 * Finds the longest root that a path equals or continues after a slash. A service at `/` has all paths that no other
 * service has.
 *
 * @param mounts adapters by root path without trailing slash
 * @param pathname the raw path
 */
export function findMount(mounts: ReadonlyMap<string, ProtocolAdapter>, pathname: string): Mount | undefined {
  let longest = -1;
  let found: ProtocolAdapter | undefined;
  // there are few roots: comparing them is cheaper than looking up each part of the path
  for (const [root, adapter] of mounts) {
    const end = root.length;
    const isIn = pathname.length === end || pathname[end] === "/";
    if (end <= longest || !isIn || !pathname.startsWith(root)) continue;
    longest = end;
    found = adapter;
  }
  return found && { adapter: found, rest: pathname.slice(longest + 1) };
}
