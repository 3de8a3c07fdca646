import assert from "node:assert/strict";
import { ENGINES } from "./engines.ts";
import { withApp } from "../data/app.ts";

const MODEL = `
service Test {
  entity Texts { key ID : Integer; name : String(20); version : String(20) @odata.etag; }
  entity Numbers { key ID : Integer; name : String(20); version : Integer @odata.etag; parts : Composition of many Parts on parts.whole = $self; }
  entity Parts { key ID : Integer; whole : Association to Numbers; version : Integer64 @odata.etag; }
  entity Times { key ID : Integer; name : String(20); version : Timestamp @odata.etag; }
  entity Ids { key ID : Integer; name : String(20); version : UUID @odata.etag; }
}
`;
const ROWS = {
  "Test.Texts": [{ ID: 1, version: "a" }],
  "Test.Numbers": [{ ID: 1, version: 1 }],
  "Test.Parts": [{ ID: 1, whole_ID: 1, version: 1 }],
  "Test.Times": [{ ID: 1, version: "2024-01-01T00:00:00.000Z" }],
  "Test.Ids": [{ ID: 1, version: "00000000-0000-4000-8000-000000000001" }],
};

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`a version that no row can have is not that of a row (Protocol 11.4.1.1, ${engine})`, () =>
    withApp({ model: MODEL, rows: ROWS, database }, async (app) => {
      const tags = [
        "\u0000",
        "%00",
        "\ud800",
        "%",
        "1e400",
        "99999999999999999999999",
        "x",
        "true",
        "-",
        "1.5",
        "2024-13-01",
      ];
      for (const set of ["Texts", "Numbers", "Times", "Ids"]) {
        for (const tag of tags) {
          const body = { "@etag": `W/"${tag}"`, "name": "x" };
          const status = [
            (await app.patch(`${set}(1)`, body, { "odata-version": "4.01", "if-match": "*" })).status,
            (await app.patch(set, { value: [{ ID: 1, ...body }] })).status,
          ];
          assert.ok(
            status.every((one) => one === 412 || one === 400),
            `${set} ${JSON.stringify(tag)} ${status}`,
          );
        }
      }
      // a body names one version, only the header several
      const several = '"1","2"';
      const headers = { "odata-version": "4.01", "if-match": several };
      for (const body of [{ "@etag": several }, { parts: [{ "@etag": several, "ID": 1 }] }]) {
        assert.equal((await app.patch("Numbers(1)", body, headers)).status, 400);
      }
      assert.equal((await app.patch("Numbers", { value: [{ "@etag": several, "ID": 1 }] })).status, 400);
      assert.equal((await app.patch("Numbers(1)", { "@etag": '"1"', "name": "y" }, headers)).status, 200);
    }));
}
