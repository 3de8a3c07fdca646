import assert from "node:assert/strict";
import { isServiceError } from "../../../src/errors/service_error.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import { createPlanner } from "../../../src/odata/plan/planner.ts";
import { planOf } from "./model.ts";

const model = linkModel(parseCdl(`service S {
  @odata.subtypes: ['Van', { name: 'Camper', base: 'Van' }]
  entity Cars {
    key ID : Integer;
    @odata.discriminator kind : String;
    image : LargeBinary @Core.MediaType: 'image/png';
    owner : Association to People;
  }
  entity People {
    key ID : Integer;
    cars : Association to many Cars on cars.owner = $self;
  }
}`));
const planner = createPlanner(model.service("S")!);

/** Names of what is expanded, each with the types of the rows that show it. */
function expanded(url: string): unknown {
  return planOf(planner, url).shape?.expand?.map(({ name, cast }) => [name, cast]);
}

function expectRefused(url: string, status: number, message: string): void {
  assert.throws(() => planner.planUrl(url), (error) => {
    assert.ok(isServiceError(error), String(error));
    assert.deepEqual([error.status, error.message], [status, message]);
    return true;
  });
}

Deno.test("$expand shows a navigation property behind a type on rows of it and its subtypes (OData Protocol 11.2.5.2)", () => {
  assert.deepEqual(expanded("Cars?$expand=owner"), [["owner", undefined]]);
  assert.deepEqual(expanded("Cars?$expand=S.Cars/owner"), [["owner", undefined]]);
  assert.deepEqual(expanded("Cars?$expand=S.Van/owner"), [["owner", ["Van", "Camper"]]]);
  assert.deepEqual(expanded("Cars?$expand=S.Camper/owner"), [["owner", ["Camper"]]]);
  assert.deepEqual(expanded("Cars?$expand=S.Van/owner/S.People"), [["owner", ["Van", "Camper"]]]);
});

Deno.test("$expand gives rows of a type and its subtypes behind a navigation property", () => {
  const columns = planOf(planner, "People?$expand=cars/S.Van").query.SELECT.columns;
  assert.deepEqual((columns?.at(-1) as { readonly where?: unknown }).where, [
    { ref: ["kind"] },
    "in",
    { list: [{ val: "Van" }, { val: "Camper" }] },
  ]);
  assert.deepEqual(expanded("People?$expand=cars/S.Van"), [["cars", undefined]]);
});

Deno.test("$expand refuses paths that are more than a navigation property among types", () => {
  expectRefused(
    "Cars?$expand=S.Van/S.Camper/owner",
    400,
    "A type cast cannot follow another one (offset 13)",
  );
  expectRefused("Cars?$expand=S.Cars/S.Van/owner", 400, "A type cast cannot follow another one (offset 13)");
  expectRefused(
    "People?$expand=cars/S.Van/S.Camper",
    400,
    '"cars/S.Van/S.Camper" is no navigation property (offset 15)',
  );
  expectRefused(
    "People?$expand=cars/S.Van/owner",
    400,
    '"cars/S.Van/owner" is no navigation property (offset 15)',
  );
  expectRefused("Cars?$expand=owner/owner", 400, '"owner/owner" is no navigation property (offset 13)');
  expectRefused("Cars?$expand=kind/owner", 400, '"S" has no type "kind" (offset 13)');
});

Deno.test("$expand refuses what is no navigation property, and streams", () => {
  expectRefused("Cars?$expand=S.Van", 400, '"S.Cars" has no navigation property "S.Van" (offset 13)');
  expectRefused("Cars?$expand=S.Van/kind", 400, '"S.Cars" has no navigation property "kind" (offset 13)');
  expectRefused("Cars?$expand=kind", 400, '"S.Cars" has no navigation property "kind" (offset 13)');
  expectRefused("Cars?$expand=toString", 400, '"S.Cars" has no navigation property "toString" (offset 13)');
  expectRefused("Cars?$expand=image", 501, "A stream in $expand is not implemented (offset 13)");
  expectRefused("Cars?$expand=$value", 400, "The entity has no media stream (offset 13)");
});
