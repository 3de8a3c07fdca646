/**
 * Uses the types of `./model.ts` as projects do: what must compile, and what must not.
 *
 * @module
 */

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
  const written = await INSERT.into(Things.parts).entries({ up__ID: "x", pos: level ?? 1 });
  const keys: unknown[] = [...written], number: number = Number(written) + written.affectedRows;
  const latest: my.shop.Things | null = await SELECT.distinct.one.localized.from(Things);
  await SELECT.from(Things, (thing) => {
    thing.name;
    thing.parts((part) => part.pos);
  });
  // @ts-expect-error no such element
  all[0].nmae;
  // @ts-expect-error maybe null
  one.name;
  // @ts-expect-error maybe null
  all[0].stock.toFixed();
  // @ts-expect-error no such element
  await INSERT.into(Things).entries({ ID: "x", nmae: "y" });
  // @ts-expect-error no such element
  await INSERT.into(Things, { ID: "x", nmae: "y" });
  // @ts-expect-error a number is wanted
  await INSERT.into(Things).entries({ ID: "x", stock: "many" });
  // @ts-expect-error no such element
  await UPDATE(Things, "x").set({ stok: 1 });
  await SELECT.from(Things).where({ "parent.name": "x", or: { stock: { ">": 1 }, not: { name: "y" } } });
  await SELECT.from(Things).where({ price_amount: 1 }).and("stock >", 2).orderBy("name desc", {
    stock: "asc",
  });
  await SELECT.from(Things).columns("name", "count(*) as n", ["stock"]).groupBy("name").orderBy(
    "n desc",
    "name",
  );
  await SELECT.from(Things).columns("name", { ref: ["stock"], as: "left" }).orderBy("left");
  await SELECT.from(Things).columns("name as a, stock as b").orderBy("b desc");
  await SELECT.from(Things).columns`name, stock as left`.orderBy`left`;
  const text: string = name, condition: Record<string, unknown> = { stock: 1 };
  await SELECT.from(Things).columns(text).where(condition).orderBy(text);
  await DELETE.from(Things).where({ name: { like: "x%" } });
  await SELECT.from("my.shop.Things").columns("anything").where({ any: 1 }).orderBy("thing");
  // @ts-expect-error no such element
  await SELECT.from(Things).where({ stok: 1 });
  // @ts-expect-error no such element in a nested condition
  await SELECT.from(Things).where({ or: { stok: 1 } });
  // @ts-expect-error no such element
  await SELECT.from(Things).columns("nmae");
  // @ts-expect-error no such element in a list
  await SELECT.from(Things).columns(["name", "stok"]);
  // @ts-expect-error no such element
  await SELECT.from(Things).orderBy("nmae desc");
  // @ts-expect-error no such element
  await SELECT.from(Things).orderBy({ nmae: "desc" });
  // @ts-expect-error neither an element nor a name of a column
  await SELECT.from(Things).columns("count(*) as n").orderBy("m");
  // @ts-expect-error no such element
  await DELETE.from(Things).where({ nmae: "x" });
  // @ts-expect-error no such element
  await UPDATE(Things).set({ stock: 1 }).where({ nmae: "x" });
  // @ts-expect-error a number is wanted
  await UPDATE(Things).set({ stock: "many" });
  // @ts-expect-error there is always a name
  await UPDATE(Things).set({ name: null });
  void [amount, odd, parent, tags, keys, number, latest];
}

export class ShopService extends fw.ApplicationService {
  override async init(): Promise<void> {
    this.before(["UPDATE", "DELETE"], Shop.Things, async ({ params: [key] }) => {
      await UPDATE(Things).set({ note: "x" }).where({ ID: key.ID satisfies string });
      // @ts-expect-error no such key
      void key.name;
    });
    this.on(Shop.Things.rename, Shop.Things, ({ params: [{ ID }] }) => SELECT.one.from(Things, ID) as never);
    this.before("*", Shop.Things, ({ params }) => void params[0].ID.length);
    this.before("CREATE", Shop.Things, (req) => {
      const name: string = req.data.name;
      void name;
    });
    this.after("READ", Shop.Things, (rows) => {
      for (const row of rows) row.stock = row.stock ?? 0;
    });
    this.after("each", Shop.Things, (row) => {
      row.note = row.name;
    });
    this.after("CREATE", Shop.Things, ({ name }) => {
      const text: string = name;
      void text;
    });
    this.after(["CREATE", "UPDATE"], Shop.Things, (row, req) => {
      row.stock = req.data.stock;
    });
    this.on(Shop.sell, (req) => ({ left: (req.data.count ?? 0) - req.data.thing.length }));
    this.on(
      Shop.Things.rename,
      Shop.Things,
      async ({ data }) => ({ ...(await SELECT.one.from(Things))!, name: data.name }),
    );
    this.before(Shop.Things.rename, Shop.Things, (req) => void (req.data.name satisfies string));
    this.after(Shop.Things.rename, Shop.Things, ({ name }, req) => void [name?.length, req.data.name.length]);
    // @ts-expect-error the operation has no such parameter
    this.before(Shop.Things.rename, Shop.Things, (req) => void req.data.stock);
    this.on(Shop.best, () => SELECT.from(Things));
    this.on(Shop.clear, () => {});
    this.on(Shop.Sold, ({ data: { thing, count } }) => {
      const n: number = count ?? thing.length;
      void n;
    });
    await this.emit(Shop.Sold, { thing: "x", count: 1 });
    await this.schedule(Shop.sell, { thing: "x" }).every("1h");
    // @ts-expect-error the operation has no such parameter
    this.schedule(Shop.sell, { thong: "x" });
    const { left } = await this.send(Shop.sell, { thing: "x" });
    const rows: my.shop.Shop.Things[] = await this.read(Shop.Things).limit(1);
    await this.create(Shop.Things, { ID: "x", name: "y" });
    await this.drafts();
    const changed: number = await this.update(Shop.Things, "x").with({ stock: 1 });
    void [left, rows, changed];
    // @ts-expect-error no such element
    await this.create(Shop.Things, { nmae: "y" });
    // @ts-expect-error no such element
    await this.update(Shop.Things, "x").with({ stok: 1 });
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

  async drafts(): Promise<void> {
    const { drafts } = Shop.Notes;
    this.before(["NEW", "PATCH"], drafts, ({ data }) => void (data.title satisfies string | null));
    this.before("SAVE", Shop.Notes, ({ data }) => void data.lines?.map(({ text }) => text?.length));
    this.on(drafts.pin, drafts, ({ params }) => void params);
    const found: my.shop.Shop.Notes.drafts[] = await SELECT.from(drafts).where({ HasActiveEntity: true });
    const { ID } = await this.new(drafts, { title: "x", lines: [{ pos: 1 }] });
    const edited: my.shop.Shop.Notes = await this.edit(Shop.Notes, { ID });
    await this.save(drafts, { ID });
    await this.discard(drafts, { ID: edited.ID });
    // @ts-expect-error no such element
    await this.new(drafts, { titel: "x" });
    // @ts-expect-error no such element
    found[0].DraftBase;
  }
}

export function facade(): void {
  fw.on("bootstrap", (app) => app.get("/own", () => new Response()));
  fw.once("served", async ({ Shop }) => await Shop.emit("Sold", {}));
  fw.on("listening", ({ url }) => void url.length);
  fw.on("own event", (value: number) => value);
  const { level = "high" } = fw.env.for("other");
  void level;
}
