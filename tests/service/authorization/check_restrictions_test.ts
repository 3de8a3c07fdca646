/** What restrictions and annotations that protect data may not say: nothing of it waits for the first request (auth 7). */

import assert from "node:assert/strict";
import { ConfigurationError } from "../../../src/errors/configuration_error.ts";
import { createRuntime } from "../../../src/fw/create_runtime.ts";
import { compileCdl } from "../../../src/model/cdl/compile_cdl.ts";
import type { Csn } from "../../../src/model/csn.ts";

const PLACE = { file: "m.cds", line: 3, col: 10 };

/** Starts a runtime with a model. */
async function start(model: Csn): Promise<void> {
  const env = { log: { levels: { default: "silent" } }, requires: { auth: { kind: "mocked" } } };
  const runtime = createRuntime({ model, env });
  try {
    await runtime.start();
  } finally {
    await runtime.close();
  }
}

const compile = (text: string): Csn =>
  compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? text : undefined });

/** A service whose entity has annotations, an operation and an event. */
function annotated(annotations: object): Csn {
  return {
    definitions: {
      S: { kind: "service" },
      "S.run": { kind: "action" },
      "S.done": { kind: "event" },
      "S.E": {
        kind: "entity",
        elements: {
          ID: { key: true, type: "cds.Integer" },
          name: { type: "cds.String" },
          open: { type: "cds.Boolean" },
          to: { type: "cds.Association", target: "S.E", keys: [{ ref: ["ID"] }] },
        },
        actions: { touch: { kind: "action" } },
        ...annotations,
        $location: PLACE,
      },
    },
  } as Csn;
}

async function stops(model: Csn, message: RegExp): Promise<void> {
  await assert.rejects(start(model), (error: unknown) => {
    assert.ok(error instanceof ConfigurationError, String(error));
    assert.match(error.message, message);
    assert.match(error.message, /^m\.cds:\d+:\d+: /);
    return true;
  });
}

const restricted = (...entries: readonly unknown[]) => annotated({ "@restrict": entries });

Deno.test("unknown members of an entry of @restrict stop the start, with the nearest name", async () => {
  await stops(
    restricted({ grant: "*", To: "Boss" }),
    /m\.cds:3:10: .*unknown member "To", did you mean "to"/,
  );
  await stops(restricted({ grants: ["READ"], to: "a" }), /"grants", did you mean "grant"/);
  await stops(restricted({ grant: "READ", roles: ["a"] }), /"roles", did you mean "to"/);
  await stops(restricted({ grant: "READ", were: "name = 'x'" }), /"were", did you mean "where"/);
  await stops(restricted({ grant: "READ", something: 1 }), /"something", expected grant, to, where/);
});

Deno.test("entries of @restrict that say nothing, or nothing that can be understood, stop the start", async () => {
  await stops(restricted({}), /expected grant, to or where, but found an empty entry/);
  for (const to of [null, [], "", " ", [""], 5, true, {}, [["a"]], [null]]) {
    await stops(restricted({ grant: "READ", to }), /restriction of S\.E cannot be understood: .* in to/);
    await stops(restricted({ grant: to, to: "a" }), /restriction of S\.E cannot be understood: .* in grant/);
  }
  for (const entry of ["READ", 5, null, true, ["READ"]]) {
    await stops(restricted(entry), /expected entries with grant, to and where/);
  }
  for (const requires of [5, true, {}, [""], "", [["a"]]]) {
    await stops(annotated({ "@requires": requires }), /cannot be understood: .* in @requires/);
  }
  await start(annotated({ "@requires": [] }));
  await start(annotated({ "@requires": { "=": "Boss" } }));
});

