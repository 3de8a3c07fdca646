/**
 * Files of databases, whose names count from the root of a project.
 *
 * @module
 */

import type { DatabaseFactory, DatabaseOptions } from "../service/database.ts";

/**
 * Opens the files of a project wherever the process was started.
 *
 * @param root of the project, absolute
 * @param create opens a file whose name counts from the working directory
 */
export function filesIn(root: string, create: DatabaseFactory): DatabaseFactory {
  return (given) => create({ ...given, options: withPaths(root, given.options) });
}

function withPaths(root: string, options: DatabaseOptions["options"]): DatabaseOptions["options"] {
  const { credentials } = options as { readonly credentials?: Readonly<Record<string, unknown>> };
  if (!credentials) return options;
  const paths = ["url", "database"].flatMap((key) => {
    const file = credentials[key];
    return typeof file === "string" ? [[key, fileIn(root, file)]] : [];
  });
  return { ...options, credentials: { ...credentials, ...Object.fromEntries(paths) } };
}

/**
 * The path of a file of a database.
 *
 * @param root of the project, absolute
 * @param given its name as the configuration has it
 * @returns an absolute path, or `:memory:`
 */
export function fileIn(root: string, given: string): string {
  const file = given.replace(/^sqlite:|^file:(?:\/\/)?/, "");
  return file === "" || file === ":memory:" || file.startsWith("/") ? file : `${root}/${file}`;
}
