/**
 * Two runtimes in one process: a shop, and one that calls it.
 *
 * @module
 */

import type { ClientKeyPair } from "../../../src/auth/token_client/token_credentials.ts";
import { createRuntime } from "../../../src/fw.ts";
import type { Runtime, RuntimeOptions } from "../../../src/fw/runtime.ts";
import type { RemoteService } from "../../../src/odata/remote/remote_service.ts";
import { csnOf } from "../../fw/shop.ts";

const MODEL = `
  namespace shop;
  entity Books {
    key ID : Integer; title : String(50); stock : Integer; price : Decimal(18,2); sold : Int64; published : Date;
    address { city : String(20); } author : Association to Authors; tags : Composition of many Tags on tags.book = $self;
  }
  entity Tags { key ID : Integer; text : String(20); book : Association to Books; }
  entity Authors { key ID : UUID; name : String(50); books : Association to many Books on books.author = $self; }
  entity Editions { key title : String(20); key edition : Integer; pages : Integer; }
  service CatalogService {
    entity Books as projection on shop.Books actions { action restock(by : Integer) returns Integer; };
    entity Authors as projection on shop.Authors;
    entity Tags as projection on shop.Tags;
    entity Editions as projection on shop.Editions;
    action order(book : Integer, quantity : Integer) returns Books;
    function sum(a : Integer, b : Integer, name : String) returns Integer;
    function top(ids : many Integer) returns many Books;
    action nothing();
  }
`;

/** What the caller has of its own. */
const LOCAL = `
  service LocalService {
    @cds.persistence.skip entity Titles as projection on CatalogService.Books { key ID as book, title as name, stock };
    @cds.persistence.skip entity Stocked as projection on CatalogService.Books as B {
      key ID as number, title as name, B.price, price as cost, address.city as town, author as writer, tags as labels,
      author.name as authorName, stock * 2 as twice : Integer, virtual null as shown : Boolean
    } where B.stock > 0;
    @cds.persistence.skip entity Cheap as projection on Stocked { *, cost as amount } excluding { twice } where cost < 20;
    @cds.persistence.skip entity Writers as projection on CatalogService.Authors {
      key ID as key, name as called, books as works : redirected to Stocked
    };
    @cds.persistence.skip entity Costly as projection on CatalogService.Books { key ID as number, price as cost, author as writer }
      where $self.cost > 20 and $self.writer.name != 'Emily';
    @cds.persistence.skip entity Credits as projection on CatalogService.Books {
      key ID as number, author.{ name as by }, title as author, author as writer, author { name as called } as maker
    };
    entity Marks { key ID : Integer; title : Association to Titles; }
    @cds.persistence.skip entity Labels as projection on CatalogService.Tags {
      key ID, text as word, book as of : redirected to Titles, book as stocked : redirected to Stocked,
      book.title as title
    };
  }
`;

/** Keys of the authors. */
export const EMILY = "11111111-1111-1111-1111-111111111111";
/** Key of the second author. */
export const JANE = "22222222-2222-2222-2222-222222222222";

const SILENT = { log: { levels: { default: "silent" } } };

/** What a test gets. */
export interface RemoteShop {
  /** The called runtime. */
  readonly server: Runtime;
  /** The calling runtime. */
  readonly client: Runtime;
  /** The service of the caller. */
  readonly remote: RemoteService;
  /** Requests sent so far. */
  readonly sent: Request[];
  /** Method and decoded path and query of the last request. */
  last(): string;
}

/** How both are set up. */
export interface RemoteShopOptions {
  /** `odata` or `rest`. */
  readonly kind?: string;
  /** Members of the entry below `requires`. */
  readonly entry?: Readonly<Record<string, unknown>>;
  /** Handlers and configuration of the called runtime. */
  readonly server?: Partial<RuntimeOptions>;
  /** Limits of the calling runtime. */
  readonly limits?: Readonly<Record<string, number>>;
  /** Level of the log of the calling runtime; default: silent. */
  readonly logLevel?: string;
  /** Further entries below `requires` of the calling runtime. */
  readonly requires?: Readonly<Record<string, unknown>>;
  /** Stands in front of the called runtime. */
  readonly fetch?: (request: Request, server: Runtime, keyPair?: ClientKeyPair) => Promise<Response>;
}

/** Runs a test with both. */
export async function withRemoteShop(
  options: RemoteShopOptions,
  test: (shop: RemoteShop) => Promise<void>,
): Promise<void> {
  const { kind = "odata", entry, fetch = (request, runtime) => runtime.fetch(request) } = options;
  const text = kind === "rest" ? MODEL.replace("service Cat", "@protocol: 'rest' service Cat") : MODEL;
  const server = createRuntime({
    model: csnOf(text),
    data: data(),
    ...options.server,
    env: { ...SILENT, ...options.server?.env },
  });
  const sent: Request[] = [];
  const url = `http://shop.test/${kind === "rest" ? "rest" : "odata/v4"}/catalog`;
  const client = createRuntime({
    model: csnOf(text + LOCAL),
    kinds: {
      fetch: (request, keyPair) => {
        sent.push(request.clone());
        return fetch(request, server, keyPair);
      },
    },
    env: {
      log: { levels: { default: options.logLevel ?? "silent" } },
      limits: options.limits,
      requires: { ...options.requires, "shop.CatalogService": { kind, credentials: { url }, ...entry } },
    },
  });
  await client.start();
  const remote = await client.connect("shop.CatalogService") as RemoteService;
  const last = () => {
    const { method, url } = sent.at(-1)!;
    return `${method} ${
      decodeURIComponent(url.slice("http://shop.test".length).replace(/^\/(odata\/v4|rest)\/catalog\//, ""))
    }`;
  };
  try {
    await test({ server, client, remote, sent, last });
  } finally {
    await client.close();
    await server.close();
  }
}

function data(): Map<string, Record<string, unknown>[]> {
  return new Map([
    ["shop.Authors", [{ ID: EMILY, name: "Emily" }, { ID: JANE, name: "Jane" }]],
    ["shop.Books", [
      {
        ID: 1,
        title: "Wuthering Heights",
        stock: 12,
        price: 9.99,
        author_ID: EMILY,
        published: "1847-12-01",
        address_city: "London",
      },
      {
        ID: 2,
        title: "Emma",
        stock: 5,
        price: "1234567890123456.78",
        sold: "9007199254740993",
        author_ID: JANE,
      },
      { ID: 3, title: "Persuasion", stock: 0, price: 3, sold: 4, author_ID: JANE },
    ]],
    ["shop.Tags", [{ ID: 1, text: "gothic", book_ID: 1 }, { ID: 2, text: "moors", book_ID: 1 }]],
    ["shop.Editions", [{ title: "Emma", edition: 1, pages: 474 }]],
  ]);
}
