import assert from "node:assert/strict";
import { type ApplicationService, fw, INSERT, type ServiceRequest } from "../../mod.ts";
import { ServiceError } from "../../src/errors/service_error.ts";
import { type App, withApp } from "../data/app.ts";

const MODEL = `
entity db_Rows {
  key ID : Integer; name : String(20); parts : Composition of many db_Parts on parts.of = $self;
}
entity db_Parts { key ID : Integer; of : Association to db_Rows; text : String(20); }
@protocol: ['odata', 'rest']
service Test { entity Rows as projection on db_Rows; entity Parts as projection on db_Parts; }
`;

interface Body {
  name: string;
  parts?: { text: string }[];
}

/** Runs a test whose first creation fails with a code, while another request creates the row. */
function withOther(
  code: string,
  test: (app: App, events: readonly string[]) => Promise<unknown>,
  createsOther = true,
): Promise<void> {
  const events: string[] = [];
  const handlers = (srv: ApplicationService) => {
    srv.before(["CREATE", "UPDATE"], "Rows", (req: ServiceRequest<Body>) => {
      events.push(req.event);
      if (events.length > 1) return;
      for (const part of req.data.parts ?? []) part.text = "touched";
      const other = () => fw.tx({}, () => INSERT.into("db_Rows").entries({ ID: 9, name: "other" }));
      if (createsOther) req.on("failed", async () => void await other());
      req.warn("The first");
      throw new ServiceError({ status: 409, code });
    });
  };
  return withApp({ model: MODEL, handlers }, (app) => test(app, events));
}

const ROW = { name: "mine", parts: [{ ID: 1, text: "as sent" }] };

for (
  const [protocol, path] of [["OData", "/odata/v4/test/Rows(9)"], ["REST", "/rest/test/Rows/9"]] as const
) {
  Deno.test(`${protocol}: PUT of a row that another request creates meanwhile updates it, with the data as it was sent`, () =>
    withOther("ENTITY_ALREADY_EXISTS", async (app, events) => {
      const { status, headers } = await app.send("PUT", path, { body: ROW });
      assert.deepEqual([status, events], [200, ["CREATE", "UPDATE"]]);
      assert.equal(headers.get("sap-messages"), null, "what was said before was about another attempt");
      const { name, parts } = (await app.get("Rows(9)?$expand=parts($select=text)")).body as unknown as Body;
      assert.deepEqual([name, parts], ["mine", [{ text: "as sent", ID: 1 }]]);
    }));

  Deno.test(`${protocol}: PUT is not repeated for another failure, nor where the row is still missing`, async () => {
    await withOther("SOLD_OUT", async (app, events) => {
      assert.equal((await app.send("PUT", path, { body: ROW })).status, 409);
      assert.deepEqual(events, ["CREATE"]);
    });
    await withOther("ENTITY_ALREADY_EXISTS", async (app, events) => {
      assert.equal((await app.send("PUT", path, { body: ROW })).status, 409);
      assert.deepEqual(events, ["CREATE"]);
    }, false);
  });
}

Deno.test("changes of a collection are made again where another request creates a row meanwhile", async () => {
  const change = (app: App) => app.patch("Rows", { value: [{ ID: 9, name: "mine" }] });
  await withOther("ENTITY_ALREADY_EXISTS", async (app, events) => {
    assert.equal((await change(app)).status, 204);
    assert.deepEqual(events, ["CREATE", "UPDATE"]);
    assert.equal((await app.get("Rows(9)")).body.name as unknown, "mine");
  });
  await withOther("SOLD_OUT", async (app, events) => {
    assert.equal((await change(app)).status, 409);
    assert.deepEqual(events, ["CREATE"]);
  });
});

Deno.test("a change set is made again as a whole, where a member may update what another request creates meanwhile", async () => {
  const changes = [
    { method: "PUT", url: "Rows(9)", body: ROW, statuses: [201, 200], events: ["CREATE", "UPDATE"] },
    {
      method: "PATCH",
      url: "Rows",
      body: { value: [{ ID: 9 }] },
      statuses: [201, 204],
      events: ["CREATE", "UPDATE"],
    },
    { method: "POST", url: "Rows", body: { ...ROW, ID: 9 }, statuses: [424, 409], events: ["CREATE"] },
  ];
  for (const { statuses, events: expected, ...change } of changes) {
    await withOther("ENTITY_ALREADY_EXISTS", async (app, events) => {
      const part = { method: "POST", url: "Parts", body: { ID: 5, text: "before" }, atomicityGroup: "g" };
      const answers = await app.batch([part, { ...change, atomicityGroup: "g" }]);
      assert.deepEqual(answers.map(({ status }) => status as unknown), statuses, change.method);
      assert.deepEqual(events, expected);
    });
  }
});
