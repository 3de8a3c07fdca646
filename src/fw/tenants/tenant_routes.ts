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
import { type TenantJob, TenantJobs } from "./tenant_jobs.ts";
import type { TenantOperations } from "./tenant_operations.ts";

const KEY = "fw.tenants";
/** Characters of a body. */
const BODY_LENGTH = 100_000;

/** What stands below `fw.tenants`. */
interface TenantSettings extends Pick<ManagementSettings, "requires"> {
  readonly concurrency?: number;
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
  const jobs = new TenantJobs(operations, { concurrency: settings.concurrency, log: runtime.log("tenants") });
  addProvisioning(runtime, operations, { guarded, jobs });
  addDeployment(runtime, operations, { guarded, jobs });
}

interface Given {
  readonly guarded: (handle: RouteHandler) => RouteHandler;
  readonly jobs: TenantJobs;
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
    guarded(async (context) => Response.json(await jobs.find(context.req.param("job")!))),
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

function accepted(job: TenantJob): Response {
  return Response.json(job, { status: 202, headers: { location: `${PLATFORM_PATH}jobs/${job.ID}` } });
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
