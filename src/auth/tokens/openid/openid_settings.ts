/**
 * The configuration of OpenID providers.
 *
 * @module
 */

import { OPENID_MEMBERS, type TokenAlgorithm } from "../../../config/openid_schema.ts";
import { validate } from "../../../config/validate.ts";
import { ConfigurationError } from "../../../errors/configuration_error.ts";
import { isPlainObject } from "../../../util/is_plain_object.ts";
import { isTenantId } from "../../../util/is_tenant_id.ts";
import { DEFAULT_ALGORITHMS } from "../token.ts";

/** Where the user stands in claims, as configured. */
export interface ClaimSettings {
  /** Path to the id. */
  readonly user?: string;
  /** Paths to roles. */
  readonly roles?: string | readonly string[];
  /** Path to the tenant. */
  readonly tenant?: string;
  /** Paths by attribute, a list of paths, or the path to an object of attributes. */
  readonly attributes?: string | readonly string[] | Readonly<Record<string, string>>;
}

/** One issuer whose tokens are accepted. */
export interface IssuerSettings {
  /** Value of `iss`, compared as it is. */
  readonly issuer: string;
  /** Who its tokens have to be for. */
  readonly audiences: ReadonlySet<string>;
  /** The clients whose tokens name no audience. */
  readonly clients: ReadonlySet<string>;
  /** Where its keys are; undefined: where its configuration says. */
  readonly jwksUri: string | undefined;
  /** Algorithms of its signatures. */
  readonly algorithms: ReadonlySet<TokenAlgorithm>;
  /** Where the user stands in its claims. */
  readonly claims: ClaimSettings;
  /** The one tenant of all its tokens. */
  readonly tenant: string | undefined;
  /** Stands in front of the ids of its users. */
  readonly idPrefix: string;
}

interface Members {
  readonly issuer?: string;
  readonly audience?: string | readonly string[];
  readonly clients?: string | readonly string[];
  readonly jwks_uri?: string;
  readonly algorithms?: readonly TokenAlgorithm[];
  readonly claims?: ClaimSettings;
}

/** One entry of `issuers`. */
interface Entry extends Members {
  readonly tenant?: string;
  readonly id_prefix?: string;
}

interface Configuration extends Members {
  readonly issuers?: readonly (string | Entry)[];
}

const AUTH = "fw.requires.auth";

/**
 * Reads the issuers whose tokens are accepted. What stands beside `issuers` holds for all of them; what an entry says
 * itself wins, of `claims` member by member.
 *
 * @param auth `fw.requires.auth`
 * @param credentials those of a binding: the same members, which those of `auth` replace
 * @throws ConfigurationError for a member that is missing or wrong
 */
export function readIssuers(
  auth: Readonly<Record<string, unknown>>,
  credentials: unknown,
): readonly IssuerSettings[] {
  const bound = isPlainObject(credentials) ? credentials : {};
  const names = Object.keys(OPENID_MEMBERS);
  const given = Object.fromEntries(
    names.map((name) => [name, auth[name] ?? bound[name]]).filter(([, value]) => value !== undefined),
  );
  const problem = validate(given, { types: ["object"], members: OPENID_MEMBERS });
  if (problem) throw new ConfigurationError(`"${[AUTH, ...problem.path].join(".")}" ${problem.message}`);
  // the schema was checked just now
  const { issuers = [], issuer, jwks_uri, ...common } = given as Configuration;
  if (issuer === undefined && issuers.length === 0) {
    throw new ConfigurationError(
      `"${AUTH}.issuer" is missing: kind "openid" needs the issuer of the tokens, exactly as "iss" of a token has it`,
    );
  }
  if (issuer === undefined && jwks_uri !== undefined) {
    throw new ConfigurationError(`"${AUTH}.jwks_uri" belongs to one issuer: set it inside of "issuers"`);
  }
  const entries: readonly Entry[] = [
    ...issuer === undefined ? [] : [{ issuer, jwks_uri }],
    ...issuers.map((one) => typeof one === "string" ? { issuer: one } : one),
  ];
  const all = entries.map((entry) => toSettings({ ...common, ...entry }, common.claims));
  assertDifferent(all);
  return all;
}

function toSettings(entry: Entry, claims: ClaimSettings | undefined): IssuerSettings {
  const { issuer, audience = [], clients = [], algorithms, tenant } = entry;
  if (issuer === undefined) throw new ConfigurationError(`"${AUTH}.issuers" has an entry without "issuer"`);
  const audiences = new Set([audience].flat());
  const known = new Set([clients].flat());
  if (audiences.size + known.size === 0) {
    throw new ConfigurationError(
      `"${AUTH}.audience" is missing for ${issuer}: without it, tokens that were issued for any other application ` +
        "would be accepted",
    );
  }
  if (algorithms?.length === 0) {
    throw new ConfigurationError(`"${AUTH}.algorithms" is empty for ${issuer}: no token could be accepted`);
  }
  if (tenant !== undefined && !isTenantId(tenant)) {
    throw new ConfigurationError(
      `"${AUTH}.issuers" has "${tenant}" for ${issuer}, which is no id of a tenant`,
    );
  }
  return {
    issuer,
    audiences,
    clients: known,
    jwksUri: entry.jwks_uri,
    algorithms: algorithms ? new Set(algorithms) : DEFAULT_ALGORITHMS,
    claims: { ...claims, ...entry.claims },
    tenant,
    idPrefix: entry.id_prefix ?? "",
  };
}

function assertDifferent(issuers: readonly IssuerSettings[]): void {
  const seen = new Set<string>();
  for (const { issuer } of issuers) {
    if (seen.has(issuer)) throw new ConfigurationError(`"${AUTH}.issuers" has ${issuer} twice`);
    seen.add(issuer);
  }
}

/**
 * What is allowed but may be a mistake.
 *
 * @param issuers the issuers
 * @param multitenancy whether tenants count
 * @returns lines for the log of the start
 */
export function warningsAbout(issuers: readonly IssuerSettings[], multitenancy: boolean): readonly string[] {
  const warnings: string[] = [];
  const prefixes = new Set(issuers.map(({ idPrefix }) => idPrefix));
  if (prefixes.size < issuers.length) {
    warnings.push(
      `Users of different issuers with the same id are the same user: "id_prefix" in "${AUTH}.issuers" tells them apart`,
    );
  }
  const without = issuers.filter(({ tenant, claims }) => tenant === undefined && claims.tenant === undefined);
  if (multitenancy && without.length > 0) {
    const names = without.map(({ issuer }) => issuer).join(", ");
    warnings.push(
      `Tokens of ${names} have no tenant: "${AUTH}.claims.tenant" says where it stands in their claims`,
    );
  }
  return warnings;
}
