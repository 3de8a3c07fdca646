import assert from "node:assert/strict";
import { fw, type Runtime, type ServiceFunction, UPDATE } from "../../mod.ts";
import { denoKinds } from "../../src/deno/mod.ts";
import { csnOf, withShop } from "./shop.ts";

const ROOT = "http://localhost/odata/v4/catalog";

/** What the current context is, at once and after waiting. */
async function seen(): Promise<string[]> {
  const ids = [fw.context?.id ?? "none"];
  await Promise.resolve();
  return [...ids, fw.context?.id ?? "none"];
}

/** Notes the ids of the contexts that handlers of READ see. */
function noting(ids: string[]): ServiceFunction {
  return (srv) => {
    srv.before("READ", "Books", async () => ids.push(...await seen()));
    srv.after("READ", "Books", async () => ids.push(...await seen()));
    srv.on("error", () => ids.push(fw.context?.id ?? "none"));
  };
}

const get = (runtime: Runtime, path: string, id: string) =>
  runtime.fetch(new Request(`${ROOT}/${path}`, { headers: { "x-correlation-id": id } }));

Deno.test("handlers see the context of their own request, at once and later", async () => {
  const ids: string[] = [];
  await withShop({ handlers: { "shop.CatalogService": noting(ids) } }, async (runtime) => {
    await (await get(runtime, "Books(1)", "first")).body?.cancel();
    await (await get(runtime, "Authors", "second")).body?.cancel();
    await (await get(runtime, "Books", "third")).body?.cancel();
    assert.deepEqual(ids, [...Array(4).fill("first"), ...Array(4).fill("third")]);
  });
});

Deno.test("error handlers see the context of a read that had no other handlers", async () => {
  const ids: string[] = [];
  const handlers: ServiceFunction = (srv) => srv.on("error", () => ids.push(fw.context?.id ?? "none"));
  const model = `service CatalogService { @readonly @insertonly entity Logs { key ID : Integer; } }`;
  await withShop(
    { handlers: { CatalogService: handlers }, model: csnOf(model) },
    async (runtime) => {
      const { status } = await get(runtime, "Logs", "refused");
      assert.deepEqual([status, ids], [405, ["refused"]]);
    },
  );
});

for (const kind of ["memory", "sqlite"]) {
  Deno.test(`reads that wait for a writer are answered like others (${kind})`, async () => {
    const env = { requires: { db: { kind } } };
    await withShop({ kinds: denoKinds, env }, async (runtime) => {
      let release = () => {};
      const writing = runtime.db!.tx(async (tx) => {
        await tx.run(UPDATE("shop.Books", 1).with({ stock: 99 }));
        await new Promise<void>((resolve) => release = resolve);
      });
      await new Promise((resolve) => setTimeout(resolve, 0));
      const urls = ["Books(1)/stock", "Books(1)", "Books(9)", "Authors(9)/books", "Authors(1)/books?$top=1"];
      const waiting = urls.map(async (url) => {
        const answer = await get(runtime, url, url.replace(/\W/g, "."));
        return [answer.status, answer.headers.get("x-correlation-id"), await answer.text()];
      });
      release();
      await writing;
      const answers = await Promise.all(waiting);
      assert.deepEqual(answers.map(([status]) => status), [200, 200, 404, 404, 200]);
      assert.deepEqual(answers.map(([, id]) => id), urls.map((url) => url.replace(/\W/g, ".")));
      assert.equal(fw.context, undefined);
    });
  });
}
