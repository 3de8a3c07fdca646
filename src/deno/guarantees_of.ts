/**
 * What the channels of a configuration promise.
 *
 * @module
 */

import type { Environment } from "../config/environment.ts";
import { DEFAULT_LIMITS } from "../config/limits.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { openChannels } from "../fw/open_channels.ts";
import { createLogging } from "../log/create_logging.ts";
import type { Guarantees } from "../messaging/channel.ts";
import { denoKinds, storesIn } from "./deno_kinds.ts";

/** A project whose configuration was read. */
export interface ConfiguredProject {
  readonly env: Environment;
  /** Its folder. */
  readonly root: string;
  /** Its name, which is the default of consumer groups. */
  readonly application: string;
}

/** What a channel promises, with all conditions. */
export interface Promised extends Guarantees {
  /** In words. */
  readonly notice?: string;
}

/**
 * What the messaging services of a project promise, by their names. Nothing is connected; channels that lack credentials
 * promise nothing.
 *
 * @param project whose channels
 */
export async function guaranteesOf(
  { env, root, application }: ConfiguredProject,
): Promise<Readonly<Record<string, Promised>>> {
  const { requires, production } = env;
  const registry = openChannels({
    requires,
    application,
    production,
    kinds: { ...denoKinds, ...storesIn(root) },
    limits: DEFAULT_LIMITS,
    log: createLogging({ levels: { default: "silent" } })("messaging"),
    web: { route: () => {}, fetch },
  });
  const promised: Record<string, Promised> = {};
  for (const name of Object.keys(requires)) {
    if (!registry.isChannel(name)) continue;
    try {
      const { guarantees, notice } = await registry.get(name);
      promised[name] = { ...guarantees, notice };
    } catch (error) {
      // the start says what is missing; the configuration is shown all the same
      if (!(error instanceof ConfigurationError)) throw error;
    }
  }
  return promised;
}
