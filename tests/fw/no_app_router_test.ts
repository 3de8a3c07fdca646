/** What stands in place of own routes in bundles without them. */

import assert from "node:assert/strict";
import { AppRouter } from "../../src/fw/no_app_router.ts";

Deno.test("without own routes nothing is found, and none can be added", () => {
  const app = new AppRouter();
  assert.deepEqual(app.methods(), []);
  assert.throws(() => app.fetch(), { status: 404 });
  for (const name of ["get", "post", "put", "patch", "delete", "all", "use", "serve", "listen"] as const) {
    assert.throws(() => app[name](), {
      status: 501,
      message: 'This bundle was made without own routes: "fw build --edge --with routes" makes one with it',
    });
  }
});
