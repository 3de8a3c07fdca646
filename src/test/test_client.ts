/**
 * The client of in-process tests.
 *
 * @module
 */

import type { Runtime } from "../fw/runtime.ts";
import { encodeBase64 } from "../util/bytes.ts";
import { type AxiosLike, createAxios } from "./axios_like.ts";
import { type CapturedLog, captureLog } from "./capture_log.ts";
import { type Expect, expect } from "./expect/expect.ts";
import type { Identity } from "./identity/identity.ts";
import { TEST_PEER } from "./identity/identity_environment.ts";
import {
  type Answer,
  type ReadRequest,
  requestArguments,
  type RequestSettings,
  withParams,
  type WriteRequest,
} from "./request_arguments.ts";
import { testedProject } from "./tested_project.ts";

const ORIGIN = "http://localhost";

/** What a client has beside its runtime. */
export interface TestOptions {
  /** The identity service users come from, or both; it takes the place of `requires.auth`. */
  readonly identity?: Identity | readonly Identity[];
}

/** Sends requests to a runtime in this process. */
export class TestClient {
  /** The runtime under test. */
  readonly runtime: Runtime;
  /** Settings of all requests; those of a single request win. */
  defaults: RequestSettings;
  readonly #identities: readonly Identity[];

  /**
   * Makes a client.
   *
   * @param runtime the runtime under test; it starts with the first request
   * @param defaults settings of all requests
   * @param options identity services that issue the tokens of requests
   */
  constructor(runtime: Runtime, defaults: RequestSettings = {}, { identity = [] }: TestOptions = {}) {
    this.runtime = runtime;
    this.defaults = defaults;
    this.#identities = [identity].flat();
  }

  /** Reads. */
  readonly GET: ReadRequest = this.#reading("GET");
  /** Creates, or calls an action. */
  readonly POST: WriteRequest = this.#writing("POST");
  /** Replaces. */
  readonly PUT: WriteRequest = this.#writing("PUT");
  /** Changes. */
  readonly PATCH: WriteRequest = this.#writing("PATCH");
  /** Deletes. */
  readonly DELETE: ReadRequest = this.#reading("DELETE");

  /** Requests in the style of axios: its `defaults` are those of this client, and 4xx and 5xx reject. */
  readonly axios: AxiosLike = createAxios(this);
  /** Assertions in the style of chai. */
  readonly expect: Expect = expect;
  /** Captures what is written to the console, until `release()`. */
  readonly log = (): CapturedLog => captureLog();

  /** The data of the runtime: `data.reset()` restores the initial rows. */
  readonly data: { readonly reset: () => Promise<void> } = { reset: () => this.runtime.reset() };

  /** Ends the runtime. */
  readonly close = (): Promise<void> => this.runtime.close();

  /**
   * Sends any request.
   *
   * @param method HTTP method
   * @param path path and query; blanks and the like are encoded
   * @param options body (text and bytes as they are, anything else as JSON) and settings
   */
  async send<T = unknown>(
    method: string,
    path: string,
    options: { readonly body?: unknown; readonly settings?: RequestSettings } = {},
  ): Promise<Answer<T>> {
    // a name and password of the request take the place of a token of all requests
    const token = options.settings?.auth ? undefined : this.defaults.token;
    const settings = { ...this.defaults, token, ...options.settings };
    const headers = new Headers({ ...this.defaults.headers, ...options.settings?.headers });
    if (settings.auth) {
      const bytes = new TextEncoder().encode(`${settings.auth.username}:${settings.auth.password ?? ""}`);
      headers.set("authorization", `Basic ${encodeBase64(bytes)}`);
    }
    if (settings.token !== undefined) headers.set("authorization", `Bearer ${await this.#tokenOf(settings)}`);
    if (settings.certificate) headers.set("x-forwarded-client-cert", settings.certificate.header);
    const { body } = options;
    const isAsSent = body === undefined || typeof body === "string" || isBytes(body);
    if (!isAsSent && !headers.has("content-type")) headers.set("content-type", "application/json");
    const sent = isAsSent ? body : JSON.stringify(body);
    // a certificate counts only as the word of a trusted proxy
    const peer = settings.peer ?? (settings.certificate ? TEST_PEER : undefined);
    const response = await this.runtime.fetch(
      new Request(new URL(withParams(path, settings.params), ORIGIN), { method, headers, body: sent }),
      peer === undefined ? undefined : { remoteAddr: { hostname: peer } },
    );
    const data = await dataOf(response) as T; // the test says what it expects
    return { status: response.status, data, headers: response.headers };
  }

  #reading(method: string): ReadRequest {
    return <T>(...given: readonly unknown[]) => {
      const [path, settings] = requestArguments(given);
      return this.send<T>(method, path, { settings: settings as RequestSettings | undefined });
    };
  }

  #writing(method: string): WriteRequest {
    return <T>(...given: readonly unknown[]) => {
      const [path, body, settings] = requestArguments(given);
      return this.send<T>(method, path, { body, settings: settings as RequestSettings | undefined });
    };
  }

  #tokenOf({ token, certificate }: RequestSettings): string | Promise<string> {
    if (typeof token === "string") return token;
    const [identity, ...others] = this.#identities;
    if (!identity || others.length > 0) {
      throw new TypeError("Options of a token need a client with one identity service");
    }
    return identity.token({ certificate, ...token });
  }
}

function isBytes(body: unknown): body is Uint8Array<ArrayBuffer> {
  return body instanceof Uint8Array;
}

/** Types of bodies that are text; anything else is bytes. */
const TEXT = /^$|^(?:text|multipart)\/|\b(?:json|xml|http)\b/;

async function dataOf(response: Response): Promise<unknown> {
  const type = response.headers.get("content-type") ?? "";
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.length === 0) return undefined;
  if (!TEXT.test(type)) return bytes;
  const text = new TextDecoder().decode(bytes);
  return /\bjson\b/.test(type) ? JSON.parse(text) : text;
}

/**
 * A client for a project folder, in the profiles `development` and `test` unless a variable names others; the log shows
 * errors only. A SQLite file is replaced by a database in memory, unless `env` says where the database is.
 *
 * @param folder root of the project
 * @param env configuration that wins over all other sources
 * @param options identity services whose tokens the project accepts
 * @throws ConfigurationError when the project is wrong
 */
export function test(
  folder: string,
  env: Readonly<Record<string, unknown>> = {},
  options: TestOptions = {},
): TestClient {
  const identities = [options.identity ?? []].flat();
  return new TestClient(testedProject({ folder, env, identities }), {}, options);
}
