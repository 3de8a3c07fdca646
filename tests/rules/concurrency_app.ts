/**
 * An application whose handlers compare everything they can reach with what the caller says about itself, and a client
 * that sends many different requests at once. Runs under Deno and in workerd.
 *
 * @module
 */

import {
  type ApplicationService,
  createRuntime,
  type Csn,
  fw,
  INSERT,
  type Kinds,
  type Row,
  type Runtime,
  SELECT,
  type ServiceEvent,
} from "../../mod.ts";

const PARAMS = {
  n: { type: "cds.Integer" },
  user: { type: "cds.String" },
  tenant: { type: "cds.String" },
  locale: { type: "cds.String" },
  id: { type: "cds.String" },
};
const PROBLEMS = { items: { type: "cds.String" } };

const MODEL = {
  definitions: {
    Notes: {
      kind: "entity",
      elements: {
        n: { type: "cds.Integer", key: true },
        by: { type: "cds.String", "@cds.on.insert": { "=": "$user" } },
        at: { type: "cds.Timestamp", "@cds.on.insert": { "=": "$now" } },
      },
    },
    Outer: { kind: "service" },
    "Outer.Notes": { kind: "entity", query: { SELECT: { from: { ref: ["Notes"] } } } },
    "Outer.look": { kind: "action", params: PARAMS, returns: PROBLEMS },
    "Outer.late": { kind: "function", returns: PROBLEMS },
    "Outer.Done": { kind: "event" },
    Inner: { kind: "service" },
    "Inner.look": { kind: "action", params: PARAMS, returns: PROBLEMS },
  },
} as unknown as Csn;

/** Five users of three tenants. */
const USERS = [0, 1, 2, 3, 4].map((n) => ({ name: `user${n}`, tenant: `t${n % 3}` }));
const LOCALES = ["de", "fr", "es", "en_GB"];

/** What a caller says about itself. */
interface Caller {
  readonly n: number;
  readonly user: string;
  readonly tenant: string;
  readonly locale: string;
  readonly id: string;
}

/**
 * Creates the application.
 *
 * @param kinds kinds beside those of the core
 * @param database kind of database
 */
export function createConcurrencyApp(database: string, kinds?: Kinds): Runtime {
  const late: string[] = [];
  return createRuntime({
    model: MODEL,
    kinds,
    env: {
      log: { levels: { default: "silent" } },
      requires: {
        multitenancy: true,
        db: { kind: database },
        auth: {
          kind: "mocked",
          users: Object.fromEntries(USERS.map(({ name, tenant }) => [name, { tenant, attr: { own: name } }])),
        },
      },
    },
    handlers: { Outer: (srv) => registerOuter(srv, late), Inner: registerInner },
  });
}

function registerOuter(srv: ApplicationService, late: string[]): void {
  srv.before("look", async (req) => {
    await pause(req.data as Caller);
    for (const problem of problemsOf(req, "before")) req.error(409, problem);
  });
  srv.on("look", async (req) => {
    const caller = req.data as Caller;
    const problems = problemsOf(req, "on");
    const inner = await fw.connect.to("Inner");
    problems.push(...await inner.send("look", { ...caller }) as string[]);
    await pause(caller);
    problems.push(...await checkDatabase(req));
    await new Promise<void>((resolve) =>
      setTimeout(() => (problems.push(...problemsOf(req, "timer")), resolve()), caller.n % 4)
    );
    await srv.emit("Done", caller);
    req.on("succeeded", async () => {
      await pause(caller);
      late.push(...problemsOf(req, "succeeded"));
    });
    return [...problems, ...problemsOf(req, "end")];
  });
  srv.after("look", (_, req) => void late.push(...problemsOf(req, "after")));
  srv.on("Done", async (event) => {
    await pause(event.data as Caller);
    late.push(...problemsOf(event, "event"));
  });
  srv.on("late", () => late);
}

function registerInner(srv: ApplicationService): void {
  srv.on("look", async (req) => {
    const before = problemsOf(req, "inner");
    await pause(req.data as Caller);
    return [...before, ...problemsOf(req, "inner end")];
  });
}

/** Waits for a time that differs between callers, so that they overtake each other. */
function pause({ n }: Caller): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, (n * 7) % 5));
}

/** Where request, context and caller differ. */
function problemsOf(req: ServiceEvent, where: string): string[] {
  const caller = req.data as Caller;
  const { context } = fw;
  const pairs: readonly (readonly [what: string, found: unknown, expected: unknown])[] = [
    ["req.user", req.user.id, `mock/${caller.user}`],
    ["req.user.attr", req.user.attr.own, caller.user],
    ["req.tenant", req.tenant, caller.tenant],
    ["req.locale", req.locale, caller.locale],
    ["req.id", req.id, caller.id],
    ["http", req.http?.req.headers.get("x-correlation-id"), caller.id],
    ["fw.context.user", context?.user.id, `mock/${caller.user}`],
    ["fw.context.tenant", context?.tenant, caller.tenant],
    ["fw.context.locale", context?.locale, caller.locale],
    ["fw.context.id", context?.id, caller.id],
    ["fw.context.timestamp", context?.timestamp, req.timestamp],
  ];
  return pairs.filter(([, found, expected]) => found !== expected)
    .map(([what, found, expected]) => `${where}: ${what} is ${found} instead of ${expected}`);
}

