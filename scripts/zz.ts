import { linkModel } from "../src/model/link_model.ts";
import { draftApi } from "../src/model/drafts/draft_api.ts";
import { createPlanner } from "../src/odata/plan/planner.ts";
const dir = "/work/shared/conformance/drafts/models/draft";
const m = linkModel(JSON.parse(Deno.readTextFileSync(dir + "/csn.json")));
const api = draftApi(m);
const p = createPlanner(api.service("draft.TripService")!);
for (
  const u of [
    "Trips(ID=22222222-0000-4000-8000-000000000001,IsActiveEntity=false)?$expand=DraftAdministrativeData,legs($filter=IsActiveEntity eq false)",
    "Trips(ID=22222222-0000-4000-8000-000000000001,IsActiveEntity=true)/legs(ID=22222222-0000-4000-8000-000000000001,IsActiveEntity=true)",
    "Trips?$filter=IsActiveEntity eq false or SiblingEntity/IsActiveEntity eq null&$count=true",
    "Trips(22222222-0000-4000-8000-000000000001)",
  ]
) {
  try {
    const plan = p.planUrl(u);
    console.log(u);
    console.log(JSON.stringify({
      ...plan,
      target: plan.target?.name,
      shape: undefined,
      addressed: { p: plan.addressed.params, s: plan.addressed.subject, u: plan.addressed.url },
      navigation: plan.navigation && { ...plan.navigation, source: 0, element: plan.navigation.element.name },
    }));
  } catch (e) {
    console.log(u, String(e));
  }
}
