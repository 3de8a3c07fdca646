/**
 * An identity service inside a test: issues tokens, serves its keys, and fails on demand.
 *
 * @module
 */

import type { ClientKeyPair } from "../../auth/token_client/token_credentials.ts";
import type { IdentityKind } from "../../auth/strategy.ts";
import type { ClaimSettings } from "../../auth/tokens/openid/openid_settings.ts";
import type { Certificate } from "./certificate.ts";
import { answerAs, type IdentityBehaviour } from "./identity_answers.ts";
import { SigningKeys, signToken, type TokenAlgorithm } from "./signing_keys.ts";
import { type Issuer, tokenClaims, type TokenOptions } from "./token_claims.ts";

/** What an identity service is called; all but `kind` have defaults. */
export interface IdentityOptions {
  /** `oidc`: certificate-bound tokens; `oauth2`: tokens with scopes; `openid`: those of any OpenID provider. */
  readonly kind: IdentityKind;
  /**
   * Its URL, of `openid` the issuer with path and slash at the end; default: `https://tenant.accounts.test`,
   * `https://tenant.authentication.test`, `https://login.openid.test/realms/app`.
   */
  readonly url?: string;
  /** Identifier of the application there. */
  readonly clientId?: string;
  /** Who its tokens are for (`openid`); default: `app`. */
  readonly audience?: string;
  /**
   * Where the user stands in its tokens, as in `fw.requires.auth.claims`: what the application is configured with, and
   * what tokens are written by. Default: roles in `roles`, the tenant in `tenant` (`openid`), nothing (`oidc`).
   */
  readonly claims?: ClaimSettings;
  /** Prefix of scopes (`oauth2`); default: `app!t1`. */
  readonly appName?: string;
  /** Tenant of the tokens; default: `t1`. */
  readonly tenant?: string;
  /** Certificate of the application: certificate and key in the credentials. */
  readonly certificate?: Certificate;
  /**
   * Its first keys for `RS256`, which `createSigningKeys` made for several tests, as they take long to make; default: keys
   * of its own.
   */
  readonly keys?: CryptoKeyPair;
}

/**
 * Creates an identity service for a test. Nothing listens: a runtime reaches it through `fetch`.
 *
 * @param options its kind and names
 * @throws TypeError for another kind
 *
 * @example Tokens, valid and broken
 * ```ts
 * import { createIdentity, test } from "@fw/runtime/test";
 *
 * const identity = createIdentity({ kind: "oauth2" });
 * const valid = await identity.token({ user: "alice", roles: ["admin"] });
 * const expired = await identity.token({ user: "alice", expiresInSeconds: -120 });
 * const forged = await identity.token({ user: "alice", signature: "AAAA" });
 * const unnamed = await identity.token({ claims: { sub: undefined } });
 * if (new Set([valid, expired, forged, unnamed]).size !== 4) throw new Error("the same token twice");
 * ```
 *
 * @example An OpenID provider, with roles where its tokens have them
 * ```ts
 * import { createIdentity, test } from "@fw/runtime/test";
 *
 * const identity = createIdentity({
 *   kind: "openid",
 *   url: "https://login.example.com/realms/shop",
 *   claims: { roles: "realm_access.roles" },
 * });
 * const env = { requires: { messaging: false }, log: { levels: { default: "silent" } } };
 * const { GET, close } = test("examples/bookshop", env, { identity });
 * const { status } = await GET("/odata/v4/admin/Books", { token: { user: "alice", roles: ["admin"] } });
 * await close();
 * if (status !== 200) throw new Error(`${status}`);
 * ```
 *
 * @example Tokens bound to a certificate, and a service that fails
 * ```ts
 * import { createCertificate, createIdentity, test } from "@fw/runtime/test";
 *
 * const identity = createIdentity({ kind: "oidc" });
 * const certificate = await createCertificate();
 * const env = { requires: { messaging: false }, log: { levels: { default: "silent" } } };
 * const statuses = [];
 * for (const behaviour of ["unreachable", "normal"] as const) {
 *   identity.behaviour = behaviour;
 *   const { GET, close } = test("examples/bookshop", env, { identity });
 *   statuses.push((await GET("/odata/v4/admin/Books", { token: { roles: ["admin"] }, certificate })).status);
 *   await close();
 * }
 * if (statuses.join() !== "503,200") throw new Error(statuses.join());
 * ```
 */
export function createIdentity(options: IdentityOptions): Identity {
  return new Identity(options);
}

const KINDS: readonly IdentityKind[] = ["oidc", "oauth2", "openid"];
const URLS: Readonly<Record<IdentityKind, string>> = {
  oidc: "https://tenant.accounts.test",
  oauth2: "https://tenant.authentication.test",
  openid: "https://login.openid.test/realms/app",
};

/** An identity service inside a test. */
export class Identity {
  /** Kind of the service, as in `fw.requires.auth.kind`. */
  readonly kind: IdentityKind;
  /** Its URL: the issuer of `oidc` and `openid` tokens. */
  readonly url: string;
  /** Identifier of the application. */
  readonly clientId: string;
  /** What a binding of the service holds, `fw.requires.auth.credentials`; of `openid` members of `fw.requires.auth`. */
  readonly credentials: Readonly<Record<string, unknown>>;
  /** Where the user stands in its tokens. */
  readonly claims: ClaimSettings;
  /** How it answers from now on. */
  behaviour: IdentityBehaviour = "normal";
  /** Requests received so far. */
  readonly requests: Request[] = [];
  readonly #issuer: Issuer;
  readonly #keys: SigningKeys;

