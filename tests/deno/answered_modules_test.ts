/** What existing handlers ask packages for that are not public: services that are bound, variables of a file. */

import assert from "node:assert/strict";
import { answerOf, answerOfAbsent } from "../../src/deno/answered_modules.ts";

// deno-lint-ignore no-explicit-any -- as handlers call it
const xsenv = answerOfAbsent("@sap/xsenv")!.exports() as any;

const MAIL = { name: "mine", label: "mail", tags: ["smtp"], plan: "free", credentials: { url: "m:" } };
const SHOP = { name: "shop", label: "db", credentials: { url: "s:" } };
const OTHER = { name: "other", label: "db", plan: "free", credentials: { url: "o:" } };

/** Does something with variables of the process, and takes them back. */
function withVariables(variables: Readonly<Record<string, string>>, run: () => void): void {
  const before = Deno.env.toObject();
  for (const [name, value] of Object.entries(variables)) Deno.env.set(name, value);
  try {
    run();
  } finally {
    for (const name of Object.keys(Deno.env.toObject())) {
      if (before[name] === undefined) Deno.env.delete(name);
      else Deno.env.set(name, before[name]);
    }
  }
}

const bound = (run: () => void) => {
  const { label: _mail, ...mail } = MAIL;
  const [shop, other] = [SHOP, OTHER].map(({ label: _label, ...one }) => one);
  withVariables({ VCAP_SERVICES: JSON.stringify({ mail: [mail], db: [shop, other] }) }, run);
};

Deno.test("bound services are found by name, members, tags or a function, and have the label they stand under", () => {
  bound(() => {
    const all = { mine: MAIL, shop: SHOP, other: OTHER };
    for (const read of ["readServices", "readCFServices"]) assert.deepEqual(xsenv[read](), all);
    for (
      const [filter, found] of [
        [undefined, [MAIL, SHOP, OTHER]],
        ["shop", [SHOP]],
        ["db", []],
        [{ label: "db" }, [SHOP, OTHER]],
        [{ label: "db", plan: "free" }, [OTHER]],
        [{ tag: "smtp" }, [MAIL]],
        [{ tags: "smtp" }, [MAIL]],
        [{ tag: "imap" }, []],
        [{}, [MAIL, SHOP, OTHER]],
        [({ plan }: { plan?: string }) => plan === "free", [MAIL, OTHER]],
      ] as const
    ) {
      for (const filtered of ["filterServices", "filterCFServices"]) {
        assert.deepEqual(xsenv[filtered](filter), found, String(JSON.stringify(filter)));
      }
    }
  });
  withVariables({}, () => assert.deepEqual(xsenv.filterServices(), []));
});

Deno.test("credentials are those of the only service that fits, and of none where there are several", () => {
  bound(() => {
    for (const credentials of ["serviceCredentials", "cfServiceCredentials"]) {
      assert.deepEqual(xsenv[credentials]("shop"), { url: "s:" });
      for (const [filter, count] of [["none", 0], [{ label: "db" }, 2]] as const) {
        assert.throws(() => xsenv[credentials](filter), {
          message: `Expected one bound service that fits ${JSON.stringify(filter)}, but there are ${count}`,
        });
      }
    }
    assert.deepEqual(xsenv.getServices({ a: "shop", b: { tag: "smtp" } }), {
      a: { url: "s:" },
      b: { url: "m:" },
    });
    assert.equal(xsenv.loadCertificates(), undefined);
  });
});

Deno.test("variables of a file are added as texts; those that exist stay, and a file that is absent adds none", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const file = `${folder}/env.json`;
    Deno.writeTextFileSync(
      file,
      JSON.stringify({ FW_A: "text", FW_B: { c: [1] }, FW_C: 5, FW_D: "new", FW_E: "new" }),
    );
    withVariables({ FW_D: "old", FW_E: "" }, () => {
      xsenv.loadEnv(file);
      const variables = ["FW_A", "FW_B", "FW_C", "FW_D", "FW_E"].map((name) => Deno.env.get(name));
      assert.deepEqual(variables, ["text", '{"c":[1]}', "5", "old", ""]);
      const known = Deno.env.toObject();
      xsenv.loadEnv(`${folder}/none.json`);
      assert.deepEqual(Deno.env.toObject(), known);
    });
    Deno.writeTextFileSync(file, "{");
    assert.throws(() => xsenv.loadEnv(file), SyntaxError);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the facade is answered whatever is installed, what stands in only where nothing is", () => {
  for (const name of ["@sap/cds", "@fw/runtime", "@sap/cds/package.json"]) assert.ok(answerOf(name), name);
  for (const name of ["@sap/cds-dk", "@sap/xsenv", "@sap/cds-odata-v2-adapter-proxy"]) {
    assert.equal(answerOf(name), undefined, name);
    assert.ok(answerOfAbsent(name), name);
  }
  assert.equal(answerOf("@sap/cds")!.exports(), answerOf("@fw/runtime")!.exports());
});
