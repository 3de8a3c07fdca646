/**
 * The endpoints at which a platform subscribes, upgrades and unsubscribes tenants: the paths and bodies that services for
 * provisioning are publicly documented to have.
 *
 * @module
 */

import { currentContext } from "../../context/store.ts";
import { ServiceError } from "../../errors/service_error.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import { isTenantId } from "../../util/is_tenant_id.ts";
import type { RouteContext, RouteHandler } from "../app_router.ts";
import { managementRoles, type ManagementSettings } from "../management.ts";
import type { RuntimeParts } from "../runtime_parts.ts";
import { PLATFORM_PATH } from "./known_tenants.ts";
import type { ListedTenant } from "./tenant_list.ts";
import type { TenantOperations, TenantOutcome } from "./tenant_operations.ts";

const KEY = "fw.tenants";
/** Upgrades that are remembered: the oldest goes first. */
const MOST_JOBS = 50;
/** Characters of a body. */
const BODY_LENGTH = 100_000;

/** What stands below `fw.tenants`. */
interface TenantSettings extends Pick<ManagementSettings, "requires"> {
  readonly concurrency?: number;
}

interface Job {
  readonly ID: string;
  status: "RUNNING" | "FINISHED" | "FAILED";
  readonly tenants: Record<string, { status: "QUEUED" | "FINISHED" | "FAILED"; error?: string }>;
}

/**
 * Adds the endpoints, where the configuration names roles for them: without any there are none.
 *
 * @param runtime the runtime
 * @param operations what they do
 */
export function addTenantRoutes(runtime: RuntimeParts, operations: TenantOperations): void {
  const { tenants: settings } = runtime.env as { readonly tenants?: TenantSettings };
  if (settings === undefined) return;
  const roles = managementRoles(KEY, settings, "subscribe and remove tenants");
  const guarded = (handle: RouteHandler): RouteHandler => (context) => {
    const user = currentContext()?.user;
    if (roles.some((role) => user?.is(role))) return handle(context);
    throw new ServiceError({ status: 403, cause: new Error(`Tenants need: ${roles.join(", ")}`) });
  };
  const jobs = new Jobs(operations, settings.concurrency);
  addProvisioning(runtime, operations, { guarded, jobs });
  addDeployment(runtime, operations, { guarded, jobs });
}

interface Given {
  readonly guarded: (handle: RouteHandler) => RouteHandler;
  readonly jobs: Jobs;
}

function addProvisioning(
  { app }: RuntimeParts,
  operations: TenantOperations,
  { guarded, jobs }: Given,
): void {
  const root = `${PLATFORM_PATH}saas-provisioning`;
  app.get(`${root}/dependencies`, guarded(() => Response.json([])));
  app.get(`${root}/tenant`, guarded(async () => Response.json((await operations.list.all()).map(told))));
  app.get(
    `${root}/tenant/:tenant`,
    guarded(async (context) => {
      const found = await operations.list.find(tenantOf(context));
      if (found === undefined) throw new ServiceError({ status: 404 });
      return Response.json(told(found));
    }),
  );
  app.put(
    `${root}/tenant/:tenant`,
    guarded(async (context) => {
      const isNew = await operations.subscribe(tenantOf(context), await bodyOf(context));
      const { origin } = new URL(context.req.raw.url);
      return new Response(origin, { status: isNew ? 201 : 200, headers: { "content-type": "text/plain" } });
    }),
  );
  app.delete(
    `${root}/tenant/:tenant`,
    guarded(async (context) => {
      // done again, there is nothing left to do
      await operations.unsubscribe(tenantOf(context));
      return new Response(null, { status: 204 });
    }),
  );
  app.post(
    `${root}/upgrade`,
    guarded(async (context) => {
      const { tenants } = await bodyOf(context);
      return accepted(await jobs.begin(namesIn(tenants)));
    }),
  );
  app.get(
    `${PLATFORM_PATH}jobs/:job`,
    guarded((context) => Response.json(jobs.find(context.req.param("job")!))),
  );
}

