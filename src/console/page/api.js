/**
 * Requests to the services, as any client sends them, with the rights of the chosen user.
 *
 * @module
 */

import { events, ROOT, state } from "./state.js";

const KEPT = 100;
/** Exact numbers: they arrive and leave as texts. */
export const JSON_TYPE = "application/json;IEEE754Compatible=true";

/** The last requests, newest first. */
export const requests = [];

/** An answer that says no. */
export class ApiError extends Error {
  constructor(answer) {
    const { error } = answer.body ?? {};
    super(
      error?.message ??
        (typeof answer.body === "string" && answer.body !== "" ? answer.body : answer.statusText),
    );
    this.status = answer.status;
    this.code = error?.code;
    this.answer = answer;
    this.parts = error === undefined ? [] : [error, ...error.details ?? []];
  }
}

/** Sends a request; answers of 400 and above are thrown. */
export async function send(method, url, options = {}) {
  const answer = await exchange(method, url, options);
  if (answer.status >= 400) throw new ApiError(answer);
  return answer;
}

/** Sends a request and keeps it for the view of requests. */
export async function exchange(method, url, { headers = {}, body, unseen = false } = {}) {
  const target = new URL(url, ROOT);
  const sent = { accept: JSON_TYPE, "accept-language": state.language, ...headers, ...authorization() };
  const start = performance.now();
  const response = await fetch(target, {
    method,
    headers: sent,
    body,
    redirect: "follow",
    // a browser would ask for a login by a window of its own
    credentials: state.info?.isMocked ? "omit" : "same-origin",
  });
  const raw = await readBody(response);
  const answer = {
    status: response.status,
    statusText: response.statusText,
    headers: [...response.headers],
    header: (name) => response.headers.get(name),
    body: raw,
    ms: performance.now() - start,
  };
  if (!unseen) keep({ method, url: target, headers: sent, body, answer });
  return answer;
}

async function readBody(response) {
  if (response.status === 204) return undefined;
  const type = response.headers.get("content-type") ?? "";
  if (/\bjson\b/.test(type)) {
    const text = await response.text();
    return text === "" ? undefined : JSON.parse(text);
  }
  return /^(?:text|application\/xml|multipart)/.test(type) ? await response.text() : await response.blob();
}

function keep(request) {
  requests.unshift(request);
  requests.length = Math.min(requests.length, KEPT);
  events.dispatchEvent(new Event("requests"));
}

function authorization() {
  if (!state.login) return {};
  const bytes = new TextEncoder().encode(`${state.login.name}:${state.login.password ?? ""}`);
  return { authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` };
}

/** A request as a command for a terminal. */
export function toCurl({ method, url, headers, body }) {
  const quote = (text) => `'${text.replaceAll("'", `'\\''`)}'`;
  const { authorization: _, ...shown } = headers;
  const parts = ["curl -g"];
  if (method !== "GET") parts.push(`-X ${method}`);
  if (state.login) parts.push(`-u ${quote(`${state.login.name}:${state.login.password ?? ""}`)}`);
  for (const [name, value] of Object.entries(shown)) parts.push(`-H ${quote(`${name}: ${value}`)}`);
  if (typeof body === "string") parts.push(`-d ${quote(body)}`);
  return [...parts, quote(String(url))].join(" ");
}

/** A request as the body of a batch of its service. */
export function toBatch({ method, url, headers, body }) {
  const service = state.info.services.flatMap(({ endpoints }) => endpoints)
    .map(({ path }) => `${new URL(`.${path}`, ROOT)}/`).find((root) => String(url).startsWith(root));
  const { authorization: _, accept: __, "accept-language": ___, ...others } = headers;
  return JSON.stringify(
    {
      requests: [{
        id: "1",
        method,
        url: service ? String(url).slice(service.length) : String(url),
        ...(Object.keys(others).length > 0 ? { headers: others } : {}),
        ...(typeof body === "string" ? { body: JSON.parse(body) } : {}),
      }],
    },
    null,
    2,
  );
}