  /**
   * Creates an identity service; no key is made before it is needed.
   *
   * @param options its kind and names
   * @throws TypeError for another kind
   */
  constructor(options: IdentityOptions) {
    const { kind, appName = "app!t1", tenant = "t1", audience = "app" } = options;
    if (!KINDS.includes(kind)) throw new TypeError(`Expected ${KINDS.join(", ")}, but got "${kind}"`);
    this.kind = kind;
    this.url = options.url ?? URLS[kind];
    this.clientId = options.clientId ?? (kind === "oauth2" ? `sb-${appName}` : "app-client");
    this.claims = options.claims ?? (kind === "openid" ? { roles: "roles", tenant: "tenant" } : {});
    this.#issuer = {
      kind,
      url: this.url,
      clientId: this.clientId,
      audience,
      appName,
      tenant,
      claims: this.claims,
    };
    this.credentials = credentialsOf(this.#issuer, options.certificate);
    this.#keys = new SigningKeys(options.keys);
  }

  /**
   * Answers a request to the service: discovery, key sets, tokens. Hand it to a runtime as `kinds.fetch`.
   *
   * @param request what a runtime sends
   * @param keyPair certificate and key that the connection shows
   * @throws TypeError when the service is unreachable, DOMException when the request is aborted
   */
  readonly fetch = async (request: Request, keyPair?: ClientKeyPair): Promise<Response> => {
    this.requests.push(request);
    return await answerAs(this.behaviour, {
      request,
      keyPair,
      issuer: this.#issuer,
      keys: this.#keys,
      token: (options) => this.token(options),
    });
  };

  /**
   * Whether a URL belongs to this service: its own host, hosts beside it, and their domain; of `openid` what is below the
   * issuer.
   *
   * @param url where a request goes
   */
  serves(url: string): boolean {
    if (this.kind === "openid") return url.startsWith(`${withoutSlash(this.url)}/`);
    const { hostname } = new URL(url);
    const domain = domainOf(this.url);
    return hostname === domain || hostname.endsWith(`.${domain}`);
  }

  /**
   * Issues a token, valid unless the options break it.
   *
   * @param options user, roles, lifetime, and everything that makes it another token
   * @throws TypeError for roles that have no place, as those of named users at the OIDC service without `claims`
   */
  async token(options: TokenOptions = {}): Promise<string> {
    const { algorithm = "RS256" } = options;
    const { kid, keys } = await this.#keys.current(algorithm);
    const token = await signToken({
      header: { alg: algorithm, typ: "JWT", kid, ...options.header },
      payload: tokenClaims(this.#issuer, options),
      key: options.key ?? keys.privateKey,
    });
    return options.signature === undefined ? token : token.replace(/[^.]*$/, options.signature);
  }

  /**
   * Signs any header and claims by a key of the service; nothing is added or checked.
   *
   * @param header the header; a text is taken as it is
   * @param payload the claims; a text is taken as it is
   * @param algorithm whose key signs
   */
  async sign(
    header: object | string,
    payload: object | string,
    algorithm: TokenAlgorithm = "RS256",
  ): Promise<string> {
    const { keys } = await this.#keys.current(algorithm);
    return await signToken({ header, payload, key: keys.privateKey });
  }

  /**
   * Name of the key in use.
   *
   * @param algorithm which one
   */
  async keyId(algorithm: TokenAlgorithm = "RS256"): Promise<string> {
    return (await this.#keys.current(algorithm)).kid;
  }

  /**
   * The public key in use as PEM, as `credentials.verificationkey` holds it.
   *
   * @param algorithm which one
   */
  publicKey(algorithm: TokenAlgorithm = "RS256"): Promise<string> {
    return this.#keys.pem(algorithm);
  }

  /**
   * Signs with new keys from now on.
   *
   * @param options `keepFormer`: the key set goes on with the former keys beside the new ones; default: `true`
   */
  rotateKeys({ keepFormer = true }: { readonly keepFormer?: boolean } = {}): void {
    this.#keys.rotate(keepFormer);
  }
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, "");
}

function domainOf(url: string): string {
  return new URL(url).hostname.replace(/^[^.]*\./, "");
}

function credentialsOf(
  { kind, url, clientId, audience, appName, tenant, claims }: Issuer,
  certificate: Certificate | undefined,
): Readonly<Record<string, unknown>> {
  if (kind === "openid") return { issuer: url, audience, claims };
  const secret = certificate
    ? { "credential-type": "X509_GENERATED", certificate: certificate.pem, key: certificate.key }
    : { clientsecret: "secret" };
  if (kind === "oidc") {
    return { clientid: clientId, url, domains: [domainOf(url)], app_tid: tenant, ...secret };
  }
  return {
    clientid: clientId,
    url,
    uaadomain: domainOf(url),
    xsappname: appName,
    tenantid: tenant,
    ...secret,
  };
}
