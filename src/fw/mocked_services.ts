/**
 * Services of other systems that this process serves itself while nobody says where they are.
 *
 * @module
 */

import type { Environment } from "../config/environment.ts";
import type { Csn, CsnDefinition } from "../model/csn.ts";

/** Kinds of services that are called over HTTP. */
export const REMOTE_KINDS: readonly string[] = ["odata", "odata-v4", "odata-v2", "rest"];

/** A kind of existing projects that is called over HTTP, but not from here. */
export const OTHER_REMOTE_KINDS: readonly string[] = ["hcql"];

/** Whose services are looked for. */
export interface MockedServicesOptions {
  /** The parsed model. */
  readonly csn: Csn;
  /** Configuration: `requires`, `folders.srv`. */
  readonly env: Environment;
  /** Root folder of the project. */
  readonly root?: string;
}

/**
 * Finds the services that are mocked, outside production only: those of the model that `requires` names with a kind that
 * is called over HTTP and without credentials, and external ones of `srv/external` that it does not name at all.
 *
 * @param options model, configuration, root
 * @returns full names
 */
export function mockedServices(options: MockedServicesOptions): ReadonlySet<string> {
  if (options.env.production) return new Set();
  const services = Object.entries(options.csn.definitions ?? {}).filter(([, { kind }]) => kind === "service");
  return new Set(
    services.filter(([name, definition]) => isMocked(name, definition, options)).map(([name]) => name),
  );
}

function isMocked(name: string, definition: CsnDefinition, options: MockedServicesOptions): boolean {
  const entries = Object.entries(options.env.requires).filter(([key, entry]) =>
    (entry?.service ?? key) === name
  );
  if (entries.length === 0) return Boolean(definition["@cds.external"]) && isImported(definition, options);
  return entries.every(([, entry]) =>
    entry && entry.credentials === undefined && entry.impl === undefined &&
    [...REMOTE_KINDS, ...OTHER_REMOTE_KINDS].includes(String(entry.kind))
  );
}

function isImported({ $location }: CsnDefinition, { env, root }: MockedServicesOptions): boolean {
  const { srv = "srv" } = (env.folders ?? {}) as { readonly srv?: string };
  const folder = srv.replace(/^\.\//, "").replace(/\/+$/, "");
  return root !== undefined && $location !== undefined &&
    $location.file.startsWith(`${root}/${folder}/external/`);
}
