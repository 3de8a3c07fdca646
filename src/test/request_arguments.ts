/**
 * How tests call `GET`, `POST`, …: with a path and more, or as tags of a template (api 10).
 *
 * @module
 */

import { isTemplate } from "../cqn/builders/parse_text.ts";
import type { Answer, RequestSettings } from "./request_settings.ts";

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
