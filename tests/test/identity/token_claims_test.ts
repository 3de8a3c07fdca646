/** When tokens are issued and expire, whatever lifetime a test asks for (RFC 7519, 4.1.4 and 4.1.6). */

import assert from "node:assert/strict";
import { type Issuer, tokenClaims } from "../../../src/test/identity/token_claims.ts";

const ISSUER = {
  ...{ kind: "oauth2", url: "http://localhost", clientId: "c", audience: "c", appName: "a", tenant: "t" },
  claims: {},
} as unknown as Issuer;

Deno.test("a token is issued now, and at least a second before it expires", () => {
  const { now } = Date;
  Date.now = () => 1_000_000_999;
  try {
    const at = (expiresInSeconds: number | undefined) => {
      const { iat, exp } = tokenClaims(ISSUER, { expiresInSeconds });
      return [Number(iat) - 1_000_000, Number(exp) - 1_000_000];
    };
    assert.deepEqual(at(undefined), [0, 3600]);
    for (
      const [seconds, issued] of [[3600, 0], [60, 0], [2, 0], [1, 0], [0, -1], [-1, -2], [-60, -61]] as const
    ) assert.deepEqual(at(seconds), [issued, seconds]);
  } finally {
    Date.now = now;
  }
});
