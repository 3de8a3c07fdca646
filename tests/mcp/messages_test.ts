import assert from "node:assert/strict";
import { sendTo } from "../send_to.ts";
import { type App, withApp } from "../service/rules/on_engines.ts";

const SHOP: App = {
  cdl: `
    type Place { city : String(20); zip : Integer; }
    entity db.Things {
      key ID : Integer; name : String(20) @title: 'Name'; color : String(5) enum { red; green = 'g'; };
      place : Place; tags : array of String; hidden : String(5) @cds.api.ignore; other : Association to db.Others;
      parts : Composition of many db.Parts on parts.of = $self;
      secret : Association to db.Others @cds.api.ignore;
    }
    entity db.Others { key ID : Integer; name : String(20); }
    entity db.Singles { key ID : Integer; name : String(20); }
    entity db.Parts { key ID : Integer; of : Association to db.Things; }
    @mcp @title: 'The shop'
    service Shop {
      @title: 'What there is' @description: 'All things'
      entity Things as projection on db.Things actions {
        @title: 'Paints' action paint(color : String(5) not null, key : Integer, deep : Boolean default true not null);
        function size() returns Integer;
        function all(in : many $self) returns Integer;
        @cds.api.ignore action concealed();
      };
      @restrict: [{ grant: 'READ', to: 'boss' }] entity Others as projection on db.Others;
      entity Parts as projection on db.Parts;
      @odata.singleton entity Only as projection on db.Singles actions { function name() returns String; };
      entity Named(given : String) as select from db.Others { ID, name } where name = :given;
      function echo(text : String, large : LargeString, flag : Boolean, at : Date, place : Place,
        list : many Integer) returns LargeString;
      @description: 'Keeps a place' action keep(place : Place @title: 'Where') returns Place;
      @cds.api.ignore function unseen() returns Integer;
    }
    @mcp @mcp.instructions: 'Be kind.' @Core.SchemaVersion: '2.1'
    service Plain { entity Parts as projection on db.Parts excluding { of }; }
  `,
  data: {
    "db.Things": [{ ID: 1, name: "one" }, { ID: 2, name: "two" }],
    "db.Singles": [{ ID: 5, name: "five" }],
  },
  env: {
    requires: { auth: { kind: "mocked", id_prefix: "", users: { ann: { roles: [] } } } },
    limits: { batchParts: 3 },
  },
  handlers: {
    Shop(srv) {
      srv.on("echo", (req) => JSON.stringify(req.data));
      srv.on("name", () => "the only");
      srv.on("size", () => 7);
      srv.on("all", () => 8);
      srv.on("paint", () => undefined);
      srv.on("keep", (req) => (req.data as { place: object }).place);
    },
  },
};

