/**
 * Where a runtime counts requests together with other processes.
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";
import type { RateLimitSettings, SharedBuckets } from "../http/rate_limits.ts";
import type { RuntimeParts } from "./runtime_parts.ts";

/**
 * The buckets of a runtime, if its configuration names a server for them; they are connected with the first request.
 *
 * @param runtime `fw.server.rate_limits.redis`
 * @throws ConfigurationError without an address, and where nothing can be shared
 */
export async function sharedBuckets(runtime: RuntimeParts): Promise<SharedBuckets | undefined> {
  const { env, kinds, name: application, events } = runtime;
  const { rate_limits: { redis: credentials } = {} } = (env.server ?? {}) as {
    readonly rate_limits?: RateLimitSettings;
  };
  if (credentials === undefined) return undefined;
  if (typeof credentials.url !== "string" || !/^rediss?:\/\//.test(credentials.url)) {
    throw new ConfigurationError(
      '"fw.server.rate_limits.redis.url" is missing, or no address like "redis://127.0.0.1:6379"',
    );
  }
  const create = await kinds.buckets?.();
  if (create === undefined) throw new ConfigurationError('"fw.server.rate_limits.redis" cannot be used here');
  const buckets = create({ credentials, application, log: runtime.log("server") });
  events.on("shutdown", () => buckets.close());
  return buckets;
}
