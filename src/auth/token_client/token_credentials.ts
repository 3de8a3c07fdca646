/**
 * Credentials of identity services, from a binding or a service key (spec 2.6, 5.3.2).
 *
 * @module
 */

import { ConfigurationError } from "../../errors/configuration_error.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import { isServiceUrl } from "../../util/is_service_url.ts";
import type { BoundKind } from "../identity_kinds.ts";
import { type ClientKeyPair, toPem } from "./client_key_pair.ts";

/** Who asks an identity service for tokens, and where. */
export interface TokenCredentials {
  /** Which service it is. */
  readonly kind: BoundKind;
  /** The member `clientid`. */
  readonly clientId: string;
  /** The member `clientsecret`; an OIDC service gets none. */
  readonly clientSecret?: string;
  /** Certificate and key; an OIDC service always gets them. */
  readonly keyPair?: ClientKeyPair;
  /** The token endpoint. */
  readonly tokenUrl: string;
}

/** Paths of the token endpoints (spec 4.2). */
const PATHS: Readonly<Record<BoundKind, string>> = { oidc: "/oauth2/token", oauth2: "/oauth/token" };
/** Members that only credentials of the OAuth 2.0 service have. */
const OAUTH2_MEMBERS = ["xsappname", "uaadomain", "certurl", "verificationkey"];

/**
 * Reads credentials; those inside a member `credentials`, as the platform's commands print them, are found too.
 *
 * @param value the parsed service key, or the credentials of a binding
 * @param kind which service they are of; default: what their members tell
 * @throws ConfigurationError for a member that is missing or wrong; values are not part of the message
 */
export function readTokenCredentials(value: unknown, kind?: BoundKind): TokenCredentials {
  if (!isPlainObject(value)) throw new ConfigurationError("The credentials must be an object");
  if (isPlainObject(value.credentials)) return readTokenCredentials(value.credentials, kind);
  const found = kind ?? kindOf(value);
  const clientId = text(value, "clientid");
  if (found === "oauth2" && value.clientsecret !== undefined) {
    const clientSecret = text(value, "clientsecret");
    return { kind: found, clientId, clientSecret, tokenUrl: tokenUrl(value, "url", found) };
  }
  if (found === "oauth2" && value.certificate === undefined) {
    throw new ConfigurationError(`The credentials lack "clientsecret", or "certificate" and "key"`);
  }
  const keyPair = {
    certificate: toPem(text(value, "certificate"), "certificate"),
    key: toPem(text(value, "key"), "key"),
  };
  const member = found === "oauth2" && value.certurl !== undefined ? "certurl" : "url";
  return { kind: found, clientId, keyPair, tokenUrl: tokenUrl(value, member, found) };
}

function kindOf(value: Readonly<Record<string, unknown>>): BoundKind {
  if (OAUTH2_MEMBERS.some((name) => value[name] !== undefined)) return "oauth2";
  return value.certificate === undefined && value.clientsecret !== undefined ? "oauth2" : "oidc";
}

function text(value: Readonly<Record<string, unknown>>, name: string): string {
  const member = value[name];
  if (typeof member === "string" && member !== "") return member;
  throw new ConfigurationError(
    member === undefined ? `The credentials lack "${name}"` : `"${name}" of the credentials must be a text`,
  );
}

function tokenUrl(
  value: Readonly<Record<string, unknown>>,
  member: string,
  kind: BoundKind,
): string {
  return tokenEndpoint(text(value, member), kind, `"${member}" of the credentials`);
}

/**
 * The token endpoint of an identity service.
 *
 * @param authUrl URL of the service; https, or http on this machine, without user, query and fragment
 * @param kind which service it is
 * @param name what the message calls the URL
 * @throws ConfigurationError for any other URL
 */
export function tokenEndpoint(authUrl: string, kind: BoundKind, name = "The URL"): string {
  if (!isServiceUrl(authUrl)) {
    throw new ConfigurationError(`${name} must be an https URL without user, query and fragment`);
  }
  const url = new URL(authUrl);
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}${PATHS[kind]}`;
}
