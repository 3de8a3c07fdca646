/**
 * Where the project of this process is, before or beside a runtime.
 *
 * @module
 */

/** The folder that `fw.root` was set to. */
export const projectPlace: { root: string | undefined } = { root: undefined };
