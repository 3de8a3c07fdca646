/**
 * `fw queue list|show|replay|discard`
 *
 * @module
 */

import { withDeadLetters } from "../deno/open_dead_letters.ts";
import { redact } from "../log/redact.ts";
import type { GivenUpMessage, GivenUpMessages } from "../messaging/given_up_messages.ts";
import { compareTexts } from "../util/compare_texts.ts";
import { type Command, unknownWord, UsageError } from "./parse_command.ts";
import { counted } from "../util/counted.ts";

/** What `fw help queue` prints. */
export const QUEUE_HELP = `Usage: fw queue list|status|show|replay|discard

Looks at messages that were given up (dead letters), and tries them again.

  fw queue list [folder]           list them, oldest first
  fw queue status [folder]         how many messages wait in outbox and channels, since when, and how many were given up
  fw queue show <id> [folder]      print one: payload, headers, last error
  fw queue replay <id> [folder]    try one again, without attempts counted
  fw queue replay --all [folder]   try all of them again
  fw queue discard <id> [folder]   remove one for good

Channels count what waits by group: there is no subscriber as long as no server of the application has taken messages.

  --tenant ID      whose, with multitenancy
  --profile NAME   whose configuration

These are the messages in the database of the application, and those that its groups gave up in their channels: in the
file of a message box, or at a broker. The ids of the latter begin with the name of the messaging service. A message of
a channel is tried again in the group that gave it up, and in no other.

A server of the application takes what is replayed within seconds; without one it waits for the next start.
An id may be cut short as long as one message only begins with it.

Examples: fw queue list
          fw queue replay 3f2a --profile production`;

const LIMIT = 1_000;
const ERROR_WIDTH = 60;

/** Lists, shows, replays and discards dead letters. */
export async function queueCommand({ words, options }: Command): Promise<number> {
  const [action = "list", ...others] = words;
  const isAll = options.all === true;
  const takesId = action === "show" || action === "discard" || (action === "replay" && !isAll);
  const id = takesId ? others.shift() : undefined;
  const [folder = Deno.cwd(), ...more] = others;
  if (
    !Object.hasOwn(ACTIONS, action) || more.length > 0 || (takesId && id === undefined) ||
    (isAll && action !== "replay")
  ) {
    throw mistakeIn(action, takesId && id === undefined);
  }
  const tenant = typeof options.tenant === "string" ? options.tenant : undefined;
  let hasFailed = false;
  const note = (text: string) => console.error(text);
  const fail = (text: string) => {
    note(text);
    hasFailed = true;
  };
  const root = folder.replace(/(.)\/+$/, "$1");
  const code = await withDeadLetters(
    root,
    { tenant, note, fail },
    (letters) => ACTIONS[action]!({ letters, tenant, id, hasFailed: () => hasFailed }),
  );
  return hasFailed ? 1 : code;
}

/** What is wrong with the words. */
function mistakeIn(action: string, lacksId: boolean): UsageError {
  if (!Object.hasOwn(ACTIONS, action)) return unknownWord("action", action, Object.keys(ACTIONS));
  return new UsageError(
    lacksId ? `fw queue ${action} needs the id of a message` : `fw queue ${action} takes other words`,
  );
}

interface Request {
  readonly letters: GivenUpMessages;
  readonly tenant: string | undefined;
  /** Key of a message, or its beginning. */
  readonly id: string | undefined;
  /** Whether something could not be looked at. */
  readonly hasFailed: () => boolean;
}