function addDeployment({ app }: RuntimeParts, operations: TenantOperations, { guarded, jobs }: Given): void {
  const root = `${PLATFORM_PATH}deployment`;
  const named = async (context: RouteContext) => {
    const { tenant, metadata } = await bodyOf(context);
    return { tenant: assertTenant(tenant), metadata: isPlainObject(metadata) ? metadata : undefined };
  };
  app.post(
    `${root}/subscribe`,
    guarded(async (context) => {
      const { tenant, metadata } = await named(context);
      await operations.subscribe(tenant, metadata);
      return new Response(null, { status: 204 });
    }),
  );
  app.post(
    `${root}/unsubscribe`,
    guarded(async (context) => {
      await operations.unsubscribe((await named(context)).tenant);
      return new Response(null, { status: 204 });
    }),
  );
  app.post(
    `${root}/upgrade`,
    guarded(async (context) => accepted(await jobs.begin([(await named(context)).tenant]))),
  );
}

function accepted(job: Job): Response {
  return Response.json(job, { status: 202, headers: { location: `${PLATFORM_PATH}jobs/${job.ID}` } });
}

/** Upgrades under way, and how the latest ended. */
class Jobs {
  readonly #operations: TenantOperations;
  readonly #concurrency: number | undefined;
  readonly #jobs: Map<string, Job> = new Map();

  constructor(operations: TenantOperations, concurrency: number | undefined) {
    this.#operations = operations;
    this.#concurrency = concurrency;
  }

  /** @param tenants which; undefined: all */
  async begin(tenants: readonly string[] | undefined): Promise<Job> {
    const all = (await this.#operations.list.all()).map(({ tenant }) => tenant);
    const stranger = tenants?.find((tenant) => !all.includes(tenant));
    if (stranger !== undefined) {
      throw new ServiceError({ status: 404, message: `Tenant "${stranger}" has not subscribed` });
    }
    const names = tenants ?? all;
    const job: Job = {
      ID: crypto.randomUUID(),
      status: "RUNNING",
      tenants: Object.fromEntries(names.map((name) => [name, { status: "QUEUED" }])),
    };
    this.#jobs.set(job.ID, job);
    if (this.#jobs.size > MOST_JOBS) this.#jobs.delete(this.#jobs.keys().next().value!);
    void this.#run(job, names);
    return job;
  }

  find(id: string): Job {
    const job = this.#jobs.get(id);
    if (job === undefined) throw new ServiceError({ status: 404 });
    return job;
  }

  async #run(job: Job, tenants: readonly string[]): Promise<void> {
    const onProgress = ({ tenant, error }: TenantOutcome) => {
      job.tenants[tenant] = error ? { status: "FAILED", error: error.message } : { status: "FINISHED" };
    };
    try {
      const outcomes = await this.#operations.upgrade({
        tenants,
        concurrency: this.#concurrency,
        onProgress,
      });
      job.status = outcomes.some(({ error }) => error) ? "FAILED" : "FINISHED";
    } catch {
      job.status = "FAILED";
    }
  }
}

function told({ metadata, ...tenant }: ListedTenant): object {
  return { ...metadata, ...tenant };
}

function tenantOf({ req }: RouteContext): string {
  return assertTenant(req.param("tenant"));
}

function assertTenant(given: unknown): string {
  if (isTenantId(given)) return given;
  throw new ServiceError({ status: 400, message: "Expected a tenant" });
}

/** `["*"]` and nothing stand for all. */
function namesIn(given: unknown): readonly string[] | undefined {
  if (given === undefined || (Array.isArray(given) && given.length === 1 && given[0] === "*")) {
    return undefined;
  }
  if (Array.isArray(given)) return given.map(assertTenant);
  throw new ServiceError({ status: 400, message: 'Expected a list as "tenants"' });
}

async function bodyOf({ req }: RouteContext): Promise<Readonly<Record<string, unknown>>> {
  const text = await req.text();
  if (text.length > BODY_LENGTH) throw new ServiceError({ status: 413 });
  let body: unknown;
  try {
    body = text === "" ? {} : JSON.parse(text);
  } catch (cause) {
    throw new ServiceError({ status: 400, message: "Expected JSON", cause });
  }
  if (isPlainObject(body)) return body;
  throw new ServiceError({ status: 400, message: "Expected an object" });
}
