import fw, { INSERT, SELECT, type ServiceRequest, UPDATE } from "@fw/runtime";

/** Orders reduce the stock; ratings arrive from the reviews process. */
export class CatalogService extends fw.ApplicationService {
  override async init(): Promise<void> {
    const { Books, Orders } = fw.entities("bookshop");

    this.on("submitOrder", async (req: ServiceRequest) => {
      const { book, quantity } = req.data as { book: number; quantity: number };
      const found = await SELECT.one.from(Books, book).columns("stock") as { stock: number } | null;
      if (!found) return req.reject(404, "BOOK_UNKNOWN", "book", [book]);
      const taken = await UPDATE(Books).where({ ID: book, stock: { ">=": quantity } }).set({
        stock: { "-=": quantity },
      });
      if (Number(taken) === 0) return req.reject(409, "SOLD_OUT", "quantity", [found.stock]);
      await INSERT.into(Orders).entries({ book_ID: book, quantity, buyer: req.user.id });
      await this.emit("OrderedBook", { book, quantity, buyer: req.user.id });
      return { stock: found.stock - quantity };
    });

    const reviews = await fw.connect.to("ReviewsService");
    reviews.on("RatingChanged", async (msg) => {
      const { book, rating, reviews } = msg.data as { book: number; rating: number; reviews: number };
      await UPDATE(Books, book).with({ rating, reviews });
    });
    await super.init();
  }
}
