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
export type { Connect, EntitiesAccess, Facade } from "./src/fw/facade.ts";
export type { FacadeValues } from "./src/fw/facade_values.ts";
export type * from "./src/fw/facade_models.ts";
export type * from "./src/fw/deploy_model.ts";
export type * from "./src/fw/definition_classes.ts";
export type * from "./src/fw/labels.ts";
export type { FacadeCalls } from "./src/fw/facade_models.ts";
export type { QueryLanguage } from "./src/fw/facade_ql.ts";
export type { FileUtilities, Utilities } from "./src/fw/utilities.ts";
export type { BuiltinType } from "./src/fw/builtin_types.ts";
export type * from "./src/fw/compile_targets.ts";
export type { ModelSource, SourceTexts } from "./src/fw/model_source.ts";
export type { ProjectPlace } from "./src/fw/project_place.ts";
export type { Loggers } from "./src/fw/facade_log.ts";
export type {
  LogFormat,
  LoggerFactory,
  Logging,
  LoggingOptions,
  SharedLogging,
} from "./src/log/create_logging.ts";
export type * from "./src/fw/facade_compile.ts";
export type { TestKit } from "./src/fw/test_kit.ts";
export type { Parsers } from "./src/fw/facade_values.ts";
export type {
  DescriptorAttribute,
  DescriptorRoleTemplate,
  DescriptorScope,
  SecurityDescriptor,
} from "./src/service/security_descriptor.ts";
export type { ErrorFactory } from "./src/fw/facade_values.ts";
export type { ServeBuilder, ServeOptions } from "./src/fw/serve_service.ts";
export type { ConsoleFile, ConsoleFiles, SourceText } from "./src/http/front_ends.ts";
export type * from "./src/http/front_ends.ts";
export type * from "./src/http/middlewares.ts";
export type { Job, SpawnOptions } from "./src/service/transactions/spawn.ts";
export type { Runtime, RuntimeOptions } from "./src/fw/runtime.ts";
export type {
  Implementations,
  ServiceClass,
  ServiceFunction,
  ServiceImplementation,
} from "./src/fw/implementation.ts";
export type { QueueState } from "./src/messaging/outbox/message_store.ts";
export type { Readiness, ReadinessState } from "./src/http/readiness.ts";
export type {
  Attributes,
  GaugeName,
  HistogramName,
  Observation,
  Span,
  SpanKind,
  SpanOptions,
  Telemetry,
} from "./src/telemetry/telemetry.ts";
export type { OpenMetrics } from "./src/telemetry/open_metrics.ts";
export type { BucketOptions, CompileSource, Kinds, Loader, ServiceFactory } from "./src/fw/kinds.ts";
export type { SharedBuckets } from "./src/http/rate_limits.ts";
export { DELETE } from "./src/cqn/builders/delete.ts";
export { INSERT } from "./src/cqn/builders/insert.ts";
export { SELECT } from "./src/cqn/builders/select.ts";
export { UPDATE } from "./src/cqn/builders/update.ts";
export { UPSERT } from "./src/cqn/builders/insert.ts";
export type * from "./src/cqn/cqn.ts";
export type * from "./src/model/csn.ts";
export type * from "./src/model/linked.ts";
export type { ExtendedType } from "./src/model/values/extended_type.ts";
export type { DraftApiOptions } from "./src/model/drafts/draft_api.ts";
export { ServiceError } from "./src/errors/service_error.ts";
export { ConfigurationError } from "./src/errors/configuration_error.ts";
export { ApplicationService } from "./src/service/application_service.ts";
export { Service } from "./src/service/service.ts";
export { type EventHandler, ServiceEvent } from "./src/service/requests/service_event.ts";
export type { RowDiff } from "./src/service/requests/data_diff.ts";
export { ServiceRequest } from "./src/service/requests/service_request.ts";
export { User } from "./src/context/user.ts";
export { EventContext } from "./src/context/event_context.ts";
export type * from "./src/auth/strategy.ts";
export type { ClientKeyPair, SendRequest } from "./src/auth/token_client/token_credentials.ts";
export type * from "./src/config/environment.ts";
export type * from "./src/config/remarks.ts";
export type { Ending, EndingListener } from "./src/context/ending.ts";
export type {
  ContextEntries,
  ContextHolder,
  ContextOwner,
  CookieOptions,
  EventContextProperties,
  HttpContext,
  HttpRequest,
  HttpResponse,
  Validity,
} from "./src/context/event_context.ts";
export type { UserProperties } from "./src/context/user.ts";
export type * from "./src/cqn/builders/delete.ts";
export type * from "./src/cqn/builders/insert.ts";
export type * from "./src/cqn/builders/insert.ts";
export type { RowsTarget, TextSink } from "./src/cqn/builders/select_arguments.ts";
export type * from "./src/cqn/builders/query_builder.ts";
export type * from "./src/cqn/builders/select.ts";
export type * from "./src/cqn/builders/update.ts";
export type * from "./src/cqn/builders/insert.ts";
export type * from "./src/cqn/checked_names.ts";
export type * from "./src/cqn/checked_names.ts";
export type * from "./src/errors/error_arguments.ts";
export type * from "./src/errors/messages_header.ts";
export type * from "./src/errors/service_error.ts";
export type * from "./src/errors/service_error.ts";
export type * from "./src/fw/app_router.ts";
export type * from "./src/fw/emitter.ts";
export type * from "./src/fw/lifecycle_values.ts";
export type { NodeAnswer, NodeRouter, RunNodeRouter } from "./src/fw/node_router.ts";
export type { AnswerFile } from "./src/fw/send_file.ts";
export type * from "./src/fw/runtime_parts.ts";
export type * from "./src/i18n/text_bundles.ts";
export type * from "./src/log/logger.ts";
export type * from "./src/messaging/channel.ts";
export type * from "./src/messaging/channel.ts";
export type * from "./src/messaging/inbox/inbox.ts";
export type * from "./src/messaging/given_up_messages.ts";
export type * from "./src/messaging/outbox/outbox.ts";
export type * from "./src/service/queue/scheduled_task.ts";
export type * from "./src/service/queue/work_queue.ts";
export type * from "./src/messaging/outbox/queue_model.ts";
export type * from "./src/messaging/outbox/stored_work.ts";
export type * from "./src/service/application_service.ts";
export type { DraftEntity, UntypedDraftEntity } from "./src/service/drafts/draft_calls.ts";
export type * from "./src/service/database.ts";
export type * from "./src/service/database_service.ts";
export type * from "./src/service/row_cursor.ts";
export type * from "./src/service/handlers/handler_registration.ts";
export type * from "./src/service/handlers/handlers.ts";
export type * from "./src/service/host.ts";
export type * from "./src/service/live/live_data.ts";
export type * from "./src/service/live/live_data.ts";
export type * from "./src/service/requests/service_event.ts";
export type * from "./src/service/wire/protocol_adapter.ts";
export type { WireHeaders, WireRequest } from "./src/service/wire/wire_request.ts";
export type * from "./src/service/requests/send_properties.ts";
export type * from "./src/service/service.ts";
export type * from "./src/service/definition_in.ts";
export type { EmitProperties } from "./src/service/requests/send_properties.ts";
export type * from "./src/service/service_environment.ts";
export type * from "./src/service/requests/service_request.ts";
export type * from "./src/service/requests/service_event.ts";
export type * from "./src/service/transactions/transaction.ts";
export type * from "./src/service/transactions/tx.ts";
export type { Limits } from "./src/config/limits.ts";
export type * from "./src/util/maybe_promise.ts";
export type * from "./src/cqn/builders/entity_argument.ts";
export type * from "./src/cqn/builders/expressions.ts";
export type * from "./src/cqn/builders/parse_text.ts";
export type * from "./src/cqn/builders/projection_recorder.ts";
export type * from "./src/cqn/ql.ts";
export type * from "./src/cqn/query_runner.ts";
export type * from "./src/messaging/messaging_service.ts";
export type * from "./src/service/service_calls.ts";
export type * from "./src/service/handlers/handler_registration.ts";
export type * from "./src/service/service_calls.ts";
export type * from "./src/service/requests/materialize_query.ts";
export type * from "./src/util/callable_map.ts";
export type * from "./src/messaging/exchange.ts";
export type * from "./src/service/requests/request_from_query.ts";
export type * from "./src/odata/remote/remote_service.ts";
export type { DestinationCredentials, DestinationResolver } from "./src/odata/remote/remote_connection.ts";
export type * from "./src/service/generic/generic_handlers.ts";
