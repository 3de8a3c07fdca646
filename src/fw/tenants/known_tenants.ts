/**
 * Which tenants are admitted: those that the configuration names, and those that have subscribed.
 *
 * @module
 */

import { type AuthenticationStrategy, decoratedStrategy } from "../../auth/strategy.ts";
import type { Environment } from "../../config/environment.ts";
import { ServiceError } from "../../errors/service_error.ts";
import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import { BoundedCache } from "../../util/bounded_cache.ts";
import type { TenantList } from "./tenant_list.ts";

/** How long what the list says counts: other processes may change it. */
const FRESH_MS = 10_000;
/** Tenants whose state is kept; strangers are among them. */
const KEPT = 10_000;
/** Where the platform tells of tenants that are not there yet, or no more. */
export const PLATFORM_PATH = "/-/cds/";

/** Tells tenants from strangers. */
export class KnownTenants {
  readonly #list: TenantList;
  readonly #configured: ReadonlySet<string>;
  readonly #asked: BoundedCache<string, { readonly at: number; readonly isKnown: boolean }> =
    new BoundedCache(KEPT);
  readonly #used: (tenant: string) => void;

  /**
   * @param list those that have subscribed
   * @param configured those that the configuration names
   * @param used is told of each tenant that is admitted
   */
  constructor(list: TenantList, configured: ReadonlySet<string>, used: (tenant: string) => void = () => {}) {
    this.#list = list;
    this.#configured = configured;
    this.#used = used;
  }

  /**
   * Whether a tenant is admitted; a promise only where the list has to be asked.
   *
   * @param tenant the tenant
   */
  isKnown(tenant: string): MaybePromise<boolean> {
    if (this.#configured.has(tenant)) return true;
    const asked = this.#asked.get(tenant);
    return asked !== undefined && performance.now() - asked.at < FRESH_MS ? asked.isKnown : this.#ask(tenant);
  }

  /** Asks the list anew for a tenant: it was changed by this process. */
  forget(tenant: string): void {
    this.#asked.delete(tenant);
  }

  /**
   * Refuses strangers.
   *
   * @throws ServiceError 403
   */
  admit(tenant: string): MaybePromise<void> {
    return andThen(this.isKnown(tenant), (isKnown) => {
      if (!isKnown) {
        throw new ServiceError({ status: 403, cause: new Error("The tenant has not subscribed") });
      }
      this.#used(tenant);
    });
  }

  async #ask(tenant: string): Promise<boolean> {
    const found = await this.#list.find(tenant);
    const isKnown = found !== undefined && found.status !== "new";
    this.#asked.set(tenant, { at: performance.now(), isKnown });
    return isKnown;
  }
}

/** The tenants that a configuration names: those of mock users, and those with a database of their own. */
export function configuredTenants({ requires }: Pick<Environment, "requires">): ReadonlySet<string> {
  const { auth, db } = requires as {
    readonly auth?: {
      readonly kind?: unknown;
      readonly users?: Readonly<Record<string, unknown>>;
      readonly tenants?: object;
    };
    readonly db?: { readonly tenants?: object };
  };
  const names = new Set(Object.keys(db?.tenants ?? {}));
  if (auth?.kind !== "mocked" && auth?.kind !== "basic") return names;
  for (const user of Object.values(auth.users ?? {})) {
    const { tenant } = (typeof user === "object" && user !== null ? user : {}) as {
      readonly tenant?: unknown;
    };
    if (typeof tenant === "string") names.add(tenant);
  }
  return names;
}

/** A strategy that admits users of known tenants only; the platform comes with tenants of its own. */
export function admittingStrategy(
  strategy: AuthenticationStrategy,
  known: KnownTenants,
): AuthenticationStrategy {
  return decoratedStrategy(
    strategy,
    (request, context, client) =>
      andThen(strategy.authenticate(request, context, client), (result) => {
        const tenant = ("user" in result ? result.tenant : undefined) ?? context.tenant;
        if (tenant === undefined || isOfPlatform(request)) return result;
        return andThen(known.admit(tenant), () => result);
      }),
  );
}

function isOfPlatform({ url }: Pick<Request, "url">): boolean {
  return new URL(url).pathname.startsWith(PLATFORM_PATH);
}
