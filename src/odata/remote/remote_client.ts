/**
 * HTTP calls of remote services.
 *
 * @module
 */

import type { SendRequest } from "../../auth/token_client/token_credentials.ts";
import type { EventContext } from "../../context/event_context.ts";
import { currentContext } from "../../context/store.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { Logger } from "../../log/logger.ts";
import { shownUrl } from "../../log/redact.ts";
import type { RemoteAuthentication } from "./remote_authentication.ts";
import { readBoundedText } from "../../util/bytes.ts";
import { BoundedCache } from "../../util/bounded_cache.ts";

/** Users whose tokens are kept. */
const USERS = 100;

/** The tokens of one service, one for each login. */
class RequestTokens {
  readonly #kept: BoundedCache<string, Readonly<Record<string, string>>> = new BoundedCache(USERS);

  /**
   * The headers of a change: token and session.
   *
   * @param user how the call is authenticated
   */
  headers(user: string): Readonly<Record<string, string>> {
    return this.#kept.get(user) ?? {};
  }

  /** Whether a change was refused for want of a token. */
  isWanted({ status, headers }: Response): boolean {
    return status === 403 && headers.get("x-csrf-token")?.toLowerCase() === "required";
  }

  /**
   * Keeps the token of an answer, and the session it belongs to.
   *
   * @param user how the call is authenticated
   * @param response the answer to a request for a token
   */
  keep(user: string, { headers }: Response): void {
    const token = headers.get("x-csrf-token");
    if (token === null) return;
    const cookie = headers.getSetCookie().map((one) => one.split(";", 1)[0]!).join("; ");
    this.#kept.set(user, { "x-csrf-token": token, ...(cookie === "" ? {} : { cookie }) });
  }
}

/** What a client is made from. */
export interface RemoteClientOptions {
  /** Name of the service, for messages. */
  readonly name: string;
  /** The configuration entry: `kind`, `credentials` with `url`, `username`, `password`, …, `timeoutMs`. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Gets the details of failures. */
  readonly log: Logger;
  /** Bytes of an answer at most. */
  readonly answerBytes: number;
  /** Redirects of one call at most. */
  readonly redirects: number;
  /** Sends requests. */
  readonly fetch: SendRequest;
  /** Authenticates the calls. */
  readonly authentication: RemoteAuthentication;
}

/** A call. */
export interface RemoteCall {
  /** HTTP method. */
  readonly method: string;
  /** Path and query below the root of the service, or a complete URL on the same host. */
  readonly url: string;
  /** JSON text. */
  readonly body?: string;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, unknown>>;
  /** The calling context: correlation id, locale. */
  readonly context?: EventContext;
}

/** What came back. */
export interface RemoteAnswer {
  /** HTTP status below 300, or 404. */
  readonly status: number;
  /** The parsed JSON, else the text; undefined without body. */
  readonly body: unknown;
  /** Headers. */
  readonly headers: Headers;
  /** The URL that answered. */
  readonly url: string;
}

/** What the configuration says about a remote service. */
interface Credentials {
  readonly url?: unknown;
  readonly path?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly requestTimeout?: unknown;
}

const DEFAULT_TIMEOUT_MS = 30_000;
/** Characters of an error body that go to the log. */
const LOGGED_CHARACTERS = 2_000;

/** The failure of a remote call, as `cause` of the error handlers see. */
export class RemoteError extends Error {
  /** HTTP status of the answer; undefined when there was none. */
  readonly status: number | undefined;
  /** The parsed body of the answer. */
  readonly body: unknown;

  /**
   * Creates an error.
   *
   * @param message what was called and what came
   * @param answer status and body
   * @param options the cause
   */
  constructor(message: string, answer: { status?: number; body?: unknown } = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = "RemoteError";
    this.status = answer.status;
    this.body = answer.body;
  }
}

/** Calls one service: adds headers, limits time and size, and turns failures into errors of status 502 and 504. */
export class RemoteClient {
  readonly #given: RemoteClientOptions;
  readonly #root: URL;
  readonly #protocol: keyof typeof PROTOCOL_HEADERS;
  readonly #tokens: RequestTokens | undefined;

