import assert from "node:assert/strict";
import { readTokenCredentials } from "../../../src/auth/token_client/token_credentials.ts";
import { TokenClient, type TokenGrant } from "../../../src/auth/token_client/token_client.ts";
import { FAILURE_PAUSE_MS } from "../../../src/auth/token_client/token_failures.ts";
import { ANSWER, OAUTH2 } from "./service_keys.ts";

const TIMEOUT_MS = 10_000;

type Answer = () => Response | Promise<Response>;

const good: Answer = () => Response.json(ANSWER);
const status = (code: number): Answer => () => Response.json({ error: "server_error" }, { status: code });
const away: Answer = () => Promise.reject(new TypeError("refused"));

/** The tokens of users; each is another grant. */
const user = (name: string): TokenGrant => ({ type: "jwt-bearer", assertion: name });

/** A client with a clock that stands still, and how many requests it sent. */
function failing(first: Answer, capacity = 100) {
  const state = { answer: first, now: 1_000_000, sent: 0 };
  const client = new TokenClient({
    credentials: readTokenCredentials(OAUTH2),
    limits: { tokenAnswerBytes: 1000, tokenCache: capacity, tokenRequestMs: TIMEOUT_MS },
    clock: () => state.now,
    fetch: async () => {
      state.sent++;
      return await state.answer();
    },
  });
  const ask = (name: string, authUrl?: string) =>
    client.token({ ...user(name), authUrl }).then(() => "token", (error) => error.status ?? "none");
  return { state, ask };
}

Deno.test("an endpoint that is away, overloaded or moved is asked once per second, by all users together", async () => {
  for (
    const [answer, expected] of [[away, "none"], [status(503), 503], [status(429), 429], [
      status(302),
      302,
    ]] as const
  ) {
    const { state, ask } = failing(answer);
    for (let i = 0; i < 50; i++) assert.equal(await ask(`user${i}`), expected);
    assert.equal(state.sent, 1, `${expected}`);
    state.now += 999;
    assert.equal(await ask("user"), expected);
    assert.equal(state.sent, 1, `${expected}`);
    state.now += 1;
    for (let i = 0; i < 50; i++) assert.equal(await ask(`user${i}`), expected);
    assert.equal(state.sent, 2, `${expected}`);
    state.now += FAILURE_PAUSE_MS;
    state.answer = good;
    for (let i = 0; i < 3; i++) assert.equal(await ask(`user${i}`), "token");
    assert.equal(state.sent, 5, `${expected}`);
  }
});

Deno.test("what may be about the token of one user is remembered for that one alone", async () => {
  const tooMuch: Answer = () => new Response("x".repeat(1001));
  for (
    const [answer, expected] of [[status(400), 400], [status(401), 401], [status(500), 500], [
      tooMuch,
      200,
    ]] as const
  ) {
    const { state, ask } = failing(answer);
    for (let i = 0; i < 20; i++) assert.equal(await ask("mallory"), expected);
    assert.equal(state.sent, 1, `${expected}`);
    state.answer = good;
    assert.equal(await ask("alice"), "token");
    assert.equal(await ask("mallory"), expected);
    state.now += FAILURE_PAUSE_MS;
    assert.equal(await ask("mallory"), "token");
    assert.equal(state.sent, 3, `${expected}`);
  }
});

Deno.test("an endpoint that answers again is there for all, also where it refuses the one who tried", async () => {
  const { state, ask } = failing(away);
  assert.equal(await ask("alice"), "none");
  state.now += FAILURE_PAUSE_MS;
  state.answer = status(400);
  assert.equal(await ask("mallory"), 400);
  state.answer = good;
  assert.equal(await ask("alice"), "token");
  assert.equal(await ask("mallory"), 400);
});

Deno.test("after the pause one request tries, and others do not wait for it longer than it may take", async () => {
  const { state, ask } = failing(away);
  assert.equal(await ask("alice"), "none");
  state.now += FAILURE_PAUSE_MS;
  const { promise, resolve } = Promise.withResolvers<Response>();
  state.answer = () => promise;
  const trying = ask("alice");
  for (let i = 0; i < 20; i++) assert.equal(await ask(`user${i}`), "none");
  state.now += TIMEOUT_MS;
  assert.equal(await ask("bob"), "none");
  assert.equal(state.sent, 2);
  state.now += FAILURE_PAUSE_MS;
  state.answer = away;
  assert.equal(await ask("bob"), "none");
  assert.equal(state.sent, 3);
  resolve(Response.json(ANSWER));
  assert.equal(await trying, "token");
});

Deno.test("the endpoint of one tenant that fails does not stop that of another", async () => {
  const { state, ask } = failing(away);
  assert.equal(await ask("alice", "https://a.auth.test"), "none");
  state.answer = good;
  assert.equal(await ask("alice", "https://b.auth.test"), "token");
  assert.equal(await ask("alice", "https://a.auth.test"), "none");
  assert.equal(state.sent, 2);
});

Deno.test("a clock that is set back does not lengthen the pause, and failures are bounded", async () => {
  const { state, ask } = failing(away, 2);
  assert.equal(await ask("alice"), "none");
  state.now -= 10 * TIMEOUT_MS;
  state.answer = good;
  assert.equal(await ask("alice"), "token");
  state.answer = status(400);
  for (const name of ["a", "b", "c", "a"]) assert.equal(await ask(name), 400);
  assert.equal(state.sent, 6);
});
