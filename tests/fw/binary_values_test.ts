/**
 * Bytes in rows that code reads and writes (api 8, csn-cqn 4): base64, or with `fw.features.base64_binaries: false` bytes and
 * streams.
 *
 * @module
 */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { Readable } from "node:stream";
import { INSERT, SELECT, type Service, UPDATE } from "../../mod.ts";
import type { Runtime } from "../../src/fw/runtime.ts";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { csnOf, withShop } from "./shop.ts";

const MODEL = csnOf(`
  namespace my;
  entity Pictures { key ID : Integer; tag : Binary(9); raw : LargeBinary;
    image : LargeBinary @Core.MediaType: 'image/png'; parts : Composition of many { key no : Integer; tag : Binary(9) } }
  service S { entity Pictures as projection on my.Pictures; entity Shown as projection on my.Pictures; }`);

const BYTES = Uint8Array.of(0xfb, 0xff, 1);

async function filled(): Promise<void> {
  await INSERT.into("my.Pictures").entries({ ID: 1, tag: BYTES, raw: BYTES, parts: [{ no: 1, tag: BYTES }] });
  await UPDATE("my.Pictures", 1).set({ image: Readable.from([BYTES.slice(0, 1), BYTES.slice(1)]) });
}

async function answerOf({ fetch }: Runtime, path: string): Promise<Response> {
  return await fetch(new Request(`http://localhost/odata/v4/s/${path}`));
}

async function bytesOf(stream: unknown): Promise<number[]> {
  const parts: number[] = [];
  for await (const part of stream as AsyncIterable<Uint8Array>) parts.push(...part);
  return parts;
}

for (const kind of ["sqlite", "memory"]) {
  const env = {
    features: { base64_binaries: false },
    requires: { db: { kind } },
    log: { levels: { default: "silent" } },
  };
  const handlers = {
    "my.S": (srv: Service) =>
      srv.on("READ", "Shown", () => SELECT.from("my.Pictures").columns("ID", "tag", "raw", "image")),
  };
  Deno.test(`code gets Binary as bytes and LargeBinary as stream where it asks for it, from ${kind} (api 8)`, () =>
    withShop({ model: MODEL, data: new Map(), kinds: denoKinds, env, handlers }, async (runtime) => {
      await filled();
      const columns = ["ID", "tag", "raw", "image", { ref: ["parts"], expand: ["*" as const] }] as const;
      const row = await SELECT.one.from("my.Pictures").columns(...columns) as Record<string, unknown>;
      assert.ok(row.tag instanceof Buffer && row.raw instanceof Readable && row.image instanceof Readable);
      assert.deepEqual([...row.tag], [...BYTES]);
      assert.deepEqual(await bytesOf(row.raw), [...BYTES]);
      assert.deepEqual(await bytesOf(row.image), [...BYTES]);
      assert.deepEqual((row.parts as { tag: unknown }[]).map(({ tag }) => tag), [Buffer.from(BYTES)]);
      for (const query of [SELECT.one.from("my.Pictures"), SELECT.one.from("my.Pictures").columns("*")]) {
        assert.deepEqual(await query, { ID: 1, tag: Buffer.from(BYTES) });
      }
      assert.deepEqual(
        await SELECT.one.from("my.Pictures").columns("*", "raw").then((found) => Object.keys(found!)),
        [
          "ID",
          "tag",
          "raw",
        ],
      );

      const copy = await SELECT.one.from("my.Pictures").columns("raw", "tag") as Record<string, unknown>;
      await INSERT.into("my.Pictures").columns("ID", "raw", "tag").rows([2, copy.raw, copy.tag]);
      const { raw } = await SELECT.one.from("my.Pictures", 2).columns("raw") as Record<string, unknown>;
      assert.deepEqual(await bytesOf(raw), [...BYTES]);
      await assert.rejects(
        async () => await UPDATE("my.Pictures", 2).set({ raw: Readable.from([1]) }),
        { name: "TypeError", message: "Expected bytes from a stream, found number" },
      );

      for (const path of ["Pictures(1)?$select=ID,tag,raw", "Shown(1)?$select=ID,tag,raw"]) {
        const { tag, raw } = await (await answerOf(runtime, path)).json();
        assert.deepEqual([tag, raw], ["-_8B", "-_8B"], path);
      }
      for (const path of ["Pictures(1)/image", "Shown(1)/image"]) {
        assert.deepEqual([...new Uint8Array(await (await answerOf(runtime, path)).arrayBuffer())], [
          ...BYTES,
        ]);
      }
    }));
}

Deno.test("code gets bytes as base64 by default, and writes streams as well (api 8)", () =>
  withShop({ model: MODEL, data: new Map(), kinds: denoKinds }, async () => {
    await filled();
    const text = "+/8B";
    assert.deepEqual(await SELECT.one.from("my.Pictures"), { ID: 1, tag: text, raw: text, image: text });
  }));
