/**
 * A service of parcels that answers HCQL, in memory.
 *
 * @module
 */

import type { ApplicationService, ServiceRequest } from "../../mod.ts";
import { type App, type RunningApp, withApp } from "../service/rules/on_engines.ts";
import type { Answer, Sent } from "../send_to.ts";

/** Elements of every kind, keys of one and several parts, what is hidden, and what leads out of the service. */
export const PARCELS: App = {
  cdl: `
    entity db.Depots { key code : String(3); name : String(40); open : Boolean; }
    entity db.Parcels {
      key ID : Integer; label : String(40) @mandatory; kg : Decimal(7,2); price : Double;
      sent : Date; at : Time; seen : Timestamp; due : DateTime; seal : Binary(4); photo : LargeBinary;
      size { width : Integer; unit { name : String(3); } }
      virtual hint : String(10);
      depot : Association to db.Depots;
      slot : Association to db.Slots;
      hidden : String(10) @cds.api.ignore;
      secret : Association to db.Secrets;
      items : Composition of many db.Items on items.parcel = $self;
    }
    entity db.Items {
      key ID : Integer; parcel : Association to db.Parcels; name : String(40); tags : many String;
    }
    entity db.Slots { key row : Integer; key place : String(10); note : String(10); }
    entity db.Secrets { key ID : Integer; text : String(40); }
    entity db.Ratios { key ratio : Double; name : String(10); }
    entity db.Letters { key ID : Integer; text : String(40); }
    @hcql @odata
    service Goods {
      entity Depots as projection on db.Depots;
      entity Parcels as projection on db.Parcels;
      entity Items as projection on db.Items;
      entity Slots as projection on db.Slots;
      entity Ratios as projection on db.Ratios;
      @odata.draft.enabled entity Letters as projection on db.Letters;
      entity Lighter(most : Integer) as select from db.Parcels { ID, label } where kg < :most;
      function hello(to : String, times : Integer) returns String;
      action weigh(ID : Integer) returns Decimal(7,2);
      action forget();
      @cds.api.ignore function inner() returns String;
    }
  `,
  data: {
    "db.Depots": [{ code: "AAA", name: "Alpha", open: true }, { code: "C'C", name: "Gamma", open: false }],
    "db.Parcels": [
      { ID: 1, label: "books", kg: 12.5, depot_code: "AAA", slot_row: 1, slot_place: "a,b", size_width: 3 },
      { ID: 2, label: "stove", kg: 80, depot_code: "C'C", size_width: 9 },
    ],
    "db.Items": [{ ID: 1, parcel_ID: 1, name: "atlas" }, { ID: 2, parcel_ID: 1, name: "novel" }],
    "db.Slots": [{ row: 1, place: "a,b", note: "near" }, { row: 2, place: "it's", note: "far" }],
    "db.Ratios": [{ ratio: 1.5, name: "more" }],
  },
  env: {
    requires: { auth: { kind: "mocked", id_prefix: "", users: { bob: { roles: [] } } } },
  },
  handlers: {
    Goods(srv: ApplicationService): void {
      srv.on(
        "hello",
        ({ data }: ServiceRequest<{ to?: string; times?: number }>) => `${data.to}`.repeat(data.times ?? 1),
      );
      srv.on("weigh", ({ data }: ServiceRequest<{ ID?: number }>) => data.ID ?? -1);
      srv.on("forget", () => {});
      srv.on("inner", () => "inner");
    },
  },
};

/** An application that takes queries. */
export interface Goods extends RunningApp {
  /** Runs a query: an object as JSON, a text as CQL. */
  run(query: unknown): Promise<Answer>;
  /** Reads by a path below the service, which is encoded here. */
  get(path: string, sent?: Sent): Promise<Answer>;
}

/** A test with the service in memory. */
export function testGoods(
  name: string,
  test: (goods: Goods) => Promise<void>,
  env: Readonly<Record<string, unknown>> = {},
): void {
  Deno.test(name, () =>
    withApp({ ...PARCELS, env: { ...PARCELS.env, ...env } }, "memory", async (app) => {
      await test({
        ...app,
        run: (query) => {
          const headers = { "content-type": typeof query === "string" ? "text/plain" : "application/json" };
          return app.send("POST", "/hcql/goods/", query, { user: "bob", headers });
        },
        get: (path, sent) =>
          app.send("GET", `/hcql/goods/${encodeURI(path)}`, undefined, { user: "bob", ...sent }),
      });
    }));
}

/** Status of an answer, and its rows or what it says about failures. */
export function outcome({ status, body }: Answer): readonly [number, unknown] {
  const { data, errors } = body as unknown as { data?: unknown; errors?: readonly { message: string }[] };
  return [status, errors ? errors.map(({ message }) => message).join("; ") : data];
}
