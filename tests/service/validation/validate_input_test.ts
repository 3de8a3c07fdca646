import assert from "node:assert/strict";
import type { Row } from "../../../src/cqn/cqn.ts";
import { ServiceRequest } from "../../../src/service/requests/service_request.ts";
import { createSqliteDatabase } from "../../../src/db/sqlite/sqlite_database.ts";
import type { Csn } from "../../../src/model/csn.ts";
import type { ResolvedType } from "../../../src/model/linked.ts";
import { isOfType, typeText } from "../../../src/service/validation/check_type.ts";
import { ApplicationService } from "../../../src/service/application_service.ts";
import { DatabaseService } from "../../../src/service/database_service.ts";
import { withApp } from "../../data/app.ts";
import { asRequest, createHost } from "../fixture.ts";

const CSN: Csn = {
  definitions: {
    "S": { kind: "service" },
    "S.Checks": {
      kind: "entity",
      elements: {
        ID: { key: true, type: "cds.Integer" },
        must: { type: "cds.String", length: 20, "@mandatory": true },
        notnull: { type: "cds.String", notNull: true, default: { val: "x" } },
        needed: { type: "cds.String", notNull: true },
        ro: { type: "cds.String", "@readonly": true },
        immut: { type: "cds.String", "@Core.Immutable": true },
        range: { type: "cds.Integer", "@assert.range": [1, 10] },
        open: {
          type: "cds.Decimal",
          precision: 9,
          scale: 2,
          "@assert.range": [{ "=": true, val: 0 }, { "=": "_" }],
        },
        large: { type: "cds.Int64" },
        free: { type: "cds.Decimal" },
        day: { type: "cds.Date", "@assert.range": ["2020-01-01", "2029-12-31"] },
        prio: { type: "cds.String", enum: { low: {}, high: {} }, "@assert.range": true },
        zip: { type: "cds.String", length: 10, "@assert.format": "^[0-9]{5}$" },
        tags: { items: { type: "cds.String", length: 3 } },
        kind: {
          type: "cds.Association",
          target: "S.Kinds",
          keys: [{ ref: ["code"] }],
          "@assert.target": true,
        },
        created: { type: "cds.Timestamp", "@cds.on.insert": { "=": "$now" } },
        createdOn: { type: "cds.Date", "@cds.on.insert": { "=": "$now" } },
        createdAt: { type: "cds.Time", "@cds.on.insert": { "=": "$now" } },
        author: {
          type: "cds.String",
          "@cds.on.insert": { "=": "$user" },
          "@cds.on.update": { "=": "$user" },
        },
        parts: {
          type: "cds.Composition",
          cardinality: { max: "*" },
          target: "S.Parts",
          on: [{ ref: ["parts", "check"] }, "=", { ref: ["$self"] }],
        },
      },
    },
    "S.Parts": {
      kind: "entity",
      elements: {
        ID: { key: true, type: "cds.UUID" },
        check: { type: "cds.Association", target: "S.Checks", keys: [{ ref: ["ID"] }] },
        name: { type: "cds.String", "@mandatory": true },
        weight: { type: "cds.Integer", "@assert.range": [1, 100] },
        label: { type: "cds.String", notNull: true, default: { val: "l" } },
      },
    },
    "S.Kinds": { kind: "entity", elements: { code: { key: true, type: "cds.String", length: 4 } } },
    "S.echo": {
      kind: "action",
      params: {
        msg: { type: "cds.String", length: 5, "@mandatory": true },
        times: { type: "cds.Integer", "@assert.range": [1, 5] },
      },
      returns: { type: "cds.String" },
    },
  },
};

const VALID = { ID: 1, must: "m", needed: "n" };

