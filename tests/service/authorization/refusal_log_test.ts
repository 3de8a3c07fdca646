/** What the log says of refused users and of views that decide themselves: answers say nothing of it (auth 2, 7). */

import assert from "node:assert/strict";
import { type App, withApp } from "../../data/app.ts";
import { captureConsole } from "../../security/app.ts";

const MODEL = `namespace db;
@requires: 'Boss' entity Hush { key ID : Integer; secret : String(20); }
entity Pub { key ID : Integer; hush : Association to Hush; }
@path: 'test' @odata @protocol: ['odata', 'rest'] service Test {
  @restrict: [{ grant: 'READ', to: 'authenticated-user' }, { grant: 'UPDATE', to: 'Clerk', where: (region = $user.region) }]
  entity Rows { key ID : Integer; region : String(20); }
  @requires: ['Boss', 'Chief'] action close();
  entity Shown as select from Pub { key ID, hush.secret };
  @requires: 'any' entity Decided as projection on Hush { key ID };
}
@requires: 'Member' service Closed { entity E { key ID : Integer; } }`;
const ROWS = { "db.Test.Rows": [{ ID: 1, region: "FR" }] };
const users = { ann: { attr: { region: ["DE"] } }, clerk: { roles: ["Clerk"], attr: { region: ["DE"] } } };

/** Runs a test with what is logged. */
async function withLog(
  profile: string,
  test: (app: App, lines: readonly string[]) => Promise<void>,
): Promise<void> {
  const lines: string[] = [];
  const restore = captureConsole(lines);
  const log = { levels: { default: "info" } };
  const env = { log, requires: { db: { kind: "sqlite" }, auth: { kind: "mocked", id_prefix: "", users } } };
  try {
    await withApp({ model: MODEL, rows: ROWS, env, profiles: [profile] }, (app) => test(app, lines));
  } finally {
    restore();
  }
}

const REFUSED: readonly (readonly [call: string, user: string, body: object | undefined, log: RegExp])[] = [
  ["PATCH Rows(1)", "ann", { region: "x" }, /403: UPDATE of db\.Test\.Rows needs .*role "Clerk"/],
  [
    "PATCH Rows(1)",
    "clerk",
    { region: "x" },
    /403: UPDATE of db\.Test\.Rows: the row meets no condition .*region = \$user\.region/,
  ],
  ["POST close", "ann", {}, /403: db\.Test\.close needs role "Boss" or role "Chief"/],
  ["GET Shown", "ann", undefined, /403: READ of db\.Test\.Shown needs role "Boss"/],
  ["GET /odata/v4/closed/E", "ann", undefined, /403: db\.Closed needs role "Member"/],
  ["GET /rest/test/Shown", "ann", undefined, /403: READ of db\.Test\.Shown needs role "Boss"/],
];

Deno.test("in development the log says which role or condition a refused user lacks, the answer does not", () =>
  withLog("development", async (app, lines) => {
    for (const [call, user, body, expected] of REFUSED) {
      const [method, path] = call.split(" ") as [string, string];
      const from = lines.length;
      const { status, text } = await app.send(method, path, { user, ...(body ? { body } : {}) });
      assert.equal(status, 403, `${call}: ${text}`);
      assert.doesNotMatch(text, /Boss|Chief|Clerk|Member|region|role/);
      const told = lines.slice(from).filter((line) => expected.test(line));
      assert.equal(told.length, 1, `${call}: ${lines.slice(from).join("\n")}`);
    }
  }));

Deno.test("in production the log does not say what refused users lack", () =>
  withLog("production", async (app, lines) => {
    const { status } = await app.send("GET", "Shown", { user: "ann" });
    assert.equal(status, 403);
    assert.ok(!lines.some((line) => /Boss/.test(line)), lines.join("\n"));
  }));

Deno.test("the start logs once which views decide themselves about the restricted entities they read", () =>
  withLog("development", (_app, lines) => {
    const told = lines.filter((line) => /restriction of its own/.test(line));
    assert.equal(told.length, 1, told.join("\n"));
    assert.match(
      told[0]!,
      /db\.Test\.Decided carries a restriction of its own in place of those of db\.Hush/,
    );
    return Promise.resolve();
  }));
