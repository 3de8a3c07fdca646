import assert from "node:assert/strict";
import { createRuntime, type Row } from "../../mod.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { send } from "../http/fixture.ts";

const MODEL = `
  namespace my;
  type Point { x : Integer; }
  type Props : Map;
  @odata.enum type Color : Integer enum { red = 1; };
  service S {
    type Own { x : Integer; }
    function point() returns Point;
    function points() returns many Point;
    function own() returns Own;
    function inline() returns { x : Integer; };
    function props() returns Props;
    function map() returns Map;
    function maps() returns many Map;
    function color() returns Color;
    function text() returns String;
  }`;

Deno.test("the context of a result names its type as $metadata does, wherever the type is declared (Protocol 10.14)", async () => {
  const results = { point: { x: 1 }, points: [{ x: 1 }], maps: [{}], color: 1, text: "t" };
  const runtime = createRuntime({
    model: parseCdl(MODEL),
    handlers: {
      "my.S": (srv) => {
        for (const name of Object.keys(srv.operations)) {
          srv.on(name, () => (results as Record<string, unknown>)[name] ?? { x: 1 });
        }
      },
    },
    env: { log: { levels: { default: "silent" } }, requires: { db: false } },
  });
  await runtime.start();
  const metadata = (await send(runtime, "/odata/v4/s/$metadata?$format=json")).body["my.S"] as Record<
    string,
    readonly [{ readonly $ReturnType: { readonly $Type?: string; readonly $Collection?: boolean } }]
  >;
  for (const name of ["point", "points", "own", "inline", "props", "map", "maps", "color", "text"]) {
    const { $Type = "Edm.String", $Collection } = metadata[name]![0].$ReturnType;
    const { body } = await send(runtime, `/odata/v4/s/${name}()`);
    const type = $Collection ? `Collection(${$Type})` : $Type;
    assert.equal(body["@odata.context"], `$metadata#${type}`, name);
  }
  await runtime.close();
});

const PARTS = `
  namespace my;
  type Point { x : Integer; }
  @odata.enum type Color : Integer enum { red = 1; };
  type Box { point : Point; points : many Point; color : Color; colors : many Color; name : String; }
  service S {
    entity E { key ID : Integer; color : Color; colors : many Color; } actions {
      function point(in : many $self) returns Point;
    };
    function box() returns Box;
  }`;
const BOX = { point: { x: 1 }, points: [{ x: 1 }], color: 1, colors: [1], name: "b" };

async function withParts(run: (read: (path: string) => Promise<Record<string, unknown>>) => Promise<void>) {
  const runtime = createRuntime({
    model: parseCdl(PARTS),
    handlers: {
      "my.S": (srv) => {
        srv.on("box", () => BOX);
        srv.on("point", "E", () => BOX.point);
        srv.on("READ", "E", () => [{ ID: 1, color: 1, colors: [1] }]);
      },
    },
    env: { log: { levels: { default: "silent" } }, requires: { db: false } },
  });
  await runtime.start();
  await run(async (path) => (await send(runtime, `/odata/v4/s/${path}`)).body as Record<string, unknown>);
  await runtime.close();
}

/** The types of properties as metadata names them. */
function typesIn(metadata: Record<string, unknown>, type: string): [string, string][] {
  const definitions = metadata["my.S"] as Record<
    string,
    Record<string, { $Type?: string; $Collection?: boolean }>
  >;
  return Object.entries(definitions[type]!).filter(([name]) => !name.startsWith("$"))
    .map((
      [name, { $Type = "Edm.String", $Collection }],
    ) => [name, $Collection ? `Collection(${$Type})` : $Type]);
}

Deno.test("the context of a part of a result names its type as $metadata does (Protocol 10.14)", async () => {
  await withParts(async (read) => {
    const types = typesIn(await read("$metadata?$format=json"), "my_Box");
    assert.equal(types.length, 5);
    for (const [name, type] of types) {
      assert.equal((await read(`box()/${name}`))["@odata.context"], `../$metadata#${type}`);
    }
  });
});

Deno.test("the context of the result of a bound function names its type as $metadata does (Protocol 10.14)", async () => {
  await withParts(async (read) => {
    assert.equal((await read("E/my.S.point()"))["@odata.context"], "../$metadata#my.S.my_Point");
  });
});

Deno.test("odata.metadata=full names enumerations as $metadata does (JSON Format 4.6.3)", async () => {
  await withParts(async (read) => {
    const types = new Map(typesIn(await read("$metadata?$format=json"), "E"));
    const { value } = await read("E?$format=application/json;odata.metadata=full") as {
      readonly value: readonly Record<string, unknown>[];
    };
    for (const name of ["color", "colors"]) {
      assert.equal(value[0]![`${name}@odata.type`], `#${types.get(name)}`);
    }
  });
});

Deno.test("odata.metadata=full names no types of nulls, structures and what belongs to an association (JSON Format 4.6.3)", async () => {
  const runtime = createRuntime({
    model: parseCdl(`service S {
      @odata.nested type Point { x : Int64; }
      entity E { key ID : Integer; size : Int64; place : Point; part : Composition of one { key no : Int64; } }
    }`),
    handlers: {
      S: (srv) => srv.on("READ", "E", () => [{ ID: 1, size: null, place: { x: 1 }, part: { no: 2 } }]),
    },
    env: { log: { levels: { default: "silent" } }, requires: { db: false } },
  });
  await runtime.start();
  const { body } = await send(runtime, "/odata/v4/s/E?$format=application/json;odata.metadata=full");
  const [row] = body.value as readonly Row[];
  const part = { "@odata.type": "#S.E_part", "no@odata.type": "#Int64", no: 2 };
  assert.deepEqual([row!.size, row!.place, row!.part], [null, { x: 1 }, part]);
  const typed = Object.keys(row!).filter((name) => name.endsWith("@odata.type"));
  assert.deepEqual(typed, ["@odata.type", "ID@odata.type"]);
  await runtime.close();
});
