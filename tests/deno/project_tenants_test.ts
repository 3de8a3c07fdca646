import assert from "node:assert/strict";
import { withTenants } from "../../src/deno/project_tenants.ts";
import { ConfigurationError } from "../../src/errors/configuration_error.ts";
import { SMALL, withProject } from "./project.ts";

Deno.test("a project without multitenancy has no tenants to work with", async () => {
  await withProject(SMALL, async (folder) => {
    await assert.rejects(
      withTenants(folder, () => Promise.resolve()),
      (error) => error instanceof ConfigurationError && error.message.startsWith("There are no tenants"),
    );
  });
});
