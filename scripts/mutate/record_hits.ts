/**
 * Loaded before a test file that runs in a process of its own: which switches its isolate asks for, written to `HITS_FILE`.
 *
 * @module
 */

const path = Deno.env.get("HITS_FILE");
const hits = new Set<number>();
Object.assign(globalThis, {
  $m: (id: number): boolean => {
    hits.add(id);
    return false;
  },
});
globalThis.addEventListener("unload", () => {
  if (path !== undefined) Deno.writeTextFileSync(path, JSON.stringify([...hits]));
});
