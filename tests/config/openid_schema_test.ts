import assert from "node:assert/strict";
import { OPENID_MEMBERS, parseClaimPath } from "../../src/config/openid_schema.ts";
import { validate } from "../../src/config/validate.ts";

function problemOf(value: unknown): string | undefined {
  const problem = validate(value, { types: ["object"], members: OPENID_MEMBERS });
  return problem && `${problem.path.join(".")} ${problem.message}`;
}

Deno.test("parseClaimPath() reads names with points between them, and names in quotes and brackets", () => {
  const cases: readonly [string, readonly string[]][] = [
    ["sub", ["sub"]],
    ["realm_access.roles", ["realm_access", "roles"]],
    ['resource_access["shop.api"].roles', ["resource_access", "shop.api", "roles"]],
    ["resource_access['shop.api']['x y']", ["resource_access", "shop.api", "x y"]],
    ['["a""b"]', ['a"b']],
    ["['a''b']", ["a'b"]],
    [`["it's"]['"']`, ["it's", '"']],
    ["roles.*", ["roles", "*"]],
    ["https://example.com/roles", ["https://example.com/roles"]],
    ["URN:x:roles.y", ["URN:x:roles.y"]],
    ["a+b.c-d://h.x", ["a+b.c-d://h.x"]],
    [Array(16).fill("a").join("."), Array(16).fill("a")],
  ];
  for (const [text, names] of cases) assert.deepEqual(parseClaimPath(text), names, text);
});

Deno.test("parseClaimPath() takes nothing else for a path", () => {
  const wrong = [
    "",
    ".a",
    "a.",
    "a..b",
    "a b",
    "a[b]",
    '["a]',
    "[a]",
    'a"b',
    '[""]',
    '["a"]b',
    "https://a b",
  ];
  for (const text of [...wrong, Array(17).fill("a").join(".")]) {
    assert.equal(parseClaimPath(text), undefined, text);
  }
});

Deno.test("members of the kind openid take issuers, audiences, clients, algorithms and claims", () => {
  assert.equal(
    problemOf({
      issuer: "https://id.example/realm",
      jwks_uri: "http://127.0.0.1:8080/keys",
      issuers: ["https://b", { issuer: "https://c", tenant: "t", id_prefix: "c:", claims: { user: "sub" } }],
      audience: ["a", "b"],
      clients: "c",
      algorithms: ["RS256", "PS512", "ES384", "EdDSA"],
      claims: { user: "sub", roles: ["a.b", "c"], tenant: "zid", attributes: { cost: "attrs.cost" } },
    }),
    undefined,
  );
});

Deno.test("members of the kind openid are refused with what they have to be", () => {
  const url = "an https URL, or an http URL of this machine, without user, query and fragment";
  const path = `a path to a claim like "realm_access.roles" or "['name.with.points']"`;
  const cases: readonly [unknown, string][] = [
    [{ issuer: "http://id.example" }, `issuer must be ${url}, but is "http://id.example"`],
    [{ issuer: "https://id.example?x" }, `issuer must be ${url}, but is "https://id.example?x"`],
    [{ issuer: "https://me@id.example" }, `issuer must be ${url}`],
    [{ issuers: [{ jwks_uri: "x" }] }, `issuers.0.jwks_uri must be ${url}, but is "x"`],
    [{ issuers: [{ url: "x" }] }, "issuers.0.url is unknown"],
    [{ audience: " " }, 'audience must be a text that is not empty, but is " "'],
    [
      { clients: [""] },
      'clients must be a list, each entry of which must be a text that is not empty, but is ""',
    ],
    [{ claims: { user: "a..b" } }, `claims.user must be ${path}, but is "a..b"`],
    [{ claims: { attributes: { a: "" } } }, `claims.attributes.a must be ${path}, but is ""`],
    [
      { claims: { roles: [1] } },
      "claims.roles must be a list, each entry of which must be a string, but is a number",
    ],
  ];
  for (const [value, message] of cases) assert.equal(problemOf(value), message);
  for (const algorithm of ["none", "HS256", "RS1"]) {
    assert.match(
      problemOf({ algorithms: [algorithm] }) ?? "",
      /^algorithms must be a list, each entry of which must be one of RS256, RS384, RS512, PS256, .*, EdDSA/,
    );
  }
});
