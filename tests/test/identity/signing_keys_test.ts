/** Keys that an identity service of a test signs with (RFC 7518, 3.3 and 3.4). */

import assert from "node:assert/strict";
import { createSigningKeys } from "../../../src/test/identity/signing_keys.ts";

const ALGORITHMS = {
  RS256: {
    name: "RSASSA-PKCS1-v1_5",
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: { name: "SHA-256" },
  },
  ES256: { name: "ECDSA", namedCurve: "P-256" },
} as const;

Deno.test("keys have the size and curve of their algorithm, and can be taken out", async () => {
  for (const [name, algorithm] of Object.entries(ALGORITHMS)) {
    const { privateKey, publicKey } = await createSigningKeys(name as keyof typeof ALGORITHMS);
    for (const [key, usages] of [[privateKey, ["sign"]], [publicKey, ["verify"]]] as const) {
      assert.deepEqual({ ...key.algorithm }, algorithm, `${name} ${key.type}`);
      assert.deepEqual([key.usages, key.extractable], [usages, true]);
    }
  }
});
