import { ServiceError } from "../../errors/service_error.ts";
import type { DocumentSource } from "./token_kind.ts";
import type { SendRequest } from "../token_client/token_credentials.ts";
import { RequestBudget } from "./request_budget.ts";
import { readBoundedText } from "../../util/bytes.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import { isLocalUrl } from "../../util/http_text.ts";
import { TokenRefused } from "./token.ts";

/** Documents are used without looking for a newer one. */
const REFRESH_MS = 5 * 60_000;
/** Documents are used while a newer one is fetched. */
const FRESH_MS = 10 * 60_000;
/** Documents are used while the source fails. */
const STALE_MS = 30 * 60_000;
/** An unknown key id does not lead to another request so soon after the last one. */
const COOL_DOWN_MS = 30_000;
/** Pause after the first failure; it doubles up to the cool-down time. */
const FIRST_PAUSE_MS = 1000;

const LONG_AGO = -Infinity;

/** The bounds that matter here; see `config/limits.ts`. */
export interface DocumentLimits {
  readonly keySets: number;
  readonly keySetBytes: number;
  readonly keySetMs: number;
  readonly keySetRequests: number;
}

/** What documents are read with. */
export interface SourceAccess {
  /** Sends requests. */
  readonly fetch: SendRequest;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Bounds in effect. */
  readonly limits: DocumentLimits;
  /** Takes a line about each failure of a source. */
  readonly warn: (text: string) => void;
}

/** A document that was read. */
export interface Document<T> {
  /** What it says. */
  readonly value: T;
  /** Another one for each time it was read, in this process. */
  readonly version: number;
  /** When the request was sent. */
  readonly fetchedAt: number;
}

interface Entry<T> {
  document?: Document<T>;
  /** The request that is under way, for all who wait for it, and when it was sent. */
  pending?: { readonly document: Promise<Document<T>>; readonly since: number };
  failures: number;
  /** No request before. */
  retryAt: number;
  /** A token was accepted with it. */
  trusted: boolean;
}

/**
 * Reads and keeps documents: one request at a time for each, a newer one is fetched in the background, an old one bridges
 * a failing source, and failures are followed by pauses of 1 to 30 seconds, so that bad tokens cause few requests.
 *
 * @typeParam T what is kept of a document
 */
export class Documents<T> {
  readonly #access: SourceAccess;
  readonly #read: (json: unknown, source: DocumentSource) => T;
  readonly #budget: RequestBudget;
  /** In the order of use, the longest unused first. */
  readonly #entries = new Map<string, Entry<T>>();
  #version = 0;

