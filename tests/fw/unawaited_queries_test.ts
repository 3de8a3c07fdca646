/**
 * Queries that handlers build and never run.
 *
 * @module
 */

import assert from "node:assert/strict";
import fw, { DELETE, INSERT, SELECT, type Service, UPDATE, UPSERT } from "../../mod.ts";
import { watchStart } from "../../src/fw/unawaited_queries.ts";
import { withShop } from "./shop.ts";

const BOOKS = "shop.Books";

/** The warnings of a request whose handler does something. */
async function warningsOf(
  act: (service: Service) => unknown,
  options: { readonly profiles?: readonly string[] } = {},
): Promise<readonly string[]> {
  const { warn } = console;
  const lines: string[] = [];
  console.warn = (line: string) => void lines.push(line);
  try {
    await withShop({
      ...options,
      env: {
        log: { levels: { default: "warn" } },
        requires: { db: {}, auth: { kind: "basic", users: { a: { password: "p" } } } },
      },
    }, async ({ services }) => {
      const service = services["shop.CatalogService"];
      service.prepend((srv) => {
        srv.on("hello", () => act(service));
        srv.on("UPDATE", "Books", (req, next) => {
          assert.ok(req.query);
          return next();
        });
      });
      await service.send("hello", {});
      await service.send("UPDATE", "Books/1", { stock: 3 } as never);
    });
  } finally {
    console.warn = warn;
  }
  return lines.filter((line) => line.includes("never run"));
}

Deno.test("a query that a handler builds and never runs is told of outside production, with its place (api 8)", async () => {
  const forgotten: Readonly<Record<string, (service: Service) => unknown>> = {
    [`UPDATE ${BOOKS}`]: () => void UPDATE(BOOKS, 1).set({ stock: 1 }),
    [`INSERT ${BOOKS}`]: () => void INSERT.into(BOOKS).entries({ ID: 9 }),
    [`UPSERT ${BOOKS}`]: () => void UPSERT.into(BOOKS).entries({ ID: 9 }),
    [`DELETE ${BOOKS}`]: () => void DELETE.from(BOOKS, 9),
    "UPDATE Books": (service) => void service.update("Books", 1).set({ stock: 1 }),
  };
  for (const [shown, act] of Object.entries(forgotten)) {
    const lines = await warningsOf(act);
    assert.equal(lines.length, 1, lines.join("\n"));
    assert.ok(
      lines[0].includes(`${shown} was built and never run, so it changed nothing; is "await" missing?`),
      lines[0],
    );
    assert.match(lines[0], /at .*unawaited_queries_test\.ts:\d+:\d+/);
    assert.deepEqual(await warningsOf(act, { profiles: ["production"] }), []);
  }
});

Deno.test("queries that are awaited, returned, run otherwise, or only read, are not told of (api 8)", async () => {
  const used: readonly ((service: Service) => unknown)[] = [
    async () => await UPDATE(BOOKS, 1).set({ stock: 1 }),
    () => UPDATE(BOOKS, 1).set({ stock: 1 }),
    () => fw.run(UPDATE(BOOKS, 1).set({ stock: 1 })),
    () => fw.db.run([UPDATE(BOOKS, 1).set({ stock: 1 }), UPDATE(BOOKS, 2).set({ stock: 1 })]),
    (service) => service.run(UPDATE("shop.CatalogService.Books", 1).set({ stock: 1 })),
    (service) => service.send({ query: UPDATE("shop.CatalogService.Books", 1).set({ stock: 1 }) }),
    () => fw.tx((tx) => tx.run(UPDATE(BOOKS, 1).set({ stock: 1 }))),
    (service) => {
      const failing = Object.assign(Object.create(service), { run: () => Promise.reject(new Error("down")) });
      return assert.rejects(async () => await failing.update("Books", 1).set({ stock: 1 }), /down/);
    },
    () => void SELECT.from(BOOKS),
  ];
  for (const act of used) assert.deepEqual(await warningsOf(act), [], `${act}`);
});

Deno.test("a hundred queries of a transaction are looked after, and none outside of one, or in production (api 8)", async () => {
  const watched = (count: number) =>
    Array.from({ length: count }, () => watchStart({ UPDATE: { entity: BOOKS } })).filter(Boolean).length;
  await withShop({}, async () => {
    assert.equal(watched(1), 0);
    assert.deepEqual(await fw.tx(() => [watched(99), watched(2), watched(1)]), [99, 1, 0]);
    assert.equal(await fw.tx(() => watched(1)), 1);
  });
  const requires = { db: { kind: "memory" }, auth: { kind: "basic", users: { a: { password: "p" } } } };
  await withShop({ profiles: ["production"], env: { requires } }, async () => {
    assert.equal(await fw.tx(() => watched(1)), 0);
  });
});
