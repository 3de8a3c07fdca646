/** What claims of tokens may be, and what is read from them. */

import assert from "node:assert/strict";
import {
  assertClaimTypes,
  claimAt,
  claimPath,
  claimPaths,
  clientIdOf,
  isAudience,
  rolesAt,
  rolesOf,
  textsOf,
  usersOfTokens,
} from "../../../src/auth/tokens/claim_checks.ts";
import { type Claims, type ParsedToken, TokenRefused } from "../../../src/auth/tokens/token.ts";

Deno.test("registered claims are of their types, or the token is refused", () => {
  const least = { sub: "ann", exp: 1 };
  const taken = [{}, { aud: "a" }, { aud: ["a", "b"] }, { scope: "a b" }, { scope: [] }, { azp: "" }, {
    nbf: 0,
    iat: 0,
  }];
  for (const claims of taken) assert.doesNotThrow(() => assertClaimTypes({ ...least, ...claims }));
  const refused: readonly (readonly [claims: Claims, claim: string])[] = [
    ...[undefined, "", 1, null].map((sub) => [{ sub }, "sub"] as const),
    ...[1, null, {}, ["a", 1]].map((aud) => [{ aud }, "aud"] as const),
    ...[1, null, ["a", {}]].map((scope) => [{ scope }, "scope"] as const),
    ...[1, null, ["a"]].map((azp) => [{ azp }, "azp"] as const),
    ...[undefined, "1", null, NaN, Infinity].map((exp) => [{ exp }, "exp"] as const),
    ...["1", null, -Infinity].flatMap((time) => [[{ nbf: time }, "nbf"], [{ iat: time }, "iat"]] as const),
  ];
  for (const [claims, claim] of refused) {
    const isNamed = (error: Error) => error instanceof TokenRefused && error.message.includes(`"${claim}"`);
    assert.throws(() => assertClaimTypes({ ...least, ...claims }), isNamed, JSON.stringify(claims));
  }
});

Deno.test("the entries of a claim are those of a list, a text, or what separators leave of one", () => {
  assert.deepEqual(textsOf(undefined), []);
  assert.deepEqual(textsOf(["a b", ""], " "), ["a b", ""]);
  assert.deepEqual(textsOf("a b"), ["a b"]);
  assert.deepEqual(textsOf(" a  b ", " "), ["a", "b"]);
});

Deno.test("audiences are this application up to their first dot, those of clones by their end", () => {
  const cases: readonly (readonly [audience: string, id: string, isOurs: boolean])[] = [
    ["shop", "shop", true],
    ["shop.read.all", "shop", true],
    [".shop", "shop", false],
    [".shop", ".shop", false],
    ["shopping", "shop", false],
    ["my.shop", "shop", false],
    ["x|shop", "shop", false],
    ["x|shop!b1", "shop!b1", true],
    ["x|shop!b1.read", "shop!b1", true],
    ["x-shop!b1", "shop!b1", false],
    ["x|shop!b12", "shop!b1", false],
  ];
  for (const [audience, id, isOurs] of cases) {
    assert.equal(isAudience(["other", audience], ["none", id]), isOurs, audience);
  }
  assert.equal(isAudience([], ["shop"]), false);
});

Deno.test("the client of a token is azp, without it the only audience", () => {
  assert.equal(clientIdOf({ azp: "web", aud: ["a", "b"] }), "web");
  assert.equal(clientIdOf({ azp: "", aud: ["a"] }), "a");
  assert.equal(clientIdOf({ aud: "a" }), "a");
  for (const aud of [undefined, [], "", [""], ["a", "b"]]) {
    assert.throws(() => clientIdOf({ aud }), TokenRefused, JSON.stringify(aud));
  }
});

Deno.test("paths lead to own members of claims, and to nothing behind others", () => {
  const claims = { a: { b: { c: 1 }, none: null }, list: [{ b: 1 }], "x.y": 2 };
  const at = (path: string) => claimAt(claims, claimPath(path));
  assert.deepEqual(["a.b.c", "a.b", "a.none", "a.toString", "list.0", "a.b.c.d"].map(at), [
    1,
    { c: 1 },
    ...[undefined, undefined, undefined, undefined],
  ]);
  assert.deepEqual(claimPaths(undefined), []);
  assert.deepEqual(claimPaths("a").map(({ text }) => text), ["a"]);
  assert.deepEqual(claimPaths(["a", "b.c"]).map(({ names }) => names), [["a"], ["b", "c"]]);
});

Deno.test("roles stand in texts, lists and names of members; other values are refused", () => {
  const roles = (value: unknown, path = "r") => rolesAt({ r: value }, claimPaths(path));
  assert.deepEqual(roles(undefined), []);
  assert.deepEqual(roles(" a  b\tc "), ["a", "b", "c"]);
  assert.deepEqual(roles(["a b", "c"]), ["a b", "c"]);
  assert.deepEqual(roles({ a: {}, b: true, c: false, d: null }, "r.*"), ["a", "b"]);
  assert.deepEqual(roles(undefined, "r.*"), []);
  for (const value of [1, true, {}, ["a", 1]]) assert.throws(() => roles(value), TokenRefused);
  for (const value of [1, "a", ["a"], { a: 1 }, { a: {}, b: "x" }]) {
    assert.throws(() => roles(value, "r.*"), TokenRefused, JSON.stringify(value));
  }
});

Deno.test("pseudo-roles follow from what a user is, and from no claim", () => {
  const named = ["any", "authenticated-user", "identified-user", "system-user", "internal-user", "", "a"];
  assert.deepEqual(rolesOf({ named, technical: false, own: true }), ["a"]);
  assert.deepEqual(rolesOf({ named, technical: true, own: false }), ["a", "system-user"]);
  assert.deepEqual(rolesOf({ named, technical: true, own: true }), ["a", "system-user", "internal-user"]);
});

Deno.test("a token is read once, and gives a user of its own each time", () => {
  let reads = 0;
  const users = usersOfTokens(() => ({ properties: { id: `u${reads++}`, attr: { a: ["x"] } }, tenant: "t" }));
  const token = {} as ParsedToken; // only its identity counts
  const [one, other] = [users(token), users(token)];
  assert.deepEqual([one.user.id, other.user.id, one.tenant, reads], ["u0", "u0", "t", 1]);
  assert.notEqual(one.user, other.user);
});
