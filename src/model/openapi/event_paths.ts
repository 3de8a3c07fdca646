/**
 * Paths of events: streams of server-sent events (HTML Living Standard 9.2).
 *
 * @module
 */

import type { LinkedService } from "../linked.ts";
import { annotationText } from "../schema/annotation_text.ts";
import { addOperation, type PathContext } from "./path_context.ts";

/**
 * Adds the streams of the events of a service.
 *
 * @param context the document
 * @param service the service
 */
export function addEvents(context: PathContext, service: LinkedService): void {
  for (const event of service.events) {
    const local = event.name.slice(service.name.length + 1);
    const { title, description = "The payloads of the event as they come, each as JSON in `data`" } =
      annotationText(event);
    addOperation(context, ["get", `/${local}`], {
      operationId: local,
      tags: ["Events"],
      summary: title ?? `Follows ${local}`,
      description,
      parameters: [{
        name: "Last-Event-ID",
        in: "header",
        description: "The `id` of the last event that the client has: it gets those behind it",
        schema: { type: "string" },
      }],
      status: 200,
      answer: { type: "string" },
      mediaType: "text/event-stream",
    });
  }
}
