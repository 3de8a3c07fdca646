/** Who may receive events, and which of them (auth 7). */

import assert from "node:assert/strict";
import { EventContext } from "../../../src/context/event_context.ts";
import { User } from "../../../src/context/user.ts";
import { printExpression } from "../../../src/cqn/print_query.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { assertAboutPayload, eventConditions } from "../../../src/service/authorization/event_access.ts";
import { missingPermission } from "../../../src/service/authorization/refusals.ts";
import { createHost } from "../fixture.ts";
import { condition } from "./conditions.ts";

const host = createHost(parseCdl(`
entity Shops { key ID : Integer; }
service S {
  event free { ID : Integer; }
  @requires: 'clerk' event required { ID : Integer; }
  @restrict: [{ grant: 'READ', to: 'clerk', where: (region = $user.region) }, { grant: '*', to: 'chief', where: (ID > 1) },
    { grant: 'sold', to: 'buyer' }, { grant: 'UPDATE', to: 'nobody' }]
  event sold { ID : Integer; region : String; shop : Association to Shops; place { shop : Association to Shops; }; }
}
@requires: 'clerk' service Closed { event free { ID : Integer; } }`));

function conditions(path: string, user: User): readonly string[] {
  const [service, event] = path.split(".") as [string, string];
  const definition = host.model.service(service)!;
  const scope = { definition, model: host.model, host: { ...host, db: undefined } };
  const found = eventConditions(new EventContext({ user }), scope, definition.events[event]!);
  return found.map((xpr) => printExpression({ xpr }));
}

const user = (...roles: string[]) => new User({ id: "ann", roles, attr: { region: "EU" } });

Deno.test("events are for those whom READ, all or the event itself is granted, with any of their conditions", () => {
  assert.deepEqual(conditions("S.free", user()), []);
  assert.deepEqual(conditions("S.required", user("clerk")), []);
  assert.deepEqual(conditions("S.sold", user("clerk")), ["region = $user.region"]);
  assert.deepEqual(conditions("S.sold", user("chief")), ["ID > 1"]);
  assert.deepEqual(conditions("S.sold", user("clerk", "chief")), ["region = $user.region or ID > 1"]);
  assert.deepEqual(conditions("S.sold", user("clerk", "buyer")), []);
  // who lacks the attribute gets none
  assert.deepEqual(conditions("S.sold", new User({ id: "bob", roles: ["clerk"] })), ["1 = 0"]);
  assert.deepEqual(conditions("S.sold", new User.Privileged()), []);
  assert.deepEqual(conditions("S.required", new User.Privileged()), []);
});

Deno.test("who may not receive an event is refused, as the service says where the event says nothing", () => {
  const refused = (path: string, who: User, status: number, missing?: string) =>
    assert.throws(() => conditions(path, who), (error: { status: number }) => {
      assert.deepEqual([error.status, missingPermission(error)], [status, missing], path);
      return true;
    });
  refused("S.required", user(), 403, 'S.required needs role "clerk"');
  refused("S.required", new User.Anonymous(), 401);
  refused(
    "S.sold",
    user("nobody"),
    403,
    'S.sold needs role "clerk" (for READ) or role "chief" or role "buyer" (for sold) or role "nobody" (for UPDATE)',
  );
  refused("Closed.free", new User.Anonymous(), 401);
  assert.deepEqual(conditions("Closed.free", user()), []);
});

Deno.test("conditions of events name what their payload has", () => {
  const event = host.model.service("S")!.events.sold!;
  for (
    const where of ["region = $user.region and $self.ID > 1", "shop_ID = 1 or unknown = 2", "$now > '2000'"]
  ) {
    assert.doesNotThrow(() => assertAboutPayload(event, condition(where)), where);
  }
  const beyond: readonly (readonly [where: string, found: RegExp])[] = [
    ["shop.ID = 1", /path along "shop"/],
    ["$self.shop.ID = 1", /path along "shop"/],
    ["place.shop.ID = 1", /path along "shop"/],
    ["exists shop", /A subquery/],
    ["ID in (select ID from Shops)", /A subquery/],
    ["ID in (select ID from Shops union select ID from Shops)", /A subquery/],
  ];
  for (const [where, found] of beyond) {
    assert.throws(() => assertAboutPayload(event, condition(where)), found, where);
  }
});
