import assert from "node:assert/strict";
import { writeTypesFile } from "../../src/cli/write_types_file.ts";
import { compile } from "../../src/fw/facade_compile.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { REPOSITORY } from "../deno/project.ts";

const MODEL = `
  namespace my.shop;
  type Money { amount : Decimal(10, 2) not null; currency : String(3); }
  type Tags : array of String;
  type Level : Integer enum { low = 1; high = 2 };
  aspect named { name : String not null; }
  @title: 'Things to sell'
  entity Things : named {
    key ID : UUID;
    stock : Integer;
    level : Level;
    price : Money;
    tags : Tags;
    parent : Association to Things;
    parts : Composition of many { key pos : Integer; text : String; };
    virtual note : String;
    ![a b] : String;
    class : Boolean;
  }
  entity string { key ID : Integer; }
  service Shop {
    entity Things as projection on my.shop.Things
      actions { action rename(name : String not null) returns Things; function size() returns Integer; };
    event Sold { thing : Things:ID not null; count : Integer; }
    action sell(thing : UUID @mandatory, count : Integer) returns { left : Integer; };
    function best() returns many Things;
    action clear();
  }`;

const USE = `
  import fw, { DELETE, INSERT, SELECT, UPDATE, UPSERT } from "@fw/runtime";
  import { my } from "./model.ts";
  const { Things } = my.shop;
  const { Shop } = my.shop;

  export async function queries(): Promise<void> {
    const all: my.shop.Things[] = await SELECT.from(Things).where({ stock: { ">": 1 } });
    const one: my.shop.Things | null = await SELECT.from(Things, "x");
    const first: my.shop.Things | null = await SELECT.one.from(Things);
    const some: my.shop.Things[] = await SELECT.from(Things, ["ID", "stock"]);
    const name: string = all[0].name, level: 1 | 2 | null | undefined = one?.level;
    const amount: number | string | null = all[0].price_amount, odd: string | null = all[0]["a b"];
    const parent: string | null | undefined = first?.parent?.name, tags: string[] | null = some[0].tags;
    await INSERT.into(Things).entries({ ID: name, name, parts: [{ pos: 1 }] });
    await UPSERT.into(Things).entries([{ ID: "x", name: "y" }]);
    await UPDATE(Things, "x").set({ stock: { "-=": 1 } });
    await DELETE.from(Things, "x");
    await INSERT.into(Things.parts).entries({ up__ID: "x", pos: level ?? 1 });
    // @ts-expect-error no such element
    all[0].nmae;
    // @ts-expect-error maybe null
    one.name;
    // @ts-expect-error maybe null
    all[0].stock.toFixed();
    // @ts-expect-error no such element
    await INSERT.into(Things).entries({ ID: "x", nmae: "y" });
    // @ts-expect-error a number is wanted
    await INSERT.into(Things).entries({ ID: "x", stock: "many" });
    // @ts-expect-error no such element
    await UPDATE(Things, "x").set({ stok: 1 });
    void [amount, odd, parent, tags];
  }

  export class ShopService extends fw.ApplicationService {
    override async init(): Promise<void> {
      this.before("CREATE", Shop.Things, (req) => { const name: string = req.data.name; void name; });
      this.after("READ", Shop.Things, (rows) => { for (const row of rows) row.stock = row.stock ?? 0; });
      this.after("each", Shop.Things, (row) => { row.note = row.name; });
      this.after("CREATE", Shop.Things, ({ name }) => { const text: string = name; void text; });
      this.after(["CREATE", "UPDATE"], Shop.Things, (row, req) => { row.stock = req.data.stock; });
      this.on(Shop.sell, (req) => ({ left: (req.data.count ?? 0) - req.data.thing.length }));
      this.on(Shop.Things.rename, Shop.Things, async ({ data }) => ({ ...(await SELECT.one.from(Things))!, name: data.name }));
      this.on(Shop.best, () => SELECT.from(Things));
      this.on(Shop.clear, () => {});
      this.on(Shop.Sold, ({ data: { thing, count } }) => { const n: number = count ?? thing.length; void n; });
      await this.emit(Shop.Sold, { thing: "x", count: 1 });
      const { left } = await this.send(Shop.sell, { thing: "x" });
      const rows: my.shop.Shop.Things[] = await this.read(Shop.Things).limit(1);
      void [left, rows];
      // @ts-expect-error no such parameter
      this.on(Shop.sell, (req) => ({ left: req.data.cnt }));
      // @ts-expect-error the result has no such member
      this.on(Shop.sell, () => ({ rest: 1 }));
      // @ts-expect-error the payload has no such member
      await this.emit(Shop.Sold, { ting: "x" });
      // @ts-expect-error a parameter is missing
      await this.send(Shop.sell, { count: 1 });
      await super.init();
    }
  }`;

Deno.test("queries, handlers, events and calls are typed by the module that compile --to types writes (api 3, 4, 8)", async () => {
  const folder = await Deno.makeTempDir({ dir: REPOSITORY.replace("file://", ""), prefix: "types_" });
  try {
    const types = compile.to.types(linkModel(parseCdl(MODEL)));
    await Deno.writeTextFile(`${folder}/model.ts`, types);
    await Deno.writeTextFile(`${folder}/use.ts`, USE);
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["check", "--quiet", `${folder}/use.ts`],
    }).output();
    assert.equal(code, 0, `${new TextDecoder().decode(stderr)}\n${types}`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the types of the example are those of its model", async () => {
  assert.equal(await writeTypesFile(`${REPOSITORY}examples/bookshop`), undefined);
});

Deno.test("names that are no identifiers, or words of TypeScript, are written so that they can be", () => {
  const types = compile.to.types(linkModel(parseCdl(MODEL)), { from: "x" });
  assert.match(types, /from "x";/);
  assert.match(types, /export interface string_ \{/);
  assert.match(types, /"a b": string \| null;/);
  assert.match(types, /\/\*\* Things to sell \*\//);
});
