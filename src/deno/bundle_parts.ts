/**
 * The parts of the framework that a bundle leaves out: those that neither the model nor the configuration of the project
 * asks for. Their modules are replaced by ones that say what is missing, or answer as where the part has nothing to do.
 *
 * @module
 */

import { IDENTITY_KINDS } from "../auth/strategy.ts";
import type { Environment, RequiredService } from "../config/environment.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { REMOTE_KINDS } from "../fw/mocked_services.ts";
import { isMultitenant } from "../fw/tenant_databases.ts";
import { isInferred } from "../model/is_inferred.ts";
import { linkModel } from "../model/link_model.ts";
import { servicePaths } from "../model/service_path.ts";
import { type Toggled, withToggles } from "../model/toggles.ts";
import { nearestName } from "../util/nearest_name.ts";

/** What decides about the parts of a bundle: the compiled model, and the configuration. */
export interface BundledProject extends Toggled {
  /** The configuration that the bundle will have. */
  readonly env: Environment;
  /** The text of the program without the framework; where it is unknown, it may use everything. */
  readonly program?: string;
}

/** Parts by name that are wanted, or not, whatever the project says. */
export interface PartChoice {
  readonly with?: readonly string[];
  readonly without?: readonly string[];
}

/**
 * What a function answers where its part has nothing to do: the argument it is given, an inferred model that it is given,
 * `false`, or `undefined`.
 */
type Idle = "given" | "inferred" | "false" | "undefined";
type Idles = Readonly<Record<string, Idle>>;

interface BundlePart {
  /** What it is, for messages. */
  readonly about: string;
  /** Modules below `src/`, with the functions that are called in any case, or what stands in place of the module. */
  readonly modules: Readonly<Record<string, Idles | string>>;
  /** Whether a project asks for it; parts without are left out unless they are wanted. */
  readonly isUsed: (project: BundledProject) => boolean;
}

/** What code calls that stores work, or looks at what is stored. */
const QUEUEING = ["queued", "outboxed", "schedule", "outbox", "flush", "deadLetters"];

const never = () => false;
const always = () => true;

