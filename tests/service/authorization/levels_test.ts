/** The rules of authorization one by one, asked over HTTP (auth 7). */

import assert from "node:assert/strict";
import { createRuntime } from "../../../src/fw/create_runtime.ts";
import { compileCdl } from "../../../src/model/cdl/compile_cdl.ts";

const TEXT = `
context my {
  @restrict: [{ grant: 'READ', where: 'owner = $user' }, { to: 'boss' }]
  entity Tasks { key ID: Integer; owner: String; secret: String; }
  entity Parts { key ID: Integer; text: String; whole: Association to Wholes; }
  entity Wholes { key ID: Integer; owner: String; parts: Composition of many Parts on parts.whole = $self; }
  entity Words { key ID: Integer; word: localized String; }
  @cds.autoexpose entity Codes { key ID: Integer; name: String; }
}
@requires: 'staff' service S {
  @restrict: [{ grant: ['READ', 'stamp'], to: 'clerk' }, { grant: 'CREATE' }, { to: 'boss' }]
  entity Papers { key ID: Integer; name: String; code: Association to my.Codes; }
    actions {
      action stamp() returns String;
      @requires: 'sealer' action seal() returns String;
      action burn() returns String;
    };
  @restrict: [{ grant: 'WRITE', to: 'clerk' }] entity Box { key ID: Integer; name: String; }
  @restrict: [{ grant: ['UPDATE'], to: 'clerk' }] entity Fixed { key ID: Integer; name: String; }
  @readonly entity Shown { key ID: Integer; name: String; }
  @requires: [] entity Nobodys { key ID: Integer; }
  @restrict: [{ grant: 'READ', to: 'clerk' }] action approve() returns String;

  entity Mine as projection on my.Tasks excluding { secret };
  @cds.redirection.target: false @restrict: [{ to: 'clerk' }] entity All as projection on my.Tasks;
  @restrict: [{ to: 'clerk', where: 'owner = $user' }, { grant: 'READ', to: 'auditor' }] entity Wholes as projection on my.Wholes;

  @requires: 'boss' @cds.search: { name }
  entity Closed { key ID: Integer; name: localized String; open: Association to Open; }
    actions { action touch() returns String; };
  @cds.search: { name, closed.name }
  entity Open { key ID: Integer; name: String; closed: Association to Closed;
    many: Association to many Closed on many.open = $self; }
  entity Holder { key ID: Integer; items: Composition of many Items on items.holder = $self; }
  @requires: 'boss' entity Items { key ID: Integer; holder: Association to Holder; }

  entity Linked { key ID: Integer; town: Association to Towns; }
  @restrict: [{ grant: 'READ', where: (country = $user.country) }]
  entity Towns { key ID: Integer; name: String; country: String; linked: Association to many Linked on linked.town = $self; }
  @restrict: [{ where: 'country = $user.country or $user.country is null' }] entity Opened { key ID: Integer; country: String; }
  @restrict: [{ where: 'not (country = $user.country)' }] entity Abroad { key ID: Integer; country: String; }
  @restrict: [{ where: '$user.country <> country' }] entity Mirrored { key ID: Integer; country: String; }
  @restrict: [{ where: 'exists town[country <> $user.country]' }] entity Moved { key ID: Integer; town: Association to Towns; }
  @restrict: [{ where: 'not exists town[country = $user.country]' }] entity Stayed { key ID: Integer; town: Association to Towns; }
  @restrict: [{ where: 'due > $now and exists town[country = $user.country]' }]
  entity Due { key ID: Integer; due: Timestamp; town: Association to Towns; }
  @restrict: [{ where: 'word = ''x''' }] entity Words as projection on my.Words;
  @cds.redirection.target: false @restrict: [{ where: 'name = ''x''' }] entity Names as projection on my.Words { ID, word as name };
  @restrict: [{ where: 'word.word = ''x''' }] entity Uses { key ID: Integer; word: Association to Words; }
  @restrict: [{ where: 'tenant = $tenant' }] entity Tenanted { key ID: Integer; tenant: String; }
  @restrict: [{ grant: 'READ' }, { grant: 'UPDATE', where: 'version = 1' }, { grant: 'stamp', where: 'version = 1' }]
  entity Tagged { key ID: Integer; @odata.etag version: Integer; }
    actions { action stamp() returns String; };
}
@protocol: 'none' service Hidden { entity Things { key ID: Integer; } }
`;
const user = (roles: string[], attr: object = {}) => ({ roles: ["staff", ...roles], attr });
const users = {
  clerk: user(["clerk"], { country: ["DE"] }),
  two: user([], { country: ["DE", "FR"] }),
  sealer: user(["clerk", "sealer"]),
  boss: user(["boss"]),
  auditor: user(["auditor"]),
  nora: user([]),
  guest: { roles: ["clerk", "boss"] },
};
const countries = [{ ID: 1, country: "DE" }, { ID: 2, country: "FR" }, { ID: 3, country: "de" }];
const DATA = new Map<string, Record<string, unknown>[]>([
  ["my.Tasks", [{ ID: 1, owner: "clerk", secret: "s" }, { ID: 2, owner: "nora", secret: "s" }]],
  ["my.Wholes", [{ ID: 1, owner: "clerk" }, { ID: 2, owner: "other" }]],
  ["my.Parts", [{ ID: 1, text: "a", whole_ID: 1 }, { ID: 2, text: "b", whole_ID: 2 }]],
  ["my.Words", [{ ID: 1, word: "x" }, { ID: 2, word: "y" }]],
  ["my.Words.texts", [{ ID: 1, locale: "de", word: "y" }, { ID: 2, locale: "de", word: "x" }]],
  ["S.Uses", [{ ID: 1, word_ID: 1 }, { ID: 2, word_ID: 2 }]],
  ["my.Codes", [{ ID: 1, name: "one" }]],
  ["S.Papers", [{ ID: 1, name: "p", code_ID: 1 }]],
  ["S.Fixed", [{ ID: 1, name: "f" }]],
  ["S.Open", [{ ID: 1, name: "o", closed_ID: 1 }]],
  ["S.Closed", [{ ID: 1, name: "c", open_ID: 1 }]],
  ["S.Holder", [{ ID: 1 }]],
  ["S.Towns", countries.map((row) => ({ ...row, name: `n${row.ID}` }))],
  ["S.Linked", [{ ID: 1, town_ID: 1 }, { ID: 2, town_ID: 2 }]],
  ["S.Moved", [{ ID: 1, town_ID: 1 }, { ID: 2, town_ID: 2 }]],
  ["S.Stayed", [{ ID: 1, town_ID: 1 }, { ID: 2, town_ID: 2 }]],
  ["S.Opened", countries],
  ["S.Abroad", countries],
  ["S.Mirrored", countries],
  [
    "S.Due",
    [1, 2, 3].map((ID) => ({
      ID,
      due: `${ID === 3 ? 1999 : 2999}-01-01T00:00:00Z`,
      town_ID: ID === 3 ? 1 : ID,
    })),
  ],
  ["S.Tenanted", [{ ID: 1, tenant: null }, { ID: 2, tenant: "t1" }]],
  ["S.Tagged", [{ ID: 1, version: 1 }, { ID: 2, version: 2 }]],
]);

