/** Tokens and key sets that are changed after an identity has made them. */

import assert from "node:assert/strict";
import type { Identity } from "../../src/test/mod.ts";
import type { TokenApp } from "./token_app.ts";

/** Changes the JSON of a part of a token; the signature stays. */
export function changed(token: string, index: 0 | 1, members: object): string {
  const parts = token.split(".");
  parts[index] = encode({ ...decode(parts[index]!), ...members });
  return parts.join(".");
}

/** Reads a part of a token. */
export function decode(part: string): Record<string, unknown> {
  return JSON.parse(atob(part.replaceAll("-", "+").replaceAll("_", "/")));
}

/** Writes a part of a token: JSON, or bytes as they are. */
export function encode(value: object | string): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** A token signed by HMAC. */
export async function symmetric(
  claims: object,
  kid: string,
  secret: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", secret, algorithm, false, ["sign"]);
  const signed = `${encode({ alg: "HS256", typ: "JWT", kid })}.${encode(claims)}`;
  const bytes = new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(signed)));
  return `${signed}.${encode(String.fromCharCode(...bytes))}`;
}

/** Serves the keys of an identity after a change. */
export function serving(identity: Identity, change: (keys: JsonWebKey[]) => unknown[] | Promise<unknown[]>) {
  return async (request: Request) => {
    const { keys } = await (await identity.fetch(request)).json();
    return Response.json({ keys: await change(keys) });
  };
}

/** Asserts that a token is answered with 401, challenge and nothing else. */
export async function assertRefused({ get }: TokenApp, token: string): Promise<void> {
  const response = await get("members", token);
  assert.equal(response.status, 401);
  assert.deepEqual(await response.json(), { error: { code: "401", message: "Unauthorized" } });
  assert.equal(response.headers.get("www-authenticate"), 'Bearer error="invalid_token"');
}
