/**
 * A project with what clients of user interfaces rely on: entity tags, messages, bound operations, exact numbers.
 *
 * @module
 */

/** Files of the project. */
export const SHOP: Readonly<Record<string, string>> = {
  ".fwrc.json": JSON.stringify({ name: "shop", server: { messages_header: "sap-messages" } }),
  "db/schema.cds": `namespace shop;
using { managed } from '@sap/cds/common';

entity Books : managed {
  key ID    : Integer;
  title     : String(80) @mandatory;
  stock     : Integer default 0 @assert.range: [0, 1000];
  price     : Decimal(17, 4);
  sold      : Int64 default 0;
  published : Date;
  weight    : Decimal;
  read      : DateTime;
  author    : Association to Authors;
  reviews   : Composition of many Reviews on reviews.book = $self;
}

entity Authors {
  key ID : Integer;
  name   : String(80);
  books  : Association to many Books on books.author = $self;
}

entity Reviews {
  key ID : UUID;
  book   : Association to Books;
  stars  : Integer;
  text   : String(200);
}

annotate Books with { modifiedAt @odata.etag };
`,
  "db/data/shop-Authors.csv": "ID;name\n1;Emily Brontë\n2;Jane Austen\n",
  "db/data/shop-Books.csv": `ID;title;stock;price;sold;published;author_ID;modifiedAt
1;Wuthering Heights;5;11.1100;9007199254740993;1847-12-19;1;2024-01-01T00:00:00Z
2;Emma;7;1234567890.4567;3;1815-12-23;2;2024-01-01T00:00:00Z
3;Persuasion;0;9.9;0;1817-12-20;2;2024-01-01T00:00:00Z
`,
  "db/data/shop-Reviews.csv": `ID;book_ID;stars;text
11111111-1111-4111-8111-111111111111;1;5;Stormy
22222222-2222-4222-8222-222222222222;1;3;Long
`,
  "srv/shop_service.cds": `using { shop } from '../db/schema';

@requires: 'authenticated-user'
service ShopService {
  entity Books as projection on shop.Books actions {
    action restock(copies : Integer) returns Books;
    function worth(discount : Decimal(4, 2)) returns Decimal(17, 4);
  };
  entity Authors as projection on shop.Authors;
  entity Reviews as projection on shop.Reviews;
  action reprice(percentage : Integer) returns Integer;
  function cheapest(maximum : Decimal(9, 2)) returns many Books;
}
`,
  "srv/shop_service.ts": `import fw, { SELECT, UPDATE } from "@fw/runtime";

export class ShopService extends fw.ApplicationService {
  override init() {
    const { Books } = fw.entities("shop");
    this.before(["CREATE", "UPDATE"], "Books", (req) => {
      const { stock, title } = req.data as { stock?: number; title?: string };
      if (title === "Forbidden") req.reject({ code: "FORBIDDEN_TITLE", status: 422, message: "No such title", target: "title" });
      if (stock !== undefined && stock > 0 && stock < 3) req.warn({ code: "FEW", message: "Only few are left", target: "stock" });
    });
    this.after("CREATE", "Books", (_, req) => void req.info({ code: "NEW", message: "A new book: größer" }));
    this.on("restock", "Books", async (req) => {
      const [{ ID }] = req.params as [{ ID: number }];
      await UPDATE(Books, ID).with({ stock: { "+=": (req.data as { copies: number }).copies } });
      req.notify("Stock is up to date");
      return await SELECT.one.from(req.subject!);
    });
    this.on("worth", "Books", async (req) => {
      const { price, stock } = await SELECT.one.from(req.subject!) as { price: number; stock: number };
      return (Number(price) * stock * (1 - Number((req.data as { discount: number }).discount))).toFixed(4);
    });
    this.on("reprice", async (req) => {
      const { percentage } = req.data as { percentage: number };
      return await UPDATE(Books).set({ price: { "*=": 1 + percentage / 100 } });
    });
    this.on("cheapest", async (req) =>
      await SELECT.from("ShopService.Books").where({ price: { "<=": (req.data as { maximum: number }).maximum } }));
    return super.init();
  }
}
`,
};
