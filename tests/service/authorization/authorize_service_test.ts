import assert from "node:assert/strict";
import { EventContext } from "../../../src/context/event_context.ts";
import { User } from "../../../src/context/user.ts";
import type { Csn } from "../../../src/model/csn.ts";
import { ApplicationService } from "../../../src/service/application_service.ts";
import { authorizeService } from "../../../src/service/authorization/authorize_service.ts";
import { createHost } from "../fixture.ts";

const key = { ID: { key: true, type: "cds.Integer" } };
const CSN: Csn = {
  definitions: {
    Free: { kind: "service" },
    "Free.Open": { kind: "entity", elements: key, "@requires": "any" },
    "Free.Plain": { kind: "entity", elements: key },
    "Free.Plain.texts": { kind: "entity", elements: key, "@requires": "any" },
    "Free.run": { kind: "action", "@requires": "any" },
    "Free.hide": { kind: "action" },
    "Free.told": { kind: "event", elements: {}, "@requires": "any" },
    "Free.kept": { kind: "event", elements: {} },
    Public: { kind: "service", "@requires": "any" },
    Closed: { kind: "service", "@requires": ["Manager", "admin"] },
    Granted: { kind: "service", "@restrict": [{ grant: "*" }] },
  },
};

interface Setting {
  readonly user?: User;
  readonly production?: boolean;
  readonly env?: Record<string, unknown>;
  readonly path?: string;
}

/** The status of the answer of `authorizeService`, 200 if it lets pass. */
function status(
  name: string,
  { user = User.anonymous, production = false, env = {}, path }: Setting = {},
): number {
  const host = Object.assign(createHost(CSN), { production, env });
  const service = new ApplicationService({ name, definition: host.model.service(name), host });
  try {
    authorizeService(service, new EventContext({ user }), path === undefined ? {} : { path });
    return 200;
  } catch (error) {
    return (error as { status: number }).status;
  }
}

const manager = new User({ id: "m", roles: ["Manager"] });
const other = new User({ id: "o" });

Deno.test("authorizeService() lets anonymous users into public services and none without role into others [5.2.2] [5.2.7a]", () => {
  assert.equal(status("Public", { production: true }), 200);
  assert.equal(status("Closed"), 401);
  assert.equal(status("Closed", { user: other }), 403);
  assert.equal(status("Closed", { user: manager }), 200);
});

Deno.test("authorizeService() lets everybody who has logged in use what is granted to no role by name", () => {
  const never = { security: { authentication: { mode: "never" } } };
  assert.equal(status("Granted"), 401);
  assert.equal(status("Granted", { user: other }), 200);
  assert.equal(status("Granted", { env: never }), 200);
});

Deno.test("authorizeService() opens services without restriction outside production only [5.2.6]", () => {
  assert.equal(status("Free"), 200);
  assert.equal(status("Free", { production: true }), 401);
  assert.equal(status("Free", { production: true, user: other }), 200);
});

Deno.test("authorizeService() lets anonymous users reach entities, operations and events that carry any themselves [5.2.7]", () => {
  for (
    const path of [
      "Open(1)?$select=ID",
      "/Open",
      "Free.Open",
      "Plain_texts",
      "run",
      "Free.run()",
      "told",
      "Free.told",
    ]
  ) {
    assert.equal(status("Free", { production: true, path }), 200, path);
  }
  for (
    const path of [
      "Plain",
      "",
      "$metadata",
      "$batch",
      "Open2",
      "%4fpen",
      "hide",
      "kept",
      "Free.hide",
      "Other.run",
      "toString",
    ]
  ) {
    assert.equal(status("Free", { production: true, path }), 401, path);
  }
});

Deno.test("authorizeService() follows restrict_all_services, and mocked authentication in production [5.2.10]", () => {
  const auth = (members: object) => ({ requires: { auth: members } });
  assert.equal(status("Free", { production: true, env: auth({ restrict_all_services: false }) }), 200);
  assert.equal(status("Free", { production: true, env: auth({ kind: "mocked" }) }), 200);
  assert.equal(status("Free", { env: auth({ restrict_all_services: true }) }), 401);
});

Deno.test("authorizeService() follows the mode of authentication [5.2.9]", () => {
  const mode = (name: string) => ({ security: { authentication: { mode: name } } });
  assert.equal(status("Free", { env: mode("standard") }), 401);
  assert.equal(status("Free", { production: true, env: mode("model-relaxed") }), 200);
  assert.equal(status("Free", { production: true, env: mode("never") }), 200);
  assert.equal(status("Closed", { production: true, env: mode("never") }), 403);
});

Deno.test("authorizeService() authenticates $metadata like its service unless switched off [5.2.8]", () => {
  const env = { security: { authentication: { authenticateMetadataEndpoints: false } } };
  assert.equal(status("Closed", { path: "$metadata" }), 401);
  assert.equal(status("Closed", { path: "$metadata", env }), 200);
  assert.equal(status("Closed", { path: "Books", env }), 401);
});
