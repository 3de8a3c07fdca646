/**
 * What is annotated or configured and has no effect is said at the start, once.
 */

import assert from "node:assert/strict";
import { createRuntime } from "../../mod.ts";
import { parseCdl as parsed } from "../../src/model/cdl/compile_cdl.ts";

type Members = Readonly<Record<string, unknown>>;

async function warningsOf(source: string, env: Members): Promise<readonly string[]> {
  const texts: string[] = [];
  const { warn } = console;
  const runtime = createRuntime({ model: parsed(source), env });
  console.warn = (text: string) => void texts.push(text);
  try {
    await runtime.start();
    await runtime.start();
  } finally {
    console.warn = warn;
    await runtime.close();
  }
  return texts.filter((text) => /has no effect/.test(text));
}

const FORMATS = {
  messaging: { kind: "composite-messaging", routes: { inner: ["**"], same: ["x"] } },
  inner: { kind: "local-messaging", format: "cloudevents" },
  same: { kind: "local-messaging" },
};

const CASES: readonly [string, string, Members, RegExp][] = [
  [
    "constraints of entities",
    "service S { @assert: (case when a > 1 then 'x' end) entity E { key ID : Integer; a : Integer; } }",
    {},
    /@assert of "S\.E" has no effect: it belongs to elements/,
  ],
  [
    "annotations that are switched off",
    "@_requires: 'boss' service S {}",
    {},
    /@_requires of "S" has no effect: without the underscore it is @requires/,
  ],
  [
    "constraints of parameters of bound actions",
    "service S { entity E { key ID : Integer; } actions { action a(p : Integer @assert: (case when p > 1 then 'x' end)); }; }",
    {},
    /@assert of "S\.E[^"]*a\/p" has no effect: it belongs to elements/,
  ],
  [
    "constraints of parameters",
    "service S { action a(p : Integer @assert: (case when p > 1 then 'x' end)); }",
    {},
    /@assert of "S\.a\/p" has no effect: it belongs to elements/,
  ],
  [
    "constraints of virtual elements",
    "service S { entity E { key ID : Integer; virtual v : Integer @assert: (case when v > 1 then 'x' end); } }",
    {},
    /@assert of "S\.E\/v" has no effect/,
  ],
  [
    "searches in what is not there",
    "service S { @cds.search: { nothing } entity E { key ID : Integer; a : String; } }",
    {},
    /@cds\.search\.nothing of "S\.E" has no effect: there is no element "nothing"/,
  ],
  [
    "extensions of tenants",
    "service S {}",
    { extensibility: true },
    /"requires\.extensibility" has no effect/,
  ],
  [
    "formats behind composite messaging",
    "service S {}",
    FORMATS,
    /"requires\.inner\.format" .* behind "messaging"/,
  ],
];

for (const [what, source, requires, expected] of CASES) {
  Deno.test(`a start says once that ${what} have no effect; fw.strict refuses them`, async () => {
    const warnings = await warningsOf(source, { requires });
    assert.equal(warnings.length, 1);
    assert.match(warnings[0], expected);
    const strict = createRuntime({ model: parsed(source), env: { strict: true, requires } });
    await assert.rejects(strict.start(), { name: "ConfigurationError", message: expected });
  });
}

Deno.test("a start says nothing of what has an effect", async () => {
  const messaging = { ...FORMATS, messaging: { ...FORMATS.messaging, format: "cloudevents" } };
  assert.deepEqual(
    await warningsOf("service S { @odata.draft.enabled entity E { key ID : Integer; } }", {
      requires: messaging,
    }),
    [],
  );
});
