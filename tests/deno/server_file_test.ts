import assert from "node:assert/strict";
import fw, { type Runtime } from "../../mod.ts";
import { loadProject } from "../../src/deno/load_project.ts";
import { SMALL, withProject } from "./project.ts";

/** Sends GET requests as alice. */
function getting({ fetch }: Pick<Runtime, "fetch">): (path: string, headers?: object) => Promise<Response> {
  return (path, headers = {}) =>
    fetch(
      new Request(`http://localhost${path}`, {
        headers: { authorization: `Basic ${btoa("alice:")}`, ...headers },
      }),
    );
}

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
    const get = getting(runtime);
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

Deno.test("own routes answer by files: res.sendFile() with path, folder and callback", () =>
  withProject({
    ...SMALL,
    "pages/index.html": "<h1>Books</h1>",
    "pages/.secret": "no",
    "server.js": `const cds = require("@sap/cds"), path = require("path");
cds.on("bootstrap", (app) => {
  app.get("/", (req, res) => res.sendFile(path.join(__dirname, "pages/index.html")));
  app.get("/page", (req, res) => res.status(203).set("x-own", "1").sendFile("index.html", { root: __dirname + "/pages" }));
  app.get("/absent", (req, res) => res.sendFile(path.join(__dirname, "pages/absent.html")));
  app.get("/named", (req, res) => res.sendFile(req.query.name, { root: __dirname + "/pages" }));
  app.get("/relative", (req, res) => res.sendFile(req.query.name));
  app.get("/bare", (req, res) => res.sendFile(__dirname + "/pages/" + req.query.name));
  app.get("/told", (req, res) => res.sendFile("/absent.html", { root: __dirname }, (error) => res.json(error.status)));
});
module.exports = cds.server;
`,
  }, async (folder) => {
    const { runtime } = await loadProject(folder, OPTIONS);
    const get = getting(runtime);
    const page = await get("/");
    assert.equal(await page.text(), "<h1>Books</h1>");
    assert.equal(page.headers.get("content-type"), "text/html; charset=utf-8");
    assert.equal((await get("/", { "if-none-match": page.headers.get("etag")! })).status, 304);
    const own = await get("/page");
    assert.deepEqual([own.status, own.headers.get("x-own"), await own.text()], [203, "1", "<h1>Books</h1>"]);
    const absent = await get("/absent");
    assert.equal(absent.status, 404);
    assert.ok(!(await absent.text()).includes("pages"));
    assert.equal(await (await get("/told")).json(), 404);
    for (
      const [path, status] of [
        ["/named?name=index.html", 200],
        ["/named?name=../server.js", 403],
        ["/named?name=a/..%2f..%2fserver.js", 403],
        ["/named?name=..%5cserver.js", 403],
        ["/named?name=.secret", 404],
        ["/named?name=index.html%00.png", 400],
        ["/bare?name=../server.js", 403],
        ["/relative?name=deno.json", 500],
      ] as const
    ) {
      const answer = await get(path);
      assert.equal(answer.status, status, path);
      assert.ok(!(await answer.text()).includes("@sap"), path);
    }
    await runtime.close();
  }));
