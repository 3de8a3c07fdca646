/**
 * Every key of the configuration: what it may hold, and, beside it, what it means.
 *
 * @module
 */

import { DEFAULT_LIMITS } from "./limits.ts";
import { parseIpRange } from "../util/ip_range.ts";
import { OPENID_MEMBERS } from "./openid_schema.ts";
import type { SchemaNode } from "./validate.ts";

const text: SchemaNode = { types: ["string"] };
const count: SchemaNode = { types: ["number"], range: [0, Number.MAX_SAFE_INTEGER] };
const positive: SchemaNode = { types: ["number"], range: [1, Number.MAX_SAFE_INTEGER] };
const port: SchemaNode = { types: ["number"], range: [0, 65535] };
const flag: SchemaNode = { types: ["boolean"] };
const anything: SchemaNode = { types: ["string", "number", "boolean", "object", "array", "null"] };
const texts: SchemaNode = { types: ["array"] };
const headerName: SchemaNode = {
  types: ["string"],
  form: { text: "the name of a header", fits: (value) => /^[\w!#$%&'*+.^`|~-]+$/.test(value) },
};
const ipRanges: SchemaNode = {
  types: ["array"],
  items: {
    types: ["string"],
    form: {
      text: 'an address or a range like "10.0.0.0/8" without bits behind it',
      fits: (value) => parseIpRange(value) !== undefined,
    },
  },
};
const textOrTexts: SchemaNode = { types: ["string", "array"] };

function record(members: Readonly<Record<string, SchemaNode>>, others?: SchemaNode): SchemaNode {
  return { types: ["object"], members, others };
}

function mapOf(others: SchemaNode): SchemaNode {
  return { types: ["object"], others };
}

function oneOf(...values: readonly string[]): SchemaNode {
  return { types: ["string"], values };
}

const mockUser: SchemaNode = {
  types: ["object", "boolean"],
  members: {
    id: text,
    tenant: { types: ["string", "null"] },
    roles: { types: ["array", "object"], items: text },
    attr: mapOf(anything),
    attributes: mapOf(anything),
    password: text,
    features: { types: ["array", "string", "object"] },
  },
};

const tenantEntry = mapOf(anything);

const auth = record({
  kind: textOrTexts,
  impl: textOrTexts,
  users: mapOf(mockUser),
  tenants: { types: ["object", "array"], others: tenantEntry },
  credentials: mapOf(anything),
  binding: text,
  restrict_all_services: flag,
  id_prefix: text,
  public: texts,
  config: mapOf(anything),
  ...OPENID_MEMBERS,
});

/** When the outbox gives a message up; `false` switches it off. */
const giveUp = { maxAttempts: count, maxAgeMs: count };
const outboxed: SchemaNode = { types: ["boolean", "object"], members: giveUp };

const pool = record({
  /** Connections at most; default: 10. */
  max: positive,
  /** With multitenancy: connections of the databases of all tenants to a server; default: 3 times `max`. */
  maxOfTenants: positive,
  /** How long nobody must have used connections before they are closed; default: 30 seconds; 0: never. */
  idleTimeoutMs: count,
  /** How long opening one may take; default: 10 seconds. */
  connectTimeoutMs: count,
  /** How long one waits while no connection gets free, 503 beyond; default: 15 seconds. */
  acquireTimeoutMs: count,
});

const replicas: SchemaNode = { types: ["array"], items: { types: ["string", "object"] } };
const maxLagMs: SchemaNode = { types: ["number"], range: [20, 3_600_000] };

const requirement: SchemaNode = {
  types: ["object", "boolean", "null"],
  members: {
    kind: text,
    impl: text,
    model: textOrTexts,
    service: text,
    credentials: mapOf(anything),
    routes: mapOf(texts),
    format: oneOf("cloudevents", "json"),
    file: text,
    group: text,
    /** Path at which `http-messaging` receives events. */
    path: text,
    /** Roles one of which those who send events to `http-messaging` need; default: `event-sender`. */
    requires: textOrTexts,
    /** How `http-messaging` writes events. */
    contentMode: oneOf("binary", "structured", "batch"),
    source: text,
    sync: flag,
    /** Addresses of `enterprise-messaging`. */
    address: text,
    queue: text,
    deadLetterQueue: text,
    /** Whether the broker gives a queue to one consumer at a time. */
    singleConsumer: flag,
    /** Stream of a broker, `fw` by default. */
    stream: text,
    /** Time after which a message that an instance has taken goes to another one, unless it is renewed. */
    ackWaitMs: count,
    publishPrefix: text,
    subscribePrefix: text,
    tenantHeader: text,
    noHandler: oneOf("ack", "dead"),
    payloads: oneOf("reject", "log", "pass"),
    outboxed,
    inboxed: flag,
    maxAttempts: count,
    maxMessageBytes: count,
    concurrency: count,
    segmentBytes: count,
    retentionMs: count,
    /** Of `db`: connections to PostgreSQL. */
    pool,
    /** Of `db`: time of PostgreSQL for a statement, 0: its own; default: `fw.limits.handlerMs`. Of brokers: for an attempt. */
    timeoutMs: count,
    /** Of `db`: whether a pooler (`pgbouncer`) gives each transaction any of its connections to PostgreSQL. */
    pooler: flag,
    /** Of `db`: how PostgreSQL lets workers and deployments take turns; `rows` for engines without advisory locks. */
    locks: oneOf("advisory", "rows"),
    /** Of `db`: URLs or credentials of replicas of PostgreSQL, which answer GET requests in its place. */
    replicas,
    /** Of `db`: how old what replicas read may be, in milliseconds; default: 1,000. */
    maxLagMs,
    /** Whether changes of a remote service need a request token (`X-CSRF-Token`); default: with `odata-v2`, if it asks. */
    csrf: flag,
    /** Of `db`: what is different for single tenants; with `credentials` the database is theirs alone. */
    tenants: mapOf(
      record({
        ...{ credentials: mapOf(anything), pool, timeoutMs: count, pooler: flag },
        ...{ replicas, maxLagMs },
      }),
    ),
  },
};

/** The schema of what stands below `fw`. */
export const SCHEMA: SchemaNode = record({
  /** Name of the application: consumer group and source of events; default: name in `deno.json` or `package.json`. */
  name: text,
  version: text,
  /** Whether what is passed over with a warning, as in projects that come from elsewhere, stops the start instead. */
  strict: flag,
  /** Services this application needs: `auth`, `db`, `messaging` and others by name. */
  requires: record({ auth, multitenancy: flag, kinds: mapOf(mapOf(anything)) }, requirement),
  /** Credentials of `credentials.destination` by name, or `impl`: the module whose function looks them up. */
  destinations: record({ impl: text }, mapOf(anything)),
  /** The transactional outbox; default: on, where there is a database. A dead worker's rows are free after `leaseMs`. */
  outbox: { types: ["boolean", "object"], members: { ...giveUp, leaseMs: count } },
  /** Served services by name: `path`, `impl`. */
  services: mapOf(record({ path: text, impl: text })),
  /** Folders of a project. */
  folders: record({ db: text, srv: text, app: text, fts: text }, textOrTexts),
  /** Page sizes: `query.limit.default` and `query.limit.max`. */
  query: record({ limit: record({ default: count, max: count }) }),
  /** Wire behaviour of OData. */
  odata: record({
    patch_as_upsert: flag,
    put_as_upsert: flag,
    put_as_replace: flag,
    /** Structured elements are complex types in OData instead of flat properties, as with `@odata.nested`. */
    structs: flag,
    /** Requests with `Prefer: respond-async` are answered by a status monitor, beside the outbox of a stored database. */
    respond_async: flag,
  }),
  /** Drafts. */
  fiori: record({
    /** Drafts keep the messages of their checks, and clients see them; default: true. */
    draft_messages: flag,
    /** POST creates active instances, and the action `draftNew` creates drafts; default: false. */
    draft_new_action: flag,
    /** Active instances may be changed without a draft; default: true. */
    bypass_draft: flag,
    /** How long a draft keeps others from editing after its last change; default: 15 minutes. */
    draft_lock_timeout: { types: ["number", "string"] },
    /** After how long drafts that nobody changes are deleted; default: 30 days. */
    draft_deletion_timeout: { types: ["number", "string", "boolean"] },
    /** Activation writes media data as it writes all others; plugins that would do it themselves look here: always true. */
    move_media_data_in_db: flag,
  }),
  /** Endpoint for dead letters: roles one of which its users need, path (default `/dead-letters`); default: none. */
  dead_letters: record({ requires: textOrTexts, path: text }),
  /** Endpoints at which a platform subscribes tenants (`/-/cds/…`): roles one of which it needs, how many it upgrades at once. */
  tenants: record({ requires: textOrTexts, concurrency: positive }),
  /** The console: `false` for none; roles one of which its users need. Default: on in development only. */
  console: { types: ["boolean", "object"], members: { requires: textOrTexts } },
  server: record({
    port,
    host: text,
    /** Header that carries `req.notify/info/warn`; default `fw-messages`. */
    messages_header: text,
    /** Own base URL; never taken from a free Host header. */
    base_url: text,
    /** Addresses and CIDR ranges of proxies whose forwarding and certificate headers count; default: none. */
    trusted_proxies: ipRanges,
    /** Content security policies of front ends, by their folders below `app`; `"/"` is for all. Default: own files. */
    content_security_policy: record({}, {
      types: ["string"],
      form: { text: "a policy in one line", fits: (value) => /^[\x20-\x7e]+$/.test(value) },
    }),
    /** Welcome page at `/`; default: on in development only. */
    index: flag,
    cors: record({ origins: texts }),
    body_parser: record({ limit: { types: ["string", "number"] } }),
    shutdownMs: count,
    /** How long requests are still taken after a signal to end, while `/ready` says 503; default: 0. */
    drainMs: count,
    /** Measurements in OpenMetrics text: roles one of which is needed, path (default `/metrics`), an own port without login. */
    metrics: record({ requires: textOrTexts, path: text, port }),
    /** How often somebody may ask, in a window of `window_ms` (default: a minute): 429 beyond; default: no limits. */
    rate_limits: record({
      per_address: positive,
      per_user: positive,
      per_tenant: positive,
      concurrent_per_tenant: positive,
      /** Requests that a process answers at once: 503 beyond. */
      concurrent: positive,
      /** How late a process may be with what it has to do, in milliseconds: requests are 503 beyond. */
      delay_ms: positive,
      window_ms: positive,
      /** Counts all processes together: `url` and what else its connections need; default: each counts for itself. */
      redis: record({
        ...{ url: text, user: text, username: text, password: text, pass: text },
        tls: { types: ["boolean", "object"], others: anything },
      }),
    }),
    /** `Server-Timing` in answers: `true` in development, or with `requires` the roles of those who may see it. */
    timing: { types: ["boolean", "object"], members: { requires: textOrTexts } },
    /** Explanations of requests (`Prefer: fw.explain`) and of CQL: roles one of which is needed, path (default `/explain`). */
    explain: record({ requires: textOrTexts, path: text }),
    /** Whether clients may follow events and changes as server-sent events; default: true. */
    live: flag,
    /** `/ready`: 503 from this age of the oldest message in the outbox on; default: 15 minutes. */
    ready: record({ outbox_age_ms: count }),
  }),
  security: record({
    authentication: record({
      mode: oneOf("standard", "model-relaxed", "never"),
      authenticateMetadataEndpoints: flag,
      /** The one header a trusted proxy sends the client certificate in; default `X-Forwarded-Client-Cert`. */
      clientCertificateHeader: headerName,
      /**
       * Where tokens of the OIDC service must be bound to the certificate of the client: `always` (default), at hosts
       * like `….cert.<domain>` only, or nowhere, which leaves stolen tokens usable.
       */
      certificateBinding: oneOf("always", "certificate-route", "never"),
      /** Whether that certificate must be within its validity; default: true. */
      checkCertificateValidity: flag,
      /**
       * Whether tokens of named users of the OIDC service are exchanged for those of the OAuth 2.0 service: not
       * (default), for handlers to use (`provide`), or for the user of the request (`force`).
       */
      tokenExchange: oneOf("disabled", "provide", "force"),
    }),
    mock: record({ users: mapOf(mockUser), defaultUsers: flag }),
  }),
  i18n: record({ default_language: text, preserved_locales: texts, folders: texts }),
  log: record({
    levels: mapOf(oneOf("trace", "debug", "info", "warn", "error", "silent")),
    format: oneOf("plain", "json"),
    /** Whether the log of SQL (component `sql`, level `debug`) hides the values of statements; default: true. */
    sanitize_values: flag,
    /** Statements that take longer are logged as warnings. */
    slow_sql_ms: positive,
  }),
  /** Spans and measurements for OpenTelemetry, where an SDK or `OTEL_DENO=true` is there; default: true. */
  telemetry: flag,
  features: record({
    assert_integrity: { types: ["boolean", "string"], values: ["app", "db"] },
    /** Whether queries of code give Binary and LargeBinary as base64 (default), or as bytes and streams. */
    base64_binaries: flag,
    count_as_string: flag,
    ieee754compatible: flag,
    runtime_views: flag,
    /** Whether a UUID in a body is 8-4-4-4-12 hexadecimal digits (default), or any text of up to 36 characters. */
    strict_uuid: flag,
  }),
  /** Plugins of existing projects: `false` loads none, `{"@scope/name": false}` not this one. */
  plugins: { types: ["boolean", "object"] },
  model: record({ default_string_length: count }),
  types: text, // file below the project that `fw watch` writes the types of the model to
  limits: record(Object.fromEntries(Object.keys(DEFAULT_LIMITS).map((name) => [name, count]))),
});
