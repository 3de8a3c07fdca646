/**
 * The configuration that matters to the pipeline.
 *
 * @module
 */

import { certificateHeader, messagesHeaderName } from "../config/header_names.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import type { LocaleOptions } from "../i18n/request_locale.ts";
import { type IpRange, parseIpRange } from "../util/ip_range.ts";
import type { RateLimitSettings } from "./rate_limits.ts";
import { type Origin, originOf } from "./request_url.ts";

/** Settings of a pipeline. */
export interface HttpSettings {
  /** That of the configured base URL; without it, that of each request. */
  readonly origin: Origin | undefined;
  /** Origins of other sites that may call. */
  readonly origins: readonly string[];
  /** Peers whose forwarding and certificate headers count. */
  readonly trustedProxies: readonly IpRange[];
  /** Header that carries messages of handlers. */
  readonly messagesHeader: string;
  /** The one header that may carry a client certificate. */
  readonly certificateHeader: string;
  /** How often somebody may ask; undefined: as often as they like. */
  readonly rateLimits: RateLimitSettings | undefined;
  readonly locales: LocaleOptions;
  /** Multitenant operation: whoever has no tenant has not logged in. */
  readonly multitenancy: boolean;
}

interface HttpEnvironment {
  readonly requires?: { readonly multitenancy?: boolean };
  readonly server?: {
    readonly base_url?: string;
    readonly trusted_proxies?: readonly string[];
    readonly rate_limits?: RateLimitSettings;
    readonly cors?: { readonly origins?: readonly string[] };
  };
  readonly i18n?: { readonly default_language?: string; readonly preserved_locales?: readonly string[] };
}

/**
 * Reads the settings.
 *
 * @param env effective configuration
 * @throws ConfigurationError when `server.base_url` is no URL
 */
export function httpSettings(env: Readonly<Record<string, unknown>>): HttpSettings {
  const { requires, server, i18n } = env as HttpEnvironment;
  return {
    origin: server?.base_url ? originOf(parseBaseUrl(server.base_url)) : undefined,
    origins: server?.cors?.origins ?? [],
    // the schema has checked them
    trustedProxies: (server?.trusted_proxies ?? []).flatMap((text) => parseIpRange(text) ?? []),
    messagesHeader: messagesHeaderName(env),
    certificateHeader: certificateHeader(env),
    rateLimits: server?.rate_limits,
    locales: { defaultLanguage: i18n?.default_language, preserved: i18n?.preserved_locales },
    multitenancy: requires?.multitenancy === true,
  };
}

function parseBaseUrl(text: string): URL {
  try {
    return new URL(text);
  } catch (cause) {
    throw new ConfigurationError(`"fw.server.base_url" must be a URL, but is "${text}"`, {}, { cause });
  }
}
