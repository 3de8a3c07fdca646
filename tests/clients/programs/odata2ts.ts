/** Uses the clients that `odata2ts` makes of the metadata; prints what it got. Compiled by the test. */

import { FetchClient } from "@odata2ts/http-client-fetch";
import { adminService } from "./admin/adminService";
import { catalogService } from "./catalog/catalogService";
import { referenceService } from "./reference/referenceService";

declare const process: { readonly argv: readonly string[] };

const [bookshop, reference] = process.argv.slice(2);
const client = new FetchClient({ headers: { Authorization: `Basic ${btoa("alice:")}` } });
const admin = new adminService(client, `${bookshop}/odata/v4/admin`);
const catalog = new catalogService(client, `${bookshop}/odata/v4/catalog`);
const products = new referenceService(client, reference);

const LAPTOP = "00000002-0000-4000-8000-000000000001";

async function query() {
  const { data } = await admin.Books().query((builder, book) =>
    builder
      .select("ID", "title", "price")
      .filter(book.stock.gt(10), book.author.props.name.contains("Brontë"))
      .expanding("author", (builder) => builder.select("name"))
      .expanding("chapters", (builder) => builder.select("title").top(1))
      .orderBy(book.title.desc())
      .count()
      .top(1)
  );
  return data;
}

async function search() {
  const { data } = await admin.Authors().query((builder, author) =>
    builder
      .select("name")
      .search("Bront")
      .filter(author.books.any((book) => book.stock.lt(12)))
  );
  return data.value;
}

async function write() {
  const created = await admin.Books().create({ title: "Agnes Grey & co. 50 %", author_ID: 103, price: 7.5 });
  const id = created.data.ID;
  const patched = await admin.Books(id).patch({ stock: 3 });
  const replaced = await admin.Authors(101).update({ name: "Jane Austen", placeOfBirth: "Hampshire" });
  const { data } = await admin.Books(id).query((builder) => builder.select("title", "stock"));
  const removed = await admin.Books(208).delete();
  return {
    created: [created.status, created.headers.location, created.data.title],
    patched: patched.status,
    replaced: replaced.status,
    read: data,
    removed: removed.status,
  };
}

async function chapter() {
  const id = { book_ID: 201, pos: 9 };
  await admin.Books(201).chapters().create({ ...id, title: "Ghosts" });
  const { data } = await admin.Books(201).chapters(id).query((builder) => builder.select("title"));
  return data;
}

async function operations() {
  const one = products.Products(LAPTOP);
  const ordered = await catalog.submitOrder({ book: 201, quantity: 2 });
  const top = await products.Products().GetTopProducts2({ count: 2 });
  const named = await products.GetTopProducts({ count: 1, category: "Kitchen" });
  // Quotes are not doubled by this client.
  const info = await one.GetInfo({ format: "a/b & d" });
  const sum = await products.Calculate({ a: 2, b: 40 });
  const stats = await products.GetProductStats();
  const discounted = await one.ApplyDiscount({ percentage: 50 });
  const activated = await one.Activate();
  return {
    stock: ordered.data.stock,
    top: top.data.value.map(({ Name }) => Name),
    named: named.data.value.map(({ Name }) => Name),
    info: info.data.value,
    sum: sum.data.value,
    count: stats.data.totalProducts,
    discounted: discounted.data.Price,
    activated: activated.status,
  };
}

async function values() {
  const { data } = await products.Products(LAPTOP).query();
  const category = await products.Products(LAPTOP).Category().query((builder) => builder.select("Name"));
  const city = await products.Products(LAPTOP).ShippingAddress().query();
  const company = await products.Company().query((builder) => builder.select("Name"));
  await products.Company().patch({ CEO: "Mary Shelley" });
  const { Status, ShippingTime, OpenTime, Data } = data;
  return {
    values: { Status, ShippingTime, OpenTime, Data },
    category: category.data.Name,
    city: city.data.City,
    company: company.data.Name,
  };
}

async function failures() {
  const attempts = [
    () => admin.Books(999).query(),
    () => admin.Books().create({ title: "", stock: -1 }),
    () => catalog.submitOrder({ book: 201, quantity: 0 }),
  ];
  const found: unknown[] = [];
  for (const attempt of attempts) {
    try {
      await attempt();
    } catch (error) {
      const { status, message } = error as { readonly status?: number; readonly message: string };
      found.push([status, message]);
    }
  }
  return found;
}

async function main() {
  console.log(JSON.stringify({
    query: await query(),
    search: await search(),
    write: await write(),
    chapter: await chapter(),
    operations: await operations(),
    values: await values(),
    failures: await failures(),
  }));
}

void main();
