import { isTemplate } from "../cqn/builders/parse_text.ts";
import type { Certificate } from "./identity/certificate.ts";
import type { TokenOptions } from "./identity/token_claims.ts";

/** A request without body. */
export interface ReadRequest {
  /** Sends it to a path. */
  <T = unknown>(path: string, settings?: RequestSettings): Promise<Answer<T>>;
  /** Sends it to the path of a template: `` GET`/odata/v4/catalog/Books ${{ params }}` ``. */
  <T = unknown>(path: TemplateStringsArray, ...values: readonly unknown[]): Promise<Answer<T>>;
}

/** A request with a body. */
export interface WriteRequest {
  /** Sends it to a path. */
  <T = unknown>(path: string, body?: unknown, settings?: RequestSettings): Promise<Answer<T>>;
  /** Sends it to the path of a template: `` POST`/odata/v4/admin/Books ${{ ID: 1 }}` ``. */
  <T = unknown>(path: TemplateStringsArray, ...values: readonly unknown[]): Promise<Answer<T>>;
}

/**
 * The path, and what follows it. Objects in a template are what would follow its path, other values belong to the path.
 *
 * @param given the arguments of a call, or those of a tag
 */
export function requestArguments(given: readonly unknown[]): readonly [path: string, ...more: unknown[]] {
  if (!isTemplate(given)) return [String(given[0]), ...given.slice(1)];
  const [strings, ...values] = given;
  const isPart = (value: unknown) => typeof value !== "object" || value === null;
  const path = strings.reduce((before, text, at) => {
    const value = values[at - 1];
    return before + (isPart(value) ? String(value) : "") + text;
  });
  return [path.trim(), ...values.filter((value) => !isPart(value))];
}

/**
 * A path with further query options.
 *
 * @param path path and query
 * @param params the options
 */
export function withParams(path: string, params: RequestSettings["params"] = {}): string {
  const given = Object.entries(params).filter(([, value]) => value !== undefined);
  const added = given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join("&");
  return added === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${added}`;
}

/** How a request is sent. */
export interface RequestSettings {
  /** Name and password for HTTP basic authentication. */
  readonly auth?: { readonly username: string; readonly password?: string };
  /** A token, or what the identity service of the client puts into one: `{ user: "alice", roles: ["admin"] }`. */
  readonly token?: string | TokenOptions;
  /** The client certificate, as a proxy forwards it. A token made for the request is bound to it. */
  readonly certificate?: Certificate;
  /** Query options that are added to the path: `{ $filter: "stock gt 1", $top: 5 }`. */
  readonly params?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Headers of the request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Address the request seems to come from; proxies are trusted by their address. */
  readonly peer?: string;
}

/**
 * What came back.
 *
 * @typeParam T what the test expects as data, which nothing checks
 */
export interface Answer<T = unknown> {
  /** HTTP status; errors do not throw. */
  readonly status: number;
  /** Value of a JSON body, else its text, of media types that are none its bytes; undefined without body. */
  readonly data: T;
  /** Headers of the answer. */
  readonly headers: Headers;
}
