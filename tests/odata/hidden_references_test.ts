/** References to rows that the caller does not see: they are missing (auth 7, Protocol 11.4.6). */

import assert from "node:assert/strict";
import { type App, withApp } from "../data/app.ts";

const MODEL = `@path: 'test' @odata service Test {
  @restrict: [{ grant: ['READ', 'WRITE'], where: (owner = $user) }, { grant: 'READ', where: (owner = 'shown') }]
  entity Sec { key ID : Integer; owner : String(20); other : Association to Sec;
    kids : Association to many Sec on kids.other = $self; }
  @restrict: [{ grant: 'READ', where: (owner = $user) }] entity Notes { key ID : Integer; owner : String(20); }
  entity Plain { key ID : Integer; sec : Association to Sec; }
}`;
const ROWS = {
  "Test.Sec": [
    { ID: 1, owner: "ann" },
    { ID: 2, owner: "bob", other_ID: 1 },
    { ID: 3, owner: "bob" },
    { ID: 4, owner: "shown", other_ID: 1 },
    { ID: 5, owner: "ann", other_ID: 1 },
  ],
  "Test.Plain": [{ ID: 1 }],
};
const env = {
  log: { levels: { default: "silent" } },
  requires: { db: { kind: "sqlite" }, auth: { kind: "mocked", id_prefix: "", users: { ann: {} } } },
};

/** What a request is answered with, without what the client sent itself. */
async function answer(app: App, method: string, path: string, body?: object): Promise<string> {
  const { status, text } = await app.send(method, path, { user: "ann", ...(body ? { body } : {}) });
  return `${status} ${text}`;
}

Deno.test("a reference of a hidden row is answered as one of a row that does not exist", () =>
  withApp({ model: MODEL, rows: ROWS, env }, async (app) => {
    const missing = await answer(app, "DELETE", "Sec(1)/kids/$ref?$id=Sec(99)");
    assert.match(missing, /^404 /);
    for (const id of [2, 3]) {
      assert.equal(await answer(app, "DELETE", `Sec(1)/kids/$ref?$id=Sec(${id})`), missing, `${id}`);
      assert.equal(await answer(app, "DELETE", `Sec(1)/kids(${id})/$ref`), missing, `${id}`);
    }
    const link = (id: number) => ({ "@odata.id": `Sec(${id})` });
    const unlinked = await answer(app, "POST", "Sec(1)/kids/$ref", link(99));
    assert.match(unlinked, /^404 /);
    assert.equal(await answer(app, "POST", "Sec(1)/kids/$ref", link(3)), unlinked);
    assert.equal(
      await answer(app, "PUT", "Sec(1)/kids/$ref", { value: [link(4), link(5), link(3)] }),
      unlinked,
    );
    const single = (await answer(app, "PUT", "Plain(1)/sec/$ref", link(99))).replaceAll("99", "3");
    assert.match(single, /^400 .*ASSERT_TARGET.*or you may not see it/);
    assert.equal(await answer(app, "PUT", "Plain(1)/sec/$ref", link(3)), single);
  }));

Deno.test("a reference of a row that is seen but may not be changed is refused with 403", () =>
  withApp({ model: MODEL, rows: ROWS, env }, async (app) => {
    assert.match(await answer(app, "DELETE", "Sec(1)/kids/$ref?$id=Sec(4)"), /^403 /);
    assert.match(await answer(app, "POST", "Sec(5)/kids/$ref", { "@odata.id": "Sec(4)" }), /^403 /);
    assert.match(await answer(app, "DELETE", "Sec(1)/kids/$ref?$id=Sec(5)"), /^204 /);
  }));
