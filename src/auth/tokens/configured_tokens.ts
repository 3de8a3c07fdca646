/**
 * The strategy of the configured identity services (auth 1).
 *
 * @module
 */

import { DEFAULT_LIMITS, type Limits } from "../../config/limits.ts";
import { OPENID_MEMBERS } from "../../config/openid_schema.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import type { BindingOptions } from "../certificate/certificate_binding.ts";
import { CertificateReader } from "../certificate/certificate_reader.ts";
import {
  type AuthenticationStrategy,
  type ForwardedClient,
  IDENTITY_KINDS,
  type IdentityKind,
} from "../strategy.ts";
import { tenantFeatures } from "../mock_users.ts";
import { claimPaths } from "./claim_checks.ts";
import { Discovery, type SourceAccess } from "./documents.ts";
import { KeySets } from "./key_sets.ts";
import { readOidcCredentials } from "./oidc/oidc_credentials.ts";
import { createOidcKind } from "./oidc/oidc_kind.ts";
import { createOpenidKind } from "./openid/openid_kind.ts";
import { type ClaimSettings, readIssuers, warningsAbout } from "./openid/openid_settings.ts";
import { sendByFetch, type SendRequest } from "../token_client/token_credentials.ts";
import { createOAuth2Kind, readOAuth2Credentials } from "./oauth2_kind.ts";
import type { KindSettings, TokenKind, TokenRequest } from "./token_kind.ts";
import { createTokenStrategy } from "./token_strategy.ts";
import type { ClientCertificate } from "../certificate/client_certificate.ts";
import { type Claims, type ParsedToken, TokenRefused } from "./token.ts";
import { createConfiguredExchange } from "./exchange/token_exchange.ts";

/**
 * The certificate is read when a kind asks for it: a header that nobody needs cannot refuse a request.
 */
class ForwardedTokenRequest implements TokenRequest {
  readonly #client: ForwardedClient;
  readonly #reader: CertificateReader;

  /**
   * Notes what is known.
   *
   * @param client host, and text of the header
   * @param reader reads the header
   */
  constructor(client: ForwardedClient, reader: CertificateReader) {
    this.#client = client;
    this.#reader = reader;
  }

  /** Host at which the client reached the application. */
  get host(): string {
    return this.#client.host;
  }

  /**
   * The certificate of the client.
   *
   * @throws TokenRefused when the header holds no certificate
   */
  get certificate(): ClientCertificate | undefined {
    const { certificate } = this.#client;
    return certificate === undefined ? undefined : this.#reader.read(certificate);
  }
}

/** What the strategy depends on. */
export interface ConfiguredTokens {
  /** Effective configuration. */
  readonly env: { readonly requires?: Readonly<Record<string, unknown>>; readonly security?: unknown };
  /** Takes lines about failing key sources. */
  readonly warn: (text: string) => void;
  /** Sends requests to identity services; default: `fetch`. */
  readonly fetch?: SendRequest;
  /** Bounds in effect; default: those of `config/limits.ts`. */
  readonly limits?: Limits;
}

/** `fw.requires.auth`, as far as kinds of tokens read it. */
interface AuthEnvironment extends Readonly<Record<string, unknown>> {
  readonly tenants?: unknown;
  readonly credentials?: unknown;
  readonly claims?: ClaimSettings;
}

/** What a kind is created from. */
interface KindParts {
  readonly auth: AuthEnvironment;
  readonly credentials: unknown;
  readonly settings: KindSettings;
  readonly access: SourceAccess;
  readonly binding: BindingOptions;
}

/** Configuration of bindings to certificates, and of the exchange. */
interface SecurityEnvironment {
  readonly authentication?: {
    readonly certificateBinding?: BindingOptions["mode"];
    readonly checkCertificateValidity?: boolean;
    readonly tokenExchange?: "disabled" | "provide" | "force";
  };
}

const CREATORS: Readonly<Record<IdentityKind, (parts: KindParts) => Promise<readonly TokenKind[]>>> = {
  oidc: ({ credentials, auth, ...parts }) => {
    const read = readOidcCredentials(credentials);
    if (read.domains.length === 0) {
      parts.access.warn(
        `"fw.requires.auth.credentials.domains" is empty: no token of the OIDC service is accepted`,
      );
    }
    const roles = claimPaths(auth.claims?.roles);
    return Promise.resolve([createOidcKind({ credentials: read, roles, ...parts })]);
  },
  oauth2: async ({ credentials, settings }) => [
    createOAuth2Kind(await readOAuth2Credentials(credentials), settings),
  ],
  openid: ({ credentials, auth, access, settings, binding }) => {
    const issuers = readIssuers(auth, credentials);
    warningsAbout(issuers, settings.multitenancy).forEach(access.warn);
    const discovery = new Discovery(access);
    return Promise.resolve(
      issuers.map((issuer) => createOpenidKind({ issuer, settings, binding, discovery })),
    );
  },
};

