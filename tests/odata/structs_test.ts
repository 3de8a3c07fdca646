/**
 * Structures as complex types by configuration (`fw.odata.structs`).
 *
 * @module
 */

import assert from "node:assert/strict";
import { createRuntime } from "../../mod.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { send } from "../http/fixture.ts";

const MODEL = parseCdl(`
  type Address { city : String; land : Land; }
  type Land { code : String(2); }
  aspect Sized { size { width : Integer; height : Integer; } }
  entity db.Houses : Sized { key ID : Integer; address : Address; @odata.nested: false flat { a : Integer; } }
  entity db.Maps { key at { x : Integer; y : Integer; }; name : String; }
  service S {
    entity Houses as projection on db.Houses;
    entity Maps as projection on db.Maps;
  }`);

const HOUSE = {
  ID: 1,
  size: { width: 3, height: 4 },
  address: { city: "Ulm", land: { code: "DE" } },
  flat_a: 5,
};

async function withStructs(structs: boolean, test: (url: Url) => Promise<void>): Promise<void> {
  const runtime = createRuntime({
    model: MODEL,
    env: { odata: { structs }, log: { levels: { default: "error" } } },
  });
  try {
    await runtime.start();
    await test((path, options) => send(runtime, `/odata/v4/s/${path}`, { user: "alice", ...options }));
  } finally {
    await runtime.close();
  }
}

type Url = (path: string, options?: { method?: string; body?: unknown }) => ReturnType<typeof send>;

Deno.test("fw.odata.structs makes structures complex types in metadata, payloads and URLs (behaviours 3)", () =>
  withStructs(true, async (send) => {
    const { body: xml } = await send("$metadata");
    assert.match(xml, /<Property Name="size" Type="S\.Houses_size"/);
    assert.match(xml, /<Property Name="address" Type="S\.\w*Address"/);
    assert.match(xml, /<Property Name="flat_a"/);
    assert.match(xml, /<Property Name="at_x"/);
    const created = await send("Houses", { body: HOUSE });
    assert.equal(created.status, 201);
    const { "@odata.context": _context, ...row } = created.body;
    assert.deepEqual(row, HOUSE);
    const found = await send(
      "Houses?$filter=address/land/code eq 'DE' and size/width gt 2&$select=address/city",
    );
    assert.deepEqual(found.body.value, [{ address: { city: "Ulm" }, ID: 1 }]);
    const selected = async (path: string) => (await send(`Houses?$select=${path}`)).body.value;
    assert.deepEqual(await selected("size/*"), [{ size: HOUSE.size, ID: 1 }]);
    assert.deepEqual(await selected("address/land/*"), [{ address: { land: { code: "DE" } }, ID: 1 }]);
    for (const path of ["size/depth", "address/land/name", "address/street/*"]) {
      assert.equal((await send(`Houses?$select=${path}`)).status, 400, path);
    }
    assert.equal((await send("Houses(1)/address/city")).body.value, "Ulm");
    const refused = [
      ["Houses(1)/address/city(1)", 'The property "address" has no member "city" (offset 18)'],
      ["Houses(1)/address/$count", 'The property "address" has no member "$count" (offset 18)'],
      ["Houses(1)/address/land/code('x')", 'The property "land" has no member "code" (offset 23)'],
    ] as const;
    for (const [path, message] of refused) {
      const { status, body } = await send(path);
      assert.deepEqual([status, body.error.message], [400, message]);
    }
    const changed = await send("Houses(1)", { method: "PATCH", body: { size: { width: 9 } } });
    assert.deepEqual(changed.body.size, { width: 9, height: 4 });
    assert.equal((await send("Houses", { body: { ID: 2, address_city: "x" } })).status, 400);
  }));

Deno.test("without fw.odata.structs structures are flat", () =>
  withStructs(false, async (send) => {
    assert.match((await send("$metadata")).body, /<Property Name="address_land_code"/);
    assert.equal((await send("Houses", { body: { ID: 1, address_city: "x" } })).status, 201);
    assert.equal((await send("Houses?$filter=address/city eq 'x'")).status, 400);
  }));