  /**
   * Creates a client.
   *
   * @param given configuration and what sends requests
   * @throws ConfigurationError when the entry has no URL
   */
  constructor(given: RemoteClientOptions) {
    this.#given = given;
    this.#root = remoteRoot(given);
    const { kind, csrf } = given.options;
    this.#protocol = kind === "rest" || kind === "odata-v2" ? kind : "odata";
    // services of OData 2 ask for it where they want it
    const usesTokens = csrf === undefined ? kind === "odata-v2" : csrf !== false;
    this.#tokens = usesTokens ? new RequestTokens() : undefined;
  }

  /**
   * Sends a request.
   *
   * @param call method, URL, body
   * @returns the answer; 404 is one
   * @throws ServiceError 502 for any other failure, with a `RemoteError` as cause; 504 when it takes too long
   */
  async send(call: RemoteCall): Promise<RemoteAnswer> {
    const what = `${call.method} ${call.url}`;
    try {
      const { response, url } = await this.#sendWithToken(call);
      const text = await readBoundedText(response, this.#given.answerBytes);
      if (text === undefined) {
        throw new RemoteError(`The answer has more than ${this.#given.answerBytes} bytes`, {
          status: response.status,
        });
      }
      const body = parse(text, response.headers);
      if (response.ok || response.status === 404) {
        return { status: response.status, body, headers: response.headers, url };
      }
      throw new RemoteError(`${call.method} ${url} was answered ${response.status}`, {
        status: response.status,
        body,
      });
    } catch (cause) {
      throw this.failure(cause, what);
    }
  }

  /** Changes go with a request token where the service wants one: it says so, or asks for another one. */
  async #sendWithToken(call: RemoteCall): Promise<Sent> {
    const tokens = this.#tokens;
    if (!tokens || call.method === "GET" || call.method === "HEAD") return await this.#follow(call);
    const user = await this.#given.authentication.header(call.context) ?? "";
    const withToken = () => ({ ...call, headers: { ...call.headers, ...tokens.headers(user) } });
    const first = await this.#follow(withToken());
    if (!tokens.isWanted(first.response)) return first;
    await first.response.body?.cancel();
    const { response } = await this.#follow({
      ...{ method: "GET", url: "", context: call.context },
      headers: { ...call.headers, "x-csrf-token": "Fetch" },
    });
    tokens.keep(user, response);
    await response.body?.cancel();
    return await this.#follow(withToken());
  }

  /** Sends a request, and again where its answer is a redirect that leaves no doubt (OData Protocol 9.1.5). */
  async #follow(call: RemoteCall): Promise<Sent> {
    const { fetch, authentication, redirects, log } = this.#given;
    const headers = this.#headers(call, await authentication.header(call.context));
    const signal = this.#signal();
    let step: RedirectedCall = { ...call, url: this.#resolve(call.url).href };
    for (let count = 0;; count++) {
      const { method, url, body } = step;
      log.debug(`${method} ${url}`);
      const request = new Request(url, { method, headers, body, redirect: "manual", signal });
      const response = await fetch(request, authentication.keyPair);
      const next = redirected(response, step);
      if (!next) return { response, url };
      await response.body?.cancel();
      if (count >= redirects) throw new RemoteError(`More than ${redirects} redirects`);
      step = { ...next, url: this.#resolve(next.url).href };
      if (step.body === undefined) headers.delete("content-type");
    }
  }

  /** Ends a call that takes too long, and one whose caller has no time left. */
  #signal(): AbortSignal {
    const own = AbortSignal.timeout(this.#timeoutMs);
    const outer = currentContext()?.signal;
    return outer ? AbortSignal.any([own, outer]) : own;
  }

  /**
   * The error that handlers see, after the details went to the log.
   *
   * @param cause what happened
   * @param what method and URL
   */
  failure(cause: unknown, what: string): ServiceError {
    return remoteFailure(this.#given, cause, what);
  }

  get #timeoutMs(): number {
    const { timeoutMs, credentials } = this.#given.options as {
      timeoutMs?: unknown;
      credentials?: Credentials;
    };
    const given = timeoutMs ?? credentials?.requestTimeout;
    return typeof given === "number" && given > 0 ? given : DEFAULT_TIMEOUT_MS;
  }

  /** URLs lead to the host of the service only: next links and redirects are not trusted. */
  #resolve(url: string): URL {
    const isComplete = /^[a-z][a-z0-9+.-]*:/i.test(url);
    const resolved = isComplete
      ? new URL(url)
      : new URL(`${this.#root.href.replace(/\/+$/, "")}/${url.replace(/^\/+/, "")}`);
    if (resolved.origin === this.#root.origin) return resolved;
    throw new RemoteError(`Refused a URL on another host: ${resolved.origin}`);
  }

  #headers({ body, headers = {}, context }: RemoteCall, authorization: string | undefined): Headers {
    const { credentials } = this.#given.options as { credentials?: Credentials };
    const result = new Headers(credentials?.headers);
    for (const [name, value] of PROTOCOL_HEADERS[this.#protocol]) result.set(name, value);
    if (body !== undefined) result.set("content-type", "application/json");
    if (context?.locale) result.set("accept-language", context.locale.replaceAll("_", "-"));
    if (authorization !== undefined) result.set("authorization", authorization);
    for (const [name, value] of Object.entries(headers)) {
      if (value !== undefined && value !== null) result.set(name, String(value));
    }
    if (context) result.set("x-correlation-id", context.id);
    return result;
  }
}

