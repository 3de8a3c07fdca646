/** Parts that carry no restriction, in services that carry one: they need a login like all endpoints there (auth 7). */

import assert from "node:assert/strict";
import { createRuntime } from "../../../src/fw/create_runtime.ts";
import { compileCdl } from "../../../src/model/cdl/compile_cdl.ts";

const TEXT = `
@requires: 'any' service S {
  @restrict: [{ to: 'any' }] entity Open { key ID: Integer; pages: Composition of many Pages on pages.whole = $self; }
  entity Pages { key ID: Integer; no: Integer; whole: Association to Open; }
}
entity my.Books { key ID: Integer; sheets: Composition of many my.Sheets on sheets.book = $self; }
entity my.Sheets { key ID: Integer; book: Association to my.Books; notes: Composition of many my.Notes on notes.sheet = $self; }
entity my.Notes { key ID: Integer; sheet: Association to my.Sheets; }
service Own {
  @restrict: [{ grant: 'READ', to: 'own', where: 'ID = 1' }, { grant: 'READ', to: 'all' }]
  entity Books as projection on my.Books;
}
service Kept {
  @restrict: [{ to: 'own', where: (exists lines[open = true]) }]
  entity Orders { key ID: Integer; lines: Composition of many { key pos: Integer; open: Boolean; }; }
}`;

async function withParts(
  run: (
    send: (as: string, method: string, path: string, body?: object) => Promise<number>,
  ) => Promise<void>,
): Promise<void> {
  const runtime = createRuntime({
    model: compileCdl(["m.cds"], {
      readFile: (path) => path === "m.cds" ? TEXT : undefined,
      isFile: (path) => path === "m.cds",
    }),
    data: new Map<string, Record<string, unknown>[]>([
      ["S.Open", [{ ID: 1 }]],
      ["S.Pages", [{ ID: 1, no: 1, whole_ID: 1 }]],
      ["my.Books", [{ ID: 1 }, { ID: 2 }]],
      ["my.Sheets", [{ ID: 1, book_ID: 1 }, { ID: 2, book_ID: 2 }]],
      ["Kept.Orders", [{ ID: 1 }]],
      ["Kept.Orders.lines", [1, 2].map((pos) => ({ up__ID: 1, pos, open: true }))],
      ["my.Notes", [{ ID: 1, sheet_ID: 1 }, { ID: 2, sheet_ID: 2 }]],
    ]),
    env: {
      log: { levels: { default: "silent" } },
      requires: { auth: { kind: "mocked", users: { nora: { roles: ["own"] }, ada: { roles: ["all"] } } } },
    },
  });
  try {
    await run(async (as, method, path, body) => {
      const response = await runtime.fetch(
        new Request(`http://localhost/odata/v4/${path}`, {
          method,
          headers: {
            ...(as ? { authorization: `Basic ${btoa(`${as}:`)}` } : {}),
            ...(body ? { "content-type": "application/json" } : {}),
          },
          body: body && JSON.stringify(body),
        }),
      );
      await response.body?.cancel();
      return response.status;
    });
  } finally {
    await runtime.close();
  }
}

const BESIDE_WHOLES = ["Sheets(1)/notes", "Sheets(1)/notes/$count", "Notes(2)/sheet"];

Deno.test("generated parts are read on paths from their wholes, and from parts only where all wholes are permitted", () =>
  withParts(async (sendTo) => {
    const statusesOf = (as: string, paths: readonly string[]) =>
      Promise.all(paths.map((path) => sendTo(as, "GET", `own/${path}`)));
    assert.deepEqual(await statusesOf("nora", BESIDE_WHOLES), [403, 403, 403]);
    assert.deepEqual(await statusesOf("ada", BESIDE_WHOLES), [200, 200, 200]);
    const ofBook = (id: number) => ["sheets", `sheets(${id})/notes`].map((path) => `Books(${id})/${path}`);
    assert.deepEqual(await statusesOf("nora", [...ofBook(1), ...ofBook(2)]), [200, 200, 404, 404]);
  }));

Deno.test("a change of a part leaves its whole one that the user may change", () =>
  withParts(async (send) => {
    const close = (pos: number) =>
      send("nora", "PATCH", `kept/Orders(1)/lines(up__ID=1,pos=${pos})`, { open: false });
    assert.equal(await close(1), 200);
    assert.equal(await close(2), 403);
    assert.equal(await send("nora", "GET", "kept/Orders(1)"), 200);
  }));

Deno.test("nobody writes parts with their whole that need a login [5.2.7]", () =>
  withParts(async (sendTo) => {
    const send = (as: string, method: string, path: string, body?: object) =>
      sendTo(as, method, `s/${path}`, body);
    for (const pages of [[], [{ ID: 1, no: 2 }], [{ ID: 1 }, { ID: 2 }]]) {
      assert.equal(await send("", "PATCH", "Open(1)", { pages }), 401, JSON.stringify(pages));
    }
    assert.equal(await send("", "POST", "Open", { ID: 2, pages: [{ ID: 2 }] }), 401);
    assert.equal(await send("", "DELETE", "Open(1)"), 401);
    assert.equal(await send("nora", "GET", "Pages(1)"), 200);
    // without parts there is nothing to refuse
    assert.equal(await send("", "POST", "Open", { ID: 2, pages: [] }), 204);
    assert.equal(await send("", "PATCH", "Open(2)", { pages: [] }), 200);
    assert.equal(await send("nora", "PATCH", "Open(1)", { pages: [] }), 200);
    assert.equal(await send("nora", "GET", "Pages(1)"), 404);
  }));
