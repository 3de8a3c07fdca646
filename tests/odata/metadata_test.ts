import { createRuntime } from "../../mod.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { withShop } from "./with_shop.ts";
import assert from "node:assert/strict";
import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import { SHOP } from "./fixture_model.ts";
import { openShop } from "./fixture_host.ts";
import { recordType } from "../model/record_type.ts";

const MODEL = {
  definitions: {
    ...SHOP.definitions,
    "shop.Settings": {
      ...SHOP.definitions!["shop.Settings"],
      "@title": "{i18n>CreatedAt}",
      "@description": "{i18n>Unknown}",
    },
  },
};

async function labelIn(language: string | undefined): Promise<string | undefined> {
  const shop = await openShop({ model: MODEL, database: createSqliteDatabase });
  try {
    const headers: Record<string, string> = language === undefined ? {} : { "accept-language": language };
    const { status, body } = await shop.send("GET", "$metadata", { headers });
    assert.equal(status, 200);
    assert.match(String(body), /String="{i18n>Unknown}"/);
    return /Term="Common.Label" String="([^"]*)"/.exec(String(body))?.[1];
  } finally {
    await shop.close();
  }
}

Deno.test("$metadata shows labels of the common module in the language of the caller", async () => {
  assert.equal(await labelIn("de-AT"), "Angelegt am");
  assert.equal(await labelIn("fr"), "Date/Heure de création");
  assert.equal(await labelIn("es"), "Fecha de creación");
  assert.equal(await labelIn("tlh"), "Created at");
  assert.equal(await labelIn(undefined), "Created at");
});

Deno.test("$metadata says the version of the answer", async () => {
  const shop = await openShop({ database: createSqliteDatabase });
  try {
    const read = async (url: string, headers: Record<string, string> = {}) =>
      (await shop.send("GET", url, { headers })).body;
    const newer = { "odata-maxversion": "4.01" };
    assert.match(String(await read("$metadata")), /<edmx:Edmx Version="4.0"/);
    assert.match(String(await read("$metadata", newer)), /<edmx:Edmx Version="4.01"/);
    const json = await read("$metadata?$format=json", newer) as { $Version: string };
    assert.equal(json.$Version, "4.01");
    assert.equal((await read("$metadata?$format=json") as typeof json).$Version, "4.0");
  } finally {
    await shop.close();
  }
});

Deno.test("$metadata of 4.01 tells what the protocol can (Protocol 13.2.1, row 13)", () =>
  withShop(async (shop) => {
    const read = async (version: string) => {
      const headers = { "odata-maxversion": version, accept: "application/json" };
      const { body } = await shop.send("GET", "$metadata", { headers });
      const { $Annotations } = (body as Record<string, { $Annotations: Record<string, unknown> }>)
        .ShopService!;
      return $Annotations["ShopService.EntityContainer"];
    };
    assert.equal(await read("4.0"), undefined);
    assert.deepEqual(await read("4.01"), {
      "@Core.ODataVersions": "4.01",
      "@Capabilities.BatchSupport": {
        ...recordType("Capabilities.BatchSupportType", "4.01"),
        ContinueOnErrorSupported: true,
        ReferencesInRequestBodiesSupported: true,
        ReferencesAcrossChangeSetsSupported: true,
        EtagReferencesSupported: true,
        RequestDependencyConditionsSupported: true,
        SupportedFormats: ["multipart/mixed", "application/json"],
      },
      "@Capabilities.AsynchronousRequestsSupported": true,
      "@Capabilities.DefaultCapabilities": { UpdateRestrictions: { DeltaUpdateSupported: true } },
    });
  }, { env: { odata: { respond_async: true } } }));

Deno.test("openapi.json tells where the service is from there, and how callers authenticate (OpenAPI 3.1, 4.8.5, 4.8.30)", async () => {
  const told = async (given: string | object, path: string) => {
    const auth = typeof given === "string" ? { kind: given, users: { alice: {} } } : given;
    const runtime = createRuntime({
      model: parseCdl(`@protocol: ['odata', 'rest'] service S { entity E { key ID : Integer; } }`),
      env: { requires: { db: false, auth }, log: { levels: { default: "silent" } } },
    });
    try {
      const headers = { authorization: `Basic ${btoa("alice:")}` };
      const answer = await runtime.fetch(new Request(`http://localhost${path}/openapi.json`, { headers }));
      const { servers, components, security } = await answer.json();
      return [servers?.[0]?.url, Object.keys(components?.securitySchemes ?? {}), security];
    } finally {
      await runtime.close();
    }
  };
  for (const path of ["/odata/v4/s", "/rest/s"]) {
    for (const kind of ["mocked", "basic"]) {
      assert.deepEqual(await told(kind, path), ["../s", ["basic"], [{ basic: [] }]]);
    }
    const asking = { impl: [(request: Request, _context: unknown) => void request.method] };
    assert.deepEqual(await told(asking, path), ["../s", ["bearer"], [{ bearer: [] }]]);
    // nobody logs in
    assert.deepEqual(await told("dummy", path), ["../s", [], undefined]);
  }
});
