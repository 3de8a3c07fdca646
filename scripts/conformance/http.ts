/**
 * Suite `http`: replays recorded requests against the fixtures `bookshop`, `conf`, `draft` and `rules`.
 *
 * @module
 */

import failingDrafts from "./failing_drafts.json" with { type: "json" };
import type { Kinds } from "../../src/fw/kinds.ts";
import { startFixture } from "../fixtures/start_fixture.ts";
import { compareResponse, type ReadAnswer, type RecordedCase } from "./compare_response.ts";
import { OVERRULED } from "./overruled.ts";
import { parseMultipart } from "./parse_multipart.ts";
import { compareStandard } from "./standard_answers.ts";
import type { SuiteResult } from "./suite_result.ts";

/** Why recorded cases stay unanswered. */
const REASONS: Readonly<Record<string, string>> = {
  "bookshop-delete-books/013":
    "recorded after a delete that stops at the third level of a tree and leaves rows without parent; " +
    "wire behaviour 4 demands that recursive compositions cascade too",
  "rules-hcql-basic/003": "a GET with a body, which requests of the web platform cannot have (Fetch 5.3)",
  ...failingDrafts,
};

interface Group {
  readonly group: string;
  readonly model: string;
  readonly cases: readonly RecordedCase[];
}

/** A fixture in process. */
interface Target {
  fetch(request: Request): Promise<Response>;
  reset(): Promise<void>;
  close(): Promise<void>;
  readonly serviceRoots: readonly string[];
}

const ORIGIN = "http://localhost:4004";

/** Failures of one kind. */
interface Tally {
  readonly failed: string[];
  total: number;
}

/** What to run and to print. */
export interface HttpSuiteOptions {
  /** Prints each difference. */
  readonly verbose?: boolean;
  /** Prints our answer to each recording that deviates from the standard, beside its note. */
  readonly deviating?: boolean;
  /** Prefix of a group or case id. */
  readonly only?: string;
  /** Databases and whatever else there is by kind. */
  readonly kinds?: Kinds;
}

/**
 * Runs all recorded cases. Cases marked `cap_deviates` and those overruled by our decisions are left out of the
 * total and reported apart; of the former it is also counted how many behave as the standard asks.
 *
 * @param casesDir folder that holds `cap/`
 * @param options what to run and to print
 */
export async function runHttpSuite(
  casesDir: string,
  options: HttpSuiteOptions = {},
): Promise<SuiteResult> {
  const counted: Tally = { failed: [], total: 0 };
  const drafts: Tally = { failed: [], total: 0 };
  const deviating: Tally = { failed: [], total: 0 };
  const standard: Tally = { failed: [], total: 0 };
  const overruled: Tally = { failed: [], total: 0 };
  const targets = new Map<string, Target>();
  const models = `${casesDir}/cap/models`;
  for (const group of allGroups(casesDir, options.only ?? "")) {
    const isDraft = group.model.startsWith("draft");
    let target = targets.get(group.model);
    if (!target) targets.set(group.model, target = await startFixture(group.model, models, options.kinds));
    await target.reset();
    const kept = new Map<string, string>();
    for (const given of group.cases) {
      const recorded = withKept(given, kept);
      const id = `${group.group}/${recorded.id}`;
      const { problem, answer } = await runCase(recorded, target, { group: group.group, kept });
      if (recorded.cap_deviates) {
        const departs = answer ? compareStandard(id, answer) : problem;
        if (!isDraft) standard.total++;
        if (departs && !isDraft) standard.failed.push(`${id}: ${departs}`);
        if (options.deviating) console.log(describeDeviation(id, recorded, answer));
      }
      const tally = recorded.cap_deviates
        ? deviating
        : OVERRULED.has(id)
        ? overruled
        : isDraft
        ? drafts
        : counted;
      tally.total++;
      if (!problem) continue;
      tally.failed.push(id);
      if (
        options.verbose && (tally === counted || tally === drafts) &&
        (!options.only?.includes("/") || options.only === id)
      ) {
        console.log(
          `${id} ${recorded.note ?? ""}\n  ${recorded.request.method} ${recorded.request.path}\n  ${problem}`,
        );
      }
    }
  }
  for (const target of targets.values()) await target.close();
  return {
    suite: "http",
    passed: counted.total - counted.failed.length,
    total: counted.total,
    failed: counted.failed,
    apart: {
      drafts: { passed: drafts.total - drafts.failed.length, total: drafts.total },
      standard: { passed: standard.total - standard.failed.length, total: standard.total },
    },
    notes: [
      ...(drafts.failed.length > 0 ? [`failing with drafts: ${drafts.failed.join(" ")}`] : []),
      ...reasonsOf([...drafts.failed, ...counted.failed]),
      apart("recordings that deviate from the standard", deviating),
      ...standard.failed.map((line) => `not as the standard asks: ${line}`),
      `standard behaviour: ${standard.total - standard.failed.length}/${standard.total}`,
      apart("overruled recordings", overruled),
      `drafts: ${drafts.total - drafts.failed.length}/${drafts.total}`,
    ],
  };
}

function reasonsOf(failed: readonly string[]): string[] {
  return failed.flatMap((id) => REASONS[id] === undefined ? [] : [`${id}: ${REASONS[id]}`]);
}

