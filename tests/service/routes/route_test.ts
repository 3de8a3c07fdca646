/** Which requests wait for no other code and look at no other rows, and which are one statement. */

import assert from "node:assert/strict";
import { EventContext } from "../../../src/context/event_context.ts";
import { User } from "../../../src/context/user.ts";
import { parseCqlQuery } from "../../../src/cqn/parse_cql.ts";
import type { Query, RefExpression } from "../../../src/cqn/cqn.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { ApplicationService } from "../../../src/service/application_service.ts";
import {
  ServiceRequest,
  type ServiceRequestProperties,
} from "../../../src/service/requests/service_request.ts";
import { isPlainStatement, isSelfContained, routeOf } from "../../../src/service/routes/route.ts";
import { createHost } from "../fixture.ts";

const host = createHost(parseCdl(`service S {
  entity Plain { key ID : Integer; name : String; }
  entity Wholes { key ID : Integer; parts : Composition of many { key pos : Integer; }; }
  entity Bound { key ID : Integer; @assert.target other : Association to Plain; }
  entity Checked { key ID : Integer; @assert: (case when no < 0 then 'negative' end) no : Integer; }
  @restrict: [{ grant: '*', to: 'admin' }, { grant: '*', to: 'clerk', where: (ID = 1) }] entity Kept { key ID : Integer; }
  @fw.requests: 'always' entity Always { key ID : Integer; }
  @cds.persistence.skip entity Skipped { key ID : Integer; }
  @readonly entity Fixed { key ID : Integer; }
  entity Handled { key ID : Integer; }
  entity OfYear(year : Integer) as select from Plain { ID, name };
}`));

function serviceOf(): ApplicationService {
  const service = new ApplicationService({ name: "S", definition: host.model.service("S"), host });
  for (const phase of ["before", "on", "after"] as const) {
    service[phase]({ before: "CREATE", on: "UPDATE", after: "READ" }[phase], "Handled", () => {});
  }
  service.init();
  return service;
}

const service = serviceOf();

/** A request as a protocol makes it: about an entity, or about its row with the key 1. */
function requestOf(
  event: string,
  entity: string,
  { role = "clerk", path = entity, from = path, ...given }: Partial<ServiceRequestProperties> & {
    readonly role?: string;
    /** What the request addresses, as CQL. */
    readonly from?: string;
  } = {},
): ServiceRequest {
  const { SELECT } = parseCqlQuery(`select from S.${from}`) as { SELECT: { from: RefExpression } };
  const queries: Readonly<Record<string, Query>> = {
    READ: { SELECT },
    DELETE: { DELETE: SELECT },
    UPDATE: { UPDATE: { entity: SELECT.from, data: {} } } as Query,
  };
  const context = new EventContext({ user: new User({ id: "ann", roles: [role] }) });
  const target = host.model.entity(`S.${entity}`);
  return new ServiceRequest({
    ...{ event, context, target, path: `S.${path}`, subject: SELECT.from, query: queries[event] },
    ...given,
  });
}

Deno.test("a request needs no context where nobody else takes part and no other row is looked at", () => {
  const one = { from: "Plain[ID = 1]" };
  const cases: readonly (readonly [expected: boolean, req: ServiceRequest])[] = [
    [true, requestOf("READ", "Plain")],
    [true, requestOf("READ", "Bound")],
    [true, requestOf("READ", "Kept")],
    [false, requestOf("READ", "Handled")],
    [false, requestOf("READ", "Always")],
    [false, requestOf("READ", "Plain", { target: undefined })],
    [true, requestOf("CREATE", "Plain", { data: { ID: 1 } })],
    [false, requestOf("CREATE", "Plain", { data: [{ ID: 1 }] })],
    [false, requestOf("CREATE", "Plain", { data: "text" })],
    [false, requestOf("CREATE", "Plain", { data: { ID: 1 }, precondition: () => {} })],
    [false, requestOf("CREATE", "Handled", { data: { ID: 1 } })],
    [false, requestOf("CREATE", "Bound", { data: { ID: 1 } })],
    [false, requestOf("CREATE", "Checked", { data: { ID: 1 } })],
    [true, requestOf("CREATE", "Wholes", { data: { ID: 1 } })],
    [false, requestOf("CREATE", "Wholes", { data: { ID: 1, parts: [] } })],
    [false, requestOf("CREATE", "Kept", { data: { ID: 1 } })],
    [true, requestOf("CREATE", "Kept", { data: { ID: 1 }, role: "admin" })],
    [true, requestOf("UPDATE", "Plain", { ...one, data: { name: "x" } })],
    [false, requestOf("UPDATE", "Plain", { ...one, data: { name: "x" }, subject: undefined })],
    [false, requestOf("UPDATE", "Plain", { ...one, data: { name: "x" }, query: undefined })],
    [false, requestOf("UPDATE", "Plain", { ...one, data: [{ name: "x" }] })],
    [false, requestOf("UPDATE", "Bound", { from: "Bound[ID = 1]", data: {} })],
    [true, requestOf("DELETE", "Plain", one)],
    [false, requestOf("DELETE", "Plain", { from: "Plain where ID = 1" })],
    [false, requestOf("DELETE", "Wholes", { from: "Wholes[ID = 1]" })],
    [false, requestOf("UPSERT", "Plain", { ...one, data: { ID: 1 } })],
  ];
  for (const [index, [expected, req]] of cases.entries()) {
    assert.equal(isSelfContained(req, service), expected, `${index}: ${req.event} of ${req.path}`);
  }
});

