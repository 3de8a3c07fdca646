/**
 * A service of OData 2 that is not ours: `@cap-js-community/odata-v2-adapter` from npm, a plugin written for Express, in a project
 * whose service it translates.
 *
 * @module
 */

import { createRuntime, type Service } from "../../mod.ts";
import "../../src/globals.ts";
import { serveProject } from "../../src/deno/serve_project.ts";
import { runCommand } from "../cli/run_command.ts";
import { withProject } from "../deno/project.ts";

const PROJECT: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({
    name: "partners",
    dependencies: { "@sap/cds": "*", "@cap-js-community/odata-v2-adapter": "*" },
    cds: {
      features: { ieee754compatible: true },
      requires: {
        auth: "mocked",
        db: { kind: "sqlite", credentials: { url: ":memory:" } },
        messaging: false,
      },
      cov2ap: { path: "odata/v2", targetPath: "odata/v4" },
      log: { levels: { default: "silent" } },
    },
  }),
  "db/schema.cds": `namespace my;
entity Partners {
  key ID : String(10); guid : UUID; name : String(40); limit : Decimal(15,2); visits : Int64; rating : Double;
  since : Date; changedAt : Timestamp; seenAt : DateTime; opensAt : Time; active : Boolean; logo : Binary(20);
  addresses : Composition of many Addresses on addresses.partner = $self;
  country : Association to Countries;
}
entity Addresses { key partner : Association to Partners; key no : Integer; city : String(40); }
entity Countries { key code : String(3); name : String(40); }
`,
  "db/data/my-Countries.csv": "code;name\nDE;Germany\nIT;Italy\n",
  "db/data/my-Partners.csv":
    `ID;guid;name;limit;visits;rating;since;changedAt;seenAt;opensAt;active;country_code
P1;11111111-1111-1111-1111-111111111111;Meyer;1500.50;12;4.5;2020-01-01;2020-01-01T12:00:01.250Z;2020-01-01T12:00:01Z;08:30:00;true;DE
P2;22222222-2222-2222-2222-222222222222;O'Neil & Co/1;10;9007199254740993;-1.5;1969-12-31;1969-12-31T23:59:59.999Z;2020-06-01T12:00:01Z;00:00:00;false;IT
`,
  "srv/partners.cds": `using { my } from '../db/schema';
@requires: 'authenticated-user'
service PartnerService @(path: 'partner') {
  entity Partners as projection on my.Partners actions {
    action block(reason : String) returns Partners; function addressesIn(city : String) returns Integer; };
  entity Addresses as projection on my.Addresses;
  entity Countries as projection on my.Countries;
  function countOf(city : String, since : Date) returns String;
  function best(least : Decimal(15,2), ident : UUID, at : Timestamp) returns many Partners;
  action raise(amount : Decimal(15,2), at : DateTime, when : Time, yes : Boolean) returns Decimal(15,2);
  action fail();
}
`,
  "srv/partners.js": `const cds = require("@sap/cds");
module.exports = (srv) => {
  const { Partners, Addresses } = srv.entities;
  srv.on("countOf", ({ data }) => JSON.stringify(data));
  srv.on("best", ({ data }) => SELECT.from(Partners).where({ limit: { ">=": data.least } }));
  srv.on("raise", ({ data }) => data.yes && data.when === "08:30:00" ? data.amount : 0);
  srv.on("block", async ({ subject, data }) => {
    await UPDATE(subject).with({ active: false, name: data.reason });
    return SELECT.one.from(subject);
  });
  srv.on("addressesIn", async ({ params: [{ ID }], data }) =>
    (await SELECT.from(Addresses).where({ partner_ID: ID, city: data.city })).length);
  srv.on("fail", (req) => req.reject(409, "NO_WAY", "name"));
};
`,
};

/** What a test gets. */
export interface Provider {
  /** The service as our client calls it. */
  readonly remote: Service;
  /** Where it is. */
  readonly url: string;
}

/** Serves the project, imports its metadata of OData 2 by `fw import`, and connects to it. */
export async function withProvider(
  packages: string,
  test: (provider: Provider) => Promise<void>,
): Promise<void> {
  await withProject(PROJECT, async (folder) => {
    await Deno.symlink(`${packages}/node_modules`, `${folder}/node_modules`);
    const server = await serveProject(folder, { port: 0, print: () => {}, variables: {} });
    try {
      const url = `${server.url}/odata/v2/partner`;
      const { output } = await runCommand(
        "import",
        `${url.replace("//", "//alice:@")}`,
        "--name",
        "P",
        "--dest",
        "-",
      );
      const runtime = createRuntime({
        model: JSON.parse(output.slice(output.indexOf("{"))),
        env: {
          log: { levels: { default: "silent" } },
          requires: { P: { kind: "odata-v2", credentials: { url, username: "alice", password: "" } } },
        },
      });
      await runtime.start();
      try {
        await test({ remote: await runtime.connect("P"), url });
      } finally {
        await runtime.close();
      }
    } finally {
      await server.stop();
    }
  });
}
