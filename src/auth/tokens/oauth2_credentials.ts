/**
 * Credentials of the OAuth 2.0 service, as far as checking tokens needs them (spec 2.6).
 *
 * @module
 */

import { importSPKI } from "jose";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";

/** What a binding of the OAuth 2.0 service tells. */
export interface OAuth2Credentials {
  /** Client id of the application. */
  readonly clientId: string;
  /** Name of the application there: prefix of its scopes. */
  readonly appName: string;
  /** Host that publishes the keys. */
  readonly domain: string;
  /** PEM of a key, for the time in which the keys cannot be fetched. */
  readonly verificationKey: string | undefined;
}

/** A host name, with a port if need be. */
const HOST = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/i;

/**
 * Reads the credentials.
 *
 * @param value `fw.requires.auth.credentials`
 * @throws ConfigurationError for a member that is missing or wrong; values are not part of the message
 */
export async function readOAuth2Credentials(value: unknown): Promise<OAuth2Credentials> {
  if (!isPlainObject(value)) throw missing("clientid");
  const domain = text(value, "uaadomain");
  if (!HOST.test(domain)) throw new ConfigurationError(`${MEMBER}uaadomain" must be the name of a host`);
  const verificationKey = value.verificationkey === undefined ? undefined : text(value, "verificationkey");
  return {
    clientId: text(value, "clientid"),
    appName: text(value, "xsappname"),
    domain,
    verificationKey: verificationKey && await checkedPem(verificationKey),
  };
}

const MEMBER = '"fw.requires.auth.credentials.';

function missing(name: string): ConfigurationError {
  return new ConfigurationError(
    `${MEMBER}${name}" is missing: kind "oauth2" needs a binding of the service, or its credentials`,
  );
}

function text(value: Readonly<Record<string, unknown>>, name: string): string {
  const member = value[name];
  if (typeof member === "string" && member !== "") return member;
  throw member === undefined ? missing(name) : new ConfigurationError(`${MEMBER}${name}" must be a text`);
}

/** Bindings hold keys in one line, with `\n` for the line breaks or without any. */
async function checkedPem(value: string): Promise<string> {
  const pem = value.replaceAll("\\n", "\n");
  try {
    await importSPKI(pem, "RS256");
    return pem;
  } catch {
    throw new ConfigurationError(`${MEMBER}verificationkey" must be a public RSA key as PEM`);
  }
}