async function withChecks(
  run: (send: (event: string, data: Row) => Promise<unknown>, db: DatabaseService) => Promise<void>,
  texts?: (key: string) => string | undefined,
): Promise<void> {
  const host = createHost(CSN);
  if (texts) Object.assign(host, { texts });
  const database = await createSqliteDatabase({ model: host.model, options: {} });
  await database.deploy(new Map([["S.Kinds", [{ code: "OK" }]]]));
  const db = new DatabaseService({ name: "db", host, database: () => database });
  host.db = db;
  const service = new ApplicationService({ name: "S", definition: host.model.service("S"), host });
  service.on("echo", (req) => (req.data as Row).msg);
  service.init();
  const target = host.model.entity("S.Checks")!;
  const send = (event: string, data: Row) =>
    asRequest(service, async () => {
      if (event === "echo") return await service.send("echo", data);
      const subject = {
        ref: [{ id: target.name, where: [{ ref: ["ID"] }, "=", { val: data.ID as number }] }],
      };
      const query = event === "CREATE"
        ? { INSERT: { into: target.name, entries: [data] } }
        : { UPDATE: { entity: subject, data } };
      const addressed = event === "UPDATE" ? { subject, params: [{ ID: data.ID }] } : {};
      return await service.dispatch(new ServiceRequest({ event, data, target, query, ...addressed }));
    });
  try {
    await run(send, db);
  } finally {
    await database.close();
  }
}

/** Sends a CREATE that must be rejected with the codes and targets, in order. */
function rejects(changes: Row, ...expected: readonly (readonly [code: string, target: string])[]) {
  return withChecks(async (send) => {
    await assert.rejects(send("CREATE", { ...VALID, ...changes }), (error: unknown) => {
      const { status, code, target, details } = error as Record<string, unknown>;
      assert.equal(status, 400);
      const found = details === undefined
        ? [{ code, target }]
        : details as { code: string; target: string }[];
      assert.deepEqual(found.map((one) => [one.code, one.target]), expected);
      if (expected.length > 1) assert.equal(code, "MULTIPLE_ERRORS");
      return true;
    });
  });
}

Deno.test("validateInput() rejects missing, null and blank @mandatory elements [7.3.mand] [7.3.auto] [7.1.400]", async () => {
  for (const must of [undefined, null, "", "  "]) await rejects({ must }, ["ASSERT_MANDATORY", "must"]);
});

Deno.test("validateInput() uses ASSERT_NOT_NULL for @mandatory where the project has a text for it", () =>
  withChecks(async (send) => {
    await assert.rejects(send("CREATE", { ID: 1, needed: "n" }), { code: "ASSERT_NOT_NULL", target: "must" });
  }, (key) => key === "ASSERT_NOT_NULL" ? "Do fill this in" : undefined));

Deno.test("validateInput() checks @assert.range, inclusive, exclusive and open bounds [7.3.range]", async () => {
  await rejects({ range: 0 }, ["ASSERT_RANGE", "range"]);
  await rejects({ range: 11 }, ["ASSERT_RANGE", "range"]);
  await rejects({ open: 0 }, ["ASSERT_RANGE", "open"]);
  await rejects({ day: "2019-12-31" }, ["ASSERT_RANGE", "day"]);
  await withChecks(async (send) => {
    await send("CREATE", { ...VALID, range: 10, open: "0.01", day: "2029-12-31" });
    await assert.rejects(send("UPDATE", { ID: 1, open: 0 }), { args: [0, ">0", "<Infinity"] });
  });
});

Deno.test("validateInput() checks enums annotated @assert.range [7.3.enum]", () =>
  rejects({ prio: "urgent" }, ["ASSERT_ENUM", "prio"]));

Deno.test("validateInput() checks @assert.format [7.3.format]", () =>
  rejects({ zip: "1234" }, ["ASSERT_FORMAT", "zip"]));

Deno.test("validateInput() checks @assert.target against the foreign key [7.3.target]", async () => {
  await rejects({ kind_code: "NOPE" }, ["ASSERT_TARGET", "kind_code"]);
  await withChecks(async (send) => void await send("CREATE", { ...VALID, kind_code: "OK" }));
});

Deno.test("validateInput() does not look for the whole of a part, which the write around it gives", () =>
  withApp({
    model: `service Test {
      entity Wholes { key ID : Integer; byLink : Composition of many Linked on byLink.whole = $self;
        byKey : Composition of many Keyed on byKey.whole_ID = ID; }
      entity Linked { key ID : Integer; whole : Association to Wholes @assert.target; }
      entity Keyed { key ID : Integer; whole_ID : Integer;
        whole : Association to Wholes on whole.ID = whole_ID @assert.target; } }`,
    handlers: (srv) => srv.before("CREATE", () => {}),
  }, async ({ send }) => {
    const statusOf = async (path: string, body: Row) => (await send("POST", path, { body })).status;
    const parts = [{ ID: 1, whole_ID: 99 }];
    assert.equal(await statusOf("Wholes", { ID: 1, byLink: parts }), 201);
    assert.equal(await statusOf("Wholes", { ID: 2, byKey: parts }), 201);
    assert.equal(await statusOf("Linked", { ID: 2, whole_ID: 99 }), 400);
  }));

