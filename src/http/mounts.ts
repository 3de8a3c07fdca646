/**
 * Finding the service a path belongs to.
 *
 * @module
 */

import type { ProtocolAdapter } from "../service/wire/protocol_adapter.ts";

/** A service root that owns a path. */
export interface Mount {
  readonly adapter: ProtocolAdapter;
  /** What follows the root, without leading slash. */
  readonly rest: string;
}

/**
 * Creates a function that finds the longest root that a path equals or continues after a slash. A service at `/` has all
 * paths that no other service has.
 *
 * @param mounts adapters by root path without trailing slash; there may be more of them later
 * @returns takes a raw path
 */
export function mountFinder(
  mounts: ReadonlyMap<string, ProtocolAdapter>,
): (pathname: string) => Mount | undefined {
  let sorted: readonly { readonly root: string; readonly adapter: ProtocolAdapter }[] = [];
  return (pathname) => {
    if (sorted.length !== mounts.size) {
      sorted = Array.from(mounts, ([root, adapter]) => ({ root, adapter }))
        .sort((a, b) => b.root.length - a.root.length);
    }
    // there are few roots: comparing them is cheaper than looking up each part of the path
    for (const { root, adapter } of sorted) {
      const end = root.length;
      if ((pathname.length === end || pathname[end] === "/") && pathname.startsWith(root)) {
        return { adapter, rest: pathname.slice(end + 1) };
      }
    }
    return undefined;
  };
}
