/**
 * A small shop whose console is used without a browser: its requests reach a runtime in the same process.
 *
 * @module
 */

import { createRuntime } from "../../mod.ts";
import { requests } from "../../src/console/page/api.js";
import { events, logIn, ROOT, state, unsaved } from "../../src/console/page/state.js";
import { compileText } from "../../src/deno/compiler.ts";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { type PageElement, withDocument } from "./document.ts";

const MODEL = compileText(`
  /** Buying and selling. */
  @Capabilities.SearchRestrictions.Searchable
  service Store {
    @Common.Label: 'Book'
    entity Books {
      key ID : Integer;
      @mandatory title : String(20);
      genre : String enum { novel; poem };
      author : Association to Authors;
      stock : Integer default 3 @assert.range: [0, 100];
      price : Decimal(9, 2);
      @readonly sold : Integer64;
      cover : LargeBinary @Core.MediaType: 'image/png';
      @odata.etag changed : String(10) default 'never';
    } actions {
      @Common.Label: 'More copies'
      action restock(copies : Integer @mandatory) returns Books;
      function inStock() returns Boolean;
    };
    entity Authors { key ID : Integer; name : String; books : Association to many Books on books.author = $self; }
    entity Orders { key ID : Integer; buyer : String(40); items : Composition of many Items on items.parent = $self; }
    entity Items { key parent : Association to Orders; key pos : Integer; quantity : Integer @assert.range: [1, 10]; }
    @readonly entity Prices as projection on Books { ID, price };
    action order(book : Integer @mandatory, quantity : Integer) returns { left : Integer };
    action close();
    function cheapest(limit : Integer, title : String) returns String;
    event Sold { book : Integer; }
  }
  service Office @(requires: 'editor') {
    @odata.draft.enabled entity Notes { key ID : UUID; text : String(100); }
  }
  service Empty { entity Things { key ID : Integer; } }
`);

const BOOKS = [
  { ID: 1, title: "Emma", genre: "novel", author_ID: 1, stock: 5, price: 12.5, sold: 9, changed: "a" },
  { ID: 2, title: "Wuthering Heights", genre: "novel", author_ID: 2, stock: 2, price: 11.11, changed: "b" },
  ...Array.from({ length: 23 }, (_, i) => ({ ID: i + 10, title: `Poem ${i}`, genre: "poem", stock: 1 })),
];
const AUTHORS = [{ ID: 1, name: "Jane Austen" }, { ID: 2, name: "Emily Brontë" }];

type Data = Readonly<Record<string, unknown>>;

/** What the page of the shop does. */
export interface ShopPage {
  /** The body of the page. */
  readonly body: PageElement;
  /** Methods and targets of requests, in order, without what the metadata takes. */
  readonly asked: string[];
  /** What was sent with them. */
  readonly sent: { readonly headers: Headers; readonly body: unknown }[];
  /** Answers that come instead of those of the runtime, by what begins the method and target. */
  readonly answers: Map<string, () => Response | Promise<Response>>;
  /** Asks the runtime as somebody else. */
  readonly aside: (path: string, options?: RequestInit) => Promise<Response>;
}

/** Serves the shop in this process, and uses modules of its console. */
export async function withShop(use: (shop: ShopPage) => Promise<void> | void): Promise<void> {
  const runtime = createRuntime({
    model: MODEL,
    kinds: denoKinds,
    env: {
      name: "shop",
      log: { levels: { default: "silent" } },
      requires: {
        db: { kind: "memory" },
        messaging: { kind: "local-messaging" },
        auth: {
          kind: "mocked",
          users: {
            bob: { roles: [] },
            ann: { roles: ["editor"] },
            eve: { password: "pw", roles: ["editor", "any"] },
          },
        },
      },
    },
    handlers: {
      Store: (srv) => {
        srv.on("restock", (req) => {
          const [{ ID }] = req.params as [{ ID: number }];
          const { copies } = req.data as { readonly copies: number };
          if (copies > 50) {
            req.reject({ status: 409, code: "FULL", message: "The shelf is full", target: "copies" });
          }
          req.info("Restocked");
          return { ...BOOKS.find((one) => one.ID === ID), stock: copies };
        });
        srv.on("inStock", () => true);
        srv.on("order", ({ data }) => ({ left: 9 - Number((data as Data).quantity ?? 0) }));
        srv.on("close", () => {});
        srv.on("cheapest", ({ data }) => `${(data as Data).title} below ${(data as Data).limit}`);
      },
    },
    data: new Map<string, Record<string, unknown>[]>([["Store.Books", BOOKS], ["Store.Authors", AUTHORS]]),
  });
  const aside = (path: string, options?: RequestInit) =>
    runtime.fetch(new Request(`http://localhost${path}`, options));
  const [asked, sent, answers] = [[] as string[], [] as ShopPage["sent"][number][], new Map()];
  const send = async (target: string, options: RequestInit = {}) => {
    const path = target.slice(String(ROOT).length - 1);
    const line = `${options.method} ${path}`;
    if (!path.includes("$metadata")) {
      asked.push(line);
      sent.push({ headers: new Headers(options.headers), body: options.body });
    }
    const [, instead] = answers.entries().find(([start]) => line.startsWith(start)) ?? [];
    return instead ? await instead() : await aside(path, options);
  };
  const forget = [globalThis, events].map(remembered);
  const info = await (await aside("/-/console/info.json")).json();
  info.users = info.users.filter(({ name }: { readonly name: string }) => /^(?:ann|bob|eve)$/.test(name));
  try {
    await withDocument(send, async (body) => {
      Object.assign(state, { info, login: null, language: "en", theme: "auto" });
      requests.length = 0;
      unsaved.clear();
      try {
        await use({ body, asked, sent, answers, aside });
      } finally {
        for (const one of forget) one();
        Object.assign(state, { info: undefined, language: "en", theme: "auto" });
        logIn(null);
      }
    });
  } finally {
    await runtime.close();
  }
}

/** Remembers what listens to a target from now on, to be told to stop. */
function remembered(target: EventTarget): () => void {
  const listeners: Parameters<EventTarget["addEventListener"]>[] = [];
  const listen = target.addEventListener;
  target.addEventListener = (...all) => {
    listeners.push(all);
    listen.apply(target, all);
  };
  return () => {
    target.addEventListener = listen;
    for (const [type, listener] of listeners) target.removeEventListener(type, listener);
  };
}
