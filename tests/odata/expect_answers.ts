/**
 * What clients of OData 4.01 are answered.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Shop } from "./fixture_host.ts";

/** Headers of a client that understands 4.01. */
export const HEADERS = { "odata-maxversion": "4.01" };

/**
 * Sends GET requests and compares what is answered.
 *
 * @param shop the shop
 * @param answers by URL: bodies without context URL, texts, or the status of refusals
 */
export async function expectAnswers(shop: Shop, answers: Readonly<Record<string, unknown>>): Promise<void> {
  for (const [url, expected] of Object.entries(answers)) {
    const { status, body } = await shop.send("GET", encodeURI(url), { headers: HEADERS });
    if (typeof expected === "number") {
      assert.equal(status, expected, `${url}: ${JSON.stringify(body)}`);
      continue;
    }
    assert.equal(status, 200, `${url}: ${JSON.stringify(body)}`);
    if (typeof body !== "object") assert.equal(body, expected, url);
    else {
      const { "@odata.context": _context, ...rest } = body as Record<string, unknown>;
      assert.deepEqual(rest, expected, url);
    }
  }
}