  /**
   * Creates an empty cache.
   *
   * @param access what documents are read with
   * @param read takes what is to be kept from the JSON; an error counts as a failure of the source
   */
  constructor(access: SourceAccess, read: (json: unknown, source: DocumentSource) => T) {
    this.#access = access;
    this.#read = read;
    this.#budget = new RequestBudget({
      parallel: access.limits.keySetRequests,
      waitMs: access.limits.keySetMs,
      burst: access.limits.keySets,
      refillMs: FRESH_MS,
      clock: access.clock,
    });
  }

  /**
   * The document, if one is there that needs no waiting.
   *
   * @param source where it is
   */
  fresh(source: DocumentSource): Document<T> | undefined {
    const entry = this.#entries.get(source.cacheKey);
    if (!entry?.document) return undefined;
    this.#touch(source.cacheKey, entry);
    const now = this.#access.clock();
    const age = now - entry.document.fetchedAt;
    if (age >= FRESH_MS || age < 0) return undefined;
    if (age >= REFRESH_MS && now >= entry.retryAt && !this.#pending(entry)) {
      this.#fetch(source, entry).catch(() => {}); // counted and logged there
    }
    return entry.document;
  }

  /**
   * The document; an old one while the source fails.
   *
   * @param source where it is
   * @throws ServiceError 503 when there is none that may be used
   */
  async get(source: DocumentSource): Promise<Document<T>> {
    const entry = this.#use(source.cacheKey);
    const fresh = this.fresh(source);
    if (fresh) return fresh;
    try {
      return await this.#fetch(source, entry);
    } catch (error) {
      const age = entry.document ? this.#access.clock() - entry.document.fetchedAt : STALE_MS;
      if (age >= 0 && age < STALE_MS) return entry.document!;
      throw error;
    }
  }

  /**
   * A newer document than one that did not help.
   *
   * @param source where it is
   * @param seen what did not help
   * @returns the newer one, or undefined when it is too early to ask again
   * @throws ServiceError 503 when the source fails
   */
  async newer(source: DocumentSource, seen: Document<T>): Promise<Document<T> | undefined> {
    const entry = this.#use(source.cacheKey);
    if (entry.document && entry.document.version > seen.version) return entry.document;
    if (this.#access.clock() - seen.fetchedAt < COOL_DOWN_MS) return undefined;
    return await this.#fetch(source, entry);
  }

  /** Remembers that a token was accepted with a document: it is dropped last, and its requests are always sent. */
  trust(source: DocumentSource): void {
    const entry = this.#entries.get(source.cacheKey);
    if (entry) entry.trusted = true;
  }

  #fetch(source: DocumentSource, entry: Entry<T>): Promise<Document<T>> {
    const known = this.#pending(entry);
    if (known) return known;
    const now = this.#access.clock();
    const wait = entry.retryAt - now;
    // a longer wait means that the clock was set back
    if (wait > 0 && wait <= COOL_DOWN_MS) return Promise.reject(unavailable(wait));
    const document = this.#send(source, entry).finally(() => {
      if (entry.pending?.document === document) entry.pending = undefined;
    });
    entry.pending = { document, since: now };
    return document;
  }

  async #send(source: DocumentSource, entry: Entry<T>): Promise<Document<T>> {
    if (entry.trusted) return await this.#load(source, entry);
    const document = await this.#budget.run(() => this.#load(source, entry));
    if (!document) throw unavailable(FIRST_PAUSE_MS);
    return document;
  }

  /** Where work ends with the request that began it, a promise may stay open for ever: it is not waited for. */
  #pending({ pending }: Entry<T>): Promise<Document<T>> | undefined {
    const { clock, limits } = this.#access;
    return pending && clock() - pending.since <= 2 * limits.keySetMs ? pending.document : undefined;
  }

  async #load(source: DocumentSource, entry: Entry<T>): Promise<Document<T>> {
    const { fetch, clock, limits, warn } = this.#access;
    const fetchedAt = clock();
    try {
      const bounds = { bytes: limits.keySetBytes, timeoutMs: limits.keySetMs };
      const value = this.#read(await readDocument(fetch, source, bounds), source);
      entry.document = { value, version: ++this.#version, fetchedAt };
      entry.failures = 0;
      entry.retryAt = LONG_AGO;
      return entry.document;
    } catch (cause) {
      const pause = Math.min(FIRST_PAUSE_MS * 2 ** entry.failures++, COOL_DOWN_MS);
      entry.retryAt = clock() + pause;
      warn(`${source.url} cannot be read: ${reasonOf(cause)}`);
      throw unavailable(pause, cause);
    }
  }

  /** Finds or makes an entry, and makes it the last used one. */
  #use(cacheKey: string): Entry<T> {
    const known = this.#entries.get(cacheKey);
    const entry = known ?? { failures: 0, retryAt: LONG_AGO, trusted: false };
    if (!known && this.#entries.size >= this.#access.limits.keySets) {
      this.#entries.delete(this.#superfluous());
    }
    this.#touch(cacheKey, entry);
    return entry;
  }

  #touch(cacheKey: string, entry: Entry<T>): void {
    this.#entries.delete(cacheKey);
    this.#entries.set(cacheKey, entry);
  }

  /** The longest unused entry, if possible one that no token was accepted with. */
  #superfluous(): string {
    let first: string | undefined;
    for (const [key, { trusted }] of this.#entries) {
      if (!trusted) return key;
      first ??= key;
    }
    return first!;
  }
}

function unavailable(pauseMs: number, cause?: unknown): ServiceError {
  const retryAfter = Math.max(1, Math.ceil(pauseMs / 1000));
  return new ServiceError({
    status: 503,
    retryAfter,
    message: "The identity service cannot be reached",
    cause,
  });
}

/** `fetch` says that it failed, and its cause why. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

/** Bounds of a document. */
interface DocumentBounds {
  /** Bytes at most. */
  readonly bytes: number;
  /** Milliseconds until it has arrived. */
  readonly timeoutMs: number;
}

