/**
 * Notices that a message box has changed.
 *
 * @module
 */

import { statFile } from "./box.ts";

/** How often to look; a look takes microseconds. */
const LOOK_MS = 20;

/**
 * Calls back when a box has grown or was replaced. `Deno.watchFs` is of no use for that: a watch on the box misses everything
 * after it was renamed, and a watch on its folder opens and closes every file there that changes. Where a database of SQLite
 * lies beside the box, each such close takes the locks of the process from it, and committed rows are lost.
 *
 * @param box path of the box
 * @param onChange called after each change
 * @returns ends watching
 */
export function watchBox(box: string, onChange: () => void): () => void {
  let last = stateOf(box);
  const timer = setInterval(() => {
    const state = stateOf(box);
    if (state === last) return;
    last = state;
    onChange();
  }, LOOK_MS);
  Deno.unrefTimer(timer as unknown as number);
  return () => clearInterval(timer);
}

function stateOf(box: string): string {
  try {
    const info = statFile(box);
    return info ? `${info.ino} ${info.size}` : "";
  } catch {
    // whoever reads the box tells what is wrong with it
    return "";
  }
}
