import assert from "node:assert/strict";
import {
  addCorsHeaders,
  isFromOtherSite,
  isPreflight,
  isSafe,
  preflightResponse,
} from "../../src/http/cross_origin.ts";
import type { WireRequest } from "../../src/service/wire/wire_request.ts";

const UI = "https://ui.example";

function request(headers: Record<string, string>, method = "POST"): WireRequest {
  return { method, headers: new Headers(headers), body: null };
}

Deno.test("a preflight asks by OPTIONS, for a method, from an origin that is allowed (CORS)", () => {
  const asked = { origin: UI, "access-control-request-method": "POST" };
  assert.equal(isPreflight(request(asked, "OPTIONS"), [UI]), true);
  assert.equal(isPreflight(request(asked, "GET"), [UI]), false);
  assert.equal(isPreflight(request({ origin: UI }, "OPTIONS"), [UI]), false);
  assert.equal(isPreflight(request(asked, "OPTIONS"), []), false);
  assert.equal(isPreflight(request({ "access-control-request-method": "POST" }, "OPTIONS"), [UI]), false);
  const answer = (headers: Record<string, string>) => preflightResponse(request(headers, "OPTIONS"));
  const { status, headers } = answer({ "access-control-request-headers": "x-a" });
  assert.deepEqual([status, Object.fromEntries(headers)], [204, {
    "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
    "access-control-allow-headers": "x-a",
    "access-control-max-age": "600",
  }]);
  assert.equal(answer({}).headers.get("access-control-allow-headers"), "*");
});

Deno.test("answers can be read by pages of allowed origins only, and differ by origin (CORS)", () => {
  const headersFor = (headers: Record<string, string>) => {
    const found = new Headers({ vary: "Accept", "cross-origin-resource-policy": "same-origin" });
    addCorsHeaders(found, request(headers), { origins: [UI], messagesHeader: "sap-messages" });
    return Object.fromEntries(found);
  };
  const closed = { vary: "Accept, Origin", "cross-origin-resource-policy": "same-origin" };
  assert.deepEqual(headersFor({}), closed);
  assert.deepEqual(headersFor({ origin: "https://else.example" }), closed);
  assert.deepEqual(headersFor({ origin: UI }), {
    vary: "Accept, Origin",
    "access-control-allow-origin": UI,
    "access-control-expose-headers":
      "ETag, Location, OData-EntityId, OData-Version, Preference-Applied, x-correlation-id, sap-messages",
    "cross-origin-resource-policy": "cross-origin",
  });
});

Deno.test("credentials that browsers add count as those of another site, unless its origin is known", () => {
  const own = "https://own.example";
  const isForeign = (headers: Record<string, string>, hasCertificate = false) =>
    isFromOtherSite(request(headers), { baseUrl: new URL(`${own}/x`), origins: [UI], hasCertificate });
  const cookie = { cookie: "a=b" };
  const other = { origin: "https://else.example" };
  const cases: readonly (readonly [headers: Record<string, string>, isForeign: boolean])[] = [
    [{ ...cookie, ...other }, true],
    [{ authorization: "Basic x", ...other }, true],
    [{ authorization: "Bearer x", ...other }, false],
    [{ authorization: "DPoP x", ...other, ...cookie }, false],
    [{ authorization: "Bearerx", ...other }, true],
    [other, false],
    [cookie, false],
    [{ ...cookie, origin: own }, false],
    [{ ...cookie, origin: UI }, false],
    [{ ...cookie, origin: "null" }, true],
    [{ ...cookie, "sec-fetch-site": "cross-site" }, true],
    [{ ...cookie, "sec-fetch-site": "same-site" }, true],
    [{ ...cookie, "sec-fetch-site": "same-origin", ...other }, false],
    [{ ...cookie, "sec-fetch-site": "none", ...other }, false],
    [{ ...cookie, "sec-fetch-site": "cross-site", origin: UI }, false],
  ];
  for (const [headers, expected] of cases) {
    assert.equal(isForeign(headers), expected, JSON.stringify(headers));
  }
  assert.deepEqual([isForeign(other, true), isForeign({}, true)], [true, false]);
  const methods = ["GET", "HEAD", "OPTIONS", "TRACE", "POST", "PUT", "PATCH", "DELETE", "get"];
  assert.deepEqual(methods.filter(isSafe), ["GET", "HEAD", "OPTIONS", "TRACE"]);
});
