import assert from "node:assert/strict";
import { remarkRemoteEntries } from "../../src/fw/remote_entries.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { csnOf } from "./shop.ts";

const MODEL = linkModel(csnOf("@cds.external service API { entity A { key ID : Integer; } }"));

interface Given {
  readonly kinds?: object;
  readonly production?: boolean;
  readonly destinations?: object;
}

/** What is remarked of entries below `requires`. */
function remarks(
  requires: object,
  { kinds = {}, production = false, destinations }: Given = {},
): readonly string[] {
  const env = { requires, destinations, remarks: new Set<string>() };
  const runtime = { env, kinds, production, model: MODEL };
  remarkRemoteEntries(runtime as unknown as Parameters<typeof remarkRemoteEntries>[0]);
  return [...env.remarks];
}

const kindRemark = (name: string, kind: string, hint: string) =>
  `"fw.requires.${name}.kind" is "${kind}", which is no kind of service; ${hint}`;
const EXPECTED = 'expected odata, odata-v4, odata-v2, rest, or "impl" with a class of the project';

Deno.test("kinds of services that nothing knows are remarked, where the entry is about a service or almost right", () => {
  assert.deepEqual(remarks({ API: { kind: "graphql" } }), [kindRemark("API", "graphql", EXPECTED)]);
  assert.deepEqual(remarks({ other: { kind: "graphql", service: "API" } }), [
    kindRemark("other", "graphql", EXPECTED),
  ]);
  assert.deepEqual(remarks({ other: { kind: "odta" } }), [
    kindRemark("other", "odta", 'did you mean "odata"?'),
  ]);
  assert.deepEqual(remarks({ other: { kind: "memry" } }), [
    kindRemark("other", "memry", 'did you mean "memory"?'),
  ]);
  const known = { services: { own: () => {} } };
  assert.deepEqual(remarks({ API: { kind: "owm" } }, { kinds: known }), [
    kindRemark("API", "owm", 'did you mean "own"?'),
  ]);
});

Deno.test("entries that say what they are, or that others check, are not remarked", () => {
  const quiet: readonly object[] = [
    ...["odata", "odata-v4", "odata-v2", "rest", "memory"].map((kind) => ({ API: { kind } })),
    ...[{ other: { kind: "graphql" } }, { API: { kind: "graphql", impl: "./x.ts" } }, { API: {} }, {
      API: false,
    }],
    ...[{ API: { kind: "mine" }, mine: { kind: "odata" } }, { db: { kind: "odta" } }, {
      auth: { kind: "odta" },
    }],
    ...[{ messaging: { kind: "odta" } }, { API: { kind: 5 } }],
  ];
  for (const requires of quiet) assert.deepEqual(remarks(requires), [], JSON.stringify(requires));
  const kinds = { services: { own: () => {} }, databases: { store: () => {} } };
  for (const kind of ["own", "store"]) assert.deepEqual(remarks({ API: { kind } }, { kinds }), [], kind);
});

const TARGET = { API: { kind: "odata", credentials: { destination: "there" } } };
const MISSING =
  '"fw.requires.API.credentials.destination" is "there", but "fw.destinations" has no such entry, and no ' +
  '"impl" that looks it up';

Deno.test("destinations that nobody can find are remarked, in production as well", () => {
  for (const production of [false, true]) assert.deepEqual(remarks(TARGET, { production }), [MISSING]);
  assert.deepEqual(remarks(TARGET, { destinations: { elsewhere: {} } }), [MISSING]);
  assert.deepEqual(remarks(TARGET, { destinations: { there: {} } }), []);
  assert.deepEqual(remarks(TARGET, { destinations: { impl: "./find.ts" } }), []);
  assert.deepEqual(remarks(TARGET, { kinds: { destinations: () => {} } }), []);
  assert.deepEqual(remarks({ API: { kind: "memory", credentials: { destination: "there" } } }), []);
});

Deno.test("URLs that are none are remarked in development; in production they stop the start", () => {
  const entry = (url: unknown) => ({ API: { kind: "odata", credentials: { url } } });
  assert.deepEqual(remarks(entry("https://a.example/x")), []);
  assert.deepEqual(remarks(entry(undefined)), []);
  const [wrong, ...others] = remarks(entry("no url"));
  assert.match(wrong!, /no url/);
  assert.deepEqual(others, []);
  assert.deepEqual(remarks(entry("no url"), { production: true }), []);
  const kinds = { services: { odata: () => {} } };
  assert.deepEqual(remarks(entry("no url"), { kinds }), []);
});
