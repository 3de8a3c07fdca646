/**
 * Query options of a URL that calls an operation, whose arguments may be given as options.
 *
 * @module
 */

import type { CustomQueryOption, QueryOptions } from "../../url/ast.ts";
import type { CallArguments } from "./plan_operation.ts";

/**
 * The options without those that are arguments of the operation.
 *
 * @param options all options
 * @param call what was taken as arguments
 * @returns the others
 * @throws {ServiceError} 400 for a value that is none of the system option it is given for
 */
export function usedOptions(options: QueryOptions, call: CallArguments | undefined): QueryOptions {
  const taken = call?.consumed ?? new Set<string>();
  const custom = options.custom?.filter(({ name }) => !taken.has(name)) ?? [];
  for (const { error } of custom) if (error !== undefined) throw error;
  const own = custom.filter(({ system }) => system === undefined);
  const hidden = options.custom?.filter(({ name, system }) => system !== undefined && taken.has(name)) ?? [];
  return { ...withoutSystem(options, hidden), custom: own };
}

function withoutSystem(options: QueryOptions, hidden: readonly CustomQueryOption[]): QueryOptions {
  if (hidden.length === 0) return options;
  const names = new Set(hidden.map(({ system }) => system));
  return Object.fromEntries(
    Object.entries(options).filter(([name]) => !names.has(name)),
  ) as unknown as QueryOptions;
}
