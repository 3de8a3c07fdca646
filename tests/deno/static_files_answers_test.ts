/** What is answered for files, and which file a path means. */

import assert from "node:assert/strict";
import type { RouteHandler } from "../../src/fw/app_router.ts";
import { answerFile, fileAnswer, findFile, staticFiles } from "../../src/deno/static_files.ts";
import { withProject } from "./project.ts";

Deno.test("the type of a file is that of its ending, in capitals as well, else it is bytes of any kind", async () => {
  const types: readonly (readonly [name: string, type: string])[] = [
    ["a.html", "text/html; charset=utf-8"],
    ["a.JS", "text/javascript; charset=utf-8"],
    ["a.min.mjs", "text/javascript; charset=utf-8"],
    ["a.b/c.json", "application/json"],
    ["a.png", "image/png"],
    ["a.unheard", "application/octet-stream"],
    ["html", "application/octet-stream"],
    ["plain", "application/octet-stream"],
  ];
  await withProject(Object.fromEntries(types.map(([name]) => [name, name])), async (folder) => {
    for (const [name, type] of types) {
      const answer = await fileAnswer(`${folder}/${name}`, undefined);
      const { status, headers } = answer!;
      assert.deepEqual([status, headers.get("content-type"), await answer!.text()], [200, type, name]);
      assert.equal(headers.get("x-content-type-options"), "nosniff");
      assert.equal(headers.get("cache-control"), "no-cache");
    }
  });
});

Deno.test("a client that has a file gets 304 without body until the file changes (RFC 9110, 13.1.2)", async () => {
  await withProject({ "a.txt": "one" }, async (folder) => {
    const file = `${folder}/a.txt`;
    const first = (await fileAnswer(file, undefined))!;
    const etag = first.headers.get("etag")!;
    assert.equal(await first.text(), "one");
    assert.match(etag, /^"[^"]+"$/);
    const again = (await fileAnswer(file, etag))!;
    assert.deepEqual([again.status, again.body, again.headers.get("etag")], [304, null, etag]);
    for (const other of ['"other"', etag.slice(1, -1)]) {
      const answer = (await fileAnswer(file, other))!;
      assert.deepEqual([answer.status, await answer.text()], [200, "one"], other);
    }
    await Deno.writeTextFile(file, "two");
    const changed = (await fileAnswer(file, etag))!;
    assert.deepEqual([changed.status, await changed.text()], [200, "two"]);
    assert.notEqual(changed.headers.get("etag"), etag);
  });
});

Deno.test("a file that code names is answered also by a link to it; what is none is not answered", async () => {
  await withProject({ "a.txt": "text", "folder/b.txt": "" }, async (folder) => {
    await Deno.symlink("a.txt", `${folder}/link.txt`);
    await Deno.symlink("gone.txt", `${folder}/broken.txt`);
    for (const name of ["a.txt", "link.txt", "folder/../a.txt"]) {
      const answer = await answerFile(`${folder}/${name}`, undefined);
      assert.equal(await answer?.text(), "text", name);
      const known = answer!.headers.get("etag")!;
      assert.equal((await answerFile(`${folder}/${name}`, known))?.status, 304, name);
    }
    for (const name of ["gone.txt", "broken.txt", "folder", "a.txt/x"]) {
      assert.equal(await answerFile(`${folder}/${name}`, undefined), undefined, name);
    }
    // only its real path is that of a file
    assert.equal(await fileAnswer(`${folder}/link.txt`, undefined), undefined);
    assert.equal(await fileAnswer(`${folder}/gone.txt`, undefined), undefined);
  });
});

Deno.test("what cannot be read is no file that is absent: its error is thrown", async () => {
  await withProject({ "a.txt": "text" }, async (folder) => {
    const long = `${folder}/${"x".repeat(300)}`;
    await assert.rejects(answerFile(long, undefined), /File name too long|too long/);
  });
});

