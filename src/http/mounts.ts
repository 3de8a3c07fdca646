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
  for (let end = pathname.length; end > 0; end = pathname.lastIndexOf("/", end - 1)) {
    const adapter = mounts.get(pathname.slice(0, end));
    if (adapter) return { adapter, rest: pathname.slice(end + 1) };
  }
  const atRoot = mounts.get("");
  return atRoot && { adapter: atRoot, rest: pathname.slice(1) };
}