type Json = Readonly<Record<string, unknown>>;
type Post = (
  body: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<{ status: number; body: unknown }>;

/** A test that sends messages to the service of tools. */
function speaks(name: string, test: (post: Post) => Promise<void>, service = "shop"): void {
  Deno.test(name, () =>
    withApp(SHOP, "memory", ({ runtime }) =>
      test(async (body, headers) => {
        const answer = await sendTo(runtime, {
          ...{ method: "POST", path: `/mcp/${service}`, user: "ann" },
          ...{ body, headers },
        });
        return { status: answer.status, body: answer.body as unknown };
      })));
}

const message = (method: string, params?: unknown) => ({
  ...{ jsonrpc: "2.0", id: 1, method },
  ...(params === undefined ? {} : { params }),
});

async function resultOf(post: Post, method: string, params?: unknown): Promise<Json> {
  const { status, body } = await post(message(method, params));
  assert.equal(status, 200);
  return (body as { result: Json }).result;
}

/** The structured content of what a tool answers, or its error. */
async function called(post: Post, name: string, args?: unknown): Promise<unknown> {
  const { body } = await post(message("tools/call", { name, arguments: args }));
  const { result, error } = body as { result?: Json; error?: { message: string } };
  if (error) return error.message;
  const [{ text }] = result!.content as { text: string }[] as [{ text: string }];
  if (result!.isError) return `refused: ${(JSON.parse(text) as { error: Json }).error.code}`;
  return result!.structuredContent ?? text;
}

const refused = (code: number, message: string, id: number | null = null) => ({
  jsonrpc: "2.0",
  id,
  error: { code, message },
});

speaks(
  "messages that are none are refused by their codes, and those without id get no answer (JSON-RPC 2.0, 4, 5)",
  async (post) => {
    const bodies: readonly (readonly [sent: unknown, status: number, answer: unknown])[] = [
      ["{", 400, refused(-32700, "The body is no JSON")],
      ["[]", 400, refused(-32600, "A batch has from 1 to 3 messages")],
      [Array(4).fill(message("ping")), 400, refused(-32600, "A batch has from 1 to 3 messages")],
      [Array(3).fill({ jsonrpc: "2.0", method: "ping" }), 202, ""],
      ["1", 200, refused(-32600, "A message of JSON-RPC 2.0 is expected")],
      [{ ...message("ping"), jsonrpc: "1.0" }, 200, refused(-32600, "A message of JSON-RPC 2.0 is expected")],
      [{ jsonrpc: "2.0", id: 1 }, 200, refused(-32600, "A method is expected")],
      [{ jsonrpc: "2.0", id: 1, result: {} }, 202, ""],
      [{ jsonrpc: "2.0", id: 1, error: {} }, 202, ""],
      [{ jsonrpc: "2.0", method: "ping" }, 202, ""],
      [{ jsonrpc: "2.0", id: null, method: "ping" }, 202, ""],
      [{ jsonrpc: "2.0", id: "a", method: "ping" }, 200, { jsonrpc: "2.0", id: "a", result: {} }],
      [message("ping", []), 200, refused(-32602, "Parameters are expected as an object", 1)],
      [message("pong"), 200, refused(-32601, 'There is no method "pong"', 1)],
      [
        message("tools/call", { name: "read", arguments: [] }),
        ...[200, refused(-32602, "Arguments are expected as an object", 1)] as const,
      ],
    ];
    for (const [sent, status, body] of bodies) {
      assert.deepEqual(await post(sent), { status, body }, JSON.stringify(sent));
    }
  },
);

speaks("the first message tells versions, the service and what to do", async (post) => {
  const learned = (version?: string) => resultOf(post, "initialize", version && { protocolVersion: version });
  const told = await learned("2025-03-26");
  assert.deepEqual(told, {
    protocolVersion: "2025-03-26",
    capabilities: { tools: { listChanged: false } },
    serverInfo: { name: "Plain", version: "2.1" },
    instructions:
      "Call describe_model to learn which entities and operations there are, then read, or call operations.\nBe kind.",
  });
  const { protocolVersion } = await learned();
  assert.deepEqual((await learned("1999-01-01")).protocolVersion, protocolVersion);
  assert.match(String(protocolVersion), /^\d{4}-\d\d-\d\d$/);
}, "plain");

const PAINT = [
  { name: "color", type: "String" },
  { name: "key", type: "Integer" },
  { name: "deep", type: "Boolean" },
];
const THINGS = {
  name: "Things",
  title: "What there is",
  description: "All things",
  key: ["ID"],
  elements: [
    { name: "ID", type: "Integer" },
    { name: "name", type: "String", title: "Name" },
    { name: "color", type: "String", values: ["red", "g"] },
    { name: "place_city", type: "String" },
    { name: "place_zip", type: "Integer" },
    { name: "tags", type: "Collection" },
    { name: "other_ID", type: "Integer" },
  ],
  associations: [{ name: "parts", target: "Parts", many: true }],
  operations: [
    { name: "paint", kind: "action", title: "Paints", parameters: PAINT },
    { name: "size", kind: "function", parameters: [] },
    { name: "all", kind: "function", parameters: [] },
  ],
};

speaks(
  "the model is described with what the caller may read, and without what is not of the API",
  async (post) => {
    const described = (args?: object) => called(post, "describe_model", args);
    const { service, title, entities, operations } = await described() as Record<string, readonly Json[]>;
    assert.deepEqual([service, title] as unknown, ["Shop", "The shop"]);
    assert.deepEqual(entities!.map(({ name }) => name), ["Things", "Parts", "Only"]);
    assert.deepEqual([entities![0], await described({ entity: "Things" })], [THINGS, THINGS]);
    assert.deepEqual(entities![1]!.associations, [{ name: "of", target: "Things", many: false }]);
    assert.deepEqual(operations!.map(({ name, kind, description }) => [name, kind, description]), [
      ["echo", "function", undefined],
      ["keep", "action", "Keeps a place"],
    ]);
    assert.deepEqual((operations![0]!.parameters as Json[]).map(({ type }) => type), [
      ...["String", "LargeString", "Boolean", "Date", "structure", "Collection"],
    ]);
    assert.deepEqual(operations![1]!.parameters, [{ name: "place", type: "structure", title: "Where" }]);
    const unseen = 'There is no entity "Others", expected one of Things, Parts, Only';
    assert.equal(await described({ entity: "Others" }), unseen);
    assert.equal(await described({ entities: 1 }), 'There is no argument "entities", did you mean "entity"?');
  },
);

speaks("each tool says what it takes: keys of rows, and parameters by their types", async (post) => {
  const { tools } = await resultOf(post, "tools/list") as { tools: readonly Json[] };
  const schemaOf = (name: string) => tools.find((tool) => tool.name === name)!.inputSchema as Json;
  const rowKey = { type: "object", description: "Values of the keys of the row" };
  assert.deepEqual(
    tools.map(({ name, description, annotations }) => [name, description, annotations]).slice(2),
    [
      ["echo", "Calls the function echo", { readOnlyHint: true }],
      ["keep", "Keeps a place", { readOnlyHint: false }],
      ["Things_paint", "Paints", { readOnlyHint: false }],
      ["Things_size", "Calls the function size of one of Things", { readOnlyHint: true }],
      ["Things_all", "Calls the function all of Things", { readOnlyHint: true }],
      ["Only_name", "Calls the function name of Only", { readOnlyHint: true }],
    ],
  );
  const { entity, top, skip } = schemaOf("read").properties as Record<string, Json>;
  assert.deepEqual([entity!.enum, top!.minimum, skip!.minimum], [
    ["Things", "Others", "Parts", "Only"],
    0,
    0,
  ]);
  assert.deepEqual(schemaOf("Things_paint"), {
    type: "object",
    properties: {
      instance_key: rowKey,
      color: { type: "string", maxLength: 5 },
      key: { type: ["integer", "null"], format: "int32" },
      deep: { type: "boolean" },
    },
    required: ["instance_key", "color"],
    additionalProperties: false,
  });
  const nothing = { type: "object", properties: {}, required: [], additionalProperties: false };
  assert.deepEqual(schemaOf("Things_size"), { ...nothing, properties: { key: rowKey }, required: ["key"] });
  for (const name of ["Things_all", "Only_name"]) assert.deepEqual(schemaOf(name), nothing, name);
  const { components, properties } = schemaOf("keep") as Record<string, Json>;
  assert.deepEqual((properties!.place as Json).anyOf, [{ $ref: "#/components/schemas/Place" }, {
    type: "null",
  }]);
  assert.deepEqual(Object.keys(components!.schemas as Json), ["Place"]);
});

speaks("rows are addressed by their keys, which may stand alone where there is one", async (post) => {
  const read = (entity: string, key?: unknown) => called(post, "read", { entity, key, select: ["name"] });
  for (const key of [{ ID: 2 }, 2]) assert.deepEqual(await read("Things", key), { name: "two", ID: 2 });
  assert.deepEqual(await read("Only"), { name: "five", ID: 5 });
  const missing = '"key" must have values for ID';
  for (const key of [{}, null]) assert.equal(await read("Things", key), missing);
  assert.equal(await read("Things", { id: 2 }), 'There is no argument "id", did you mean "ID"?');
  assert.equal(await read("Things", [2]), "refused: 400");
  assert.deepEqual(await called(post, "Only_name"), { value: "the only" });
  assert.deepEqual(await called(post, "Things_size", { key: { ID: 1 } }), { value: 7 });
  assert.equal(await called(post, "Things_size", {}), missing);
  assert.deepEqual(await called(post, "Things_all"), { value: 8 });
  assert.equal(
    await called(post, "Things_all", { key: { ID: 1 } }),
    'There is no argument "key", expected one of none',
  );
  assert.deepEqual(await called(post, "Things_paint", { instance_key: { ID: 1 }, color: "g", key: 3 }), {});
});

speaks("arguments are those of the operation, whatever their values are", async (post) => {
  const echoed = async (args: object) => {
    const answer = await called(post, "echo", args);
    return typeof answer === "string" ? answer : JSON.parse((answer as { value: string }).value);
  };
  const all = {
    ...{ text: "it's", large: "a&b='c'", flag: true, at: "2020-01-01" },
    ...{ place: { city: "Bonn" }, list: [1, 2] },
  };
  for (const args of [all, { text: null, place: null }, { flag: false }, {}]) {
    assert.deepEqual(await echoed(args), args);
  }
  assert.equal(await echoed({ flak: true }), 'There is no argument "flak", did you mean "flag"?');
  assert.deepEqual(await called(post, "keep", { place: { city: "Bonn" } }), { city: "Bonn" });
  assert.equal(await called(post, "keep", { plac: 1 }), 'There is no argument "plac", did you mean "place"?');
});

speaks("options of reads have their types", async (post) => {
  const read = (more: object) => called(post, "read", { entity: "Things", select: ["name"], ...more });
  const [one, two] = [{ name: "one", ID: 1 }, { name: "two", ID: 2 }];
  assert.deepEqual(await read({ filter: "ID gt 1", count: true }), { "@odata.count": 1, value: [two] });
  assert.deepEqual(await read({ orderby: "ID desc", top: 1, skip: 1 }), { value: [one] });
  const wrong = {
    top: [1.5, "1", "integer"],
    skip: [null, "integer"],
    select: ["name", [1], "array"],
    filter: [1, "string"],
    count: ["true", "boolean"],
  };
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values.slice(0, -1)) {
      assert.equal(await read({ [name]: value }), `"${name}" must be of type ${values.at(-1)}`);
    }
  }
  const unknown = await read({ sort: "x" });
  assert.match(String(unknown), /^There is no argument "sort", expected one of entity, key, filter/);
});