Deno.test("a path means the file of its decoded names below the folder, of a folder its index.html", async () => {
  const files = {
    "app/index.html": "",
    "app/a b/ü.txt": "",
    "app/sub/index.html": "",
    "app/empty/x.txt": "",
    "app/.hidden/x.txt": "",
    "app/.env": "",
    "app/odd/index.html/x.txt": "",
    "app2/x.txt": "",
    "x.txt": "",
  };
  const cases: readonly (readonly [path: string, found?: string])[] = [
    ["", "app/index.html"],
    ["/", "app/index.html"],
    ["/index.html", "app/index.html"],
    ["//sub//", "app/sub/index.html"],
    ["/sub", "app/sub/index.html"],
    ["/a%20b/%C3%BC.txt", "app/a b/ü.txt"],
    ["/empty"],
    ["/empty/x.txt", "app/empty/x.txt"],
    ["/empty/x.txt/", "app/empty/x.txt"],
    ["/empty/x.txt/y"],
    ["/gone"],
    ["/.env"],
    ["/%2eenv"],
    ["/.hidden/x.txt"],
    ["/../x.txt"],
    ["/%2e%2e/x.txt"],
    ["/..%2fx.txt"],
    ["/sub%2Findex.html"],
    ["/sub%5Cindex.html"],
    ["/index.html%00"],
    ["/%"],
    ["/%ff"],
  ];
  await withProject(files, async (folder) => {
    for (const [path, found] of cases) {
      assert.equal(await findFile(`${folder}/app`, path), found && `${folder}/${found}`, path);
    }
    await Deno.symlink("../app2", `${folder}/app/other`);
    assert.equal(await findFile(`${folder}/app`, "/other/x.txt"), undefined);
    // a folder is no file, though it has the name
    assert.equal(await fileAnswer(`${folder}/app/odd/index.html`, undefined), undefined);
  });
});

Deno.test("what is neither file nor folder is not found: whoever opens a pipe waits", async () => {
  await withProject({ "app/index.html": "" }, async (folder) => {
    using _socket = Deno.listen({ transport: "unix", path: `${folder}/app/socket` });
    assert.equal(await findFile(`${folder}/app`, "/socket"), undefined);
  });
});

type Routed = Parameters<RouteHandler>[0];

/** Asks for a path. */
async function ask(handler: RouteHandler, path: string, known?: string): Promise<Response> {
  const header = (name: string) => name === "if-none-match" ? known : undefined;
  return await handler({ req: { path, header } } as unknown as Routed) as Response;
}

Deno.test("files of a folder are answered below their path, those of a package where they are installed", async () => {
  const files = { "app/a.txt": "own", "node_modules/@x/ui/dist/a.txt": "package" };
  await withProject(files, async (folder) => {
    const own = staticFiles({ root: folder, path: "/ui", folder: "app" });
    const answer = await ask(own, "/ui/a.txt");
    assert.equal(await answer.text(), "own");
    assert.equal((await ask(own, "/ui/a.txt", answer.headers.get("etag")!)).status, 304);
    await assert.rejects(ask(own, "/ui/gone.txt"), { status: 404 });
    for (const root of [folder, `${folder}/app`]) {
      const packaged = staticFiles({ root, path: "", folder: "dist", source: "@x/ui" });
      assert.equal(await (await ask(packaged, "/a.txt")).text(), "package");
    }
    for (
      const given of [{ folder: "gone" }, { folder: "gone", source: "@x/ui" }, {
        folder: "dist",
        source: "@x/gone",
      }]
    ) {
      const expected = given.source
        ? `${folder}/node_modules/${given.source}/${given.folder}`
        : `${folder}/gone`;
      const message = `Expected the folder ${expected} of static files, but there is none`;
      const error = { name: "ConfigurationError", message };
      assert.throws(() => staticFiles({ root: folder, path: "/", ...given }), error);
    }
  });
});
