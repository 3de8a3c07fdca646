/**
 * `fw`: business services from a model, as OData v4 and REST, for Deno and the web platform.
 *
 * @example A service
 * ```ts
 * import { createRuntime } from "@fw/runtime";
 *
 * const runtime = createRuntime({ model: { definitions: { Hello: { kind: "service" } } } });
 * const response = await runtime.fetch(new Request("http://localhost/health"));
 * if ((await response.json()).status !== "UP") throw new Error("not up");
 * ```
 *
 * @module
 */

export { createRuntime, fw, fw as default } from "./src/fw.ts";
export type { Facade } from "./src/fw/facade.ts";
export type { Runtime, RuntimeOptions } from "./src/fw/runtime.ts";
export type {
  Implementations,
  ServiceClass,
  ServiceFunction,
  ServiceImplementation,
} from "./src/fw/implementation.ts";
export type { Kinds, Loader } from "./src/fw/kinds.ts";
export type { Endpoint } from "./src/fw/runtime_parts.ts";
export { DELETE } from "./src/cqn/builders/delete.ts";
export { INSERT } from "./src/cqn/builders/insert.ts";
export { SELECT } from "./src/cqn/builders/select.ts";
export { UPDATE } from "./src/cqn/builders/update.ts";
export { UPSERT } from "./src/cqn/builders/upsert.ts";
export type * from "./src/cqn/cqn.ts";
export type * from "./src/model/csn.ts";
export type * from "./src/model/linked.ts";
export { ServiceError } from "./src/errors/service_error.ts";
export { ConfigurationError } from "./src/errors/configuration_error.ts";
export { ApplicationService } from "./src/service/application_service.ts";
export { Service } from "./src/service/service.ts";
export { ServiceEvent } from "./src/service/service_event.ts";
export { ServiceRequest } from "./src/service/service_request.ts";
export { User } from "./src/context/user.ts";
export { EventContext } from "./src/context/event_context.ts";
