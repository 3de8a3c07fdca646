/** Uses the clients that the SAP Cloud SDK generator makes of EDMX; prints what it got. Compiled by the test. */

import { and, asc, desc, filterFunctions, or } from "@sap-cloud-sdk/odata-v4";
import BigNumber from "bignumber.js";
import moment from "moment";
import { calculate, convert, findProducts, reference } from "./client/reference";
import { cheapest, reprice, shop } from "./client/shop";

declare const process: { readonly argv: readonly string[] };

const [shopUrl, referenceUrl] = process.argv.slice(2);
const destination = {
  url: `${shopUrl}/odata/v4/shop`,
  authentication: "BasicAuthentication",
  username: "alice",
  password: "any",
} as const;
const { booksApi, authorsApi, reviewsApi, batch, changeset } = shop();
const { schema } = booksApi;
const { contains } = filterFunctions();
const books = booksApi.requestBuilder();

async function query() {
  const found = await books.getAll()
    .select(
      schema.TITLE,
      schema.PRICE,
      schema.SOLD,
      schema.PUBLISHED,
    )
    .expand(
      schema.AUTHOR.select(authorsApi.schema.NAME),
      schema.REVIEWS.filter(reviewsApi.schema.STARS.greaterThan(3)).orderBy(asc(reviewsApi.schema.STARS)),
    )
    .filter(or(
      schema.STOCK.greaterThan(6),
      and(
        contains(schema.TITLE, "Height"),
        schema.AUTHOR.filter(authorsApi.schema.NAME.equals("Emily Brontë")),
      ),
    ))
    .orderBy(desc(schema.TITLE))
    .top(2)
    .execute(destination);
  return found.map(({ title, price, sold, published, author, reviews }) => ({
    title,
    price: price?.toFixed(),
    sold: sold?.toFixed(),
    published: published?.format("YYYY-MM-DD"),
    author: author?.name,
    reviews: reviews.map(({ text }) => text),
  }));
}

/** Numbers as text, because this client reads JSON numbers as doubles. */
async function exact() {
  const [book] = await books.getAll()
    .filter(schema.ID.equals(1))
    .addCustomHeaders({ accept: "application/json;IEEE754Compatible=true" })
    .execute(destination);
  return [book.sold?.toFixed(), book.price?.toFixed()];
}

const count = () =>
  books.getAll().filter(schema.STOCK.greaterThan(0), schema.SOLD.greaterThan(new BigNumber("3"))).count()
    .execute(destination);

async function write() {
  const draft = booksApi.entityBuilder()
    .id(11)
    .title('Agnes Grey, "1847" größer')
    .price(new BigNumber("123456789.0123"))
    .sold(new BigNumber("12"))
    .published(moment("1847-12-14"))
    .reviews([reviewsApi.entityBuilder().stars(4).text("Deep").build()])
    .build();
  const created = await books.create(draft).execute(destination);
  const stale = await books.getByKey(11).execute(destination);
  stale.stock = 4;
  const updated = await books.update(stale).execute(destination);
  const read = await books.getByKey(11).execute(destination);
  stale.stock = 5;
  return {
    created: [created.title, created.price?.toFixed(), created.sold?.toFixed()],
    tags: [
      created.versionIdentifier === updated.versionIdentifier,
      updated.versionIdentifier === read.versionIdentifier,
    ],
    stock: read.stock,
    stale: await failureOf(
      books.update(stale).setVersionIdentifier(created.versionIdentifier!).execute(destination),
    ),
    staleDelete: await failureOf(
      books.delete(11).setVersionIdentifier(created.versionIdentifier!).execute(destination),
    ),
    untagged: await failureOf(books.delete(11).execute(destination)),
    forbidden: await failureOf(
      books.create(booksApi.entityBuilder().id(12).title("Forbidden").build()).execute(destination),
    ),
    removed: (await books.delete(3).setVersionIdentifier("*").execute(destination)) ?? null,
  };
}

