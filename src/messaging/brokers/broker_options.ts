/**
 * What the configuration of brokers has in common.
 *
 * @module
 */

import { ConfigurationError } from "../../errors/configuration_error.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import type { ChannelOptions } from "../channel.ts";

const DEFAULT_TIMEOUT_MS = 10_000;
const ATTEMPT_MS = 3_000;
const DEFAULT_RETENTION_MS = 7 * 24 * 60 * 60 * 1000;
const DEFAULT_ACK_WAIT_MS = 10_000;
const DEFAULT_NAME = "fw";

/** Options that every broker has. */
export interface BrokerOptions {
  /** Name of the configuration entry, for messages. */
  readonly entry: string;
  /** Address and login. */
  readonly credentials: Readonly<Record<string, unknown>>;
  /** Name of the stream or exchange. */
  readonly stream: string;
  /** How long connecting and publishing may take. */
  readonly timeoutMs: number;
  /** How long one attempt to connect may take. */
  readonly attemptMs: number;
  /** How long messages are kept. */
  readonly retentionMs: number;
  /** Time after which a message that was not settled goes to another instance; it is renewed under work. */
  readonly ackWaitMs: number;
  /** Bytes of a message at most. */
  readonly maxMessageBytes: number;
  /** Whether the broker is configured to write every message to disk before it confirms. */
  readonly sync: boolean;
}

/**
 * Reads the options that brokers have in common.
 *
 * @param options the configuration entry
 * @param kind kind of the channel
 * @param defaults what counts for this kind where the entry says nothing
 * @throws ConfigurationError if credentials or their address are missing
 */
export function brokerOptions(
  options: ChannelOptions,
  kind: string,
  defaults: Partial<Pick<BrokerOptions, "ackWaitMs">> = {},
): BrokerOptions {
  const { credentials, stream, sync, timeoutMs, retentionMs, ackWaitMs, maxMessageBytes } = options.options;
  const entry = `fw.requires.${options.name}`;
  if (!isPlainObject(credentials)) {
    const example = `{"url": "…"}`;
    throw new ConfigurationError(
      `${entry}.credentials is missing: ${kind} needs ${example} in the configuration or a binding named '${options.name}'`,
    );
  }
  if (typeof credentials.url !== "string" || credentials.url === "") {
    throw new ConfigurationError(`${entry}.credentials.url is missing, expected the address of the broker`);
  }
  return {
    entry,
    credentials,
    stream: typeof stream === "string" ? stream : DEFAULT_NAME,
    timeoutMs: numberOr(timeoutMs, DEFAULT_TIMEOUT_MS),
    attemptMs: Math.min(ATTEMPT_MS, numberOr(timeoutMs, DEFAULT_TIMEOUT_MS)),
    retentionMs: numberOr(retentionMs, DEFAULT_RETENTION_MS),
    ackWaitMs: numberOr(ackWaitMs, defaults.ackWaitMs ?? DEFAULT_ACK_WAIT_MS),
    maxMessageBytes: numberOr(maxMessageBytes, options.limits.messageBytes),
    sync: sync === true,
  };
}

/**
 * A text of the credentials.
 *
 * @param credentials the credentials
 * @param names names under which it may stand, the first one counts
 */
export function credential(
  credentials: Readonly<Record<string, unknown>>,
  ...names: readonly string[]
): string | undefined {
  for (const name of names) {
    const value = credentials[name];
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}

/** Where a broker is, and who logs in. */
export interface BrokerAddress {
  readonly url: URL;
  readonly user: string | undefined;
  readonly password: string | undefined;
}

/**
 * The address of a broker.
 *
 * @param options the configuration entry
 * @param scheme of an address without one
 * @throws ConfigurationError for what is no URL; it does not show it, as it may hold a password
 */
export function brokerAddress(
  { credentials, entry }: Pick<BrokerOptions, "credentials" | "entry">,
  scheme: string,
): BrokerAddress {
  const address = (credential(credentials, "url", "uri") ?? "").replace(/^(?!\w+:\/\/)/, `${scheme}://`);
  try {
    const url = new URL(address);
    return {
      url,
      user: credential(credentials, "user", "username") ?? (decodeURIComponent(url.username) || undefined),
      password: credential(credentials, "password", "pass") ??
        (decodeURIComponent(url.password) || undefined),
    };
  } catch {
    throw new ConfigurationError(
      `${entry}.credentials.url is no valid URL, expected ${scheme}://user:password@host:port, with percent-encoded ` +
        "characters where user and password are not letters and digits",
    );
  }
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === "number" ? value : fallback;
}