/**
 * The error that handlers see, after the details went to the log.
 *
 * @param service its name, and where details go
 * @param cause what happened
 * @param what method and URL
 */
export function remoteFailure(
  { name, log }: Pick<RemoteClientOptions, "name" | "log">,
  cause: unknown,
  what: string,
): ServiceError {
  const body = cause instanceof RemoteError && cause.body !== undefined
    ? ` ${(JSON.stringify(cause.body) ?? "").slice(0, LOGGED_CHARACTERS)}`
    : "";
  log.error(`${name}: ${what} failed:${body}`, cause);
  const isLate = cause instanceof DOMException && cause.name === "TimeoutError";
  return new ServiceError({
    status: isLate ? 504 : 502,
    message: `The remote service "${name}" failed`,
    cause,
  });
}

interface Sent {
  readonly response: Response;
  readonly url: string;
}

const PROTOCOL_HEADERS = {
  odata: [
    ["accept", "application/json;odata.metadata=minimal;IEEE754Compatible=true"],
    ["odata-version", "4.0"],
    ["odata-maxversion", "4.01"],
  ],
  "odata-v2": [["accept", "application/json"], ["dataserviceversion", "2.0"], [
    "maxdataserviceversion",
    "2.0",
  ]],
  rest: [["accept", "application/json"]],
} as const;

type RedirectedCall = Pick<RemoteCall, "method" | "url" | "body">;

const KEEPING_METHOD: ReadonlySet<number> = new Set([307, 308]);
const FOR_READS: ReadonlySet<number> = new Set([301, 302, 307, 308]);

/** The call that a redirect asks for; none where it is no redirect, or says not what becomes of a change (301, 302). */
function redirected({ status, headers }: Response, call: RedirectedCall): RedirectedCall | undefined {
  const location = headers.get("location");
  if (location === null) return undefined;
  const url = new URL(location, call.url).href;
  const isRead = call.method === "GET" || call.method === "HEAD";
  if (status === 303) return { method: isRead ? call.method : "GET", url };
  return (isRead ? FOR_READS : KEEPING_METHOD).has(status) ? { ...call, url } : undefined;
}

/**
 * The root of a remote service.
 *
 * @param entry name and configuration of the service
 * @throws ConfigurationError when the entry has no URL
 */
export function remoteRoot({ name, options }: Pick<RemoteClientOptions, "name" | "options">): URL {
  const { url, path } = (options.credentials ?? {}) as Credentials;
  const text = typeof url === "string" ? url.replace(/\/+$/, "") : undefined;
  const full = typeof path === "string" && text !== undefined ? `${text}/${path.replace(/^\/+/, "")}` : text;
  try {
    const root = new URL(full ?? "");
    if (root.protocol === "http:" || root.protocol === "https:") return root;
  } catch {
    // answered below
  }
  throw new ConfigurationError(
    `"fw.requires.${name}.credentials.url" must be an http or https URL, but is ${shownUrl(url)}`,
  );
}

function parse(text: string, headers: Headers): unknown {
  if (text === "") return undefined;
  if (!/\bjson\b/.test(headers.get("content-type") ?? "")) return text;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new RemoteError("The answer is no JSON", { body: text }, { cause });
  }
}