async function child() {
  const book = await books.getByKey(1).execute(destination);
  const review = reviewsApi.entityBuilder().stars(2).text("As a child").build();
  const created = await reviewsApi.requestBuilder().create(review).asChildOf(book, schema.REVIEWS).execute(
    destination,
  );
  return [created.bookId, created.text];
}

async function operations() {
  // The generator makes nothing of bound operations.
  const found = await cheapest({ maximum: new BigNumber("15") }).execute(destination);
  const repriced = await reprice({ percentage: 0 }).execute(destination);
  return {
    cheapest: found?.map(({ title }) => title),
    repriced,
    // This client writes numbers of 64 bit as 21L, those of double precision as 30D.
    calculated: (await calculate({ value: new BigNumber(21) }).execute({ url: referenceUrl }))?.toFixed(),
    found: (await findProducts({ name: "o", maxPrice: 30 }).execute({ url: referenceUrl }))?.length,
    // A slash is not encoded by it.
    convert: await convert({ input: "b 'c' & d+e ü" }).execute({ url: referenceUrl }),
  };
}

async function batches() {
  const renamed = await books.getByKey(2).execute(destination);
  renamed.title = "Emma, renamed";
  const made = (id: number, title: string) =>
    books.create(booksApi.entityBuilder().id(id).title(title).build());
  const answers = await batch(
    books.getAll().filter(schema.ID.equals(1)),
    changeset(made(21, "In a changeset"), books.update(renamed), books.delete(11).setVersionIdentifier("*")),
    changeset(made(22, "Rolled back"), made(23, "Forbidden")),
    books.getByKey(2),
    books.getByKey(99),
  ).addCustomHeaders({ prefer: "odata.continue-on-error" }).execute(destination);
  return answers.map((answer) => {
    if (answer.isReadResponse()) {
      return [
        "read",
        answer.httpCode,
        answer.as(booksApi).map(({ title }) => title),
      ];
    }
    if (answer.isWriteResponses()) return ["write", answer.responses.map(({ httpCode }) => httpCode)];
    return ["error", answer.httpCode, answer.body.error.code];
  });
}

async function values() {
  const { productsApi, categoriesApi } = reference();
  const [product] = await productsApi.requestBuilder().getAll()
    .filter(productsApi.schema.NAME.equals("Laptop"))
    .expand(productsApi.schema.CATEGORY.select(categoriesApi.schema.NAME))
    .execute({ url: referenceUrl });
  const { id, status, shippingTime, openTime, shippingAddress, createdAt, category, price, data } = product;
  product.status = product.status;
  product.shippingAddress = { ...shippingAddress!, city: "Tacoma" };
  await productsApi.requestBuilder().update(product).execute({ url: referenceUrl });
  const changed = await productsApi.requestBuilder().getByKey(id).execute({ url: referenceUrl });
  return {
    status,
    shippingTime: shippingTime?.asHours(),
    openTime,
    city: [shippingAddress?.city, changed.shippingAddress?.city],
    createdAt: createdAt.toISOString(),
    category: category?.name,
    price,
    data,
    tags: [product.versionIdentifier, changed.versionIdentifier],
  };
}

async function failureOf(attempt: Promise<unknown>): Promise<unknown> {
  try {
    return ["done", await attempt];
  } catch (error) {
    const root = (error as {
      readonly rootCause?: {
        readonly response?: {
          readonly status: number;
          readonly data: { readonly error: { readonly code: string } };
        };
      };
    }).rootCause?.response;
    return root === undefined ? String((error as Error).stack) : [root.status, root.data.error.code];
  }
}

async function main() {
  console.log(JSON.stringify({
    query: await query(),
    exact: await exact(),
    count: await count(),
    write: await write(),
    child: await child(),
    operations: await operations(),
    batches: await batches(),
    values: await values(),
  }));
}

void main();
