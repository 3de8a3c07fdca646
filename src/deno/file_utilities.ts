/**
 * The utilities of files of the facade.
 *
 * @module
 */

import fs from "node:fs";
import path from "node:path";
import { currentRuntime } from "../fw/current.ts";
import { projectPlace } from "../fw/project_place.ts";
import { type FileUtilities, setFileUtilities } from "../fw/utilities.ts";

const fileUtilities: FileUtilities = {
  path: path as unknown as FileUtilities["path"],
  fs: fs as unknown as FileUtilities["fs"],
  inspect: (value, options) => Deno.inspect(value, options),
  local: (file) => path.relative(Deno.cwd(), inProject(file)) || ".",
  exists: (file) => fs.existsSync(inProject(file)),
  isdir: (...parts) => found(parts, (info) => info.isDirectory()),
  isfile: (...parts) => found(parts, (info) => info.isFile()),
  find: (folder, filter = () => true) => {
    const top = inProject(folder);
    if (!fs.existsSync(top)) return [];
    const names = fs.readdirSync(top, { recursive: true, withFileTypes: true });
    return names.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name))
      .filter((file) => filter(file)).sort();
  },
  read: async (file) => {
    const text = await fs.promises.readFile(inProject(file), "utf8");
    return file.endsWith(".json") ? JSON.parse(text) : text;
  },
  write: async (file, data) => {
    const target = inProject(file);
    await fs.promises.mkdir(path.dirname(target), { recursive: true });
    const isAsIs = typeof data === "string" || data instanceof Uint8Array;
    await fs.promises.writeFile(target, isAsIs ? data : `${JSON.stringify(data, null, 2)}\n`);
  },
  append: (file, text) => fs.promises.appendFile(inProject(file), text),
  copy: (from, to) => fs.promises.cp(inProject(from), inProject(to), { recursive: true }),
  mkdirp: async (...parts) => {
    const folder = inProject(...parts);
    await fs.promises.mkdir(folder, { recursive: true });
    return folder;
  },
  rm: (file) => fs.promises.rm(inProject(file)),
  rimraf: (...parts) => fs.promises.rm(inProject(...parts), { recursive: true, force: true }),
};

setFileUtilities(fileUtilities);

/** A path, which counts from the root of the project. */
function inProject(...parts: readonly string[]): string {
  return path.resolve(projectPlace.root ?? rootOfRuntime() ?? Deno.cwd(), ...parts);
}

function rootOfRuntime(): string | undefined {
  try {
    return currentRuntime().root;
  } catch {
    return undefined; // there is none yet
  }
}

function found(parts: readonly string[], accepts: (info: fs.Stats) => boolean): string | undefined {
  const file = inProject(...parts);
  const info = fs.statSync(file, { throwIfNoEntry: false });
  return info && accepts(info) ? file : undefined;
}
