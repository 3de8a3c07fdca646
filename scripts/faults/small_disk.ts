/**
 * A small file system in memory, which can be filled.
 *
 * @module
 */

import { NotStartable } from "./local_server.ts";

const PIECE = new Uint8Array(64 * 1024);

/** A file system with a bound. */
export interface SmallDisk {
  readonly folder: string;
  /** Takes all room that is left. */
  fill(): void;
  /** Gives it back. */
  free(): void;
  /** Removes it. */
  remove(): void;
}

/**
 * Makes one.
 *
 * @param folder is made for it
 * @param megabytes how large it is
 * @throws NotStartable where this user may not mount any
 */
export function smallDisk(folder: string, megabytes: number): SmallDisk {
  Deno.mkdirSync(folder, { recursive: true });
  run("mount", "-t", "tmpfs", "-o", `size=${megabytes}m,mode=755`, "tmpfs", folder);
  const ballast = `${folder}/ballast`;
  return {
    folder,
    fill() {
      const file = Deno.openSync(ballast, { create: true, append: true });
      try {
        for (;;) file.writeSync(PIECE);
      } catch (error) {
        if (!/ENOSPC|No space/i.test(String(error))) throw error;
      } finally {
        file.close();
      }
    },
    free: () => Deno.removeSync(ballast),
    // what is still open does not keep it
    remove: () => run("umount", "--lazy", folder),
  };
}

function run(program: string, ...args: readonly string[]): void {
  const { success } = new Deno.Command(program, { args: [...args], stderr: "null" }).outputSync();
  if (!success) throw new NotStartable(`this user may not run ${program}`);
}
