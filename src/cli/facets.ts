/**
 * What `fw add` can add to a project.
 *
 * @module
 */

import { OPENID_MEMBERS } from "../config/openid_schema.ts";
import type { SchemaNode } from "../config/validate.ts";
import { DOCKER_FILES, KUBERNETES_FILES } from "./container_files.ts";
import { type ProjectFiles, SAMPLE_FILES } from "./project_files.ts";

/** One thing to add. */
export interface Facet {
  /** What it is, in one line. */
  readonly about: string;
  /** Values below `fw`, by their path in the configuration. */
  readonly settings?: readonly Setting[];
  /** Values that only the developer knows. */
  readonly questions?: readonly Question[];
  /** Files that are written unless there are files of their names. */
  readonly files?: ProjectFiles;
  /** What is left to be done. */
  readonly next?: readonly string[];
}

/** A value of the configuration. */
export interface Setting {
  /** Its keys. */
  readonly path: readonly string[];
  /** The value. */
  readonly value: string | boolean;
}

/** A value that an option of the command gives, or the answer of a person. */
export interface Question {
  /** Name of the option. */
  readonly option: string;
  /** What is asked for. */
  readonly text: string;
  /** Keys of the value below `fw`. */
  readonly path: readonly string[];
  /** What the value must look like. */
  readonly schema: SchemaNode;
  /** Whether nothing is added without it; others are left out, and nobody is asked for them. */
  readonly isNeeded: boolean;
}

const PRODUCTION = "[production]";

const WORKFLOW = `name: test
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: denoland/setup-deno@v2
        with:
          deno-version: v2.x
      - run: deno fmt --check
      - run: deno lint
      - run: deno check
      - run: deno test -A --no-check
`;

/** Facets by name. */
export const FACETS: Readonly<Record<string, Facet>> = {
  sample: {
    about: "a data model with rows, two services, handlers, a test, requests",
    files: SAMPLE_FILES,
    next: ["write the types of the model: fw compile --to types --dest srv/model.ts"],
  },
  sqlite: {
    about: "SQLite in a file, which outlives the process",
    settings: [
      { path: ["requires", "db", "kind"], value: "sqlite" },
      { path: ["requires", "db", "credentials", "url"], value: "db.sqlite" },
    ],
    next: ["bring the database to the model: fw deploy"],
  },
  postgres: {
    about: "PostgreSQL in production",
    settings: [{ path: ["requires", "db", PRODUCTION, "kind"], value: "postgres" }],
    next: [
      `say where it is, by a binding named db or by FW_CONFIG: ${
        credentials("db", "postgres://user@host/database")
      }`,
      "bring the database to the model: fw deploy --profile production",
    ],
  },
  nats: broker("NATS JetStream", "nats-messaging", "127.0.0.1:4222"),
  rabbitmq: broker("RabbitMQ", "rabbitmq-messaging", "amqp://127.0.0.1:5672"),
  redis: broker("Redis streams", "redis-messaging", "redis://127.0.0.1:6379"),
  multitenancy: {
    about: "a database of its own for each tenant",
    settings: [{ path: ["requires", "multitenancy"], value: true }],
    next: [
      "admit a tenant and make its database: fw tenant subscribe ID",
      'if there is messaging, say which header carries the tenant: fw.requires.messaging.tenantHeader = "x-tenant"',
    ],
  },
  oidc: identity("the OIDC identity service", "oidc"),
  openid: {
    about: "logins by any OpenID provider in production: --issuer URL --audience NAME [--roles PATH]",
    settings: [{ path: ["requires", "auth", PRODUCTION, "kind"], value: "openid" }],
    questions: [
      openidQuestion(
        "issuer",
        'issuer, exactly as "iss" of its tokens (https://login.example.com/realms/shop)',
      ),
      openidQuestion("audience", 'audience, as "aud" of tokens for this application'),
      openidQuestion("roles", "path to the roles in the claims (realm_access.roles)", ["claims", "roles"]),
    ],
    next: [
      'unless --roles did, say where roles stand in the claims: fw.requires.auth.claims.roles = "realm_access.roles"',
    ],
  },
  oauth2: identity("the OAuth 2.0 authorization service", "oauth2", [
    "generate its descriptor: fw compile --to security-descriptor --dest security-descriptor.json",
  ]),
  telemetry: {
    about: "measurements for those with the role operator, traces for a collector of OpenTelemetry",
    settings: [
      { path: ["server", "metrics", "requires"], value: "operator" },
      { path: ["telemetry"], value: true },
    ],
    next: [
      "let the role operator scrape /metrics, or give measurements a port of their own: fw.server.metrics.port",
      "send traces and measurements to a collector: OTEL_DENO=true OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318",
    ],
  },
  docker: {
    about: "an image for production, whose server has few permissions",
    files: DOCKER_FILES,
    next: [
      "a database in a file, or a message box, belongs below data: the server writes nowhere else",
      "docker build -t app .",
    ],
  },
  kubernetes: {
    about: "a deployment and a service with probes, for the image of fw add docker",
    files: KUBERNETES_FILES,
    next: ["kubectl apply -f deploy/kubernetes.yaml"],
  },
  github: {
    about: "tests on GitHub with every push",
    files: { ".github/workflows/test.yml": WORKFLOW },
  },
};

function broker(name: string, kind: string, url: string): Facet {
  return {
    about: `${name} between processes in production, a file elsewhere`,
    settings: [{ path: ["requires", "messaging", PRODUCTION, "kind"], value: kind }],
    next: [`say where it is, by a binding named messaging or by FW_CONFIG: ${credentials("messaging", url)}`],
  };
}

function identity(name: string, kind: string, more: readonly string[] = []): Facet {
  return {
    about: `logins by ${name} in production, mock users elsewhere`,
    settings: [{ path: ["requires", "auth", PRODUCTION, "kind"], value: kind }],
    next: [...more, "bind an instance of it: fw env shows what is in effect"],
  };
}

function openidQuestion(option: string, text: string, path: readonly string[] = [option]): Question {
  const schema = path.reduce<SchemaNode>(({ members }, name) => members![name]!, {
    types: ["object"],
    members: OPENID_MEMBERS,
  });
  return {
    option,
    text,
    path: ["requires", "auth", PRODUCTION, ...path],
    schema,
    isNeeded: option !== "roles",
  };
}

function credentials(name: string, url: string): string {
  return JSON.stringify({ requires: { [name]: { credentials: { url } } } });
}
