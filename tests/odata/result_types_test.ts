import assert from "node:assert/strict";
import { createRuntime } from "../../mod.ts";
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
