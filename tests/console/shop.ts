/**
 * The project that the console is tried with: enums, media, parts, drafts, operations, errors with targets, messages that
 * are given up, and rows with scripts in them.
 *
 * @module
 */

/** A text that would run if it was ever taken for HTML. */
export const SCRIPT = `<img src=x onerror="globalThis.stolen=1"><script>globalThis.stolen=1</script>`;

/** What else is on the shelves: more than a page. */
const TITLES: readonly (readonly [title: string, genre: string])[] = [
  ..."Persuasion,Mansfield Park,Northanger Abbey,Sanditon,Frankenstein,The Last Man,Valperga,Lodore,Falkner"
    .split(","),
  ..."Mathilda,Middlemarch,Silas Marner,Romola,Adam Bede,Cranford,Ruth,North and South,Villette,Shirley"
    .split(","),
  ..."Jane Eyre,Agnes Grey,Evelina,Cecilia,Camilla,Belinda,Patronage".split(","),
  ..."Remembrance,Hope,Sympathy,The Prisoner".split(","),
].map((title, i) => [title, i < 26 ? "novel" : "poem"]);

const SCHEMA = `namespace shop;
using { cuid, managed } from '@sap/cds/common';

/** What is on the shelves. */
entity Books : managed {
  key ID    : Integer;
  @title: 'Title' title : String(120) @mandatory;
  genre     : String(10) enum { novel; poem; play; };
  author    : Association to Authors;
  stock     : Integer default 0 @assert.range: [0, 1000];
  price     : Decimal(9, 2);
  sold      : Integer64;
  released  : Date;
  secret    : Boolean;
  notes     : String(2000);
  cover     : LargeBinary @Core.MediaType: 'image/png';
}
annotate Books with { modifiedAt @odata.etag }

entity Authors { key ID : Integer; name : String(60); books : Association to many Books on books.author = $self; }

entity Orders : cuid {
  buyer : String(40) @mandatory;
  items : Composition of many Items on items.order = $self;
}
entity Items {
  key order : Association to Orders;
  key pos   : Integer;
  book      : Association to Books;
  quantity  : Integer @assert.range: [1, 10];
}

@odata.draft.enabled
entity Notes : cuid { text : String(100); }
`;

const SERVICES = `using { shop } from '../db/schema';

/** Buying and selling. */
service ShopService {
  entity Books as projection on shop.Books actions {
    /** Puts copies on the shelf. */
    action restock(copies : Integer @mandatory) returns Books;
  };
  entity Authors as projection on shop.Authors;
  entity Orders as projection on shop.Orders;
  action submitOrder(book : Integer @mandatory, quantity : Integer @mandatory) returns { stock : Integer };
  function cheapest(limit : Integer) returns Integer;
  event Sold { book : Integer; }
}

@requires: 'editor'
service DeskService {
  entity Notes as projection on shop.Notes;
}

annotate ShopService.submitOrder with @requires: 'authenticated-user';
`;

const HANDLERS = `import fw, { SELECT, UPDATE } from "@fw/runtime";

export class ShopService extends fw.ApplicationService {
  override init() {
    this.on("restock", async (req) => {
      const [{ ID }] = req.params;
      await UPDATE("shop.Books", ID).set("stock +=", req.data.copies);
      return await SELECT.one.from("shop.Books", ID);
    });
    this.on("submitOrder", async (req) => {
      const { book, quantity } = req.data;
      const found = await SELECT.one.from("shop.Books", book);
      if (found.stock < quantity) req.reject({ status: 409, code: "SOLD_OUT", target: "quantity", args: [found.stock] });
      await UPDATE("shop.Books", book).set("stock -=", quantity);
      await this.emit("Sold", { book });
      return { stock: found.stock - quantity };
    });
    this.on("cheapest", async (req) => {
      const found = await SELECT.one.from("shop.Books").where("price <", req.data.limit).orderBy("price");
      return found?.ID ?? null;
    });
    return super.init();
  }
}
`;

const SERVER = `import fw from "@fw/runtime";

fw.on("served", async () => {
  const messaging = await fw.connect.to("messaging");
  messaging.on("ShopService.Sold", () => {
    throw Object.assign(new Error("The printer is out of paper"), { unrecoverable: true });
  });
});
`;

/** Its files; the box of its channel lies in a folder. */
export function shopFiles(box: string): Readonly<Record<string, string>> {
  const requires = {
    messaging: { kind: "file-based-messaging", file: box, outboxed: false },
    auth: {
      "[development]": {
        users: {
          "*": false,
          ...Object.fromEntries(
            ["carol", "dave", "erin", "me", "yves", "authenticated", "system", "privileged"].map((
              name,
            ) => [name, false]),
          ),
          alice: { roles: ["editor"] },
          bob: { roles: [] },
          rita: { password: "secret", roles: ["editor"] },
        },
      },
    },
  };
  return {
    "db/schema.cds": SCHEMA,
    "db/data/shop-Authors.csv": "ID;name\n1;Jane Austen\n2;Emily Brontë\n3;Mary Shelley\n",
    "db/data/shop-Books.csv": "ID;title;genre;author_ID;stock;price;sold\n" +
      "1;Emma;novel;1;5;12.50;9007199254740993\n2;Wuthering Heights;novel;2;3;11.11;0\n" +
      TITLES.map(([title, genre], i) =>
        `${i + 10};${title};${genre};${1 + i % 3};${i % 7};${9 + i % 5}.99;${i * 11}\n`
      )
        .join("") +
      `99;"${SCRIPT.replaceAll('"', '""')}";poem;1;0;1.00;0\n`,
    "srv/services.cds": SERVICES,
    "srv/services.ts": HANDLERS,
    "server.ts": SERVER,
    "_i18n/messages.properties": "SOLD_OUT=Only {0} copies are left\n",
    "_i18n/messages_de.properties": "SOLD_OUT=Nur noch {0} Exemplare sind da\n",
    ".fwrc.json": JSON.stringify({ name: "shop", requires }, null, 2),
  };
}
