import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { type ApplicationService, createRuntime, fw, type Runtime, SELECT } from "../../mod.ts";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";
import { ENGINES } from "../odata/engines.ts";

const TEXT = `
context my {
  entity Books { key ID: Integer; title: String(20); }
  entity Albums { key ID: Integer; pages: Composition of many { key no: Integer; text: String(20) }; }
}
service S {
  entity Books as projection on my.Books;
  entity Seen as projection on my.Books;
  entity Albums as projection on my.Albums;
}
`;
const MODEL = compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? TEXT : undefined });

function open(register?: (srv: ApplicationService) => void): Runtime {
  return createRuntime({
    model: MODEL,
    data: new Map([["my.Books", [{ ID: 1, title: "One" }]]]),
    env: { requires: { db: { kind: "sqlite" } }, log: { levels: { default: "silent" } } },
    kinds: { databases: { sqlite: () => ENGINES.sqlite! } },
    ...(register ? { handlers: { S: register as never } } : {}),
  });
}

/** How often a request enters the storage of the current context, and its status. */
async function entriesOf(runtime: Runtime, [method, path, data]: readonly [string, string, unknown?]) {
  const { run } = AsyncLocalStorage.prototype;
  let entries = 0;
  AsyncLocalStorage.prototype.run = function (this: AsyncLocalStorage<unknown>, ...args: unknown[]) {
    entries++;
    return Reflect.apply(run, this, args);
  } as typeof run;
  try {
    const body = data === undefined ? {} : { body: JSON.stringify(data) };
    const headers = { "content-type": "application/json" };
    const request = new Request(`http://localhost/odata/v4/s/${path}`, { method, headers, ...body });
    const response = await runtime.fetch(request);
    await response.text();
    return [response.status, entries];
  } finally {
    AsyncLocalStorage.prototype.run = run;
  }
}

Deno.test("requests without handlers do not enter the storage of the context, those with handlers once", async () => {
  const runtime = open((srv) => {
    srv.before("*", "Seen", async () => void await SELECT.one.from("my.Books", 1));
    srv.after("*", "Seen", () => {});
  });
  try {
    await entriesOf(runtime, ["GET", "Books(1)"]);
    assert.deepEqual(await entriesOf(runtime, ["GET", "Books(1)"]), [200, 0]);
    assert.deepEqual(await entriesOf(runtime, ["GET", "Books?$top=5"]), [200, 0]);
    assert.deepEqual(await entriesOf(runtime, ["POST", "Books", { ID: 2, title: "Two" }]), [201, 0]);
    assert.deepEqual(await entriesOf(runtime, ["PATCH", "Books(2)", { title: "2" }]), [200, 0]);
    assert.deepEqual(await entriesOf(runtime, ["DELETE", "Books(2)"]), [204, 0]);
    const album = { ID: 3, pages: [{ no: 1, text: "a" }, { no: 2 }] };
    assert.deepEqual(await entriesOf(runtime, ["POST", "Albums", album]), [201, 0]);
    assert.deepEqual(await entriesOf(runtime, ["GET", "Seen(1)"]), [200, 1]);
  } finally {
    await runtime.close();
  }
});

Deno.test("handlers that are not asynchronous see their own context, also in what they start", async () => {
  const seen: unknown[] = [];
  const started: Promise<void>[] = [];
  const runtime = open((srv) => {
    srv.before("READ", "Seen", (req) => {
      seen.push(fw.context === req);
      started.push(
        new Promise((resolve) => setTimeout(resolve, 1)).then(() => void seen.push(fw.context === req)),
      );
    });
    srv.after("READ", "Seen", (_, req) => void seen.push(fw.context === req));
  });
  try {
    const ask = () => entriesOf(runtime, ["GET", "Seen(1)"]);
    await Promise.all([ask(), ask(), ask()]);
    await Promise.all(started);
    assert.deepEqual(seen, Array(9).fill(true));
    assert.equal(fw.context, undefined);
  } finally {
    await runtime.close();
  }
});

Deno.test("all handlers of a phase end before it fails, and the first failure is answered", async () => {
  const ended: string[] = [];
  const runtime = open((srv) => {
    srv.before("READ", "Seen", async () => {
      await new Promise((resolve) => setTimeout(resolve, 2));
      ended.push("late");
      throw Object.assign(new Error("late"), { status: 418 });
    });
    srv.before("READ", "Seen", (req) => {
      ended.push("at once");
      req.reject(409, "At once");
    });
    srv.before("READ", "Seen", () => void ended.push("third"));
  });
  try {
    const [status] = await entriesOf(runtime, ["GET", "Seen(1)"]);
    assert.equal(status, 418);
    assert.deepEqual(ended, ["at once", "third", "late"]);
  } finally {
    await runtime.close();
  }
});