/**
 * Fetches a document. Redirects are not followed: the address is the configured one.
 *
 * @param fetch sends the request
 * @param source where it is
 * @param bounds size and time
 * @returns the parsed JSON
 * @throws Error for another status than 200, a body that is too large or no JSON, or when it takes too long
 */
async function readDocument(
  fetch: SendRequest,
  source: DocumentSource,
  bounds: DocumentBounds,
): Promise<unknown> {
  const stop = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`no answer within ${bounds.timeoutMs} ms`));
      stop.abort();
    }, bounds.timeoutMs);
  });
  try {
    return await Promise.race([late, load(fetch, { source, bytes: bounds.bytes, signal: stop.signal })]);
  } finally {
    clearTimeout(timer);
  }
}

interface Loading {
  readonly source: DocumentSource;
  readonly bytes: number;
  readonly signal: AbortSignal;
}

async function load(fetch: SendRequest, { source, bytes, signal }: Loading): Promise<unknown> {
  const headers = { accept: "application/json", ...source.headers };
  const response = await fetch(
    new Request(source.url, { headers, redirect: "manual", signal }),
    source.keyPair,
  );
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`answered with status ${response.status}`);
  }
  const text = await readBoundedText(response, bytes, signal);
  if (text === undefined) throw new Error(`more than ${bytes} bytes`);
  return parse(text);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // the text of the platform's error quotes what came
    throw new Error("answered with something that is no JSON");
  }
}

/** Issuers whose configuration was told to be that of another one. */
const MAX_TOLD = 100;
const MAX_SHOWN = 200;

interface Configuration {
  readonly issuer: unknown;
  readonly keysUrl: string;
}

/** Fetches and keeps the configurations of issuers. */
export class Discovery {
  readonly #documents: Documents<Configuration>;
  readonly #warn: (text: string) => void;
  /** Versions of configurations of other issuers that were told, by issuer. */
  readonly #told: Map<string, number> = new Map();

  /**
   * Creates an empty cache.
   *
   * @param access what configurations are read with
   */
  constructor(access: SourceAccess) {
    this.#documents = new Documents(access, readConfiguration);
    this.#warn = access.warn;
  }

  /**
   * URL of the keys of an issuer. A configuration of another issuer is asked for again, but not within 30 seconds.
   *
   * @param issuer URL of a trusted issuer
   * @throws TokenRefused when the configuration is that of another issuer (4.3), ServiceError 503 when it cannot be read
   */
  async keysUrl(issuer: string): Promise<string> {
    const source = sourceOf(issuer);
    const document = await this.#documents.get(source);
    if (document.value.issuer === issuer) return document.value.keysUrl;
    const newer = await this.#documents.newer(source, document);
    if (newer?.value.issuer === issuer) return newer.value.keysUrl;
    this.#tell(issuer, newer ?? document);
    throw new TokenRefused("the configuration is that of another issuer");
  }

  /** Says once for each configuration that was read whose it is: most often a slash is missing, or there is one too many. */
  #tell(issuer: string, { value, version }: Document<Configuration>): void {
    if (this.#told.get(issuer) === version) return;
    if (this.#told.size >= MAX_TOLD) this.#told.clear();
    this.#told.set(issuer, version);
    const found = typeof value.issuer === "string" ? `"${value.issuer.slice(0, MAX_SHOWN)}"` : "none";
    this.#warn(`The configuration of issuer "${issuer}" names another issuer: ${found}`);
  }

  /** Remembers that a token of an issuer was accepted: its configuration is dropped last. */
  trust(issuer: string): void {
    this.#documents.trust(sourceOf(issuer));
  }
}

/** A slash at the end of the issuer is not doubled (4.1). */
function sourceOf(issuer: string): DocumentSource {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  return { url, headers: {}, cacheKey: url };
}

/** Keys come by https; by http only on this machine, and only for an issuer there. */
function readConfiguration(json: unknown, source: DocumentSource): Configuration {
  const { issuer, jwks_uri: keysUrl } = isPlainObject(json) ? json : {};
  const isSafe = (url: URL) =>
    url.protocol === "https:" || (isLocalUrl(url) && isLocalUrl(new URL(source.url)));
  if (typeof keysUrl !== "string" || !URL.canParse(keysUrl) || !isSafe(new URL(keysUrl))) {
    throw new TypeError(`no https URL as "jwks_uri"`);
  }
  return { issuer, keysUrl };
}
