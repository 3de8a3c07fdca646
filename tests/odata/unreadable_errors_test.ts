import assert from "node:assert/strict";
import { createRuntime } from "../../mod.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { send } from "../http/fixture.ts";

const MODEL = parseCdl(
  `service S { entity E { key ID : Integer; name : String; } action act(); function fn() returns String; }
@protocol: 'rest' service R { entity E { key ID : Integer; } }`,
);

function fail(): never {
  throw new Error("a trap");
}

/** Traps of all operations that throw. */
const TRAPS = Object.fromEntries(
  Object.getOwnPropertyNames(Reflect).map((name) => [name, fail]),
) as ProxyHandler<object>;

function withGetters<T extends object>(target: T, ...names: readonly string[]): T {
  for (const name of names) Object.defineProperty(target, name, { get: fail, enumerable: true });
  return target;
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

/** Readable for the first looks at it. */
function throwingLater(looks: number): object {
  let left = looks;
  const trap = (work: (...args: never[]) => unknown) => (...args: never[]) =>
    left-- > 0 ? work(...args) : fail();
  return new Proxy(
    new Error("x"),
    Object.fromEntries(
      Object.entries(Object.getOwnPropertyDescriptors(Reflect))
        .filter(([, { value }]) => typeof value === "function").map((
          [name, { value }],
        ) => [name, trap(value)]),
    ),
  );
}

const THROWN: Readonly<Record<string, () => unknown>> = {
  "a proxy": () => new Proxy({}, TRAPS),
  "a proxy of an error": () => new Proxy(new Error("x"), TRAPS),
  "a proxy of a function": () => new Proxy(() => {}, TRAPS),
  "a revoked proxy": revoked,
  "undefined": () => undefined,
  "an object": () => withGetters({}, "status", "code", "message", "name", "then"),
  "an error": () => withGetters(new Error("x"), "status", "code", "message", "name", "stack", "cause"),
  "an error with details": () =>
    Object.assign(new Error("x"), { status: 400, details: [new Proxy({}, TRAPS)] }),
  "an error with a member": () => Object.assign(new Error("x"), { status: 400, "@a": new Proxy({}, TRAPS) }),
  "an error with an argument": () =>
    Object.assign(new Error("{0}"), { status: 400, args: [new Proxy({}, TRAPS)] }),
  "an object whose message is no text": () => ({ message: { toString: fail } }),
  "an error with a cause": () => new Error("x", { cause: new Proxy({}, TRAPS) }),
  "an error with a target": () =>
    Object.assign(new Error("x"), { status: 400, target: new Proxy({}, TRAPS) }),
  "an error that cannot be a header": () =>
    Object.assign(new Error("x"), { status: 401, challenge: "a\r\nb" }),
  ...Object.fromEntries(
    [1, 3, 5, 8, 12, 20].map((looks) => [`a proxy of ${looks} looks`, () => throwingLater(looks)]),
  ),
};

async function withRuntime(
  thrown: () => unknown,
  run: (runtime: ReturnType<typeof createRuntime>) => Promise<void>,
): Promise<void> {
  const idOf = (req: { data: unknown }) => (req.data as { ID?: number }).ID;
  const failing = (req: { data: unknown }) => {
    if (idOf(req) === 13) throw thrown();
  };
  const runtime = createRuntime({
    model: MODEL,
    handlers: {
      S: (srv) => {
        srv.before("CREATE", "E", failing);
        srv.before("CREATE", "E", async (req) => {
          if (idOf(req) === 14) await Promise.reject(thrown());
          if (idOf(req) === 15) {
            req.before("commit", () => {
              throw thrown();
            });
          }
        });
        srv.on(["act", "fn"], () => {
          throw thrown();
        });
      },
      R: (srv) => void srv.before("CREATE", "E", failing),
    },
    env: { log: { levels: { default: "silent" } } },
  });
  await runtime.start();
  try {
    await run(runtime);
  } finally {
    await runtime.close();
  }
}

for (const [name, thrown] of Object.entries(THROWN)) {
  Deno.test(`${name} whose members throw fails the part of a batch that threw it, and nothing else (spec 7.2)`, () =>
    withRuntime(thrown, async (runtime) => {
      const part = (id: string, url: string, body?: object) => ({
        id,
        url,
        method: body ? "POST" : "GET",
        body,
      });
      const requests = [
        part("before", "E", { ID: 1 }),
        part("sync", "E", { ID: 13 }),
        part("async", "E", { ID: 14 }),
        part("commit", "E", { ID: 15 }),
        part("action", "act", {}),
        part("function", "fn()"),
        { ...part("member", "E", { ID: 2 }), atomicityGroup: "g" },
        { ...part("culprit", "E", { ID: 13 }), atomicityGroup: "g" },
        { ...part("vetoed", "E", { ID: 15 }), atomicityGroup: "h" },
        part("after", "E", { ID: 3 }),
        part("rows", "E"),
      ];
      const { status, body } = await send(runtime, "/odata/v4/s/$batch", { body: { requests } });
      assert.equal(status, 200);
      const answers = body.responses as { id: string; status: number; body: { value: unknown } }[];
      const statuses = Object.fromEntries(answers.map((answer) => [answer.id, answer.status]));
      assert.deepEqual(Object.keys(statuses), requests.map(({ id }) => id));
      for (const id of ["sync", "async", "commit", "action", "function", "culprit", "vetoed"]) {
        assert.ok(statuses[id]! >= 400, `${id}: ${statuses[id]}`);
      }
      assert.deepEqual([statuses.before, statuses.member, statuses.after, statuses.rows], [
        201,
        424,
        201,
        200,
      ]);
      assert.deepEqual(answers.at(-1)!.body.value, [{ ID: 1, name: null }, { ID: 3, name: null }]);
    }));

  Deno.test(`${name} whose members throw is answered outside of batches, too, and what comes next is served`, () =>
    withRuntime(thrown, async (runtime) => {
      for (
        const [path, body] of [["/odata/v4/s/E", { ID: 13 }], ["/rest/r/E", { ID: 13 }], ["/odata/v4/s/fn()"]]
      ) {
        const answer = await send(runtime, path as string, { body });
        assert.ok(answer.status >= 400, `${path}: ${answer.status}`);
        assert.equal(typeof answer.body.error.message, "string");
      }
      assert.equal((await send(runtime, "/odata/v4/s/E", { body: { ID: 4 } })).status, 201);
    }));
}
