/**
 * Loading the implementations of services.
 *
 * @module
 */

import {
  type Implementations,
  isForOthers,
  onlyClass,
  pickImplementation,
  type ServiceClass,
  type ServiceImplementation,
} from "../fw/implementation.ts";
import type { Environment } from "../config/environment.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { modelFile } from "./project_root.ts";
import { isFile } from "./text_files.ts";
import { loadModuleFile, moduleFailure } from "./require_module.ts";
import type { LinkedModel, LinkedService } from "../model/linked.ts";

/** A service and the file that implements it. */
export interface FoundImplementation {
  /** The service. */
  readonly service: LinkedService;
  /** Path of the file. */
  readonly file: string;
}

const ENDINGS = [".ts", ".js", ".mjs", ".cjs"];

/**
 * Finds implementations: configured below `services.<name>.impl`, annotated with `@impl`, or beside the model file
 * under its name.
 *
 * @throws ConfigurationError when a named file does not exist
 */
export function findImplementations(
  folder: string,
  model: LinkedModel,
  env: Environment,
): FoundImplementation[] {
  const services = (env.services ?? {}) as Record<string, { impl?: string } | undefined>;
  return model.services.filter((service) => !service["@cds.external"]).flatMap((service) => {
    const place = service.$location?.file;
    const source = place && modelFile(folder, place);
    const named = services[service.name]?.impl ?? service["@impl"];
    if (typeof named === "string") return [{ service, file: findNamed(named, folder, source) }];
    const file = source &&
      firstExisting(ENDINGS.map((ending) => source.replace(/\.(cds|csn|json)$/, ending)));
    return file && file !== source ? [{ service, file }] : [];
  });
}

/**
 * Imports the modules of implementations; each file once. Of several services in one model file, those for which the file
 * beside it exports nothing have no implementation; nor has one whose file exports no class and no function.
 *
 * @param found services and files
 * @param env its remarks take files that export nothing; in existing projects the only class of services that a file
 *   exports implements its service whatever its name
 * @throws ConfigurationError for a file that cannot be loaded, or implements no service
 */
export async function loadImplementations(
  found: readonly FoundImplementation[],
  { remarks, isLenient }: Partial<Pick<Environment, "remarks" | "isLenient">> = {},
): Promise<Implementations> {
  const entries = await Promise.all(found.map(async ({ service: { name }, file }) => {
    const implementation = await importImplementation(file);
    if (remarks && Object.keys(implementation).length === 0 && typeof implementation !== "function") {
      remarks.add(
        "The file exports nothing, neither a class nor a function: its handlers are not registered",
        { file },
      );
      return [];
    }
    const others = found.filter((one) => one.file === file).map(({ service }) => service.name);
    const only = isLenient && others.length === 1 ? onlyClass(implementation, name) : undefined;
    if (only !== undefined) {
      remarks?.add(`"${only}" implements ${name}, which has another name`, { file });
      return [[name, (implementation as Readonly<Record<string, ServiceClass>>)[only]!] as const];
    }
    return isForOthers(implementation, name, others)
      ? []
      : [[name, pickImplementation(implementation, name, file)] as const];
  }));
  return Object.fromEntries(entries.flat());
}

async function importImplementation(file: string): Promise<ServiceImplementation> {
  try {
    return await loadModuleFile(file) as ServiceImplementation; // what it holds is checked next
  } catch (cause) {
    throw await moduleFailure("The implementation cannot be loaded", file, cause);
  }
}

function findNamed(named: string, folder: string, source: string | undefined): string {
  const base = named.startsWith(".") && source ? source.slice(0, source.lastIndexOf("/")) : folder;
  const path = `${base}/${named.replace(/^\.\//, "")}`;
  // the name of what a file is compiled to means the file
  const written = path.replace(/\.([cm]?)js$/, ".$1ts");
  const file = firstExisting([path, ...ENDINGS.map((ending) => path + ending), written]);
  if (file) return file;
  throw new ConfigurationError(`Expected the implementation ${path}, but there is no such file`, {
    file: source,
  });
}

function firstExisting(files: readonly string[]): string | undefined {
  return files.find(isFile);
}