Deno.test("grants that name no event and no operation stop the start, with the nearest name", async () => {
  await stops(restricted({ grant: "REED", to: "a" }), /"REED" in grant .* did you mean "READ"/);
  await stops(restricted({ grant: ["READ", "toch"], to: "a" }), /"toch" in grant .* did you mean "touch"/);
  await stops(restricted({ grant: "read", to: "a" }), /did you mean "READ"/);
  const names = ["READ", "CREATE", "UPDATE", "DELETE", "UPSERT", "INSERT", "SELECT", "WRITE", "*", "touch"];
  await start(restricted({ grant: [...names, "run", "done"], to: "a" }));
  const service = {
    ...annotated({}).definitions!.S,
    "@restrict": [{ grant: "RAED", to: "a" }],
    $location: PLACE,
  };
  await stops(
    { definitions: { ...annotated({}).definitions, S: service } } as Csn,
    /"RAED" in grant .* of S /,
  );
});

Deno.test("grants of an entity outside of services may name operations of its views", async () => {
  const model = (grant: string) => `
    @restrict: [{ grant: ['READ', '${grant}'], to: 'a' }] entity my.E { key ID : Integer; }
    service S { entity E as projection on my.E actions { action touch(); } }`;
  await start(compile(model("touch")));
  await stops(compile(model("tuch")), /"tuch" in grant .* of my\.E .* did you mean "touch"/);
});

Deno.test("conditions of events look at the payload alone", async () => {
  const model = (where: string) =>
    `service S { entity E { key ID : Integer; }
    @restrict: [{ to: 'a', where: (${where}) }] event Done { name : String; to : Association to E; } }`;
  await start(compile(model("name = $user and $self.name <> 'x'")));
  for (const path of ["to.ID = 1", "$self.to.ID = 1"]) {
    await stops(
      compile(model(path)),
      /The path along "to" of a restriction of S\.Done leads beyond the payload/,
    );
  }
  for (
    const subquery of [
      "exists to",
      "exists (select 1 as x from S.E)",
      "name in (select ID from E)",
      "name in (select x.ID from S.E as x join S.E as y on x.ID = y.ID)",
    ]
  ) {
    await stops(compile(model(subquery)), /A subquery of a restriction of S\.Done leads beyond the payload/);
  }
});

Deno.test("a where that is no condition stops the start", async () => {
  const forms = [
    ...[null, 5, "", "name = = 1", [], {}, { xpr: [] }, { xpr: "name" }, { foo: 1 }, { ref: "name" }],
    ...[{ ref: [1] }, { ref: [] }, { func: 1 }, { xpr: [{ ref: ["name"] }, { ref: ["name"] }] }, {
      xpr: ["="],
    }],
    ...[{ xpr: [{ ref: ["name"] }, "foo", { val: 1 }] }, { val: 1 }, { val: "x" }, "name", "'x'", "ID + 1"],
    ...[{ list: [{ val: 1 }] }, "$user", { xpr: [{ ref: ["name"] }, "=", {}] }, { "=": 5 }, false],
  ];
  for (const where of forms) {
    await stops(restricted({ grant: "READ", to: "a", where }), /condition|restriction of S\.E/i);
  }
  const good = [
    ...[true, "open", "not open", "$self.open", "to.open", "name = $user", "E.name = 'x'", "S.E.name = 'x'"],
    ...[{ "=": "open" }, { xpr: [{ ref: ["name"] }, "=", { val: "x" }] }, { ref: ["open"] }, { val: true }],
    ...[
      "exists to[name = $user]",
      { ref: [{ id: "to" }, "open"] },
      "contains(name, 'x')",
      "name like 'x%' or ID between 1 and 3",
    ],
    ...["exists (select 1 as x from S.E as o where o.name = name)", "ID in (select ID from S.E)"],
    ...[
      "case when open then true else false end = true",
      "name is null and ($user.x is null or ID in (1, 2))",
    ],
  ];
  for (const where of good) await start(restricted({ grant: "READ", to: "a", where }));
});

Deno.test("conditions with unknown elements, variables and entities stop the start, with the nearest name", async () => {
  const unknown: readonly (readonly [string, RegExp])[] = [
    ["nam = $user", /"nam" .* did you mean "name"/],
    ["name = $usr", /"\$usr" .* did you mean "\$user"/],
    ["exists (select 1 as x from E)", /"E" .* is no entity, expected its full name/],
    ["ID in (select ID from S.E union select ID from F)", /"F" .* is no entity, expected its full name/],
    ["ID in (select ID from (select ID from F))", /"F" .* is no entity, expected its full name/],
    ["name = $user.a.b", /\$user\.a\.b .* attributes have no members/],
  ];
  for (const [where, message] of unknown) await stops(restricted({ grant: "READ", where }), message);
});