/**
 * Creates the strategy.
 *
 * @param names kinds or aliases, one or several
 * @param options configuration and what keys are read with
 * @throws ConfigurationError when credentials or issuers are missing, or members are set that no kind reads
 */
export async function createConfiguredTokenStrategy(
  names: readonly string[],
  options: ConfiguredTokens,
): Promise<AuthenticationStrategy> {
  const { requires } = options.env;
  const auth = (requires?.auth ?? {}) as AuthEnvironment;
  const { limits = DEFAULT_LIMITS, warn } = options;
  const access: SourceAccess = {
    fetch: options.fetch ?? sendByFetch,
    clock: () => Date.now(),
    limits,
    warn,
  };
  const settings: KindSettings = {
    multitenancy: requires?.multitenancy === true,
    features: (tenant) => tenantFeatures(auth.tenants, tenant),
  };
  const { authentication } = (options.env.security ?? {}) as SecurityEnvironment;
  const binding: BindingOptions = {
    mode: authentication?.certificateBinding ?? "always",
    checkValidity: authentication?.checkCertificateValidity ?? true,
    clock: access.clock,
  };
  const wanted = [...new Set(names.map((name) => IDENTITY_KINDS[name]!))];
  assertReadMembers(auth, wanted);
  const kinds = (await Promise.all(
    wanted.map((kind) =>
      CREATORS[kind]({ auth, credentials: credentialsOf(auth.credentials, kind), settings, access, binding })
    ),
  )).flat();
  const common = { keys: new KeySets(access), clock: access.clock, limits };
  const certificates = new CertificateReader(limits);
  const mode = authentication?.tokenExchange ?? "disabled";
  return createTokenStrategy({
    ...common,
    kind: wanted.join(" and "),
    kindOf: selectKind(kinds),
    request: (client) => new ForwardedTokenRequest(client, certificates),
    exchange: mode === "disabled" ? undefined : await createConfiguredExchange({
      ...common,
      mode,
      credentials: auth.credentials,
      fetch: access.fetch,
      settings,
    }),
  });
}

/** Two bound services have their credentials below the names of their kinds. */
function credentialsOf(credentials: unknown, kind: IdentityKind): unknown {
  const own = isPlainObject(credentials) ? credentials[kind] : undefined;
  return isPlainObject(own) ? own : credentials;
}

/** What describes an OpenID provider has no effect for the other services, but for the roles of named OIDC users. */
function assertReadMembers(auth: AuthEnvironment, kinds: readonly IdentityKind[]): void {
  if (kinds.includes("openid")) return;
  const members = Object.keys(OPENID_MEMBERS).filter((name) => name !== "claims" && auth[name] !== undefined);
  const claims = Object.keys(auth.claims ?? {}).filter((name) => name !== "roles" || !kinds.includes("oidc"));
  const unread = [...members, ...claims.map((name) => `claims.${name}`)];
  if (unread.length === 0) return;
  throw new ConfigurationError(
    `"fw.requires.auth.${unread[0]}" has no effect with kind "${kinds.join(" and ")}": ` +
      'other OpenID providers than the bound service are kind "openid"',
  );
}

/**
 * Creates the selection. It only decides who checks: the kind that is selected runs all its own checks, so that claims
 * made up to select the other one lead nowhere.
 *
 * @param kinds the configured ones: those of OpenID providers by their issuers, one or both of the services
 * @returns a function that throws TokenRefused for an issuer that is none of them
 */
function selectKind(kinds: readonly TokenKind[]): (token: ParsedToken) => TokenKind {
  const byIssuer = new Map<unknown, TokenKind>(
    kinds.flatMap((kind) => kind.issuer === undefined ? [] : [[kind.issuer, kind]]),
  );
  const other = selectService(kinds.filter(({ issuer }) => issuer === undefined));
  if (byIssuer.size === 0) return other;
  return (token) => byIssuer.get(token.claims.iss) ?? other(token);
}

function selectService(kinds: readonly TokenKind[]): (token: ParsedToken) => TokenKind {
  const [first] = kinds;
  const oauth2 = kinds.find(({ kind }) => kind === "oauth2");
  const oidc = kinds.find(({ kind }) => kind === "oidc");
  if (oauth2 && oidc) return ({ claims }) => isFromOAuth2(claims) ? oauth2 : oidc;
  return () => {
    if (first) return first;
    throw new TokenRefused("the issuer is not trusted");
  };
}

function isFromOAuth2({ ext_attr: extra, zid }: Claims): boolean {
  return zid === "uaa" || (isPlainObject(extra) && extra.enhancer === "XSUAA");
}