Deno.test("a change of addressed rows that nobody handles is one statement, where the database needs no context", () => {
  const needsNoContext = (needs: boolean) => ({
    handlers: service.handlers,
    isGeneric: (event: string) => service.isGeneric(event),
    host: { db: { needsNoContext: () => needs } },
  });
  const cases: readonly (readonly [expected: boolean, req: ServiceRequest])[] = [
    [true, requestOf("UPDATE", "Plain", { data: {} })],
    [true, requestOf("DELETE", "Plain")],
    [true, requestOf("DELETE", "Kept")],
    [false, requestOf("READ", "Plain")],
    [false, requestOf("CREATE", "Plain", { data: {} })],
    [false, requestOf("DELETE", "Plain", { subject: undefined })],
    [false, requestOf("DELETE", "Plain", { target: undefined })],
    [false, requestOf("UPDATE", "Handled", { data: {} })],
    [false, requestOf("DELETE", "Skipped")],
    [false, requestOf("DELETE", "Fixed")],
    [false, requestOf("DELETE", "Wholes.parts")],
  ];
  for (const [index, [expected, req]] of cases.entries()) {
    assert.equal(
      isPlainStatement(req, needsNoContext(true)),
      expected,
      `${index}: ${req.event} of ${req.path}`,
    );
    assert.equal(isPlainStatement(req, needsNoContext(false)), false);
    assert.equal(isPlainStatement(req, { ...needsNoContext(true), host: {} }), false);
  }
});

Deno.test("the route of requests is told until a handler is added", () => {
  const own = serviceOf();
  const of = (event: string, name: string, path = `S.${name}`) => {
    const route = routeOf(own, { event, target: host.model.entity(`S.${name}`)!, path });
    const { isPlain, isStatement, refers, writesOneRow } = route;
    return [isPlain, isStatement, refers, writesOneRow].map(Number).join("");
  };
  const told: readonly (readonly [event: string, name: string, expected: string])[] = [
    ["CREATE", "Plain", "1101"],
    ["UPDATE", "Plain", "1101"],
    ["CREATE", "Bound", "1110"],
    ["CREATE", "Checked", "1110"],
    ["CREATE", "Always", "0000"],
    ["CREATE", "Skipped", "1000"],
    ["CREATE", "Fixed", "1000"],
    ["READ", "Fixed", "1101"],
    ["CREATE", "Handled", "0000"],
    ["UPDATE", "Handled", "0000"],
    ["READ", "Handled", "0000"],
    ["DELETE", "Handled", "1101"],
    ["CREATE", "OfYear", "1101"],
    ["UPDATE", "OfYear", "1100"],
    ["CREATE", "Wholes.parts", "1000"],
  ];
  for (const [event, name, expected] of told) assert.equal(of(event, name), expected, `${event} of ${name}`);
  assert.equal(of("CREATE", "Wholes.parts", "S.Wholes/parts"), "1100");
  const subject = { event: "READ", target: host.model.entity("S.Plain")!, path: "S.Plain" };
  const before = routeOf(own, subject);
  assert.equal(routeOf(own, subject), before);
  own.after("READ", "Plain", () => {});
  assert.equal(routeOf(own, subject).isPlain, false);
});