Deno.test("validateInput() checks types, lengths and arrays", async () => {
  await rejects({ range: "x" }, ["ASSERT_DATA_TYPE", "range"], ["ASSERT_RANGE", "range"]);
  await rejects({ must: "x".repeat(21) }, ["ASSERT_DATA_TYPE", "must"]);
  await rejects({ needed: "x".repeat(256) }, ["ASSERT_DATA_TYPE", "needed"]);
  await rejects({ day: "2023-02-29" }, ["ASSERT_DATA_TYPE", "day"]);
  await rejects({ open: "1.234" }, ["ASSERT_DATA_TYPE", "open"]);
  await rejects({ tags: "x" }, ["ASSERT_ARRAY", "tags"]);
  await rejects({ tags: ["abc", "abcd"] }, ["ASSERT_DATA_TYPE", "tags[1]"]);
});

Deno.test("validateInput() takes whole numbers of 64 bits, and decimals with an exponent of three digits", async () => {
  const min = "-9223372036854775808";
  const max = "9223372036854775807";
  for (const large of [min, max, BigInt(min), BigInt(max), Number.MAX_SAFE_INTEGER, "+7"]) {
    await withChecks(async (send) => void await send("CREATE", { ...VALID, large }));
  }
  for (
    const large of [
      "9223372036854775808",
      BigInt(max) + 1n,
      BigInt(min) - 1n,
      1.5,
      2 ** 53,
      "1x",
      "",
      true,
      {},
    ]
  ) {
    await rejects({ large: large as never }, ["ASSERT_DATA_TYPE", "large"]);
  }
  for (const free of [true, {}, "x", "1e", "1e1000", Infinity]) {
    await rejects({ free: free as never }, ["ASSERT_DATA_TYPE", "free"]);
  }
  for (const free of [7n, 1e30, "1.5e100", "-3e-7"]) {
    await withChecks(async (send) => void await send("CREATE", { ...VALID, free }));
  }
});

Deno.test("validateInput() reports all violations, of children with their path", () =>
  rejects(
    {
      must: null,
      range: 99,
      parts: [{ ID: "6d1f5e3c-0000-4000-8000-000000000001", weight: 0 }, { name: "ok", weight: 101 }],
    },
    ["ASSERT_MANDATORY", "must"],
    ["ASSERT_RANGE", "range"],
    ["ASSERT_MANDATORY", "parts(ID=6d1f5e3c-0000-4000-8000-000000000001)/name"],
    ["ASSERT_RANGE", "parts(ID=6d1f5e3c-0000-4000-8000-000000000001)/weight"],
    ["ASSERT_RANGE", "parts[1]/weight"],
  ));

Deno.test("validateInput() reports violations in the order of the input, behind what is missing", () =>
  rejects(
    { parts: [{ weight: 101, name: "" }, { weight: 102 }] },
    ["ASSERT_RANGE", "parts[0]/weight"],
    ["ASSERT_MANDATORY", "parts[0]/name"],
    ["ASSERT_MANDATORY", "parts[1]/name"],
    ["ASSERT_RANGE", "parts[1]/weight"],
  ));

Deno.test("validateComplete() rejects null and missing values of elements declared not null", async () => {
  await rejects({ needed: undefined }, ["ASSERT_NOT_NULL", "needed"]);
  await rejects({ notnull: null }, ["ASSERT_NOT_NULL", "notnull"]);
  await rejects({ ID: undefined }, ["ASSERT_NOT_NULL", "ID"]);
  const part = { ID: "6d1f5e3c-0000-4000-8000-000000000001", name: "n" };
  await rejects({ parts: [part, { ...part, label: null }] }, [
    "ASSERT_NOT_NULL",
    "parts[1]/label",
  ]);
});

Deno.test("validateInput() ignores read-only and managed elements, on update immutable ones", () =>
  withChecks(async (send, db) => {
    await send("CREATE", {
      ...VALID,
      ro: "x",
      immut: "first",
      created: "2000-01-01T00:00:00.000Z",
      author: "eve",
    });
    await send("UPDATE", { ID: 1, immut: "second", author: "eve" });
    const row = await db.run({ SELECT: { one: true, from: { ref: ["S.Checks"] } } }) as Row;
    assert.equal(row.ro, null);
    assert.equal(row.immut, "first");
    assert.equal(row.author, "alice");
    assert.notEqual(row.created, "2000-01-01T00:00:00.000Z");
  }));