/** Writes a note and reads it back: managed values and `$now` are those of the request. */
async function checkDatabase(req: ServiceEvent): Promise<string[]> {
  const { n, user } = req.data as Caller;
  const now = req.timestamp.getTime();
  await INSERT.into("Notes").entries({ n });
  const note = await SELECT.one.from("Notes", n) as { by: string; at: string };
  const { value } = await fw.db.run({
    SELECT: { one: true, from: { ref: ["Notes"] }, columns: [{ ref: ["$now"], as: "value" }] },
  }) as { value: string };
  const problems: string[] = [];
  if (note.by !== `mock/${user}`) problems.push(`createdBy is ${note.by} instead of ${user}`);
  if (new Date(note.at).getTime() !== now) {
    problems.push(`createdAt is ${note.at} instead of ${req.timestamp}`);
  }
  if (new Date(value).getTime() !== now) problems.push(`$now is ${value} instead of ${req.timestamp}`);
  return problems;
}

/** What the client found. */
export interface Findings {
  /** Calls of the action that were answered. */
  readonly calls: number;
  /** Differences. */
  readonly problems: readonly string[];
}

type Fetch = (request: Request) => Promise<Response>;

/**
 * Sends requests of all users in all languages at once, every third as a batch of single requests and a change set.
 *
 * @param send the application
 * @param count number of HTTP requests
 */
export async function sendConcurrently(send: Fetch, count: number): Promise<Findings> {
  const outcomes = await Promise.all(
    Array.from({ length: count }, (_, n) => n % 3 === 0 ? sendBatch(send, n) : sendSingle(send, n)),
  );
  const results = outcomes.flat();
  const problems = results.flatMap(({ problems }) => problems);
  for (const { name, tenant } of USERS) problems.push(...await foreignNotes(send, name, tenant));
  const late = await send(request("/odata/v4/outer/late()", callerOf(0)));
  problems.push(...((await late.json()) as { value: string[] }).value);
  return { calls: results.length, problems };
}

function callerOf(n: number): Caller {
  const { name, tenant } = USERS[n % 5];
  return { n: n * 10, user: name, tenant, locale: LOCALES[n % 4], id: `id-${n}` };
}

function request(path: string, caller: Caller, body?: unknown): Request {
  return new Request(`http://localhost${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      authorization: `Basic ${btoa(`${caller.user}:`)}`,
      "accept-language": caller.locale.replace("_", "-"),
      "x-correlation-id": caller.id,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
}

interface Outcome {
  readonly problems: readonly string[];
}

async function sendSingle(send: Fetch, n: number): Promise<Outcome[]> {
  const caller = callerOf(n);
  const response = await send(request("/odata/v4/outer/look", caller, caller));
  const id = response.headers.get("x-correlation-id");
  const answered = outcome(response.status, await response.json());
  return [id === caller.id ? answered : { problems: [`answer of ${caller.id} has id ${id}`] }];
}

/** Parts have languages of their own; user, tenant and correlation id are those of the batch. */
async function sendBatch(send: Fetch, n: number): Promise<Outcome[]> {
  const caller = callerOf(n);
  const part = (at: number, group?: string) => {
    const locale = LOCALES[(n + at) % 4];
    return {
      id: String(at),
      method: "POST",
      url: "look",
      headers: { "content-type": "application/json", "accept-language": locale.replace("_", "-") },
      body: { ...caller, n: caller.n + at, locale },
      ...(group === undefined ? {} : { atomicityGroup: group }),
    };
  };
  const body = { requests: [part(1), part(2, "g"), part(3, "g"), part(4)] };
  const response = await send(request("/odata/v4/outer/$batch", caller, body));
  const answer = await response.json() as { responses?: { status: number; body: unknown }[] };
  if (answer.responses?.length !== 4) return [{ problems: [JSON.stringify(answer)] }];
  return answer.responses.map(({ status, body }) => outcome(status, body));
}

function outcome(status: number, body: unknown): Outcome {
  const value = (body as { value?: string[] }).value;
  return { problems: status === 200 && value ? value : [`${status} ${JSON.stringify(body)}`] };
}

/** Notes that a user sees and that users of other tenants wrote. */
async function foreignNotes(send: Fetch, user: string, tenant: string): Promise<string[]> {
  const response = await send(request("/odata/v4/outer/Notes", { ...callerOf(0), user }));
  const { value } = await response.json() as { value: Row[] };
  const own = USERS.filter((one) => one.tenant === tenant).map(({ name }) => `mock/${name}`);
  const foreign = value.filter((note) => !own.includes(String(note.by)));
  return [
    ...foreign.map((note) => `${user} sees note ${note.n} of ${note.by}`),
    ...(value.length === 0 ? [`${user} sees no notes`] : []),
  ];
}
