/**
 * `@cds.api.ignore` (CSN notes: such elements are not part of the EDM): whatever is not in `$metadata` can neither be read,
 * nor asked about, nor written by clients of any protocol.
 */

import assert from "node:assert/strict";
import { type RunningApp, withApp } from "../service/rules/on_engines.ts";

const CDL = `
  entity db.Notes {
    key ID : Integer; text : String;
    secret : String @cds.api.ignore;
    vault { code : String; } @cds.api.ignore;
    safe { code : String @cds.api.ignore; note : String; };
    owner : Association to db.Owners @cds.api.ignore;
  }
  entity db.Owners { key ID : Integer; name : String; }
  @protocol: ['odata', 'rest', 'hcql'] @requires: 'any'
  service Notebook { entity Notes as projection on db.Notes; entity Owners as projection on db.Owners; }
`;
const ROW = {
  ID: 1,
  text: "t",
  secret: "s2",
  vault_code: "c1",
  safe_code: "c2",
  safe_note: "n",
  owner_ID: 7,
};
const HIDDEN = ["secret", "vault_code", "safe_code", "owner_ID"];

const APP = {
  cdl: CDL,
  data: { "db.Notes": [ROW], "db.Owners": [{ ID: 7, name: "Ada" }] },
  env: { requires: { auth: { kind: "mocked", users: { ann: {} } } } },
};

const withNotebook = (test: (send: RunningApp["send"]) => Promise<void>) =>
  withApp(
    APP,
    "memory",
    (app) => test((method, path, body) => app.send(method, path, body, { user: "ann" })),
  );

const ODATA = "/odata/v4/notebook/Notes";

Deno.test("hidden elements are unknown in every query option and path of OData", () =>
  withNotebook(async (send) => {
    for (const name of HIDDEN) {
      for (
        const option of [
          `$select=${name}`,
          `$filter=${name} ne null`,
          `$orderby=${name}`,
          `$compute=concat(${name},'x') as y&$select=y`,
          `$apply=groupby((${name}))`,
          `$apply=filter(${name} ne null)`,
          `$apply=aggregate(${name} with max as m)`,
        ]
      ) {
        const { status, text } = await send("GET", `${ODATA}?${encodeURI(option)}`);
        assert.equal(status, 400, `${option}: ${text}`);
        assert.ok(!text.includes(`did you mean "${name}"`), text);
      }
      assert.equal((await send("GET", `${ODATA}(1)/${name}`)).status, 404, name);
      assert.equal((await send("PUT", `${ODATA}(1)/${name}`, { value: "x" })).status, 404, name);
    }
    assert.equal((await send("GET", `${ODATA}?$expand=owner`)).status, 400);
    assert.equal((await send("GET", `${ODATA}?$filter=owner/name eq 'Ada'`)).status, 400);
    for (const found of ["s2", "c1", "c2"]) {
      const { body } = await send("GET", `${ODATA}?$search=${found}`);
      assert.deepEqual(body.value, [], found);
    }
  }));

Deno.test("hidden elements are in no answer", () =>
  withNotebook(async (send) => {
    for (const path of [ODATA, `${ODATA}?$select=*`, "/rest/notebook/Notes", `${ODATA}?$apply=identity`]) {
      const { text } = await send("GET", path);
      assert.match(text, /"safe_note":"n"/, `${path}: ${text}`);
      for (const value of ["s2", "c1", "c2", "owner"]) assert.ok(!text.includes(value), `${path}: ${text}`);
    }
  }));

Deno.test("hidden elements are not written", () =>
  withNotebook(async (send) => {
    for (const name of [...HIDDEN, "owner@odata.bind"]) {
      const value = name === "owner_ID" ? 8 : name.includes("@") ? "Owners(8)" : "mine";
      for (const [method, path] of [["POST", ODATA], ["PATCH", `${ODATA}(1)`], ["PUT", `${ODATA}(1)`]]) {
        const { status, text } = await send(method!, path!, { ID: 2, text: "new", [name]: value });
        assert.equal(status, 400, `${method} ${name}: ${text}`);
        assert.ok(!text.includes(`did you mean "${name}"`), text);
      }
    }
  }));

Deno.test("HCQL does not name hidden elements either", () =>
  withNotebook(async (send) => {
    for (const name of ["secret", "secre", "vault_code", "safe_code", "owner_ID"]) {
      const query = { SELECT: { from: { ref: ["Notes"] }, columns: [{ ref: [name] }] } };
      const { status, text } = await send("POST", "/hcql/notebook", query);
      assert.equal(status, 400, text);
      assert.ok(!/did you mean "(secret|vault|safe_code|owner)/.test(text), text);
    }
  }));
