/**
 * The utilities of files of the facade.
 *
 * @module
 */

import type { Stats } from "node:fs";
import path from "node:path";
import { currentRuntime } from "../fw/current.ts";
import { projectPlace } from "../fw/project_place.ts";
import { parseYaml, writeYaml } from "./parse_yaml.ts";
import { type FileUtilities, setFileUtilities } from "../fw/utilities.ts";
import { nodeModule } from "../platform/node_module.ts";

const nodeFs = () => nodeModule("node:fs");

const fileUtilities: FileUtilities = {
  path: path as unknown as FileUtilities["path"],
  get fs() {
    return nodeFs() as unknown as FileUtilities["fs"];
  },
  inspect: (value, options) => Deno.inspect(value, options),
  local: (file) => path.relative(Deno.cwd(), inProject(file)) || ".",
  exists: (file) => nodeFs().existsSync(inProject(file)),
  isdir: (...parts) => found(parts, (info) => info.isDirectory()),
  isfile: (...parts) => found(parts, (info) => info.isFile()),
  find: (folder, filter = () => true) => {
    const top = inProject(folder);
    if (!nodeFs().existsSync(top)) return [];
    const names = nodeFs().readdirSync(top, { recursive: true, withFileTypes: true });
    return names.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name))
      .filter((file) => filter(file)).sort();
  },
  read: async (file) => {
    const text = await nodeFs().promises.readFile(inProject(file), "utf8");
    return file.endsWith(".json") ? JSON.parse(text) : text;
  },
  write: targeted(async (data, target) => {
    const isAsIs = typeof data === "string" || data instanceof Uint8Array;
    await nodeFs().promises.writeFile(target, isAsIs ? data : `${JSON.stringify(data, null, 2)}\n`);
  }, "behind") as FileUtilities["write"],
  append: targeted(
    (text, target) => nodeFs().promises.appendFile(target, String(text)),
    "behind",
  ) as FileUtilities["append"],
  copy: targeted(
    (from, target) => nodeFs().promises.cp(inProject(String(from)), target, { recursive: true }),
  ) as FileUtilities["copy"],
  yaml: { parse: (text) => parseYaml(text, "text"), stringify: writeYaml },
  mkdirp: async (...parts) => {
    const folder = inProject(...parts);
    await nodeFs().promises.mkdir(folder, { recursive: true });
    return folder;
  },
  rm: (...parts) => nodeFs().promises.rm(inProject(...parts)),
  rmdir: (...parts) => nodeFs().promises.rm(inProject(...parts), { recursive: true }),
  rimraf: (...parts) => nodeFs().promises.rm(inProject(...parts), { recursive: true, force: true }),
};

setFileUtilities(fileUtilities);

/**
 * What takes a source and a target, or the source alone and the target by `to`.
 *
 * @param act acts on the source and the path of the target, whose folder is there
 * @param source whether the source stands behind the target
 */
function targeted(
  act: (source: unknown, target: string) => Promise<void>,
  source?: "behind",
): (...given: readonly unknown[]) => unknown {
  const actOn = async (given: unknown, ...to: readonly string[]) => {
    const target = inProject(...to);
    await nodeFs().promises.mkdir(path.dirname(target), { recursive: true });
    await act(given, target);
  };
  return (...given) => {
    if (given.length < 2) return { to: (...to: readonly string[]) => actOn(given[0], ...to) };
    const [from, to] = source === "behind" ? [given[1], given[0]] : given;
    return actOn(from, String(to));
  };
}

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

function found(parts: readonly string[], accepts: (info: Stats) => boolean): string | undefined {
  const file = inProject(...parts);
  return nodeFs().existsSync(file) && accepts(nodeFs().statSync(file)) ? file : undefined;
}
