/**
 * A service of OData 2 as its answers were recorded: metadata, verbose JSON, request tokens.
 *
 * @module
 */

import { createRuntime, type Service } from "../../../mod.ts";
import csdl from "odata-csdl";
import { importCsdl } from "../../../src/model/import/import_csdl.ts";

/** Its metadata document. */
export const METADATA = Deno.readTextFileSync(new URL("./v2_partner.xml", import.meta.url));

/** What was answered to a request: the body, maybe with status and headers. */
export type Recorded = unknown | { readonly status: number; readonly body?: unknown };

/** What a test gets. */
export interface PartnerService {
  readonly remote: Service;
  /** Requests so far: method, decoded path and query, body. */
  readonly sent: { readonly request: string; readonly body: unknown; readonly headers: Headers }[];
}

const ROOT = "http://partner.test/sap/opu/odata/PARTNER_SRV";

/** An entity as services of OData 2 write it. */
export function partner(members: object = {}): object {
  return {
    __metadata: { uri: `${ROOT}/Partners('P1')`, type: "PARTNER_SRV.Partner" },
    ...{ ID: "P1", Name: "Meyer", Guid: "11111111-1111-1111-1111-111111111111" },
    ...{ Limit: "1500.50", Visits: "12", Rating: "4.5", Active: true, Logo: "AQID" },
    ...{ Since: "/Date(1577836800000)/", ChangedAt: "/Date(1577880001250)/" },
    ...{ SeenAt: "/Date(1577880001000+0060)/", OpensAt: "PT08H30M00S" },
    Addresses: { __deferred: { uri: `${ROOT}/Partners('P1')/Addresses` } },
    ...members,
  };
}

/** Runs a test with a runtime that calls the service; `answers` are by method and decoded URL. */
export async function withPartner(
  answers: Readonly<Record<string, Recorded>>,
  test: (service: PartnerService) => Promise<void>,
  entry: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const sent: PartnerService["sent"][number][] = [];
  const runtime = createRuntime({
    model: importCsdl(csdl.xml2json(METADATA, { annotations: true }), { name: "PartnerService" }),
    kinds: {
      fetch: async (request) => {
        const text = decodeURIComponent(request.url.slice(ROOT.length + 1));
        const body = await request.text();
        sent.push({
          request: `${request.method} ${text}`,
          body: body === "" ? undefined : JSON.parse(body),
          headers: request.headers,
        });
        return answer(request, answers[`${request.method} ${text}`]);
      },
    },
    env: {
      log: { levels: { default: "silent" } },
      requires: { PartnerService: { kind: "odata-v2", credentials: { url: ROOT }, ...entry } },
    },
  });
  try {
    await runtime.start();
    await test({ remote: await runtime.connect("PartnerService"), sent });
  } finally {
    await runtime.close();
  }
}

/** Changes need the token that a read of the root gives, and its session. */
function answer({ method, headers }: Request, recorded: Recorded): Response {
  const token = headers.get("x-csrf-token");
  if (method === "GET" && token === "Fetch") {
    return Response.json({ d: { EntitySets: ["Partners"] } }, {
      headers: { "x-csrf-token": "T1", "set-cookie": "SESSION=abc; path=/; HttpOnly" },
    });
  }
  const isKnown = token === "T1" && headers.get("cookie") === "SESSION=abc";
  if (method !== "GET" && !isKnown) {
    return new Response("CSRF token validation failed", {
      status: 403,
      headers: { "x-csrf-token": "Required" },
    });
  }
  if (recorded === undefined) {
    return Response.json({ error: { code: "404", message: { lang: "en", value: "Not recorded" } } }, {
      status: 404,
    });
  }
  const { status, body } = recorded as { status?: number; body?: unknown };
  if (status !== undefined) {
    return new Response(body === undefined ? null : JSON.stringify(body), { status, headers: JSON_TYPE });
  }
  if (typeof recorded === "string") {
    return new Response(recorded, { headers: { "content-type": "text/plain" } });
  }
  return Response.json({ d: recorded });
}

const JSON_TYPE = { "content-type": "application/json" };
