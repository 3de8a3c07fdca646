/** The configuration that matters to requests. */

import assert from "node:assert/strict";
import { httpSettings } from "../../src/http/settings.ts";

Deno.test("settings are those of the configuration, and there are none without", () => {
  const { messagesHeader: _messages, certificateHeader: _certificate, ...none } = httpSettings({});
  assert.deepEqual(none, {
    ...{ origin: undefined, origins: [], trustedProxies: [], rateLimits: undefined, multitenancy: false },
    locales: { defaultLanguage: undefined, preserved: undefined },
  });
  const rateLimits = { per_user: 5 };
  const { origin, ...given } = httpSettings({
    requires: { multitenancy: true },
    server: {
      ...{ base_url: "https://shop.example:8443/path", trusted_proxies: ["10.0.0.0/8", "nothing", "::1"] },
      ...{ rate_limits: rateLimits, cors: { origins: ["https://other.example"] } },
    },
    i18n: { default_language: "de", preserved_locales: ["zh_CN"] },
  });
  assert.deepEqual([origin!.url.origin, origin!.hostname, origin!.isSecure], [
    "https://shop.example:8443",
    "shop.example",
    true,
  ]);
  assert.deepEqual([given.origins, given.trustedProxies.length, given.rateLimits], [
    ["https://other.example"],
    2,
    rateLimits,
  ]);
  assert.deepEqual([given.multitenancy, given.locales], [true, {
    defaultLanguage: "de",
    preserved: ["zh_CN"],
  }]);
});

Deno.test("tenants are kept apart where multitenancy is true, and a base URL is a URL", () => {
  for (const multitenancy of [false, undefined, null, "true", {}]) {
    assert.equal(httpSettings({ requires: { multitenancy } }).multitenancy, false);
  }
  assert.equal(httpSettings({ server: { base_url: "" } }).origin, undefined);
  assert.throws(() => httpSettings({ server: { base_url: "nowhere" } }), {
    ...{ name: "ConfigurationError", message: '"fw.server.base_url" must be a URL, but is "nowhere"' },
  });
});
