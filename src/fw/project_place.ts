/**
 * Where the project of this process is, and its configuration, before or beside a runtime.
 *
 * @module
 */

import type { Environment } from "../config/environment.ts";

/** What programs say of their project before it starts. */
export interface ProjectPlace {
  /** The folder that `fw.root` was set to. */
  root: string | undefined;
  /** The configuration that programs read and change before the project starts with it. */
  environment: Environment | undefined;
  /** Whether `fw.env` was assigned. */
  isAssigned: boolean;
  /** Reads the configuration of a folder, where programs may change it: in tests. */
  readEnvironment: ((folder: string) => Environment) | undefined;
  /** The plugins that are loaded, with the paths of their modules. */
  readonly plugins: Record<string, { readonly impl: string }>;
  /** The command that this process runs, its words and options. */
  cli: {
    readonly command: string;
    readonly argv: readonly string[];
    readonly options: Readonly<Record<string, unknown>>;
  };
}

/** What programs say of their project before it starts. */
export const projectPlace: ProjectPlace = {
  root: undefined,
  environment: undefined,
  isAssigned: false,
  readEnvironment: undefined,
  plugins: {},
  cli: { command: "", argv: [], options: {} },
};

/** Moves to another folder, whose configuration is another one. */
export function moveTo(folder: string | undefined): void {
  if (folder !== projectPlace.root && !projectPlace.isAssigned) projectPlace.environment = undefined;
  projectPlace.root = folder;
}
