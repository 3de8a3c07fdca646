/**
 * Requests in the style of axios, as existing tests make them (api 10).
 *
 * @module
 */

import type { Answer, RequestSettings } from "./request_arguments.ts";
import { jsonOr } from "../util/json_text.ts";

/** What requests go through: a test client. */
export interface Sender {
  /** Settings of all requests. */
  defaults: AxiosSettings;
  /** Sends a request. */
  send<T>(
    method: string,
    path: string,
    options: { readonly body?: unknown; readonly settings?: RequestSettings },
  ): Promise<Answer<T>>;
}

/** How a request in the style of axios is sent. */
export interface AxiosSettings extends Omit<RequestSettings, "auth"> {
  /** Name and password for HTTP basic authentication. */
  auth?: RequestSettings["auth"];
  /** What paths begin with. */
  baseURL?: string;
  /** What paths begin with behind that. */
  path?: string;
  /** Which answers do not reject; default: those below 400. */
  validateStatus?: ((status: number) => boolean) | null;
  /** What a body is read as: `text` and `arraybuffer` as they are, anything else as JSON where it is some. */
  responseType?: string;
}

/** A whole request. */
export interface AxiosRequest extends AxiosSettings {
  /** Path and query. */
  readonly url: string;
  /** HTTP method; default: GET. */
  readonly method?: string;
  /** Body. */
  readonly data?: unknown;
}

/** An answer, with its headers by name as well. */
export interface AxiosAnswer<T = unknown> extends Omit<Answer<T>, "headers"> {
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What an answer of 4xx or 5xx rejects with. */
export interface AxiosFailure extends Error {
  /** The answer. */
  readonly response: AxiosAnswer;
  /** HTTP status. */
  readonly status: number;
  /** The code of the error. */
  readonly code?: string;
}

/** The functions of axios that tests use; answers of 4xx and 5xx reject. */
export interface AxiosLike {
  /** Sends a whole request. */
  <T = unknown>(request: AxiosRequest): Promise<AxiosAnswer<T>>;
  /** Settings of all requests of the client. */
  defaults: AxiosSettings;
  /** Sends a whole request. */
  request<T = unknown>(request: AxiosRequest): Promise<AxiosAnswer<T>>;
  /** Reads. */
  get<T = unknown>(path: string, settings?: AxiosSettings): Promise<AxiosAnswer<T>>;
  /** Reads headers. */
  head<T = unknown>(path: string, settings?: AxiosSettings): Promise<AxiosAnswer<T>>;
  /** Asks what is possible. */
  options<T = unknown>(path: string, settings?: AxiosSettings): Promise<AxiosAnswer<T>>;
  /** Creates, or calls an action. */
  post<T = unknown>(path: string, body?: unknown, settings?: AxiosSettings): Promise<AxiosAnswer<T>>;
  /** Replaces. */
  put<T = unknown>(path: string, body?: unknown, settings?: AxiosSettings): Promise<AxiosAnswer<T>>;
  /** Changes. */
  patch<T = unknown>(path: string, body?: unknown, settings?: AxiosSettings): Promise<AxiosAnswer<T>>;
  /** Deletes. */
  delete<T = unknown>(path: string, settings?: AxiosSettings): Promise<AxiosAnswer<T>>;
}

/**
 * Makes the functions for a client.
 *
 * @param sender the client; `defaults` are its own
 */
export function createAxios(sender: Sender): AxiosLike {
  const request = async <T>({ url, method = "GET", data: body, ...given }: AxiosRequest) => {
    const settings = { ...sender.defaults, ...given };
    const path = withBase(withBase(url, settings.path), settings.baseURL);
    const answer = await sender.send<T>(method.toUpperCase(), path, { body, settings: given });
    // no content is empty text, as that of axios is; the test says what it expects
    const data = (answer.status === 204 ? "" : dataAs(answer.data, settings.responseType)) as T;
    const response: AxiosAnswer<T> = { ...answer, data, headers: Object.fromEntries(answer.headers) };
    const isGood = settings.validateStatus === undefined ? isBelow400 : settings.validateStatus;
    if (!isGood || isGood(response.status)) return response;
    throw failureOf(response);
  };
  const reading = (method: string) => <T>(url: string, settings?: AxiosSettings) =>
    request<T>({ ...settings, url, method });
  const writing = (method: string) => <T>(url: string, data?: unknown, settings?: AxiosSettings) =>
    request<T>({ ...settings, url, method, data });
  const made = Object.assign(<T>(whole: AxiosRequest) => request<T>(whole), {
    request,
    get: reading("GET"),
    head: reading("HEAD"),
    options: reading("OPTIONS"),
    delete: reading("DELETE"),
    post: writing("POST"),
    put: writing("PUT"),
    patch: writing("PATCH"),
  });
  const defaults = {
    get: () => sender.defaults,
    set: (value: AxiosSettings) => void (sender.defaults = value),
  };
  return Object.defineProperties(made, { defaults, constructor: { value: Naxios } }) as
    & typeof made
    & Pick<AxiosLike, "defaults">;
}

/** By this name tests of existing projects tell clients whose GET cannot have a body, as that of `fetch` cannot. */
class Naxios {}

function isBelow400(status: number): boolean {
  return status < 400;
}

/** A path behind the base of all requests; whole URLs stay. */
function withBase(path: string, base = ""): string {
  if (base === "" || /^https?:/.test(path)) return path;
  return `${base.replace(/\/+$/, "")}/${path.replace(/^\/+/, "")}`;
}

/** Text is read as JSON where it is some, whatever its type says. */
function dataAs(data: unknown, type: string | undefined): unknown {
  if (typeof data !== "string" || type === "text" || type === "arraybuffer") return data;
  return jsonOr(data, data);
}

/** Tests match on status and message of the error. */
function failureOf(response: AxiosAnswer): AxiosFailure {
  const { status, data } = response;
  const { message, code } = (data as { error?: { message?: string; code?: string } } | undefined)?.error ??
    {};
  const text = message ? `${status} - ${message}` : `Request failed with status code ${status}`;
  return Object.assign(new Error(text), { response, status, code });
}
