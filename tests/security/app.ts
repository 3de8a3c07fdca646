/** The application that the security cases run against. */

import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import { createRuntime } from "../../src/fw/create_runtime.ts";
import type { Runtime, RuntimeOptions } from "../../src/fw/runtime.ts";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";

const TEXT = `
service Shop {
  entity Genres { key ID: Integer; name: String; parent: Association to Genres;
    children: Association to many Genres on children.parent = $self; }
  entity Books { key ID: Integer; title: localized String;
    notes: Composition of many { key no: Integer; text: String; };
    chapters: Association to many Chapters on chapters.book = $self; }
    actions { action hide() returns String; };
  entity Chapters { key ID: Integer; book: Association to Books; next: Association to many Chapters on next.book = book; }
  entity Slugs { key ID: Integer; @assert.format: '^a*a*b$' slug: LargeString; }
  action ping() returns String;
}
@requires: 'authenticated-user' service Members { entity Notes { key ID: Integer; text: String; } action act() returns String; }
@requires: 'Boss' service Bosses { entity Things { key ID: Integer; } }
@requires: [] service Nobody { entity Things { key ID: Integer; } }
@requires: ['toString', '__proto__'] service Odd { entity Things { key ID: Integer; } }
@requires: 'authenticated-user' service Area {
  @restrict: [{ grant: ['READ', 'CREATE', 'UPDATE', 'mark'], to: 'Clerk', where: 'owner = $user' }, { to: 'Boss' }]
  entity Orders { key ID: Integer; owner: String; amount: Integer; city: Association to Cities; }
    actions { action mark() returns String; };
  @restrict: [{ grant: 'READ', to: 'Clerk', where: 'country = $user.country' }, { to: 'Boss' }]
  entity Cities { key ID: Integer; name: String; country: String; secret: String; orders: Association to many Orders on orders.city = $self; }
  @restrict: [{ grant: ['READ', 'UPDATE'], to: 'Clerk' }] entity Rates { key ID: Integer; rate: Integer; }
  @requires: 'Boss' entity People { key ID: Integer; ssn: String; visits: Association to many Visits on visits.who = $self; }
  entity Visits { key ID: Integer; who: Association to People; town: Association to Cities;
    items: Composition of many { key no: Integer; }; }
  @restrict: [{ to: 'Clerk' }] entity Folders { key ID: Integer; people: Association to many People on people.ID = ID; }
  entity Slim as projection on my.Wide { ID, name };
}
context my { entity Wide { key ID: Integer; name: String; hidden: String; } }
`;

export const MODEL = compileCdl(["m.cds"], {
  readFile: (path) => path === "m.cds" ? TEXT : undefined,
  isFile: (path) => path === "m.cds",
});

const DATA = new Map([
  ["Shop.Books", [{ ID: 1, title: "A_B" }, { ID: 2, title: "100%" }, { ID: 3, title: "x" }]],
  ["Shop.Genres", [{ ID: 1, name: "a", parent_ID: 2 }, { ID: 2, name: "b", parent_ID: 1 }]],
  ["Members.Notes", [{ ID: 1, text: "n" }]],
  ["Area.Orders", [
    { ID: 1, owner: "clara", amount: 1, city_ID: 1 },
    { ID: 2, owner: "carl", amount: 2, city_ID: 2 },
    { ID: 3, owner: "Clara", amount: 3, city_ID: 2 },
    { ID: 4, owner: "clara ", amount: 4, city_ID: 2 },
  ]],
  ["Area.Cities", [
    { ID: 1, name: "Bonn", country: "DE", secret: "s1" },
    { ID: 2, name: "Paris", country: "FR", secret: "s2" },
  ]],
  ["Area.Rates", [{ ID: 1, rate: 1 }]],
  ["Area.People", [{ ID: 1, ssn: "1" }]],
  ["Area.Visits", [{ ID: 1, who_ID: 1, town_ID: 1 }, { ID: 2, who_ID: 1, town_ID: 2 }]],
  ["Area.Folders", [{ ID: 1 }]],
  ["my.Wide", [{ ID: 1, name: "n", hidden: "h" }]],
]);

export const USERS = {
  bob: { password: "s:c:p" },
  clara: { roles: ["Clerk"], attr: { country: ["DE"] } },
  carl: { roles: ["Clerk"], attr: { country: ["DE' OR '1'='1", "x') --"] } },
  boris: { roles: ["Boss"] },
  nils: {},
};

/** What differs from the usual application. */
export interface Setting extends Partial<Pick<RuntimeOptions, "profiles" | "kinds" | "handlers">> {
  readonly auth?: object;
  readonly server?: object;
  readonly limits?: object;
}

/** An application that answers calls like `GET /odata/v4/shop/Books`. */
export interface App {
  /** Status, headers and text of the answer. */
  call(call: string, options?: CallOptions): Promise<Answer>;
  /** Lines of the log so far. */
  readonly lines: readonly string[];
  readonly runtime: Runtime;
}

/** What goes with a call. */
export interface CallOptions {
  /** Name and password for HTTP Basic. */
  readonly as?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, or the text of the body. */
  readonly body?: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** `value` of a collection, or the body as JSON. */
  readonly json: unknown;
}

/** Runs a test with the application. */
export async function withApp(setting: Setting, run: (app: App) => Promise<void>): Promise<void> {
  const { auth, profiles, kinds, handlers, server = {}, limits = {} } = setting;
  const runtime = createRuntime({
    model: MODEL,
    profiles,
    kinds: { databases: { sqlite: () => createSqliteDatabase }, ...kinds },
    env: {
      log: { levels: { default: "debug" } },
      requires: { auth: { kind: "mocked", users: USERS, id_prefix: "", ...auth }, db: { kind: "sqlite" } },
      server,
      limits,
    },
    handlers: {
      Shop: (srv) => void srv.on(["ping", "hide"], () => "done"),
      Members: (srv) => void srv.on("act", (req) => req.user.id),
      Area: (srv) => void srv.on("mark", () => "marked"),
      ...handlers,
    },
    data: DATA,
  });
  runtime.app.get("/own", (c) => c.text("own"));
  const lines: string[] = [];
  const restore = captureConsole(lines);
  try {
    await run({ lines, runtime, call: (call, options) => answer(runtime.fetch, call, options) });
  } finally {
    await runtime.close();
    restore();
  }
}

async function answer(
  fetch: (request: Request) => Promise<Response>,
  call: string,
  { as, headers, body }: CallOptions = {},
): Promise<Answer> {
  const at = call.indexOf(" ");
  const response = await fetch(
    new Request(`http://localhost${call.slice(at + 1)}`, {
      method: call.slice(0, at),
      headers: {
        ...as === undefined ? {} : { authorization: `Basic ${btoa(as)}` },
        ...body === undefined || typeof body === "string" ? {} : { "content-type": "application/json" },
        ...headers,
      },
      body: body === undefined || typeof body === "string"
        ? body as string | undefined
        : JSON.stringify(body),
    }),
  );
  const text = await response.text();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // not every answer is JSON
  }
  return { status: response.status, headers: response.headers, text, json };
}

/** Takes the lines of the console, until the result is called. */
export function captureConsole(lines: string[]): () => void {
  const names = ["log", "debug", "info", "warn", "error"] as const;
  const original = names.map((name) => console[name]);
  for (const name of names) console[name] = (...values: unknown[]) => void lines.push(values.join(" "));
  return () => names.forEach((name, index) => console[name] = original[index]!);
}

/** The values of a member in a collection. */
export function column(answer: Answer, name: string): unknown[] {
  return (answer.json as { value: Record<string, unknown>[] }).value.map((row) => row[name]);
}