/** Parts that may be left out, by name. */
const PARTS: Readonly<Record<string, BundlePart>> = {
  tokens: {
    about: "tokens of identity services",
    modules: { "auth/tokens/configured_tokens.ts": {} },
    isUsed: ({ env: { requires } }) => {
      const { kind } = (requires.auth ?? {}) as { readonly kind?: string | readonly string[] };
      return [kind ?? []].flat().some((one) => Object.hasOwn(IDENTITY_KINDS, one));
    },
  },
  remote: {
    about: "services that are called over HTTP",
    modules: {
      "odata/remote/remote_service.ts": {},
      "odata/remote/remote_authentication.ts": {},
      "odata/remote/remote_client.ts": {},
      "odata/remote/remote_connection.ts": {},
    },
    isUsed: ({ env }) => someRequired(env, ({ kind }) => REMOTE_KINDS.includes(String(kind))),
  },
  messaging: {
    about: "channels of messages",
    modules: {
      "messaging/channel_registry.ts": {},
      "messaging/composite_channel.ts": {},
      "messaging/local_channel.ts": {},
      "messaging/messaging_service.ts": {},
    },
    isUsed: ({ env }) =>
      Boolean(env.requires.messaging) || someRequired(env, ({ kind }) => /messaging$/.test(String(kind))),
  },
  outbox: {
    about: "outbox and inbox",
    modules: {
      "fw/open_outbox.ts": { modelWithQueues: "given", openOutbox: "undefined" },
      "messaging/inbox/inbox.ts": {},
      "odata/async/stored_requests.ts": {},
      "odata/snapshots/stored_snapshots.ts": {},
    },
    isUsed: (project) => {
      const { requires, outbox } = project.env;
      if (!requires.db || outbox === false) return false;
      const isAsked = outbox !== undefined ||
        someRequired(project.env, ({ outboxed, inboxed }) => Boolean(outboxed || inboxed));
      return isAsked || PARTS.messaging.isUsed(project) || PARTS.live.isUsed(project) ||
        mentions(project, QUEUEING);
    },
  },
  async: {
    about: "answers that come later (respond-async)",
    modules: { "odata/async/async_requests.ts": "odata/async/no_async_requests.ts" },
    // without it, they would be known to one of several workers only
    isUsed: (project) => PARTS.outbox.isUsed(project),
  },
  letters: {
    about: "dead letters",
    modules: { "fw/dead_letters_of.ts": { addDeadLetterRoutes: "undefined", addLetterRoutes: "undefined" } },
    isUsed: (project) => PARTS.outbox.isUsed(project) || PARTS.messaging.isUsed(project),
  },
  routes: {
    about: "own routes (fw.app)",
    modules: { "fw/app_router.ts": "fw/no_app_router.ts" },
    isUsed: (project) => {
      const { metrics } = (project.env.server ?? {}) as { readonly metrics?: unknown };
      const withRoutes = ["letters", "messaging", "explain", "welcome", "tenants"];
      return Boolean(metrics) || withRoutes.some((name) => PARTS[name].isUsed(project)) ||
        mentions(project, ["app", "bootstrap"]);
    },
  },
  tracking: {
    about: "changes of collections (@odata.trackChanges)",
    modules: { "odata/resources/track_changes.ts": { deltaToken: "undefined", isTracked: "false" } },
    isUsed: (project) =>
      PARTS.live.isUsed(project) || hasAnnotation([project.model, project.toggles], "@odata.trackChanges"),
  },
  live: {
    about: "events for clients",
    modules: {
      "fw/live_events.ts": { openLiveEvents: "undefined" },
      "odata/live/followed_changes.ts": {},
      "odata/live/followed_event.ts": {},
    },
    isUsed: ({ env }) => (env.server as { readonly live?: boolean } | undefined)?.live !== false,
  },
  tenants: {
    about: "tenants with databases of their own",
    modules: {
      "fw/tenants/open_tenants.ts": { openTenants: "undefined" },
      "fw/tenants/tenant_routes.ts": {},
      "fw/tenants/known_tenants.ts": {},
    },
    isUsed: ({ env }) => isMultitenant(env),
  },
  drafts: {
    about: "drafts",
    modules: {
      "model/drafts/with_drafts.ts": { withDrafts: "given" },
      "odata/drafts/draft_scope.ts": { createDraftScope: "undefined" },
      "odata/drafts/draft_locks.ts": { createDraftLocks: "undefined" },
      "service/drafts/draft_calls.ts": {},
      "service/drafts/draft_events.ts": {},
      "service/drafts/draft_requests.ts": { isDraftRequest: "false" },
    },
    isUsed: ({ model, toggles }) => hasAnnotation([model, toggles], "@odata.draft.enabled"),
  },
  constraints: {
    about: "constraints (@assert)",
    modules: { "service/rules/assert_constraints.ts": { rowsToCheck: "undefined" } },
    // drafts keep what violates them
    isUsed: ({ model, toggles }) =>
      ["@assert", "@odata.draft.enabled"].some((name) => hasAnnotation([model, toggles], name)),
  },
  flows: {
    about: "flows (@flow.status)",
    modules: {
      "model/flows/with_flows.ts": { withFlows: "given" },
      "service/rules/flows.ts": { isTransition: "false", registerFlows: "undefined" },
    },
    isUsed: ({ model, toggles }) => hasAnnotation([model, toggles], "@flow.status"),
  },
  trees: {
    about: "hierarchies (@hierarchy)",
    modules: { "model/with_hierarchies.ts": { withHierarchies: "given" } },
    isUsed: ({ model, toggles }) => hasAnnotation([model, toggles], "@hierarchy"),
  },
  rest: {
    about: "the protocol REST",
    modules: { "rest/rest_adapter.ts": {} },
    isUsed: ({ model, toggles }) =>
      linkModel(withToggles({ model, toggles })).services.some((service) =>
        servicePaths(service).some(({ protocol }) => protocol === "rest")
      ),
  },
  inference: {
    about: "what infers and checks models that were not compiled before",
    modules: {
      "model/infer_model.ts": { inferModel: "inferred" },
      // what is inferred was checked when it was compiled
      "service/check_rules.ts": { checkRules: "undefined" },
    },
    isUsed: ({ model }) => !isInferred(model),
  },
  toggles: {
    about: "feature toggles",
    modules: { "model/toggles.ts": {}, "fw/toggled_models.ts": {} },
    isUsed: ({ toggles }) => Object.keys(toggles).length > 0,
  },
  sql: {
    about: "databases that understand SQL",
    modules: {
      "db/ddl/render_ddl.ts": {},
      "db/render/postgres_dialect.ts": {},
      "db/render/sqlite_dialect.ts": {},
    },
    // databases of platforms have kinds of their own
    isUsed: ({ env: { requires } }) => requires.db !== undefined && requires.db.kind !== "memory",
  },
  explain: {
    about: "explanations of requests",
    modules: {
      "fw/explain_requests.ts": { explainingOf: "undefined", wantsExplanation: "false" },
      "fw/explanations.ts": {},
      "odata/explain_url.ts": {},
    },
    isUsed: ({ env }) => (env.server as { readonly explain?: unknown } | undefined)?.explain !== undefined,
  },
  welcome: {
    about: "the page at / and the console",
    modules: { "fw/console_routes.ts": { addFirstPage: "undefined" }, "http/welcome_page.ts": {} },
    isUsed: ({ env }) =>
      (env.server as { readonly index?: boolean } | undefined)?.index === true || Boolean(env.console),
  },
  limits: {
    about: "limits of requests",
    modules: { "http/rate_limits.ts": {}, "util/loop_delay.ts": {} },
    isUsed: ({ env }) =>
      (env.server as { readonly rate_limits?: unknown } | undefined)?.rate_limits !== undefined,
  },
  telemetry: {
    about: "spans and measurements",
    modules: { "fw/observed_parts.ts": {} },
    isUsed: never,
  },
  metadata: {
    about: "metadata documents ($metadata)",
    modules: {
      "model/csdl/build_csdl.ts": {},
      "model/csdl/write_csdl_json.ts": {},
      "model/csdl/write_csdl_xml.ts": {},
    },
    isUsed: always,
  },
  openapi: {
    about: "OpenAPI",
    modules: { "model/openapi/build_openapi.ts": {} },
    isUsed: never,
  },
  compile: {
    about: "fw.compile",
    modules: {
      "fw/compile_targets.ts": {},
      "model/schema/asyncapi.ts": {},
      "model/types/write_types.ts": {},
      "service/merge_descriptor.ts": {},
      "service/security_descriptor.ts": {},
    },
    isUsed: never,
  },
  cql: {
    about: "queries and conditions as texts",
    modules: { "cqn/grammar/cql_parser.ts": {}, "cqn/grammar/lexer.ts": {} },
    isUsed: always,
  },
  batch: {
    about: "batch requests",
    modules: { "odata/batch/handle_batch.ts": { isBatchUrl: "false" } },
    isUsed: always,
  },
  delta: {
    about: "collections of changes in requests",
    modules: { "odata/payload/delta_body.ts": {} },
    isUsed: always,
  },
  apply: {
    about: "$apply",
    modules: {
      "odata/payload/write_aggregated.ts": {},
      "odata/resources/hierarchy_nodes.ts": {},
      "odata/url/apply_grammar.ts": "odata/url/no_apply_grammar.ts",
      "odata/plan/apply/apply_query.ts": {},
      "odata/plan/apply/nested_apply.ts": {},
    },
    isUsed: always,
  },
};

