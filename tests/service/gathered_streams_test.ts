/** Streams in written rows become bytes, where the entity has any. */

import assert from "node:assert/strict";
import type { Query } from "../../src/cqn/cqn.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { gatheredStreams } from "../../src/service/gathered_streams.ts";

const model = linkModel(parseCdl(`
  entity Images { key ID : Integer; data : LargeBinary; }
  entity Small { key ID : Integer; data : Binary; }
  entity Albums { key ID : Integer; images : Composition of many Images; next : Composition of one Albums; }
  entity Notes { key ID : Integer; text : LargeString; next : Composition of one Notes; }`));
const bytes = new Uint8Array([1, 2]);
const stream = () => new Blob([bytes]).stream() as never;

Deno.test("streams of all members of a query that hold values are read, in parts too", async () => {
  const cases: readonly (readonly [given: Query, expected: Query])[] = [
    [
      { INSERT: { into: "Images", entries: [{ ID: 1, data: stream() }, { ID: 2, data: null }] } },
      { INSERT: { into: "Images", entries: [{ ID: 1, data: bytes as never }, { ID: 2, data: null }] } },
    ],
    [
      { UPSERT: { into: { ref: ["Small"] }, entries: [{ data: stream() }] } },
      { UPSERT: { into: { ref: ["Small"] }, entries: [{ data: bytes as never }] } },
    ],
    [
      { INSERT: { into: "Images", columns: ["ID", "data"], rows: [[1, stream()]] } },
      { INSERT: { into: "Images", columns: ["ID", "data"], rows: [[1, bytes as never]] } },
    ],
    [
      { INSERT: { into: "Images", columns: ["data"], values: [stream()] } },
      { INSERT: { into: "Images", columns: ["data"], values: [bytes as never] } },
    ],
    [
      { UPDATE: { entity: "Albums", data: { images: [{ data: stream() }] }, where: [{ val: true }] } },
      { UPDATE: { entity: "Albums", data: { images: [{ data: bytes as never }] }, where: [{ val: true }] } },
    ],
  ];
  for (const [given, expected] of cases) assert.deepEqual(await gatheredStreams(given, model), expected);
});

Deno.test("there is nothing to wait for without streams, or without bytes in the entity", () => {
  const queries: readonly Query[] = [
    { SELECT: { from: { ref: ["Images"] } } },
    { DELETE: { from: "Images" } },
    { INSERT: { into: "Images", entries: [{ ID: 1, data: bytes as never }] } },
    { UPDATE: { entity: "Images", with: {} } },
    { INSERT: { into: "Notes", entries: [{ text: stream() }] } },
    { INSERT: { into: "Unknown", entries: [{ data: stream() }] } },
  ];
  for (const query of queries) assert.equal(gatheredStreams(query, model), undefined);
});