Deno.test("restrictions of services, operations, events and entities outside of services are checked, too", async () => {
  const wrong = "@restrict: [{ grant: '*', To: 'a' }]";
  for (
    const text of [
      `${wrong} service S {}`,
      `service S { ${wrong} action a(); }`,
      `service S { ${wrong} event e { x : String; } }`,
      `service S { entity E { key ID : Integer; } actions { ${wrong} action a(); } }`,
      `${wrong} entity my.E { key ID : Integer; }`,
      `entity my.E { key ID : Integer; } annotate my.E with ${wrong};`,
    ]
  ) await stops(compile(text), /unknown member "To", did you mean "to"/);
  // what another system serves is restricted there
  await start(compile(`@cds.external service S { ${wrong} entity E { key ID : Integer; } }`));
});

Deno.test("misspelt names of annotations that protect data stop the start, with the nearest name", async () => {
  const misspelt: readonly (readonly [string, string])[] = [
    ...["@require", "@Requires", "@requiers", "@required"].map((name) => [name, "@requires"] as const),
    ...["@restricted", "@Restrict", "@restrcit", "@restriction"].map((name) => [name, "@restrict"] as const),
    ...["@readonli", "@readOnly", "@read_only"].map((name) => [name, "@readonly"] as const),
    ...["@insertOnly", "@insertonl"].map((name) => [name, "@insertonly"] as const),
    ...["@mandatroy", "@Mandatory"].map((name) => [name, "@mandatory"] as const),
    ...[["@assert.rnage", "@assert.range"], ["@assert.Format", "@assert.format"]] as const,
    ...[["@asert.target", "@assert.target"], ["@Assert.range", "@assert.range"]] as const,
    ...[["@restrict.grant", "@restrict: \\[\\{ grant: … \\}\\]"], ["@restricts.to", "@restrict"]] as const,
    ...[["@requires.x", "@requires"], ["@restrict#variant", "@restrict"]] as const,
  ];
  for (const [name, near] of misspelt) {
    const message = new RegExp(
      `m\\.cds:3:10: Annotation ${name} of S\\.E is unknown, did you mean ${near}\\?`,
    );
    await stops(annotated({ [name]: true }), message);
  }
  const element = `service S { entity E { key ID : Integer; @mandatroy name : String; } }`;
  await stops(compile(element), /m\.cds:1:\d+: Annotation @mandatroy of S\.E\/name/);
  await stops(compile(`service S { action a(@assert.formt p : String); }`), /did you mean @assert\.format/);
  const items = `service S { entity E { key ID : Integer; list : array of { @mandatroy x : String; }; } }`;
  await stops(compile(items), /Annotation @mandatroy of S\.E\/list\/x/);
  const result = `service S { action a() returns { @assert.formt y : String; }; }`;
  await stops(compile(result), /Annotation @assert\.formt of S\.a\/y/);
});

Deno.test("annotations of others do not stop the start", () =>
  start(annotated({
    ...{
      "@restricted.x": 1,
      "@Required.y": 1,
      "@request": 1,
      "@writeonly": true,
      "@title": "t",
      "@path": "/s",
    },
    ...{ "@Common.Restrict": 1, "@vendor.requires": "x", "@assert.unique.name": [{ "=": "name" }] },
    ...{ "@assertion.range": 1, "@Capabilities.Readable": true, "@description": "d", "@label": "l" },
    ...{ "@readonly": true, "@open": true, "@impl": "x.ts", "@rest.path": "p" },
  })));

Deno.test("an underscore in front of a name of ours or at its end switches it off, one in front of any name hides it", () =>
  start(annotated({
    ...{ "@_restrict": 1, "@_requires": 5, "@restrict_": 1, "@readonly_": 1, "@mandatory_": true },
    ...{ "@_require": 1, "@_readOnly": true, "@_mandatry": true },
  })));
