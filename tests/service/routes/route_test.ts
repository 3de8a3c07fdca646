/** Which requests wait for no other code and look at no other rows. */

import assert from "node:assert/strict";
import type { Query, UpdateQuery } from "../../../src/cqn/cqn.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import type { ApplicationService } from "../../../src/service/application_service.ts";
import { ServiceRequest } from "../../../src/service/requests/service_request.ts";
import { isSelfContained } from "../../../src/service/routes/route.ts";
import { createHost, createService } from "../fixture.ts";

const MODEL = parseCdl(`service ShopService {
  entity Plain { key ID : Integer; n : Integer; }
  entity Wholes { key ID : Integer; parts : Composition of many Parts on parts.whole = $self; }
  entity Parts { key ID : Integer; whole : Association to Wholes; }
  entity Refers { key ID : Integer; @assert.target to : Association to Plain; }
  @restrict: [{ grant: '*', where: (n = 1) }] entity Some { key ID : Integer; n : Integer; }
}`);

function isAlone(
  event: string,
  name: string,
  { data, query, subject, register, ...more }: {
    readonly data?: unknown;
    readonly query?: unknown;
    /** What a protocol addresses. */
    readonly subject?: unknown;
    readonly precondition?: () => void;
    readonly register?: (service: ApplicationService) => void;
  },
): boolean {
  const service = createService(register, createHost(MODEL));
  const target = service.model.entity(`ShopService.${name}`)!;
  const given = { data, query, ...subject !== undefined && { subject } };
  const req = new ServiceRequest({ event, target, ...given as object, ...more });
  return isSelfContained(req, service);
}

Deno.test("a request that reads, or writes one row by its key that has no parts and refers to nothing, is all for itself", () => {
  const insert = (name: string) => ({ INSERT: { into: `ShopService.${name}`, entries: [] } });
  const ofKey = (name: string) => ({
    ref: [{ id: `ShopService.${name}`, where: [{ ref: ["ID"] }, "=", { val: 1 }] }],
  });
  const update = (name: string) => ({ UPDATE: { entity: ofKey(name), data: {} } });
  const remove = (name: string) => ({ DELETE: { from: ofKey(name) } });
  const read = (name: string) => ({ SELECT: { from: { ref: [`ShopService.${name}`] } } });
  const addressed = (query: Query, data?: unknown) => {
    const subject = "DELETE" in query ? query.DELETE.from : (query as UpdateQuery).UPDATE.entity;
    return { query, data, subject };
  };
  const cases: readonly (readonly [
    event: string,
    name: string,
    given: Parameters<typeof isAlone>[2],
    expected: boolean,
  ])[] = [
    ["READ", "Plain", { query: read("Plain") }, true],
    ["READ", "Wholes", { query: read("Wholes") }, true],
    [
      "READ",
      "Plain",
      { query: read("Plain"), register: (srv) => srv.on("READ", "Plain", () => []) },
      false,
    ],
    ["CREATE", "Plain", { query: insert("Plain"), data: { ID: 1 } }, true],
    ["CREATE", "Plain", { query: insert("Plain"), data: [{ ID: 1 }] }, false],
    ["CREATE", "Plain", { query: insert("Plain"), data: [{ ID: 1 }, { ID: 2 }] }, false],
    ["CREATE", "Plain", { query: insert("Plain"), data: { ID: 1 }, precondition: () => {} }, false],
    ["CREATE", "Wholes", { query: insert("Wholes"), data: { ID: 1 } }, true],
    ["CREATE", "Wholes", { query: insert("Wholes"), data: { ID: 1, parts: [] } }, false],
    ["CREATE", "Refers", { query: insert("Refers"), data: { ID: 1 } }, false],
    ["CREATE", "Some", { query: insert("Some"), data: { ID: 1 } }, false],
    ["UPDATE", "Plain", addressed(update("Plain"), { n: 1 }), true],
    ["UPDATE", "Plain", { query: update("Plain"), data: { n: 1 } }, false],
    ["UPDATE", "Plain", addressed(update("Plain"), [{ n: 1 }]), false],
    [
      "UPDATE",
      "Plain",
      { query: { UPDATE: { entity: "ShopService.Plain", data: {} } }, data: { n: 1 } },
      false,
    ],
    ["UPDATE", "Wholes", addressed(update("Wholes"), {}), true],
    ["UPDATE", "Wholes", addressed(update("Wholes"), { parts: null }), false],
    ["DELETE", "Plain", addressed(remove("Plain")), true],
    ["DELETE", "Plain", { query: { DELETE: { from: "ShopService.Plain" } } }, false],
    ["DELETE", "Wholes", addressed(remove("Wholes")), false],
    [
      "UPSERT",
      "Plain",
      { query: { UPSERT: { into: "ShopService.Plain", entries: [] } }, data: { ID: 1 } },
      false,
    ],
  ];
  for (const [event, name, given, expected] of cases) {
    assert.equal(
      isAlone(event, name, given),
      expected,
      `${event} ${name} ${Deno.inspect(given, { depth: 5 })}`,
    );
  }
});