interface Answer {
  readonly status: number;
  readonly text: string;
  /** Keys of the rows of a collection. */
  readonly ids: readonly unknown[];
}

type Send = (as: string, call: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

function rule(name: string, run: (send: Send) => Promise<void>): void {
  Deno.test(name, async () => {
    const model = compileCdl(["m.cds"], {
      readFile: (path) => path === "m.cds" ? TEXT : undefined,
      isFile: (path) => path === "m.cds",
    });
    const runtime = createRuntime({
      model,
      env: {
        log: { levels: { default: "silent" } },
        requires: { auth: { kind: "mocked", users, id_prefix: "" }, db: { kind: "memory" } },
      },
      handlers: { S: (srv) => void srv.on(["stamp", "seal", "burn", "approve", "touch"], () => "done") },
      data: structuredClone(DATA),
    });
    try {
      await run(async (as, call, body, headers) => {
        const [method, path] = call.split(" ", 2).length === 2 ? splitCall(call) : ["GET", call];
        const request = new Request(`http://localhost/odata/v4/${path}`, {
          method,
          headers: {
            ...(as ? { authorization: `Basic ${btoa(`${as}:`)}` } : {}),
            ...(body === undefined ? {} : { "content-type": "application/json" }),
            ...headers,
          },
          body: body === undefined ? undefined : JSON.stringify(body),
        });
        const response = await runtime.fetch(request);
        const text = await response.text();
        const value = text.startsWith("{") ? JSON.parse(text).value : undefined;
        const ids = Array.isArray(value) ? value.map((row) => row.ID) : [];
        return { status: response.status, text, ids };
      });
    } finally {
      await runtime.close();
    }
  });
}

function splitCall(call: string): [string, string] {
  const at = call.indexOf(" ");
  return [call.slice(0, at), `s/${call.slice(at + 1)}`];
}

async function expectStatuses(
  send: Send,
  cases: readonly [string, string, number, unknown?][],
): Promise<void> {
  for (const [as, call, status, body] of cases) {
    assert.equal((await send(as, call, body)).status, status, `${as} ${call}`);
  }
}

rule("service, entity and operation must all admit the user", (send) =>
  expectStatuses(send, [
    ["sealer", "POST Papers(1)/S.seal", 403, {}],
    ["guest", "GET Papers", 403],
    ["nora", "GET Papers", 403],
    ["clerk", "GET Papers", 200],
    ["clerk", "POST Papers(1)/S.seal", 403, {}],
    ["clerk", "POST Papers(1)/S.stamp", 200, {}],
    ["boss", "POST Papers(1)/S.stamp", 200, {}],
    ["boss", "POST Papers(1)/S.seal", 403, {}],
    ["", "GET Papers", 401],
  ]));

rule(
  "a bound operation needs a grant of its name; without a name in `to` everybody has it",
  (send) =>
    expectStatuses(send, [
      ["clerk", "POST Papers(1)/S.burn", 403, {}],
      ["boss", "POST Papers(1)/S.burn", 200, {}],
      ["nora", "POST Papers", 204, { ID: 5 }],
    ]),
);

rule(
  "`grant` at an operation is ignored",
  (send) => expectStatuses(send, [["clerk", "POST approve", 200, {}], ["nora", "POST approve", 403, {}]]),
);

rule("WRITE stands for CREATE, UPDATE, UPSERT and DELETE, but not for READ", (send) =>
  expectStatuses(send, [
    ["clerk", "POST Box", 204, { ID: 1, name: "a" }],
    ["clerk", "PATCH Box(1)", 204, { name: "b" }],
    ["clerk", "PUT Box(2)", 204, { name: "c" }],
    ["clerk", "DELETE Box(1)", 204],
    ["clerk", "GET Box", 403],
    ["nora", "POST Box", 403, { ID: 3 }],
  ]));

rule(
  "a PUT that creates needs CREATE",
  (send) =>
    expectStatuses(send, [["clerk", "PUT Fixed(1)", 204, { name: "x" }], ["clerk", "PUT Fixed(2)", 403, {
      name: "x",
    }]]),
);

rule("@readonly grants READ only, and an empty @requires nothing to anybody", (send) =>
  expectStatuses(send, [
    ["clerk", "GET Shown", 200],
    ["clerk", "POST Shown", 405, { ID: 1 }],
    ["boss", "GET Nobodys", 403],
  ]));

rule("a missing role for any entity a request touches is 403, for anonymous users 401", async (send) => {
  const link = { "@odata.id": "Closed(2)" };
  const cases: [string, unknown?][] = [
    ["GET Open?$expand=closed"],
    ["GET Open?$expand=many($count=true)"],
    ["GET Open?$expand=closed/$ref"],
    ["GET Open(1)/closed"],
    ["GET Open(1)/closed/name"],
    ["GET Open(1)/closed/name/$value"],
    ["GET Open(1)/many"],
    ["GET Open(1)/many/$count"],
    ["GET Open?$filter=closed/name eq 'c'"],
    ["GET Open/$count?$filter=closed/name eq 'c'"],
    ["GET Open?$orderby=closed/name"],
    ["GET Open?$orderby=many/$count"],
    ["GET Open?$compute=closed/name as x&$select=x"],
    ["GET Open?$filter=many/any()"],
    ["GET Open?$filter=many/all(m:m/name eq 'c')"],
    ["GET Open?$filter=many/$count gt 0"],
    ["GET Open?$apply=groupby((closed/name))"],
    ["GET Open?$apply=filter(closed/name eq 'c')"],
    ["GET Open?$apply=aggregate(closed/ID with max as m)"],
    ["GET Open?$search=c"],
    ["GET Closed/$count"],
    ["GET Closed(1)/texts"],
    ["POST Open", { ID: 9, closed_ID: 1 }],
    ["POST Open", { ID: 8, "closed@odata.bind": "Closed(1)" }],
    ["PUT Open(1)/closed/$ref", link],
    ["POST Holder", { ID: 9, items: [{ ID: 9 }] }],
    ["PATCH Holder(1)", { items: [{ ID: 8 }] }],
    ["POST Closed(1)/S.touch", {}],
    ["POST Open(1)/closed/S.touch", {}],
  ];
  for (const [call, body] of cases) {
    assert.equal((await send("nora", call, body)).status, 403, call);
    assert.equal((await send("", call, body)).status, 401, call);
    const [method, url] = splitCall(call);
    const part = { id: "1", method, url: url.slice(2), ...(body === undefined ? {} : { body }) };
    const batch = await send("nora", "POST $batch", {
      requests: [body === undefined ? part : { ...part, headers: { "content-type": "application/json" } }],
    });
    assert.equal(JSON.parse(batch.text).responses[0].status, 403, `$batch: ${call}`);
    const done = await send("boss", call, body);
    assert.ok(done.status < 400, `${call} ${done.status} ${done.text}`);
  }
});

rule(
  "rows outside the condition are not there: expanded, behind a path, counted or grouped",
  async (send) => {
    const expanded = await send("clerk", "GET Linked?$expand=town");
    assert.deepEqual(
      JSON.parse(expanded.text).value.map((row: { town: { ID: number } | null }) => row.town?.ID),
      [
        1,
        undefined,
      ],
    );
    assert.deepEqual((await send("clerk", "GET Linked?$filter=town/name eq null")).ids, [2]);
    assert.equal((await send("clerk", "GET Towns/$count")).text, "1");
    const groups = await send("clerk", "GET Linked?$apply=groupby((town/name))&$orderby=town/name");
    assert.deepEqual(
      JSON.parse(groups.text).value.map((row: { town: { name: string } | null }) => row.town?.name ?? null),
      [
        null,
        "n1",
      ],
    );
    assert.equal((await send("clerk", "GET Linked(2)/town")).status, 204);
  },
);

rule("reading a row outside the condition is 404 like a missing key, changing it 403", async (send) => {
  const hidden = await send("clerk", "GET Wholes(2)");
  const missing = await send("clerk", "GET Wholes(9)");
  assert.deepEqual([hidden.status, hidden.text], [404, missing.text]);
  await expectStatuses(send, [
    ["clerk", "PATCH Wholes(2)", 403, { owner: "clerk" }],
    ["clerk", "DELETE Wholes(2)", 403],
    ["clerk", "PATCH Wholes(1)", 403, { owner: "other" }],
    ["clerk", "POST Wholes", 403, { ID: 3, owner: "other" }],
    ["clerk", "POST Wholes", 201, { ID: 3, owner: "clerk" }],
    ["nora", "POST Tagged(1)/S.stamp", 428, {}],
  ]);
});

rule("authorization comes before preconditions, which would tell about rows", async (send) => {
  const stamp = (ID: number, tag: string) =>
    send("nora", `POST Tagged(${ID})/S.stamp`, {}, { "if-match": tag });
  assert.equal((await stamp(1, 'W/"1"')).status, 200);
  assert.equal((await stamp(1, 'W/"9"')).status, 412);
  assert.equal((await stamp(2, 'W/"9"')).status, 403);
  assert.equal((await stamp(2, 'W/"2"')).status, 403);
  const put = (as: string, path: string) => send(as, `PUT ${path}`, { name: "x" }, { "if-none-match": "*" });
  assert.equal((await put("clerk", "Fixed(1)")).status, 412);
  assert.equal((await put("nora", "Fixed(1)")).status, 403);
  assert.equal((await put("nora", "Fixed(2)")).status, 403);
});

rule("elements outside the projection do not exist", (send) =>
  expectStatuses(send, [
    ["nora", "GET Mine?$filter=secret eq 's'", 400],
    ["nora", "GET Mine?$orderby=secret", 400],
    ["nora", "GET Mine?$select=secret", 400],
    ["nora", "GET Mine?$compute=secret as x", 400],
    ["nora", "PATCH Mine(2)", 403, { owner: "nora" }],
    ["boss", "PATCH Mine(2)", 400, { secret: "x" }],
  ]));

rule("a service entity has the restriction of its source unless it has its own", async (send) => {
  assert.deepEqual((await send("nora", "GET Mine")).ids, [2]);
  assert.deepEqual((await send("boss", "GET Mine")).ids, [1, 2]);
  assert.deepEqual((await send("clerk", "GET All")).ids, [1, 2]);
  assert.equal((await send("boss", "GET All")).status, 403);
});

rule("a reference to a hidden row may stay as it is, but not be made", async (send) => {
  const put = (as: string, town_ID: number) => send(as, "PUT Linked(2)", { town_ID });
  assert.equal((await put("clerk", 2)).status, 200);
  assert.equal((await put("clerk", 3)).status, 400);
  assert.equal((await put("clerk", 1)).status, 200);
  assert.equal((await put("clerk", 2)).status, 400);
  const open = (closed_ID: number) => send("nora", "PATCH Open(1)", { closed_ID });
  assert.equal((await open(1)).status, 200);
  assert.equal((await open(2)).status, 403);
});

rule("a list of an attribute means any of its values, compared exactly, in either order", async (send) => {
  assert.deepEqual((await send("clerk", "GET Towns")).ids, [1]);
  assert.deepEqual((await send("two", "GET Towns")).ids, [1, 2]);
  assert.deepEqual((await send("clerk", "GET Mirrored")).ids, [2, 3]);
  assert.deepEqual((await send("two", "GET Mirrored")).ids, [3]);
});

rule(
  "a predicate with a missing attribute holds for no row, negated or not, behind exists, too; `is null` opens it",
  async (send) => {
    for (const name of ["Towns", "Abroad", "Mirrored", "Moved", "Stayed"]) {
      assert.deepEqual((await send("nora", `GET ${name}`)).ids, [], name);
    }
    assert.deepEqual((await send("clerk", "GET Abroad")).ids, [2, 3]);
    assert.deepEqual((await send("nora", "GET Opened")).ids, [1, 2, 3]);
    assert.deepEqual((await send("clerk", "GET Opened")).ids, [1]);
    for (const name of ["Moved", "Stayed"]) {
      assert.deepEqual((await send("clerk", `GET ${name}`)).ids, [2], name);
    }
  },
);

rule("conditions know $now, $tenant and exists", async (send) => {
  assert.deepEqual((await send("clerk", "GET Due")).ids, [1]);
  assert.deepEqual((await send("two", "GET Due")).ids, [1, 2]);
  assert.deepEqual((await send("clerk", "GET Tenanted")).ids, []);
});

rule("the language of a request does not change which rows its user may see", async (send) => {
  const ask = (path: string) => send("nora", `GET ${path}`, undefined, { "accept-language": "de" });
  for (
    const path of ["Words", "Names", "Uses", "Uses?$filter=word/word eq 'y'", "Words?$filter=word eq 'y'"]
  ) {
    assert.deepEqual((await ask(path)).ids, [1], path);
  }
  assert.match((await ask("Names(1)")).text, /"name":"y"/);
  assert.equal((await ask("Names(2)")).status, 404);
});

rule(
  "parts are reached through their whole, with its restriction; code lists can only be read",
  (send) =>
    expectStatuses(send, [
      ["clerk", "GET Parts", 403],
      ["auditor", "GET Parts", 405],
      ["clerk", "GET Wholes(1)/parts", 200],
      ["clerk", "GET Wholes(1)/parts(1)", 200],
      ["clerk", "GET Wholes(2)/parts(2)", 404],
      ["clerk", "POST Wholes(1)/parts", 201, { ID: 5 }],
      ["clerk", "POST Wholes(2)/parts", 404, { ID: 6 }],
      ["auditor", "GET Wholes(2)/parts", 200],
      ["auditor", "POST Wholes(2)/parts", 403, { ID: 6 }],
      ["auditor", "PATCH Wholes(2)/parts(2)", 403, { text: "x" }],
      ["auditor", "DELETE Wholes(2)/parts(2)", 403],
      ["clerk", "DELETE Wholes(1)/parts(1)", 204],
      ["nora", "GET Codes", 200],
      ["boss", "POST Codes", 405, { ID: 2 }],
    ]),
);

rule(
  "@protocol none is not served; root and $metadata ask for the role of the service only",
  async (send) => {
    assert.equal((await send("boss", "hidden/Things")).status, 404);
    for (const path of ["s/", "s/$metadata"]) {
      assert.equal((await send("nora", path)).status, 200);
      assert.equal((await send("guest", path)).status, 403);
      assert.equal((await send("", path)).status, 401);
    }
  },
);
