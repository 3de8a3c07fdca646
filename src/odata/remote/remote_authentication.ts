/**
 * How calls of remote services are authenticated.
 *
 * @module
 */

import {
  type BoundAuthentication,
  boundIdentity,
  type ClientKeyPair,
  readTokenCredentials,
  type SendRequest,
  type TokenCredentials,
  toPem,
} from "../../auth/token_client/token_credentials.ts";
import { TokenClient } from "../../auth/token_client/token_client.ts";
import type { EventContext } from "../../context/event_context.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import type { ServiceEnvironment } from "../../service/service_environment.ts";
import { encodeBase64 } from "../../util/bytes.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import { nearestName } from "../../util/nearest_name.ts";

/** What authenticates the calls of one service. */
export interface RemoteAuthentication {
  /** Certificate and key that its connections show. */
  readonly keyPair?: ClientKeyPair;
  /**
   * Value of the header `Authorization`.
   *
   * @param context who calls
   * @throws TokenRequestError when a token is needed and none comes
   */
  header(context: EventContext | undefined): string | undefined | Promise<string>;
}

/** What it depends on. */
export interface RemoteAuthenticationOptions {
  /** Name of the service, for messages. */
  readonly name: string;
  /** Its entry below `requires`. */
  readonly options: { readonly credentials?: unknown };
  /** Configuration, with the identity service of the application itself in `requires.auth`, and bounds. */
  readonly host: Pick<ServiceEnvironment, "env" | "limits">;
  /** Asks for tokens. */
  readonly fetch: SendRequest;
}

/** Values of `credentials.authentication`, and the names that destinations have for them. */
const MODES = {
  none: "none",
  basic: "basic",
  forward: "forward",
  client_credentials: "client_credentials",
  "jwt-bearer": "jwt-bearer",
  NoAuthentication: "none",
  BasicAuthentication: "basic",
  OAuth2ClientCredentials: "client_credentials",
  OAuth2JWTBearer: "jwt-bearer",
  OAuth2UserTokenExchange: "jwt-bearer",
} as const;

/** A call that needs the token of a user, in a context that has none. */
export class NoUserTokenError extends Error {}

/**
 * Reads how a service is to be called: `credentials.authentication` is `none`; `basic` (the default with `username`);
 * `forward`: the token of the caller as it is (of mock users their login, outside production), or with
 * `identity: "oauth2"` what the strategy has exchanged it for;
 * `client_credentials`: a token for the application itself; `jwt-bearer`: a token for the user of the caller's token.
 * Tokens are asked for with `credentials.identity`: a service key, or which of the application's own bindings to use.
 *
 * @param options credentials, and the binding of the application
 * @throws ConfigurationError for a wrong or missing member
 */
export function remoteAuthentication(options: RemoteAuthenticationOptions): RemoteAuthentication {
  const { name, host, fetch } = options;
  const credentials = (options.options.credentials ?? {}) as Credentials;
  const mode = modeOf(name, credentials);
  const own = ownKeyPair(name, credentials);
  if (mode === "none") return { keyPair: own, header: () => undefined };
  if (mode === "basic") return { keyPair: own, header: () => basic(credentials) };
  if (mode === "forward") {
    const isExchanged = credentials.identity === "oauth2";
    const token = (context?: EventContext) => isExchanged && exchangedToken(context) || userToken(context);
    const login = (context?: EventContext) => isMocked(host) ? mockLogin(context) : undefined;
    return { keyPair: own, header: (context) => bearer(token(context)) ?? login(context) };
  }
  const { auth } = (host.env.requires ?? {}) as { readonly auth?: BoundAuthentication };
  const identity = named(name, () => identityOf(credentials, auth));
  const client = new TokenClient({ credentials: identity, fetch, limits: host.limits });
  const header = async (context: EventContext | undefined) => {
    const { tenant } = context ?? {};
    const { access_token } = mode === "client_credentials"
      ? await client.token({ type: mode, tenant })
      : await client.token({ type: mode, tenant, assertion: namedUserToken(context) });
    return `Bearer ${access_token}`;
  };
  // A token of the OIDC service is bound to the certificate it was asked for with (spec 5.2.12).
  return { keyPair: own ?? (identity.kind === "oidc" ? identity.keyPair : undefined), header };
}

