import assert from "node:assert/strict";
import fw from "../../mod.ts";
import { loadProject } from "../../src/deno/load_project.ts";
import { SMALL, withProject } from "./project.ts";

const OPTIONS = { variables: {}, env: { log: { levels: { default: "silent" } } } };

Deno.test("loadProject() runs the server.ts of a project, which serves static files", () =>
  withProject({
    ...SMALL,
    "pages/ui/index.html": "<h1>Books</h1>",
    "pages/ui/a b.js": "1",
    "pages/ui/.secret": "no",
    "pages/other.txt": "no",
    "server.ts": `import fw from "@fw/runtime";
fw.on("bootstrap", (app) => {
  app.serve("/ui").from("pages/ui");
  app.get("/hi", (c) => c.text("hi " + fw.root.split("/").length));
});
export default async (options) => {
  globalThis.seenByServerFile = typeof options.root;
  return await fw.server(options);
};
`,
  }, async (folder) => {
    const { runtime } = await loadProject(folder, OPTIONS);
    const get = (path: string, headers = {}) =>
      runtime.fetch(
        new Request(`http://localhost${path}`, {
          headers: { authorization: `Basic ${btoa("alice:")}`, ...headers },
        }),
      );
    const page = await get("/ui/");
    assert.equal(await page.text(), "<h1>Books</h1>");
    assert.equal(page.headers.get("content-type"), "text/html; charset=utf-8");
    const unchanged = await get("/ui/index.html", { "if-none-match": page.headers.get("etag")! });
    assert.equal(unchanged.status, 304);
    assert.equal(await (await get("/ui/a%20b.js")).text(), "1");
    for (const path of ["/ui/.secret", "/ui/..%2fother.txt", "/ui/%2e%2e/other.txt", "/ui/x", "/ui/%ff"]) {
      const answer = await get(path);
      assert.ok([400, 404].includes(answer.status), `${path} ${answer.status}`);
      await answer.body?.cancel();
    }
    assert.equal(await (await get("/hi")).text(), `hi ${folder.split("/").length}`);
    assert.equal((globalThis as { seenByServerFile?: string }).seenByServerFile, "string");
    assert.equal(fw.root, folder);
    assert.deepEqual(Object.keys((await fw.load("db/schema.cds")).definitions ?? {}), ["shop.Books"]);
    assert.ok((await fw.load("*")).definitions?.CatService);
    await runtime.close();
  }));

Deno.test("loadProject() names a server file that cannot be loaded", () =>
  withProject({ ...SMALL, "server.ts": "throw new Error('broken')" }, async (folder) => {
    const { runtime } = await loadProject(folder, OPTIONS);
    await assert.rejects(runtime.start(), /server\.ts:\d+:\d+: The server file cannot be loaded: broken/);
    await runtime.close();
  }));
