/** What restricted statements share: templates of what they address, and restricted forms of templates (auth 7). */

import assert from "node:assert/strict";
import { User } from "../../../src/context/user.ts";
import { EventContext } from "../../../src/context/event_context.ts";
import type { Query, QueryParams } from "../../../src/cqn/cqn.ts";
import { parseExpression } from "../../../src/cqn/parse_cql.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import type { Pass } from "../../../src/service/authorization/pass.ts";
import { endpointPass } from "../../../src/service/authorization/pass_of.ts";
import {
  addressingTemplate,
  cachedRestriction,
} from "../../../src/service/authorization/restriction_cache.ts";
import { deepFreeze } from "../../../src/util/deep_freeze.ts";
import { createHost } from "../fixture.ts";

const host = createHost(parseCdl(`service S {
  @restrict: [{ to: ['reader', 'writer'], where: (owner = $user.region) }]
  entity Books { key ID : Integer; owner : String; } actions { action one(); action two(); } }
service T {}`));
const { model } = host;
const passOf = (roles: readonly string[], service = "S"): Pass =>
  endpointPass(new EventContext({ user: new User({ id: "ann", roles }) }), {
    definition: model.service(service),
    model,
    host: { ...host, db: undefined },
  });

const addressed = (query: Query, params?: QueryParams) => addressingTemplate(model, { query, params });
const rows = [{ ID: 1 }];
const place = (id: number) => ({ ref: [{ id: "S.Books", where: parseExpression(`ID = ${id}`) }] });
const frozenPlace = deepFreeze({ ref: [{ id: "S.Books", where: parseExpression("ID = :key") }] });
const BY_KEY: QueryParams = { key: 1 };

Deno.test("statements that address alike share a template, which has no rows and no values of them", () => {
  const alike: readonly (readonly [one: Query, other: Query, params?: QueryParams])[] = [
    [{ INSERT: { into: "S.Books", entries: rows } }, { INSERT: { into: "S.Books", entries: [] } }],
    [
      { INSERT: { into: { ref: ["S.Books"] }, entries: rows } },
      { INSERT: { into: { ref: ["S.Books"] }, entries: [] } },
    ],
    [{ UPSERT: { into: "S.Books", entries: rows } }, { UPSERT: { into: "S.Books", entries: [] } }],
    [{ UPDATE: { entity: place(1), data: { owner: "a" } } }, { UPDATE: { entity: place(2), data: {} } }],
    [{ DELETE: { from: place(1) } }, { DELETE: { from: place(2) } }],
    [
      { UPDATE: { entity: frozenPlace, data: { owner: "a" } } },
      { UPDATE: { entity: frozenPlace, data: {} } },
      BY_KEY,
    ],
    [{ DELETE: { from: frozenPlace } }, { DELETE: { from: frozenPlace } }, BY_KEY],
  ];
  const templates = new Set<Query>();
  for (const [one, other, params] of alike) {
    const [first, second] = [addressed(one, params), addressed(other, params)];
    assert.equal(first.query, second.query, JSON.stringify(one));
    assert.ok(Object.isFrozen(first.query) && !/entries|data/.test(JSON.stringify(first.query)));
    assert.ok(first.params);
    templates.add(first.query);
  }
  assert.equal(templates.size, alike.length);
  const { params } = addressed({ UPDATE: { entity: frozenPlace, data: {} } }, BY_KEY);
  assert.equal(params, BY_KEY);
});

Deno.test("what addresses more than its place is known by all of it, and what cannot be a template stays", () => {
  const where = parseExpression("owner = 'a'");
  const limited = { UPDATE: { entity: frozenPlace, where, data: {} } };
  assert.notEqual(
    addressed(limited, BY_KEY).query,
    addressed({ UPDATE: { entity: frozenPlace, data: {} } }, BY_KEY).query,
  );
  assert.match(JSON.stringify(addressed(limited, BY_KEY).query), /"owner"/);
  assert.match(JSON.stringify(addressed({ DELETE: { from: frozenPlace, where } }, BY_KEY).query), /"owner"/);
  const from = { SELECT: { from: { ref: ["S.Books"] } } };
  for (
    const query of [
      { INSERT: { into: "S.Books", from } },
      { UPSERT: { into: "S.Books", from } },
      deepFreeze({ UPDATE: { entity: "S.Books", data: {} } }),
    ]
  ) {
    const statement = { query };
    assert.equal(addressingTemplate(model, statement), statement);
  }
  // clients and handlers name what they like, of which nothing is kept
  const unknown = () => addressed({ INSERT: { into: "S.Unknown", entries: rows } }).query;
  assert.notEqual(unknown(), unknown());
  assert.deepEqual(unknown(), { INSERT: { into: "S.Unknown" } });
});

Deno.test("a restricted form is shared by the same users, events, operations and services, and by no others", () => {
  const query: Query = deepFreeze({ SELECT: { from: { ref: ["S.Books"] } } });
  const restrict = (given: Query): Query => ({ ...given });
  const form = (pass: Pass, event = "READ", name?: string) => {
    const operation = name === undefined ? undefined : model.entity("S.Books")!.actions?.[name];
    return cachedRestriction(pass, { query, params: {} }, { event, operation, restrict });
  };
  const [reader, writer] = [passOf(["reader"]), passOf(["writer"])];
  const forms = () => [
    form(reader),
    form(writer),
    form(reader, "DELETE"),
    form(reader, "one", "one"),
    form(reader, "one", "two"),
    form(passOf(["reader"], "T")),
    form({ ...reader, isAdmitted: false }),
  ];
  const [first, second] = [forms(), forms()];
  assert.equal(new Set(first).size, first.length);
  for (const [at, one] of first.entries()) assert.equal(one, second[at], String(at));
  assert.ok(Object.isFrozen(first[0]));
});

Deno.test("what handlers may change is restricted each time", () => {
  const given: Query = { SELECT: { from: { ref: ["S.Books"] } } };
  const options = { event: "READ", restrict: (query: Query): Query => ({ ...query }) };
  const pass = passOf(["reader"]);
  for (const statement of [{ query: given, params: {} }, { query: deepFreeze({ ...given }) }]) {
    const restricted = cachedRestriction(pass, statement, options);
    assert.notEqual(restricted, cachedRestriction(pass, statement, options));
    assert.equal(Object.isFrozen(restricted), false);
  }
});
