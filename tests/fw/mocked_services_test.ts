/** Which services of other systems are mocked, and what that changes in the model. */

import assert from "node:assert/strict";
import { mockedServices } from "../../src/fw/mocked_services.ts";
import { modelAsConfigured, servedInstead } from "../../src/fw/model_as_configured.ts";
import type { Csn } from "../../src/model/csn.ts";

interface Given {
  readonly requires?: Readonly<Record<string, unknown>>;
  readonly production?: boolean;
  readonly root?: string;
  readonly folders?: object;
  readonly file?: string;
  readonly isExternal?: boolean;
}

/** Whether the service `Api` is mocked. */
function isMocked(
  { requires = {}, production = false, root, folders, file, isExternal = true }: Given,
): boolean {
  const csn = {
    definitions: {
      Api: { kind: "service", "@cds.external": isExternal, ...file && { $location: { file, line: 1 } } },
      "Api.Things": { kind: "entity", "@cds.external": true, $location: { file: "/p/srv/external/x.csn" } },
    },
  } as unknown as Csn;
  const env = { requires, production, folders } as unknown as Parameters<typeof mockedServices>[0]["env"];
  const found = [...mockedServices({ csn, env, root })];
  assert.deepEqual(found.filter((name) => name !== "Api"), []);
  return found.length === 1;
}

Deno.test("a service is mocked where each entry for it is called over HTTP and says neither where, nor by what", () => {
  const odata = { kind: "odata" };
  const cases: readonly (readonly [Readonly<Record<string, unknown>>, boolean])[] = [
    ...["odata", "odata-v4", "odata-v2", "rest", "hcql"].map((kind) => [{ Api: { kind } }, true] as const),
    [{ Api: { kind: "graphql" } }, false],
    [{ Api: {} }, false],
    [{ Api: false }, false],
    [{ Api: { ...odata, credentials: {} } }, false],
    [{ Api: { ...odata, impl: "x.ts" } }, false],
    [{ far: { ...odata, service: "Api" } }, true],
    [{ far: { ...odata, service: "Api" }, Api: { ...odata, credentials: {} } }, false],
    [{ far: { ...odata, service: "Api" }, Api: odata }, true],
    [{ Api: { ...odata, service: "Other" } }, false],
    [{ Other: odata }, false],
  ];
  for (const [requires, expected] of cases) {
    for (const isExternal of [true, false]) {
      assert.equal(isMocked({ requires, isExternal }), expected, JSON.stringify(requires));
    }
    assert.equal(isMocked({ requires, production: true }), false);
  }
});

Deno.test("a service that no entry names is mocked where it is external and was imported into the project", () => {
  const file = "/p/srv/external/api.csn";
  const cases: readonly [Given, boolean][] = [
    [{ root: "/p", file }, true],
    [{ root: "/p", file, isExternal: false }, false],
    [{ root: "/p", file, production: true }, false],
    [{ root: "/q", file }, false],
    [{ root: "/p" }, false],
    [{ file }, false],
    [{ file: "undefined/srv/external/api.csn" }, false],
    [{ root: "/p", file: "/p/srv/api.cds" }, false],
    [{ root: "/p", file: "/p/app/external/api.csn" }, false],
    [{ root: "/p", file: "/p/app/external/api.csn", folders: { srv: "./app/" } }, true],
    [{ root: "/p", file, folders: { srv: "app" } }, false],
    [{ root: "/p", file, folders: {} }, true],
    [{ root: "/p", file, requires: { Api: { kind: "odata", credentials: {} } } }, false],
  ];
  for (const [given, expected] of cases) assert.equal(isMocked(given), expected, JSON.stringify(given));
});

Deno.test("services that are served instead are not external, and their entities have tables", () => {
  const skipped = { "@cds.persistence.skip": true };
  const csn = {
    $version: "2.0",
    definitions: {
      Api: { kind: "service", "@cds.external": true },
      "Api.Things": { kind: "entity", ...skipped },
      "Api.View": { kind: "entity", "@cds.persistence.skip": "if-unused" },
      "Api.Type": { kind: "type", ...skipped },
      Apis: { kind: "entity", ...skipped },
      Other: { kind: "service", "@cds.external": true },
      "Other.Things": { kind: "entity", ...skipped },
    },
  } as unknown as Csn;
  assert.equal(servedInstead(csn, new Set()), csn);
  const { definitions, ...others } = servedInstead(csn, new Set(["Api"]));
  assert.deepEqual(others, { $version: "2.0" });
  const changed = { "@cds.persistence.skip": false };
  assert.deepEqual(definitions, {
    ...csn.definitions,
    Api: { kind: "service", "@cds.external": false },
    "Api.Things": { kind: "entity", ...changed },
  });
  assert.deepEqual(servedInstead({} as Csn, new Set(["Api"])), { definitions: {} });
});

Deno.test("a model is taken as it is where the configuration wants neither nested structures nor views at run time", () => {
  const model = { definitions: {} } as Csn;
  for (
    const env of [{}, { odata: {} }, { odata: { structs: false }, features: { runtime_views: false } }, {
      features: {},
    }]
  ) {
    assert.equal(modelAsConfigured(model, env as never), model);
  }
});
