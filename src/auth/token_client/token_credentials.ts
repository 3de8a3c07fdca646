/**
 * Credentials of identity services, from a binding or a service key (spec 2.6, 5.3.2).
 *
 * The identity services that an application is bound to (spec 5.1).
 *
 * @module
 */

import { ConfigurationError } from "../../errors/configuration_error.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import { isServiceUrl } from "../../util/http_text.ts";
import { type BoundKind, IDENTITY_KINDS } from "../strategy.ts";

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

/** `fw.requires.auth`, as far as it tells about bindings. */
export interface BoundAuthentication {
  /** One kind, or both. */
  readonly kind?: string | readonly string[];
  /** Those of the service; with two kinds those of each under its name. */
  readonly credentials?: Readonly<Record<string, unknown>>;
}

/**
 * The credentials with which an application asks its own identity service for tokens.
 *
 * @param auth `fw.requires.auth`
 * @param kind which service, where there are two
 * @throws ConfigurationError when there is none, or two and no choice
 */
export function boundIdentity(auth: BoundAuthentication = {}, kind?: BoundKind): TokenCredentials {
  const { credentials } = auth;
  const found = [auth.kind ?? []].flat().flatMap((name): BoundKind[] => {
    const known = Object.hasOwn(IDENTITY_KINDS, name) ? IDENTITY_KINDS[name] : undefined;
    return known === undefined || known === "openid" ? [] : [known];
  });
  if (credentials === undefined || found.length === 0) {
    throw new ConfigurationError(
      'The application is bound to no identity service: "fw.requires.auth" has no credentials of one (fw add oidc)',
    );
  }
  if (kind === undefined && found.length > 1) {
    throw new ConfigurationError("The application is bound to two identity services: choose oidc or oauth2");
  }
  const chosen = kind ?? found[0];
  if (!found.includes(chosen)) {
    throw new ConfigurationError(`The application is bound to no identity service of kind ${chosen}`);
  }
  return readTokenCredentials(found.length > 1 ? credentials[chosen] : credentials, chosen);
}

/** A certificate and its private key, each as PEM text. */
export interface ClientKeyPair {
  /** The certificate, with the ones that signed it. */
  readonly certificate: string;
  /** The private key. */
  readonly key: string;
}

/**
 * Sends a request; with a key pair, over a connection that shows its certificate.
 *
 * @param request the request
 * @param keyPair certificate and key for mutual TLS
 */
export type SendRequest = (request: Request, keyPair?: ClientKeyPair) => Promise<Response>;

/**
 * Sends by `fetch` of the platform, which has no way to show a certificate.
 *
 * @throws TypeError for a request that needs one
 */
export const sendByFetch: SendRequest = (request, keyPair) => {
  if (keyPair && new URL(request.url).protocol === "https:") {
    return Promise.reject(
      new TypeError("Requests with a client certificate need a function `fetch` in the table of kinds"),
    );
  }
  return fetch(request);
};

/** What a member of credentials holds. */
export type PemKind = "certificate" | "key";

const LABELS: Readonly<Record<PemKind, RegExp>> = {
  certificate: /^-----BEGIN CERTIFICATE-----\n/,
  key: /^-----BEGIN (RSA |EC )?PRIVATE KEY-----\n/,
};

/**
 * Turns the single line of a service key, with literal `\n` in it, into lines; text that has lines stays as it is.
 *
 * @param text the member of the service key
 * @param kind what it must hold
 * @throws ConfigurationError when it is neither; the text is not part of the message
 */
export function toPem(text: string, kind: PemKind): string {
  const pem = `${text.replace(/\\r\\n|\\n|\r\n/g, "\n").trim()}\n`;
  if (LABELS[kind].test(pem) && /\n-----END [A-Z ]+-----\n$/.test(pem)) return pem;
  const expected = kind === "key" ? "an unencrypted private key" : "a certificate";
  throw new ConfigurationError(`"${kind}" of the credentials must be ${expected} in PEM form`);
}
