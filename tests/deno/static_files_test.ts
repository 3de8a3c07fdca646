import assert from "node:assert/strict";
import { loadProject } from "../../src/deno/load_project.ts";
import { SMALL, withProject } from "./project.ts";

const OPTIONS = { variables: {}, env: { log: { levels: { default: "silent" } } } };
const SECRET = "s3cret";

/** Status and text of an answer. */
type Get = (path: string) => Promise<{ readonly status: number; readonly text: string }>;

/** Serves `app/ui` of a project below `/ui`. */
function withFiles(
  files: Readonly<Record<string, string>>,
  test: (get: Get, folder: string) => Promise<void>,
): Promise<void> {
  return withProject({ ...SMALL, "app/ui/index.html": "page", ...files }, async (folder) => {
    const { runtime } = await loadProject(folder, OPTIONS);
    runtime.app.serve("/ui").from("app/ui");
    await runtime.start();
    const headers = { authorization: `Basic ${btoa("alice:")}` };
    const get: Get = async (path) => {
      const response = await runtime.fetch(new Request(`http://localhost${path}`, { headers }));
      return { status: response.status, text: await response.text() };
    };
    try {
      await test(get, folder);
    } finally {
      await runtime.close();
    }
  });
}

Deno.test("static files: no link leads out of the folder, whatever its name and wherever it stands", () =>
  withFiles(
    { ".env": SECRET, "app/secret.txt": SECRET, "app/ui-more/x.txt": SECRET },
    async (get, folder) => {
      const ui = `${folder}/app/ui`;
      await Deno.mkdir(`${ui}/sub`);
      await Deno.symlink(`${folder}/.env`, `${ui}/env.txt`);
      await Deno.symlink("../../.env", `${ui}/relative.txt`);
      await Deno.symlink("env.txt", `${ui}/twice.txt`);
      await Deno.symlink(`${folder}/app`, `${ui}/up`);
      await Deno.symlink("../..", `${ui}/sub/up`);
      await Deno.symlink(`${folder}/app/secret.txt`, `${ui}/sub/index.html`);
      await Deno.symlink(`${folder}/app/ui-more`, `${ui}/more`);
      await Deno.symlink("loop", `${ui}/loop`);
      const paths = [
        "/ui/env.txt",
        "/ui/relative.txt",
        "/ui/twice.txt",
        "/ui/up/secret.txt",
        "/ui/up",
        "/ui/sub/up/secret.txt",
        "/ui/sub/",
        "/ui/sub/index.html",
        "/ui/more/x.txt",
        "/ui/loop",
        "/ui/loop/x",
      ];
      for (const path of paths) {
        const { status, text } = await get(path);
        assert.equal(status, 404, path);
        assert.ok(!text.includes(SECRET), path);
      }
    },
  ));

Deno.test("static files: no link leads to a hidden file or folder inside of the folder", () =>
  withFiles(
    { "app/ui/.env": SECRET, "app/ui/.git/config": SECRET, "app/ui/a/.b/c.txt": SECRET },
    async (get, folder) => {
      const ui = `${folder}/app/ui`;
      await Deno.symlink(".env", `${ui}/env.txt`);
      await Deno.symlink(".git", `${ui}/git`);
      await Deno.symlink(`${ui}/a/.b/c.txt`, `${ui}/c.txt`);
      await Deno.symlink("a/.b", `${ui}/b`);
      await Deno.mkdir(`${ui}/page`);
      await Deno.symlink("../.env", `${ui}/page/index.html`);
      const paths = [
        "/ui/env.txt",
        "/ui/git/config",
        "/ui/c.txt",
        "/ui/b/c.txt",
        "/ui/page/",
        "/ui/.env",
        "/ui/a/.b/c.txt",
      ];
      for (const path of paths) {
        const { status, text } = await get(path);
        assert.ok(status === 404 && !text.includes(SECRET), path);
      }
    },
  ));

Deno.test("static files: links to other files of the folder are served, a folder by its index.html", () =>
  withFiles({ "app/ui/sub/index.html": "sub", "app/ui/real.txt": "text" }, async (get, folder) => {
    await Deno.symlink("real.txt", `${folder}/app/ui/link.txt`);
    assert.deepEqual(await get("/ui/link.txt"), { status: 200, text: "text" });
    assert.deepEqual(await get("/ui/sub/"), { status: 200, text: "sub" });
    assert.deepEqual(await get("/ui/sub"), { status: 200, text: "sub" });
    assert.deepEqual(await get("/ui"), { status: 200, text: "page" });
    assert.equal((await get("/ui/real.txt/x")).status, 404);
  }));

Deno.test("static files: a link that takes the place of a file while it is asked for shows nothing", () =>
  withFiles({ ".env": SECRET, "app/ui/real.txt": "text" }, async (get, folder) => {
    const place = `${folder}/app/ui/file.txt`;
    const swap = async (target: string) => {
      await Deno.symlink(target, `${place}.new`);
      await Deno.rename(`${place}.new`, place);
    };
    await swap("real.txt");
    let isOver = false;
    const swapping = (async () => {
      while (!isOver) {
        await swap(`${folder}/.env`);
        await swap("real.txt");
      }
    })();
    const seen = new Set<string>();
    for (let i = 0; i < 300; i++) {
      const { status, text } = await get("/ui/file.txt");
      seen.add(status === 200 ? text : String(status));
    }
    isOver = true;
    await swapping;
    assert.ok(!seen.has(SECRET), [...seen].join());
    for (const one of seen) assert.ok(one === "text" || one === "404", one);
  }));
