/**
 * Files with handlers that belong to no service.
 *
 * @module
 */

import type { LinkedModel } from "../model/linked.ts";
import { nearestName } from "../util/nearest_name.ts";
import { listFiles, listFolders, readTextIfExists } from "./text_files.ts";
import type { FoundImplementation } from "./load_handlers.ts";
import { unqualified } from "../util/unqualified.ts";

const MODULE = /\.[cm]?[jt]s$/;
const NOT_LOADED = /\.(?:d|test|spec)\.[cm]?[jt]s$|[._]test\.[cm]?[jt]s$/;
/** What only those write who implement a service. */
const IMPLEMENTS =
  /\bextends\s+(?:[\w$]+\.)?ApplicationService\b|\bservice\.impl\s*\(|\b(?:this|srv|service)\.(?:on|before|after)\s*\(/;

/** Where handlers are looked for, and what was found. */
export interface ProjectHandlers {
  /** Root of the project. */
  readonly root: string;
  /** The folder of services, relative to it. */
  readonly srv: string;
  /** The linked model. */
  readonly model: LinkedModel;
  /** Services with the files that implement them. */
  readonly found: readonly FoundImplementation[];
}

/**
 * Tells of files in the folder of services, and in the folders in it, that look like handlers and are loaded by nobody.
 *
 * @param project where they are looked for
 * @returns a remark for each
 */
export function strayHandlers({ root, srv, model, found }: ProjectHandlers): readonly string[] {
  const folder = `${root}/${srv}`;
  const inside = listFolders(folder).filter((name) => !/^(?:node_modules|external)$|^\./.test(name));
  const folders = [folder, ...inside.map((name) => `${folder}/${name}`)];
  const modules = folders.flatMap((one) => listFiles(one, "s")).filter((file) =>
    MODULE.test(file) && !NOT_LOADED.test(file)
  );
  const loaded = new Set(found.map(({ file }) => file));
  // a handler in TypeScript may stand beside what it was compiled to
  const compiled = new Set([...loaded].map((file) => file.replace(MODULE, "")));
  const unknown = modules.filter((file) =>
    !compiled.has(file.replace(MODULE, "")) && stemOf(file) !== "server"
  );
  if (unknown.length === 0) return [];
  const texts = new Map(modules.map((file) => [file, readTextIfExists(file) ?? ""]));
  const services = model.services.filter((service) => !service["@cds.external"]);
  const isImported = (file: string) =>
    [...texts].some(([other, text]) => other !== file && text.includes(`/${stemOf(file)}`));
  return unknown.filter((file) => IMPLEMENTS.test(texts.get(file)!) && !isImported(file)).map((file) => {
    const places = new Map(
      services.map((service) => [stemOf(service.$location?.file ?? service.name), service]),
    );
    const names = new Map(services.map((service) => [unqualified(service.name), service]));
    const stem = nearestName(stemOf(file), [...places.keys(), ...names.keys()]);
    const near = stem === undefined ? undefined : places.get(stem) ?? names.get(stem);
    const shown = file.slice(root.length + 1);
    const source = near?.$location?.file;
    const hint = near && source
      ? `; did you mean "${stemOf(source)}${shown.slice(shown.lastIndexOf("."))}" for "${near.name}"?`
      : `: it is found beside the model file of its service, under the same name, or named by @impl`;
    return `${shown} has handlers, but belongs to no service, and is not loaded${hint}`;
  });
}

function stemOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.[^.]*$/, "");
}
