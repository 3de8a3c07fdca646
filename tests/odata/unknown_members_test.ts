import assert from "node:assert/strict";
import { createRuntime } from "../../mod.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { send } from "../http/fixture.ts";

const MODEL = parseCdl(`service S {
  entity E { key ID : Integer; title : String; parts : Composition of many { key no : Integer; }; }
  action act(x : Integer);
}
@protocol: 'rest' service R { entity E { key ID : Integer; } }`);

/** An object of so many members that no type has. */
function unknown(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, 1]));
}

async function answers(
  calls: readonly (readonly [path: string, body: unknown])[],
  limits: Record<string, number> = {},
  check: (answer: Awaited<ReturnType<typeof send>>, path: string) => void,
): Promise<void> {
  const runtime = createRuntime({ model: MODEL, env: { log: { levels: { default: "silent" } }, limits } });
  await runtime.start();
  try {
    for (const [path, body] of calls) check(await send(runtime, path, { body }), path);
  } finally {
    await runtime.close();
  }
}

Deno.test("fw.limits.unknownMembers: a body with more members that its type does not have is refused at once, wherever they stand", () =>
  answers(
    [
      ["/odata/v4/s/E", { ID: 1, ...unknown(60_000) }],
      ["/odata/v4/s/E", { ID: 1, parts: Array.from({ length: 600 }, (_, no) => ({ no, ...unknown(100) })) }],
      ["/odata/v4/s/E", {
        ID: 1,
        ...Object.fromEntries(Object.keys(unknown(9000)).map((n) => [`${n}@odata.bind`, "E(1)"])),
      }],
      ["/odata/v4/s/act", { x: 1, ...unknown(60_000) }],
      ["/rest/r/E", { ID: 1, ...unknown(60_000) }],
    ],
    {},
    ({ status, body: { error } }, path) => {
      assert.deepEqual([status, error.code], [400, "TOO_MANY_UNKNOWN_MEMBERS"], path);
      assert.equal(error.message, "The body has more than 100 unknown members (fw.limits.unknownMembers)");
      assert.equal(error.details.length, 100);
      assert.match(error.details[0].message, /"m0" does not exist in /);
    },
  ));

Deno.test("fw.limits.unknownMembers: up to the limit each unknown member is told", () =>
  answers(
    [["/odata/v4/s/E", { ID: 1, titel: "x", ...unknown(1) }]],
    { unknownMembers: 2 },
    ({ status, body }) => {
      assert.deepEqual([status, body.error.code, body.error.details.length], [400, "MULTIPLE_ERRORS", 2]);
      assert.match(body.error.details[0].message, /did you mean "title"/);
    },
  ));
