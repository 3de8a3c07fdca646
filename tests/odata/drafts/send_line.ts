/**
 * Requests of the draft tests in one line.
 *
 * @module
 */

import type { Runtime } from "../../../mod.ts";
import { type Answer, sendTo } from "../../send_to.ts";

/**
 * Sends a request, as a user, to the shop unless it names another path from the root.
 *
 * @param runtime answers it
 * @param request method and URL, which is encoded (`GET Orders(1)`)
 * @param sent the body, and who sends it
 */
export async function sendLine(
  runtime: Runtime,
  request: string,
  { user, body }: { readonly user: string; readonly body?: unknown },
): Promise<Answer> {
  const [method, ...path] = request.split(" ");
  const target = encodeURI(path.join(" "));
  const full = target.startsWith("/") ? target : `/odata/v4/shop/${target}`;
  return await sendTo(runtime, { method: method!, path: full, user, body });
}
