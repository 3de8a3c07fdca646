/**
 * Requests that name an entity by its id: `$entity?$id=…` (URL Conventions 4.10) and the member of a collection of
 * references, `…/$ref?$id=…` (Protocol 11.4.6.2).
 *
 * @module
 */

import { ServiceError } from "../errors/service_error.ts";
import type { Exchange } from "./exchange.ts";
import { notAllowed } from "./methods.ts";
import { keyPredicate } from "./payload/key_predicate.ts";
import { relativeUrl } from "./payload/request_body.ts";
import { parseUrl } from "./url/parse_url.ts";

/**
 * The URL that a request means.
 *
 * @param exchange the request
 * @returns path and query below the service root, without `$id`
 * @throws {ServiceError} 400 when the id is missing or addresses no entity
 */
export function urlWithoutId(exchange: Exchange): string {
  const { rawUrl, method } = exchange;
  if (method !== "DELETE" && !rawUrl.startsWith("$entity")) return rawUrl;
  const [path, ...query] = rawUrl.split("?");
  const isEntity = path === "$entity" || path!.startsWith("$entity/");
  if (!isEntity && !(method === "DELETE" && path!.endsWith("/$ref"))) return rawUrl;
  const options = query.join("?").split("&").filter((option) => option !== "");
  if (isEntity) parseUrl(rawUrl, exchange.scope.host.limits);
  const given = options.find(isId);
  if (given === undefined) return rawUrl;
  const others = options.filter((option) => !isId(option)).join("&");
  const cast = path!.slice("$entity".length);
  return (isEntity ? entityUrl(exchange, given) + cast : memberUrl(exchange, path!, given)) +
    (others === "" ? "" : `?${others}`);
}

function isId(option: string): boolean {
  return /^(?:\$|%24)?id=/i.test(option);
}

function entityUrl(exchange: Exchange, option: string): string {
  if (exchange.method !== "GET" && exchange.method !== "HEAD") throw notAllowed(["GET", "HEAD"]);
  const url = urlOf(exchange, option);
  if (exchange.scope.plan(url, "GET").kind !== "entity") throw badId(`"${url}" does not address an entity`);
  return url;
}

function memberUrl(exchange: Exchange, path: string, option: string): string {
  const { target, addressed: { params }, kind } = exchange.scope.plan(urlOf(exchange, option), "GET");
  const predicate = target && kind === "entity" ? keyPredicate(target, params.at(-1) ?? {}) : undefined;
  if (predicate === undefined) throw badId('"$id" does not address an entity');
  return `${path.slice(0, -"/$ref".length)}${predicate}/$ref`;
}

/** The URL in the option, relative to the service root; its own options are left out. */
function urlOf(exchange: Exchange, option: string): string {
  const value = option.slice(option.indexOf("=") + 1);
  // a decoded id keeps the escapes of its own
  const url = /%2[fF]|%28|%3[aA]/.test(value) ? decode(value) : value;
  return relativeUrl(exchange, url.split(/[?#]/, 1)[0]!);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    throw new ServiceError({ status: 400, message: "Malformed percent-encoding in $id", cause: error });
  }
}

function badId(message: string): ServiceError {
  return new ServiceError({ status: 400, message });
}
