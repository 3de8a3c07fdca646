import assert from "node:assert/strict";
import { ENGINES } from "./engines.ts";
import { type App, withApp } from "../data/app.ts";

const MODEL = `
entity db_Items { key ID : Integer; name : String(20); runs : Integer default 0;
  version : Integer @odata.etag @odata.etag.counter default 1;
  plain : Association to db_Plain; parts : Composition of many db_Parts on parts.item = $self; }
entity db_Parts { key ID : Integer; name : String(20); item : Association to db_Items; }
entity db_Plain { key ID : Integer; name : String(20); items : Association to many db_Items on items.plain = $self; }
@protocol: ['odata', 'rest'] service Test {
  entity Items as projection on db_Items actions { action run() returns Integer; };
  entity Parts as projection on db_Parts;
  entity Plain as projection on db_Plain;
  @cds.redirection.target: false entity Counts as select from db_Items { ID, max(version) as version : Integer @odata.etag }
    group by ID actions { action look() returns Integer; };
  @cds.redirection.target: false entity Named as select from db_Items { ID, name as title, version } where ID > 0;
}
`;

const ROWS = {
  db_Items: [{ ID: 1, name: "one", version: 1 }, { ID: 2, name: "two", version: 1 }],
  db_Parts: [{ ID: 1, name: "p", item_ID: 1 }],
  db_Plain: [{ ID: 1, name: "p" }],
};

type Sending = () => Promise<{ readonly status: unknown }>;

/** Statuses of requests that are sent at the same time. */
async function statuses(send: Sending, count = 4): Promise<unknown[]> {
  return (await Promise.all(Array.from({ length: count }, send))).map(({ status }) => status).sort();
}

async function tagOf(app: App, path: string): Promise<string> {
  return (await app.get(path)).headers.get("etag")!;
}

for (const [engine, database] of Object.entries(ENGINES)) {
  const withItems = (test: (app: App) => Promise<unknown>) =>
    withApp({
      model: MODEL,
      rows: ROWS,
      database,
      handlers: (srv) => {
        srv.on("run", "Items", async (req) => {
          const { runs } = await srv.run({ SELECT: { from: req.subject!, one: true } }) as { runs: number };
          await srv.run({ UPDATE: { entity: req.subject!, data: { runs: runs + 1 } } });
          return runs + 1;
        });
        srv.on("look", "Counts", () => 1);
      },
    }, test);

  Deno.test(`of requests that change a row of the same version one wins (Protocol 11.4.1.1, ${engine})`, () =>
    withItems(async (app) => {
      for (
        const body of [{ name: "x" }, { name: "y", parts: [{ ID: 1 }, { ID: 2 }] }, { parts: [{ ID: 3 }] }]
      ) {
        const headers = { "if-match": await tagOf(app, "Items(1)") };
        const answered = await statuses(() => app.patch("Items(1)", body, headers));
        assert.deepEqual(answered, [200, 412, 412, 412], JSON.stringify(body));
      }
      const headers = { "if-match": await tagOf(app, "Named(1)") };
      const rename = () => app.patch("Named(1)", { title: "z" }, headers);
      assert.deepEqual(await statuses(rename), [200, 412, 412, 412]);
    }));

  Deno.test(`of actions on a row of the same version one runs (Protocol 11.5.5, ${engine})`, () =>
    withItems(async (app) => {
      const headers = { "if-match": await tagOf(app, "Items(1)") };
      assert.deepEqual(await statuses(() => app.post("Items(1)/run", {}, headers)), [200, 412, 412, 412]);
      assert.equal((await app.get("Items(1)")).body.runs, 1);
    }));

  Deno.test(`of change sets with actions on a row of the same version one runs (Protocol 11.7.4, ${engine})`, () =>
    withItems(async (app) => {
      const headers = { "if-match": await tagOf(app, "Items(2)") };
      const call = { method: "POST", url: "Items(2)/run", headers, body: {}, atomicityGroup: "g" };
      const send = async () => (await app.batch([call]))[0] as unknown as { status: number };
      assert.deepEqual(await statuses(send), [200, 412, 412, 412]);
      assert.equal((await app.get("Items(2)")).body.runs, 1);
    }));

  Deno.test(`an action on a row of a view that cannot be written needs the version too (Protocol 11.5.5, ${engine})`, () =>
    withItems(async (app) => {
      const look = (tag: string) => app.post("Counts(1)/look", {}, { "if-match": tag });
      assert.deepEqual((await look(await tagOf(app, "Counts(1)"))).body.value, 1);
      assert.equal((await look('W/"9"')).status, 412);
    }));

  Deno.test(`of changes to the references of a row of the same version one wins (Protocol 11.4.1.1, ${engine})`, () =>
    withItems(async (app) => {
      const headers = { "if-match": await tagOf(app, "Items(1)") };
      const link = () => app.send("PUT", "Items(1)/plain/$ref", { headers, body: { "@id": "Plain(1)" } });
      assert.deepEqual(await statuses(link), [204, 412, 412, 412]);
    }));

  Deno.test(`of change sets and deltas that create the same row one creates it, the others change it (Protocol 11.4.4, ${engine})`, () =>
    withItems(async (app) => {
      const put = { method: "PUT", url: "Plain(7)", body: { name: "x" }, atomicityGroup: "g" };
      const other = { method: "POST", url: "Parts", atomicityGroup: "g" };
      let ID = 100;
      const send = async () => (await app.batch([{ ...other, body: { ID: ID++ } }, put]))[1] as never;
      assert.deepEqual(await statuses(send), [200, 200, 200, 201]);
      assert.equal((await app.get("Parts/$count")).text, "5");
      for (const prefer of ["", "continue-on-error"]) {
        const body = { value: [{ ID: ID++, name: "y" }] };
        assert.deepEqual(await statuses(() => app.patch("Plain", body, { prefer })), [204, 204, 204, 204]);
      }
    }));
}
