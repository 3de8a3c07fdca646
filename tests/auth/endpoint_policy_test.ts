import assert from "node:assert/strict";
import { createEndpointPolicy } from "../../src/auth/strategy.ts";

Deno.test("requires.auth.public opens paths as they are written, and all below a prefix (auth 5)", () => {
  const { isPublic } = createEndpointPolicy({
    production: true,
    requires: { auth: { public: ["/info", "/open/**"] } },
  });
  const paths = [
    "/info",
    "/info/more",
    "/information",
    "/open/a",
    "/open/a/b",
    "/open/",
    "/open",
    "/openly",
    "/",
  ];
  assert.deepEqual(paths.filter(isPublic), ["/info", "/open/a", "/open/a/b", "/open/"]);
});