const ACTIONS: Readonly<Record<string, (request: Request) => Promise<number>>> = {
  list: async ({ letters, tenant, hasFailed }) => {
    const found = await letters.list({ tenant, limit: LIMIT });
    if (found.length === 0 && hasFailed()) return 1;
    for (const line of table(found)) console.log(line);
    const more = found.length === LIMIT ? `The oldest ${LIMIT} dead letters` : `${found.length} dead letters`;
    console.log(found.length === 0 ? "No dead letters" : `\n${found.length === 1 ? "1 dead letter" : more}`);
    return 0;
  },
  status: async ({ letters, hasFailed }) => {
    const states = (await letters.states()).toSorted((a, b) => compareTexts(a.target, b.target));
    if (states.length === 0 && hasFailed()) return 1;
    const rows = states.map(({ place, target, waiting, unsubscribed, oldestAgeMs, dead }) => [
      ...[target, place, waiting === undefined ? unsubscribed ? "no subscriber" : "" : String(waiting)],
      ...[
        waiting && oldestAgeMs !== undefined ? `${Math.round(oldestAgeMs / 1000)} s` : "",
        dead === undefined ? "" : dead === LIMIT ? `${LIMIT} or more` : String(dead),
      ],
    ]);
    for (const line of columns([["TARGET", "PLACE", "WAITING", "OLDEST", "DEAD"], ...rows])) {
      console.log(line);
    }
    return 0;
  },
  show: async (request) => {
    const found = await findOne(request);
    if (found) console.log(describe(found));
    return found ? 0 : 1;
  },
  replay: async (request) => {
    const { letters, tenant } = request;
    const found = request.id === undefined ? undefined : await findOne(request);
    if (request.id !== undefined && !found) return 1;
    const count = await letters.replay({ tenant, id: found?.ID });
    console.log(`${counted(count, "message")} ${count === 1 ? "is" : "are"} tried again`);
    return 0;
  },
  discard: async (request) => {
    const { letters, tenant } = request;
    const found = await findOne(request);
    const isGone = found !== undefined && await letters.discard({ tenant, id: found.ID });
    if (isGone) console.log("1 message is removed");
    return isGone ? 0 : 1;
  },
};

async function findOne({ letters, tenant, id }: Request): Promise<GivenUpMessage | undefined> {
  const found = await letters.list({ tenant, id, limit: LIMIT });
  if (found.length === 1) return found[0];
  console.error(
    found.length === 0 ? `There is no dead letter "${id}"` : `${found.length} ids begin with "${id}"`,
  );
  return undefined;
}

function table(messages: readonly GivenUpMessage[]): readonly string[] {
  if (messages.length === 0) return [];
  const rows = [["ID", "TARGET", "EVENT", "ATTEMPTS", "LAST ATTEMPT", "ERROR"]];
  for (const message of messages) {
    const { ID, target, attempts, lastAttemptTimestamp, lastError } = message;
    const error = (lastError ?? "").split("\n", 1)[0]!;
    rows.push([
      ...[ID, target, nameOf(message), String(attempts), (lastAttemptTimestamp ?? "").slice(0, 19)],
      error.length > ERROR_WIDTH ? `${error.slice(0, ERROR_WIDTH - 1)}…` : error,
    ]);
  }
  return columns(rows);
}

function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column]!)).join("  ").trimEnd());
}

function describe(message: GivenUpMessage): string {
  const { ID, target, timestamp, attempts, lastAttemptTimestamp, lastError, work } = message;
  const { id, tenant, user, data, headers, query, request } = work ?? {};
  const facts = {
    ...{ ID, target, event: nameOf(message), kind: work?.kind, "stored at": timestamp, attempts },
    ...{ "last attempt": lastAttemptTimestamp, "correlation id": id, tenant, user },
  };
  const lines = Object.entries(facts).filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${`${name}:`.padEnd(16)}${value}`);
  for (const [name, value] of Object.entries({ headers: redact(headers), data, query, request })) {
    if (value !== undefined) lines.push(`${name}: ${JSON.stringify(value, null, 2)}`);
  }
  return [...lines, "last error:", lastError ?? ""].join("\n").trimEnd();
}

function nameOf({ task, work }: GivenUpMessage): string {
  return work?.event ?? work?.request?.event ?? work?.request?.path ?? task ?? work?.kind ?? "?";
}
