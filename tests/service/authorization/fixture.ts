/**
 * A service with restrictions on SQLite.
 *
 * @module
 */

import { EventContext } from "../../../src/context/event_context.ts";
import { User } from "../../../src/context/user.ts";
import type { Row } from "../../../src/cqn/cqn.ts";
import { createSqliteDatabase } from "../../../src/db/sqlite/sqlite_database.ts";
import type { Csn } from "../../../src/model/csn.ts";
import { ApplicationService } from "../../../src/service/application_service.ts";
import { DatabaseService } from "../../../src/service/database_service.ts";
import { runRequest } from "../../../src/service/requests/run_request.ts";
import { ServiceRequest } from "../../../src/service/requests/service_request.ts";
import { createHost, type TestHost } from "../fixture.ts";

const author = { type: "cds.Association", target: "my.Authors", keys: [{ ref: ["ID"] }] };

export const CSN: Csn = {
  definitions: {
    "my.Books": {
      kind: "entity",
      elements: {
        ID: { key: true, type: "cds.Integer" },
        title: { type: "cds.String" },
        owner: { type: "cds.String" },
        country: { type: "cds.String" },
        author,
        pages: {
          type: "cds.Composition",
          cardinality: { max: "*" },
          target: "my.Pages",
          on: [{ ref: ["pages", "book"] }, "=", { ref: ["$self"] }],
        },
      },
    },
    "my.Pages": {
      kind: "entity",
      elements: {
        ID: { key: true, type: "cds.Integer" },
        text: { type: "cds.String" },
        book: { type: "cds.Association", target: "my.Books", keys: [{ ref: ["ID"] }] },
      },
    },
    "my.Authors": {
      kind: "entity",
      elements: {
        ID: { key: true, type: "cds.Integer" },
        name: { type: "cds.String" },
        books: {
          type: "cds.Association",
          cardinality: { max: "*" },
          target: "my.Books",
          on: [{ ref: ["books", "author"] }, "=", { ref: ["$self"] }],
        },
      },
    },
    "S": { kind: "service" },
    "S.Books": {
      kind: "entity",
      projection: { from: { ref: ["my.Books"] } },
      "@restrict": [
        { grant: "READ", to: "reader", where: "owner = $user" },
        { grant: ["READ", "WRITE", "touch"], to: "local", where: "country = $user.country" },
        { grant: "READ", to: "foreign", where: "country <> $user.country" },
        { grant: "UPDATE", to: "updater" },
        { grant: "*", to: "admin" },
      ],
      actions: { touch: { kind: "action", returns: { type: "cds.String" } } },
    },
    "S.Authors": { kind: "entity", projection: { from: { ref: ["my.Authors"] } } },
    "S.Nobody": {
      kind: "entity",
      projection: { from: { ref: ["my.Authors"] }, columns: [{ ref: ["ID"] }, { ref: ["name"] }] },
      "@cds.redirection.target": false,
      "@requires": [],
    },
    "S.Catalog": {
      kind: "entity",
      projection: { from: { ref: ["my.Books"] }, columns: [{ ref: ["ID"] }, { ref: ["title"] }] },
      "@cds.redirection.target": false,
      "@readonly": true,
    },
    "S.secret": { kind: "action", "@requires": "admin", returns: { type: "cds.String" } },
  },
};

const DATA: readonly (readonly [string, readonly Row[]])[] = [
  ["my.Authors", [{ ID: 1, name: "Ann" }, { ID: 2, name: "Ben" }]],
  ["my.Books", [
    { ID: 1, title: "One", owner: "rita", country: "DE", author_ID: 1 },
    { ID: 2, title: "Two", owner: "otto", country: "DE", author_ID: 1 },
    { ID: 3, title: "Three", owner: "rita", country: "FR", author_ID: 2 },
    { ID: 4, title: "Four", owner: "otto", country: "FR", author_ID: 2 },
  ]],
  ["my.Pages", [{ ID: 11, text: "p1", book_ID: 1 }, { ID: 41, text: "p4", book_ID: 4 }]],
];

export const rita: User = new User({ id: "rita", roles: ["reader"] });
export const local: User = new User({ id: "leo", roles: ["local"], attr: { country: ["DE"] } });
export const foreign: User = new User({ id: "nil", roles: ["foreign"] });
export const updater: User = new User({ id: "ulf", roles: ["updater"] });
export const admin: User = new User({ id: "ada", roles: ["admin"] });
export const nobody: User = new User({ id: "nora" });

/** The service, and the ways to ask it. */
export interface Secured {
  readonly host: TestHost;
  readonly service: ApplicationService;
  /** Runs something on the service as a user. */
  as<T>(user: User, run: (service: ApplicationService) => T | PromiseLike<T>): Promise<T>;
  /** Dispatches a request as a user. */
  dispatch(user: User, properties: ConstructorParameters<typeof ServiceRequest>[0]): Promise<unknown>;
}

/** Runs a test with the service. */
export async function withSecured(run: (secured: Secured) => Promise<void>, csn: Csn = CSN): Promise<void> {
  const host = createHost(csn);
  const database = await createSqliteDatabase({ model: host.model, options: {} });
  await database.deploy(new Map(DATA));
  const db = new DatabaseService({ name: "db", host, database: () => database, opened: () => database });
  host.db = db;
  const service = new ApplicationService({ name: "S", definition: host.model.service("S"), host });
  service.on("touch", () => "touched");
  service.on("secret", () => "told");
  service.init();
  const as = async <T>(user: User, work: (service: ApplicationService) => T | PromiseLike<T>) =>
    await runRequest(host, new EventContext({ user }), async () => await work(service));
  const dispatch = (user: User, properties: ConstructorParameters<typeof ServiceRequest>[0]) =>
    as(user, (srv) => srv.dispatch(new ServiceRequest(properties)));
  try {
    await run({ host, service, as, dispatch });
  } finally {
    await database.close();
  }
}
