/**
 * Small disks for tests.
 *
 * @module
 */

import { inFolder } from "./services.ts";

/** A disk of 64 kB, or as large as asked for. */
export interface SmallDisk {
  /** Where it is mounted. */
  readonly path: string;
  /** Takes all room that is left. */
  fill(): void;
  /** Gives that room back. */
  free(): void;
  /** Makes it a larger disk. */
  grow(): void;
  /** Refuses all writing from now on, or no more. */
  setReadOnly(isReadOnly: boolean): void;
}

/**
 * Registers a test with a small disk; it is ignored, and the reason printed, where none can be mounted.
 *
 * @param name the rule
 * @param run the test
 * @param size its size
 */
export function testOnDisk(name: string, run: (disk: SmallDisk) => Promise<void>, size = "64k"): void {
  Deno.test({ name, ignore: !CAN_MOUNT, fn: () => inFolder((folder) => withDisk(folder, run, size)) });
}

const CAN_MOUNT = canMount();

async function withDisk(
  path: string,
  run: (disk: SmallDisk) => Promise<void>,
  size: string,
): Promise<void> {
  mount("-t", "tmpfs", "-o", `size=${size}`, "fwtest", path);
  const filler = `${path}/filler`;
  try {
    await run({
      path,
      fill: () => {
        using file = Deno.openSync(filler, { create: true, append: true });
        try {
          for (const bytes = new Uint8Array(512);;) file.writeSync(bytes);
        } catch {
          // It is full.
        }
      },
      free: () => Deno.removeSync(filler),
      grow: () => mount("-o", "remount,size=16m", path),
      setReadOnly: (isReadOnly) => mount("-o", `remount,${isReadOnly ? "ro" : "rw"}`, path),
    });
  } finally {
    new Deno.Command("umount", { args: ["-l", path] }).outputSync();
  }
}

function mount(...args: readonly string[]): void {
  const { success, stderr } = new Deno.Command("mount", { args: [...args] }).outputSync();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

function canMount(): boolean {
  const path = Deno.makeTempDirSync();
  try {
    mount("-t", "tmpfs", "-o", "size=64k", "fwtest", path);
    new Deno.Command("umount", { args: [path] }).outputSync();
    return true;
  } catch (error) {
    console.warn(`Tests with a small disk are skipped: ${String(error).trim()}; run them as root on Linux`);
    return false;
  } finally {
    Deno.removeSync(path);
  }
}
