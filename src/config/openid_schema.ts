/**
 * The part of the configuration that describes OpenID providers.
 *
 * @module
 */

import { isServiceUrl } from "../util/is_service_url.ts";
import { parseClaimPath } from "./claim_path.ts";
import { TOKEN_ALGORITHMS } from "./token_algorithms.ts";
import type { SchemaNode } from "./validate.ts";

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
    /** Path, or paths, to roles: texts with spaces between the roles, or lists. Default: none. */
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