type Credentials = Readonly<Record<string, unknown>>;

function modeOf(
  name: string,
  { authentication, username }: Credentials,
): (typeof MODES)[keyof typeof MODES] {
  if (authentication === undefined) return username === undefined ? "none" : "basic";
  if (typeof authentication === "string" && Object.hasOwn(MODES, authentication)) {
    return MODES[authentication as keyof typeof MODES];
  }
  const names = Object.keys(MODES);
  const nearest = nearestName(String(authentication), names);
  throw new ConfigurationError(
    `"fw.requires.${name}.credentials.authentication" must be one of ${names.slice(0, 5).join(", ")}${
      nearest ? `; did you mean "${nearest}"?` : ""
    }`,
  );
}

function ownKeyPair(name: string, { certificate, key }: Credentials): ClientKeyPair | undefined {
  if (certificate === undefined) return undefined;
  return named(name, () => ({
    certificate: toPem(String(certificate), "certificate"),
    key: toPem(String(key), "key"),
  }));
}

function identityOf(credentials: Credentials, auth: BoundAuthentication | undefined): TokenCredentials {
  const { identity = credentials.uaa } = credentials; // keys of services hold that of the identity service as "uaa"
  if (isPlainObject(identity)) return readTokenCredentials(identity);
  if (identity === "oidc" || identity === "oauth2") return boundIdentity(auth, identity);
  if (identity === undefined) return boundIdentity(auth);
  throw new ConfigurationError(`"identity" must be a service key, oidc or oauth2`);
}

/** Says which entry is meant. */
function named<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof ConfigurationError)) throw cause;
    throw new ConfigurationError(`"fw.requires.${name}": ${cause.message}`, {}, { cause });
  }
}

function basic({ username, password }: Credentials): string | undefined {
  if (typeof username !== "string") return undefined;
  const bytes = new TextEncoder().encode(`${username}:${password ?? ""}`);
  return `Basic ${encodeBase64(bytes)}`;
}

function bearer(token: string | undefined): string | undefined {
  return token === undefined ? undefined : `Bearer ${token}`;
}

/** The context of the request, unless the code has taken on another user since. */
function callerOf(context: EventContext | undefined): EventContext | undefined {
  let root = context;
  while (root?.parent) root = root.parent;
  return context?.user === root?.user ? root : undefined;
}

/** The token that the caller sent. */
function userToken(context: EventContext | undefined): string | undefined {
  return /^bearer +([\w.~+/-]+=*)$/i.exec(authorizationOf(context))?.[1];
}

/** The login of a mock user, who stands for the user of a token. */
function mockLogin(context: EventContext | undefined): string | undefined {
  const login = /^basic +([\w+/-]+=*)$/i.exec(authorizationOf(context))?.[1];
  return login === undefined ? undefined : `Basic ${login}`;
}

function authorizationOf(context: EventContext | undefined): string {
  return callerOf(context)?.http?.req.headers.get("authorization") ?? "";
}

/** Whether users are those of development: passwords of others do not leave the process. */
function isMocked({ env }: Pick<ServiceEnvironment, "env">): boolean {
  const { production, requires } = env as { production?: boolean; requires?: { auth?: { kind?: unknown } } };
  return production !== true && requires?.auth?.kind === "mocked";
}

/** The token of the OAuth 2.0 service that the strategy has exchanged the caller's for. */
function exchangedToken(context: EventContext | undefined): string | undefined {
  const info = callerOf(context)?.user.authInfo as
    | { readonly exchanged?: { readonly token?: unknown } }
    | undefined;
  const token = info?.exchanged?.token;
  return typeof token === "string" ? token : undefined;
}

function namedUserToken(context: EventContext | undefined): string {
  const token = userToken(context);
  if (token === undefined) throw new NoUserTokenError("There is no token of a user to exchange");
  if (context!.user.is("identified-user")) return token;
  throw new NoUserTokenError("The token of a technical user is not exchanged");
}
