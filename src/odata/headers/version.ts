/**
 * The protocol version of a response (OData Protocol 8.1.5, 8.2.6, 8.2.7).
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";

/** Versions this service speaks. */
export type ODataVersion = "4.0" | "4.01";

/**
 * The version of the response to a request: 4.0, or 4.01 when the client says that it understands it.
 *
 * @param headers headers of the request
 * @throws ServiceError 406 when `OData-MaxVersion` is below 4.0, 400 when a version is malformed or unknown
 */
export function negotiateVersion(headers: Pick<Headers, "get">): ODataVersion {
  const version = headers.get("odata-version");
  if (version !== null && parseVersion(version, "OData-Version") > 4.01) {
    throw new ServiceError({ status: 400, message: `OData-Version ${version.trim()} is not supported` });
  }
  const maximum = headers.get("odata-maxversion");
  if (maximum === null) return "4.0";
  const value = parseVersion(maximum, "OData-MaxVersion");
  if (value < 4) {
    throw new ServiceError({ status: 406, message: "OData-MaxVersion must be 4.0 or higher" });
  }
  return value >= 4.01 ? "4.01" : "4.0";
}

/**
 * Whether tags in the body of a request count: those of OData 4.0 are ignored (OData Protocol 11.4.3).
 *
 * @param headers headers of the request
 */
export function hasVersions(headers: Pick<Headers, "get">): boolean {
  return headers.get("odata-version")?.trim() === "4.01";
}

function parseVersion(text: string, header: string): number {
  const trimmed = text.trim();
  if (!/^\d{1,3}(?:\.\d{1,3})?$/.test(trimmed)) {
    throw new ServiceError({ status: 400, message: `${header} must be a version number such as 4.0` });
  }
  return Number(trimmed);
}

/**
 * Refuses requests that want all their answers, the pages that follow among them, from one point in time: pages are
 * read when they are asked for.
 *
 * @param headers headers of the request
 * @throws ServiceError 412 when there is such a header, with or without the prefix `OData-`
 */
export function assertIsolation(headers: Pick<Headers, "get">): void {
  if ((headers.get("isolation") ?? headers.get("odata-isolation")) === null) return;
  throw new ServiceError({ status: 412, message: "Snapshot isolation is not supported" });
}