Deno.test("validateInput() asks for missing values on creation only, but null is refused on update too", () =>
  withChecks(async (send) => {
    await send("CREATE", { ...VALID });
    await send("UPDATE", { ID: 1, range: 5 });
    await assert.rejects(send("UPDATE", { ID: 1, must: null }), { code: "ASSERT_MANDATORY", target: "must" });
  }));

Deno.test("validateInput() checks parameters of operations", () =>
  withChecks(async (send) => {
    assert.equal(await send("echo", { msg: "hi" }), "hi");
    await assert.rejects(send("echo", {}), { code: "ASSERT_MANDATORY", target: "msg" });
    await assert.rejects(send("echo", { msg: "hi", times: 6 }), { code: "ASSERT_RANGE", target: "times" });
    await assert.rejects(send("echo", { msg: "too long" }), { code: "ASSERT_DATA_TYPE", target: "msg" });
  }));

Deno.test("fillManaged() supplies keys, defaults and managed values to the data of the request, deep", () =>
  withChecks(async (send) => {
    const data: Row = { ...VALID, parts: [{ name: "p" }] };
    await send("CREATE", data);
    assert.equal(data.notnull, "x");
    assert.equal(data.author, "alice");
    assert.match(String(data.created), /^\d{4}-.*Z$/);
    assert.equal(`${data.createdOn}T${data.createdAt}`, String(data.created).slice(0, 19));
    assert.match(String((data.parts as Row[])[0]!.ID), /^[0-9a-f-]{36}$/);
  }));

Deno.test("fillManaged() takes a child without key for new in an update as well", () =>
  withChecks(async (send) => {
    await send("CREATE", { ...VALID, parts: [{ name: "p" }] });
    const data: Row = { ID: 1, parts: [{ name: "q" }] };
    await send("UPDATE", data);
    assert.match(String((data.parts as Row[])[0]!.ID), /^[0-9a-f-]{36}$/);
  }));

Deno.test("messages name types as models do, with an example where the form of values is not obvious", () => {
  const types: readonly (readonly [ResolvedType, string])[] = [
    [{ builtin: "cds.Integer" }, "Integer"],
    [{ builtin: "cds.String" }, "String(255)"],
    [{ builtin: "cds.Binary" }, "Binary"],
    [{ builtin: "cds.Binary", length: 4 }, "Binary(4)"],
    [{ builtin: "cds.Decimal" }, "Decimal"],
    [{ builtin: "cds.Decimal", precision: 9 }, "Decimal(9)"],
    [{ builtin: "cds.Decimal", precision: 9, scale: 2 }, "Decimal(9,2)"],
    [{ builtin: "cds.Date" }, "Date (2026-12-31)"],
    [{ builtin: "cds.Time" }, "Time (13:45:00)"],
    [{}, "structure"],
  ];
  for (const [type, text] of types) assert.equal(typeText(type, 255), text);
});

Deno.test("dates of handlers are values of all types of dates and times, and of no other", () => {
  const now = new Date();
  for (const builtin of ["cds.Date", "cds.Time", "cds.DateTime", "cds.Timestamp"]) {
    assert.equal(isOfType(now, { builtin }, 255), true, builtin);
    assert.equal(isOfType(new Date(NaN), { builtin }, 255), false, builtin);
  }
  for (const builtin of ["cds.UUID", "cds.String", "cds.Integer", "cds.Boolean", "cds.Binary"]) {
    assert.equal(isOfType(now, { builtin }, 255), false, builtin);
  }
});

Deno.test("bytes and their base64 are values of binary elements up to their length", () => {
  const type = { builtin: "cds.Binary", length: 3 };
  for (const value of [new Uint8Array(3), "AAAA", "AA==", "-_8="]) {
    assert.equal(isOfType(value, type, 255), true, String(value));
  }
  for (const value of [new Uint8Array(4), "AAAAAA==", "A A=", "A===", 5, {}]) {
    assert.equal(isOfType(value, type, 255), false, String(value));
  }
  assert.equal(isOfType("AAAAAA==", { builtin: "cds.Binary" }, 255), true);
});