/**
 * The parts that a bundle leaves out.
 *
 * @param project its model and configuration
 * @param choice parts that are wanted, or not, whatever these say
 * @returns their names
 * @throws ConfigurationError for a name that is none
 */
export function partsLeftOut(project: BundledProject, choice: PartChoice = {}): readonly string[] {
  const names = Object.keys(PARTS);
  for (const name of [...choice.with ?? [], ...choice.without ?? []]) {
    if (names.includes(name)) continue;
    const nearest = nearestName(name, names);
    throw new ConfigurationError(
      `A bundle has no part "${name}", but ${names.join(", ")}${
        nearest ? `; did you mean "${nearest}"?` : ""
      }`,
    );
  }
  return names.filter((name) =>
    !choice.with?.includes(name) && (choice.without?.includes(name) || !PARTS[name].isUsed(project))
  );
}

/**
 * What stands in place of the modules of parts.
 *
 * @param names the parts that are left out
 * @returns texts of modules by the URLs of the modules that they replace
 */
export async function absentModules(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const replaced = names.flatMap((name) =>
    Object.entries(PARTS[name].modules).map(([path, idle]) => ({ name, url: inSource(path), idle }))
  );
  return new Map(
    await Promise.all(replaced.map(async ({ name, url, idle }) => {
      if (typeof idle === "string") {
        return [url, `export * from ${JSON.stringify(inSource(idle))};\n`] as const;
      }
      const members = Object.keys(await import(url));
      return [url, absentModule({ name, members, idle })] as const;
    })),
  );
}

const IDLE_ANSWERS: Readonly<Record<Idle, string>> = {
  given: "given",
  inferred: "isInferred(given) && !given.extensions?.length ? given : absent()",
  false: "false",
  undefined: "undefined",
};

function absentModule(
  { name, members, idle }: {
    readonly name: string;
    readonly members: readonly string[];
    readonly idle: Idles;
  },
): string {
  const message = `This bundle was made without ${
    PARTS[name].about
  }: "fw build --edge --with ${name}" makes one with it`;
  const idles = members.filter((member) => Object.hasOwn(idle, member));
  return [
    `import { ServiceError } from ${JSON.stringify(inSource("errors/service_error.ts"))};`,
    ...Object.values(idle).includes("inferred")
      ? [`import { isInferred } from ${JSON.stringify(inSource("model/is_inferred.ts"))};`]
      : [],
    `function absent() { throw new ServiceError({ status: 501, message: ${JSON.stringify(message)} }); }`,
    ...idles.map((member) => `export function ${member}(given) { return ${IDLE_ANSWERS[idle[member]]}; }`),
    `export { ${
      members.filter((member) => !idles.includes(member)).map((one) => `absent as ${one}`).join(", ")
    } };`,
    "",
  ].join("\n");
}

function inSource(path: string): string {
  return new URL(`../${path}`, import.meta.url).href;
}

function someRequired(
  { requires }: Environment,
  isMeant: (entry: RequiredService) => boolean,
): boolean {
  return Object.values(requires).some((entry) => entry && isMeant(entry));
}

/** Whether a program has one of some words. */
function mentions({ program }: BundledProject, words: readonly string[]): boolean {
  return program === undefined || new RegExp(`\\b(?:${words.join("|")})\\b`).test(program);
}

/** Whether something in models has an annotation: a definition, or an element of any depth. */
function hasAnnotation(models: readonly unknown[], name: string): boolean {
  return JSON.stringify(models).includes(`${JSON.stringify(name)}:`);
}
