import fw, { INSERT, SELECT, UPDATE } from "@fw/runtime";
import { bookshop, CatalogService as Catalog, ReviewsService as Reviews } from "./model.ts";

/** Orders reduce the stock; ratings arrive from the reviews process. */
export class CatalogService extends fw.ApplicationService {
  override async init(): Promise<void> {
    const { Books, Orders } = bookshop;

    this.on(Catalog.submitOrder, async (req) => {
      const { book, quantity } = req.data;
      const found = await SELECT.one.from(Books, book).columns("stock");
      if (!found) return req.reject(404, "BOOK_UNKNOWN", "book", [book]);
      const taken = await UPDATE(Books).where({ ID: book, stock: { ">=": quantity } }).set({
        stock: { "-=": quantity },
      });
      if (Number(taken) === 0) return req.reject(409, "SOLD_OUT", "quantity", [found.stock]);
      await INSERT.into(Orders).entries({ book_ID: book, quantity, buyer: req.user.id });
      await this.emit(Catalog.OrderedBook, { book, quantity, buyer: req.user.id });
      return { stock: (found.stock ?? 0) - quantity };
    });

    const reviews = await fw.connect.to("ReviewsService");
    reviews.on(Reviews.RatingChanged, async ({ data: { book, rating, reviews } }) => {
      await UPDATE(Books, book).with({ rating, reviews });
    });
    await super.init();
  }
}
