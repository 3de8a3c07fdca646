/**
 * Algorithms of signed tokens (RFC 7518, 3.1; RFC 8037).
 *
 * @module
 */

import { isServiceUrl } from "../util/http_text.ts";
import type { SchemaNode } from "./validate.ts";

/** Those with a public key: never `none`, and none with a key that both sides hold. */
export const TOKEN_ALGORITHMS = [
  ...["RS256", "RS384", "RS512"] as const,
  ...["PS256", "PS384", "PS512"] as const,
  ...["ES256", "ES384", "ES512"] as const,
  "EdDSA",
] as const;

/** One of them. */
export type TokenAlgorithm = typeof TOKEN_ALGORITHMS[number];

const text: SchemaNode = { types: ["string"] };

const url: SchemaNode = {
  types: ["string"],
  form: {
    text: "an https URL, or an http URL of this machine, without user, query and fragment",
    fits: isServiceUrl,
  },
};

const claim: SchemaNode = {
  types: ["string"],
  form: {
    text: 'a path to a claim like "realm_access.roles" or "[\'name.with.points\']"',
    fits: (value) => parseClaimPath(value) !== undefined,
  },
};

const notEmpty: SchemaNode = {
  types: ["string"],
  form: { text: "a text that is not empty", fits: (value) => value.trim() !== "" },
};

/** Where the user stands in the claims of a token. */
const claims: SchemaNode = {
  types: ["object"],
  members: {
    /** Path to the id of the user; default: `sub`. */
    user: claim,
    /**
     * Path, or paths, to roles: texts with spaces between the roles, or lists; `.*` at the end: names of members of an
     * object. Default: none.
     */
    roles: { ...claim, types: ["string", "array"], items: claim },
    /** Path to the tenant, in multitenant operation. */
    tenant: claim,
    /**
     * Paths by the names of attributes; a list of paths, whose last names are those of the attributes; or the path to an
     * object that holds them. Default: all claims that are none of the protocol.
     */
    attributes: { ...claim, types: ["string", "array", "object"], items: claim, others: claim },
  },
};

const common: Readonly<Record<string, SchemaNode>> = {
  /** Who tokens have to be for: one of these texts must be in `aud`. */
  audience: { ...notEmpty, types: ["string", "array"], items: notEmpty },
  /** Clients whose tokens count without `aud`: one of these texts must be `azp`, `client_id` or `cid`, the first there is. */
  clients: { ...notEmpty, types: ["string", "array"], items: notEmpty },
  /** Algorithms of signatures; default: `RS256`, `ES256`. */
  algorithms: { types: ["array"], items: { types: ["string"], values: TOKEN_ALGORITHMS } },
  claims,
};

const issuer: SchemaNode = {
  ...url,
  types: ["string", "object"],
  members: {
    ...common,
    issuer: url,
    jwks_uri: url,
    /** The one tenant of all its tokens. */
    tenant: text,
    /** Stands in front of the ids of its users. */
    id_prefix: text,
  },
};

/** Members of `requires.auth` of kind `openid`, in the binding or beside it. */
export const OPENID_MEMBERS: Readonly<Record<string, SchemaNode>> = {
  /** Value of `iss`, compared as it is: path and slash at the end count. */
  issuer: url,
  /** Where its keys are; default: what its configuration says (`/.well-known/openid-configuration`). */
  jwks_uri: url,
  /** Further issuers: URLs, or objects with members of their own, else with those beside this list. */
  issuers: { types: ["array"], items: issuer },
  ...common,
};

/** Steps at the longest. */
const MAX_STEPS = 16;
/** A name up to the next point or bracket, or one in quotes and brackets; a quote in it is doubled. */
const STEP = /\.?([^.[\]"'\s]+)|\["((?:[^"]|"")+)"\]|\['((?:[^']|'')+)'\]/y;

/**
 * Reads a path: names with points between them, `realm_access.roles`. A name with points or other signs stands in quotes
 * and brackets, `resource_access["shop.api"].roles`; a URL (`https://example.com/roles`) and a URN are one name.
 *
 * @param text the path
 * @returns the names, or undefined if it is no path
 */
export function parseClaimPath(text: string): readonly string[] | undefined {
  if (/^(?:[a-z][a-z\d+.-]*:\/\/|urn:)[^\s"']+$/i.test(text)) return [text];
  const names: string[] = [];
  STEP.lastIndex = 0;
  for (let at = 0; at < text.length; at = STEP.lastIndex) {
    const match = STEP.exec(text);
    if (!match || names.length === MAX_STEPS) return undefined;
    // only names behind others have a point in front of them
    if (match[1] !== undefined && match[0].startsWith(".") === (names.length === 0)) return undefined;
    names.push(match[1] ?? match[2]?.replaceAll('""', '"') ?? match[3]!.replaceAll("''", "'"));
  }
  return names.length === 0 ? undefined : names;
}
