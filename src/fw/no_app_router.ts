/**
 * What stands in place of own routes in bundles without them: nothing is found there, and none are added.
 *
 * @module
 */

import { ServiceError } from "../errors/service_error.ts";

/** An application without routes. */
export class AppRouter {
  readonly get = refuse;
  readonly post = refuse;
  readonly put = refuse;
  readonly patch = refuse;
  readonly delete = refuse;
  readonly all = refuse;
  readonly use = refuse;
  readonly serve = refuse;
  readonly listen = refuse;

  /** No path has a method. */
  methods(): readonly string[] {
    return [];
  }

  /** Answers that there is nothing. */
  fetch(): never {
    throw new ServiceError({ status: 404 });
  }
}

function refuse(): never {
  const message =
    'This bundle was made without own routes: "fw build --edge --with routes" makes one with it';
  throw new ServiceError({ status: 501, message });
}
