import fw, { SELECT, type ServiceRequest } from "@fw/runtime";

/** Tells everybody about new average ratings. */
export class ReviewsService extends fw.ApplicationService {
  override init(): Promise<void> | void {
    const { Reviews } = fw.entities("reviews");
    this.after(["CREATE", "UPDATE"], "Reviews", async (_result: unknown, req: ServiceRequest) => {
      const { book } = req.data as { book: number };
      const { average, reviews } = await SELECT.one.from(Reviews).where({ book })
        .columns("avg(rating) as average", "count(*) as reviews") as { average: number; reviews: number };
      await this.emit("RatingChanged", { book, rating: Math.round(average * 10) / 10, reviews });
    });
    return super.init();
  }
}
