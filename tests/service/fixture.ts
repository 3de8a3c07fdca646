/**
 * A small model and host for tests of services.
 *
 * @module
 */

import { DEFAULT_LIMITS } from "../../src/config/limits.ts";
import { EventContext } from "../../src/context/event_context.ts";
import { TextBundles } from "../../src/i18n/text_bundles.ts";
import type { Logger } from "../../src/log/logger.ts";
import type { Csn } from "../../src/model/csn.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { ApplicationService } from "../../src/service/application_service.ts";
import type { DatabaseService } from "../../src/service/database_service.ts";
import type { ServiceHost } from "../../src/service/host.ts";
import { runRequest } from "../../src/service/requests/run_request.ts";

export const CSN: Csn = {
  definitions: {
    "shop.Books": {
      kind: "entity",
      elements: {
        ID: { key: true, type: "cds.Integer" },
        title: { type: "cds.String", length: 100 },
        stock: { type: "cds.Integer" },
        author: { type: "cds.Association", target: "shop.Authors", keys: [{ ref: ["ID"] }] },
      },
    },
    "shop.Authors": {
      kind: "entity",
      elements: {
        ID: { key: true, type: "cds.Integer" },
        name: { type: "cds.String", length: 100 },
        books: {
          type: "cds.Association",
          cardinality: { max: "*" },
          target: "shop.Books",
          on: [{ ref: ["books", "author"] }, "=", { ref: ["$self"] }],
        },
      },
    },
    "ShopService": { kind: "service" },
    "ShopService.Books": {
      kind: "entity",
      projection: { from: { ref: ["shop.Books"] } },
      actions: {
        restock: {
          kind: "action",
          params: { by: { type: "cds.Integer" } },
          returns: { type: "cds.Integer" },
        },
      },
    },
    "ShopService.Authors": { kind: "entity", projection: { from: { ref: ["shop.Authors"] } } },
    "ShopService.Editions": {
      kind: "entity",
      "@cds.persistence.skip": true,
      elements: {
        title: { key: true, type: "cds.String" },
        edition: { key: true, type: "cds.Integer" },
      },
    },
    "ShopService.order": {
      kind: "action",
      params: { book: { type: "cds.Integer" }, quantity: { type: "cds.Integer" } },
      returns: { type: "cds.String" },
    },
    "ShopService.run": { kind: "function", returns: { type: "cds.String" } },
    "ShopService.ordered": { kind: "event", elements: { book: { type: "cds.Integer" } } },
  },
};

/** The host of a test, and what was logged as error. */
export interface TestHost extends ServiceHost {
  db: DatabaseService | undefined;
  readonly logged: unknown[][];
}

/** A host with the small model. */
export function createHost(csn: Csn = CSN): TestHost {
  const logged: unknown[][] = [];
  const bundles = new TextBundles();
  const host: TestHost = {
    model: linkModel(csn),
    env: {},
    limits: DEFAULT_LIMITS,
    production: false,
    texts: bundles.at.bind(bundles),
    db: undefined,
    services: {},
    connect: (name) => Promise.reject(new Error(`No service "${name}"`)),
    log: (id) => createLogger(id, logged),
    logged,
  };
  return host;
}

/** The small service, with handlers registered by `register`. */
export function createService(
  register: (service: ApplicationService) => void = () => {},
  host: TestHost = createHost(),
): ApplicationService {
  const definition = host.model.service("ShopService");
  const service = new ApplicationService({ name: "ShopService", definition, host });
  register(service);
  service.init();
  return service;
}

/** Runs something as one top-level request. */
export async function asRequest<T>(
  service: ApplicationService,
  run: () => T | Promise<T>,
  context: EventContext = new EventContext({ user: { id: "alice" } }),
): Promise<T> {
  return await runRequest(service.host, context, async () => await run());
}

function createLogger(id: string, logged: unknown[][]): Logger {
  const none = () => {};
  const error = (...values: readonly unknown[]) => void logged.push([...values]);
  const flags = { _trace: false, _debug: false, _info: false, _warn: true, _error: true };
  return { id, level: "error", trace: none, debug: none, info: none, log: none, warn: none, error, ...flags };
}