function apart(what: string, tally: Tally): string {
  return `apart from the total: ${what}: ${tally.total}, answered as recorded: ${
    tally.total - tally.failed.length
  }`;
}

/** The recordings, and those with drafts where they are there, whose names begin as is asked for. */
function allGroups(casesDir: string, only: string): Group[] {
  const groups = readGroups(`${casesDir}/cap/cases`);
  const drafts = readDrafts(`${casesDir}/drafts/cases`);
  return [...groups, ...drafts.filter(({ model }) => model === "rules" || model.startsWith("draft"))]
    .filter(({ group }) => only.startsWith(group) || group.startsWith(only));
}

function readDrafts(folder: string): Group[] {
  try {
    return readGroups(folder);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

function readGroups(folder: string): Group[] {
  return [...Deno.readDirSync(folder)].map((entry) => entry.name).filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => JSON.parse(Deno.readTextFileSync(`${folder}/${name}`)));
}

/** Our answer and the note of a recording that deviates from the standard: to be judged by a reader. */
function describeDeviation(id: string, recorded: RecordedCase, answer: ReadAnswer | undefined): string {
  const { method, path, headers, body } = recorded.request;
  const sent = body === undefined ? "" : ` ${typeof body === "string" ? body : JSON.stringify(body)}`;
  return [
    `${id} ${method} ${path}${sent.slice(0, 300)} ${JSON.stringify(headers ?? {})}`,
    `  recorded: ${recorded.expect.status}; standard: ${recorded.standard}`,
    `  ours: ${answer ? `${answer.status} ${answer.text.slice(0, 500)}` : "crashed"}`,
  ].join("\n");
}

interface Outcome {
  readonly answer?: ReadAnswer;
  readonly problem?: string;
}

/** The group of a case, and what earlier ones kept. */
interface CaseContext {
  readonly group: string;
  readonly kept: Map<string, string>;
}

async function runCase(
  recorded: RecordedCase,
  target: Target,
  { group, kept }: CaseContext,
): Promise<Outcome> {
  try {
    const answer = await read(await target.fetch(toRequest(recorded)));
    keep(kept, recorded, answer);
    const path = recorded.request.path;
    const root = target.serviceRoots.find((candidate) =>
      path === candidate || path.startsWith(`${candidate}/`)
    );
    const context = { requestUrl: path, serviceRoot: `${root ?? ""}/`, group };
    const problem = compareResponse(recorded, answer, context) ??
      await followNextLink(answer, context.serviceRoot, target);
    return { answer, problem };
  } catch (error) {
    return { problem: `crashed: ${error instanceof Error ? error.stack : error}` };
  }
}

/** A case with the values that earlier ones kept in place of `{{name}}`. */
function withKept(recorded: RecordedCase, kept: ReadonlyMap<string, string>): RecordedCase {
  if (kept.size === 0) return recorded;
  const text = JSON.stringify(recorded).replaceAll(
    /\{\{(\w+)\}\}/g,
    (whole, name) => kept.get(name) ?? whole,
  );
  return JSON.parse(text);
}

/** Keeps the values of an answer that later cases need. */
function keep(
  kept: Map<string, string>,
  { capture = {} }: RecordedCase,
  { headers, body }: ReadAnswer,
): void {
  for (const [name, pointer] of Object.entries(capture)) {
    const [, part, ...path] = pointer.split("/");
    const found = part === "headers"
      ? headers.get(path[0]!)
      : path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], body);
    // inside of JSON
    if (found !== undefined && found !== null) kept.set(name, JSON.stringify(String(found)).slice(1, -1));
  }
}

function toRequest({ request }: RecordedCase): Request {
  const headers = new Headers(request.headers);
  const body = request.body === undefined
    ? undefined
    : typeof request.body === "string"
    ? request.body
    : JSON.stringify(request.body);
  if (body !== undefined && typeof request.body !== "string" && !headers.has("content-type")) {
    headers.set("content-type", "application/json");
  }
  return new Request(`${ORIGIN}${request.path}`, { method: request.method, headers, body });
}

async function read(response: Response): Promise<ReadAnswer> {
  const text = await response.text();
  const type = response.headers.get("content-type") ?? "";
  return { status: response.status, headers: response.headers, text, body: toBody(text, type) };
}

function toBody(text: string, contentType: string): unknown {
  if (text === "") return undefined;
  if (/json/.test(contentType)) return JSON.parse(text);
  const boundary = /^multipart\/mixed;.*boundary="?([^";]+)/.exec(contentType)?.[1];
  return boundary ? { $multipart: parseMultipart(text, boundary) } : text;
}

/** Our next links differ from the recorded ones in form; following one must give the next page. */
async function followNextLink(answer: ReadAnswer, root: string, target: Target): Promise<string | undefined> {
  const link = (answer.body as { "@odata.nextLink"?: string } | undefined)?.["@odata.nextLink"];
  if (!link) return undefined;
  const response = await target.fetch(new Request(new URL(link, `${ORIGIN}${root}`)));
  const body = await response.json();
  return Array.isArray(body.value) ? undefined : `the next link gives ${response.status}`;
}
