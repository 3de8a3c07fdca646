import fw, { SELECT, type ServiceRequest } from "@fw/runtime";

/** New books and authors get the next number when they come without one. */
export class AdminService extends fw.ApplicationService {
  override init(): Promise<void> | void {
    this.before("CREATE", ["Books", "Authors", "Genres"], async (req: ServiceRequest) => {
      const data = req.data as { ID?: number };
      if (data.ID != null) return;
      const { last } = await SELECT.one.from(req.target!).columns("max(ID) as last") as {
        last: number | null;
      };
      data.ID = (last ?? 0) + 1;
    });
    return super.init();
  }
}
