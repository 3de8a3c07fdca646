/**
 * Where calls of a remote service go: to the place of its configuration, or to a destination that is looked up.
 *
 * @module
 */

import { DEFAULT_LIMITS } from "../../config/limits.ts";
import type { SendRequest } from "../../auth/token_client/token_credentials.ts";
import { currentContext } from "../../context/store.ts";
import type { EventContext } from "../../context/event_context.ts";
import type { ServiceEnvironment } from "../../service/service_environment.ts";
import { BoundedCache } from "../../util/bounded_cache.ts";
import { remoteAuthentication } from "./remote_authentication.ts";
import {
  type RemoteAnswer,
  type RemoteCall,
  RemoteClient,
  RemoteError,
  remoteFailure,
} from "./remote_client.ts";

/** Credentials of a service, as its entry below `requires` has them: `url`, `username`, `authentication`, … */
export type DestinationCredentials = Readonly<Record<string, unknown>>;

/**
 * Looks up a destination.
 *
 * @param name value of `credentials.destination`
 * @param caller the tenant of the calling context
 * @returns its credentials; undefined where there is none of that name
 */
export type DestinationResolver = (
  name: string,
  caller: Pick<EventContext, "tenant">,
) => DestinationCredentials | undefined | Promise<DestinationCredentials | undefined>;

/** What a connection is made from. */
export interface RemoteConnectionOptions {
  /** Name of the service, for messages. */
  readonly name: string;
  /** The configuration entry. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The runtime. */
  readonly host: ServiceEnvironment;
  /** Sends requests. */
  readonly fetch: SendRequest;
  /** Looks up destinations. */
  readonly destinations?: DestinationResolver;
}

/** How long a destination counts that was looked up. */
const KEPT_MS = 300_000;
/** Tenants whose destinations are kept. */
const KEPT = DEFAULT_LIMITS.tokenCache;

interface Resolved {
  readonly client: Promise<RemoteClient>;
  readonly until: number;
}

/** Sends the calls of one service. */
export class RemoteConnection {
  readonly #given: RemoteConnectionOptions;
  readonly #fixed: RemoteClient | undefined;
  readonly #resolved: BoundedCache<string, Resolved> = new BoundedCache(KEPT);

  /**
   * @param given configuration, runtime, resolver
   * @throws ConfigurationError where there is neither URL nor destination
   */
  constructor(given: RemoteConnectionOptions) {
    this.#given = given;
    this.#fixed = destinationOf(given.options) === undefined ? clientOf(given, given.options) : undefined;
  }

  /**
   * Sends a call.
   *
   * @param call method, URL, body
   * @throws ServiceError 502 where it fails, 504 where it takes too long
   */
  async send(call: RemoteCall): Promise<RemoteAnswer> {
    const client = this.#fixed ?? await this.#client(call.context ?? currentContext());
    return await client.send(call);
  }

  /**
   * The error that handlers see, after the details went to the log.
   *
   * @param cause what happened
   * @param what method and URL
   */
  failure(cause: unknown, what: string): Error {
    const { name, host } = this.#given;
    return remoteFailure({ name, log: host.log("remote") }, cause, what);
  }

  async #client(context: EventContext | undefined): Promise<RemoteClient> {
    const key = context?.tenant ?? "";
    let known = this.#resolved.get(key);
    if (!known || known.until < Date.now()) {
      known = { client: this.#resolve(context), until: Date.now() + KEPT_MS };
      this.#resolved.set(key, known);
    }
    try {
      return await known.client;
    } catch (cause) {
      if (this.#resolved.get(key) === known) this.#resolved.delete(key);
      throw this.failure(cause, `destination "${destinationOf(this.#given.options)}"`);
    }
  }

  async #resolve(context: EventContext | undefined): Promise<RemoteClient> {
    const { options, destinations } = this.#given;
    const name = destinationOf(options)!; // a connection without has a fixed client
    const found = await destinations?.(name, { tenant: context?.tenant });
    if (!found) throw new RemoteError(`There is no destination "${name}"`);
    const { destination: _, ...own } = options.credentials as DestinationCredentials;
    return clientOf(this.#given, { ...options, credentials: { ...named(found), ...own } });
  }
}

/**
 * The name of the destination of a service, if it has one.
 *
 * @param options its entry below `requires`
 */
export function destinationOf(options: Readonly<Record<string, unknown>>): string | undefined {
  const { destination } = (options.credentials ?? {}) as DestinationCredentials;
  return typeof destination === "string" ? destination : undefined;
}

/** Names that services of destinations have for members of credentials. */
const NAMES: Readonly<Record<string, string>> = {
  URL: "url",
  User: "username",
  Password: "password",
  Authentication: "authentication",
};

function named(found: DestinationCredentials): DestinationCredentials {
  return Object.fromEntries(Object.entries(found).map(([name, value]) => [NAMES[name] ?? name, value]));
}

function clientOf(
  { name, host, fetch }: RemoteConnectionOptions,
  options: Readonly<Record<string, unknown>>,
): RemoteClient {
  return new RemoteClient({
    ...{ name, options, fetch },
    log: host.log("remote"),
    answerBytes: host.limits.remoteAnswerBytes,
    redirects: host.limits.remoteRedirects,
    authentication: remoteAuthentication({ name, options, host, fetch }),
  });
}
