/**
 * Requests in the style of axios, as existing tests make them (api 10).
 *
 * @module
 */

import type { Answer, RequestSettings } from "./request_settings.ts";

/** What requests go through: a test client. */
interface Sender {
  defaults: RequestSettings;
  send<T>(
    method: string,
    path: string,
    options: { readonly body?: unknown; readonly settings?: RequestSettings },
  ): Promise<Answer<T>>;
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
}

/** The functions of axios that tests use; answers of 4xx and 5xx reject. */
export interface AxiosLike {
  /** Settings of all requests of the client. */
  defaults: RequestSettings & { auth?: RequestSettings["auth"] };
  /** Reads. */
  get<T = unknown>(path: string, settings?: RequestSettings): Promise<AxiosAnswer<T>>;
  /** Creates, or calls an action. */
  post<T = unknown>(path: string, body?: unknown, settings?: RequestSettings): Promise<AxiosAnswer<T>>;
  /** Replaces. */
  put<T = unknown>(path: string, body?: unknown, settings?: RequestSettings): Promise<AxiosAnswer<T>>;
  /** Changes. */
  patch<T = unknown>(path: string, body?: unknown, settings?: RequestSettings): Promise<AxiosAnswer<T>>;
  /** Deletes. */
  delete<T = unknown>(path: string, settings?: RequestSettings): Promise<AxiosAnswer<T>>;
}

/**
 * Makes the functions for a client.
 *
 * @param sender the client; `defaults` are its own
 */
export function createAxios(sender: Sender): AxiosLike {
  const send = async <T>(method: string, path: string, options: Parameters<Sender["send"]>[2]) => {
    const { status, data, headers } = await sender.send<T>(method, path, options);
    const response: AxiosAnswer<T> = { status, data, headers: Object.fromEntries(headers) };
    if (status < 400) return response;
    throw Object.assign(new Error(textOf(response)), { response }) satisfies AxiosFailure;
  };
  return {
    get defaults() {
      return sender.defaults;
    },
    set defaults(value) {
      sender.defaults = value;
    },
    get: (path, settings) => send("GET", path, { settings }),
    post: (path, body, settings) => send("POST", path, { body, settings }),
    put: (path, body, settings) => send("PUT", path, { body, settings }),
    patch: (path, body, settings) => send("PATCH", path, { body, settings }),
    delete: (path, settings) => send("DELETE", path, { settings }),
  };
}

/** Status and message of the error: tests match on them. */
function textOf({ status, data }: AxiosAnswer): string {
  const { message } = (data as { error?: { message?: string } } | undefined)?.error ?? {};
  return message ? `${status} - ${message}` : `Request failed with status code ${status}`;
}
