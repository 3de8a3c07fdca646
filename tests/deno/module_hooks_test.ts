import assert from "node:assert/strict";
import { answerModule } from "../../src/deno/answered_modules.ts";
import { loadProject } from "../../src/deno/load_project.ts";
import { SMALL, withProject } from "./project.ts";

const OPTIONS = { variables: {}, env: { log: { levels: { default: "silent" } } } };
const { "srv/cat_service.ts": _typed, ...WITHOUT_HANDLERS } = SMALL;

/** Serves a small project with these files, and gives what its function answers. */
async function answerOf(files: Readonly<Record<string, string>>): Promise<unknown> {
  let value: unknown;
  await withProject({ ...WITHOUT_HANDLERS, ...files }, async (folder) => {
    const { runtime } = await loadProject(folder, OPTIONS);
    const response = await runtime.fetch(new Request("http://localhost/odata/v4/cat/hello()"));
    value = (await response.json()).value;
    await runtime.close();
  });
  return value;
}

/** A handler that answers an expression. */
function handler(imports: string, expression: string): string {
  return `${imports}
export class CatService extends cds.ApplicationService {
  override async init(): Promise<void> { this.on("hello", () => ${expression}); await super.init(); }
}`;
}

const CDS = 'import cds from "@sap/cds";';

Deno.test("rule 11: TypeScript finds the facade by '@sap/cds', its parts by name and by paths inside of it", async () => {
  const named =
    `${CDS} import { log, ApplicationService } from "@sap/cds"; import ql from "@sap/cds/lib/ql/cds-ql";`;
  const text = handler(
    named,
    "[typeof log, ApplicationService === cds.ApplicationService, typeof ql.SELECT].join()",
  );
  assert.equal(await answerOf({ "srv/cat_service.ts": text }), "function,true,function");
});

Deno.test("modules are found without endings, as folders, by the names of tsconfig.json and as compiled files", async () => {
  const imports = `${CDS}
import { one } from "./lib/one"; import { two } from "./lib"; import { three } from "@/lib/three"; import { four } from "./lib/four.js";
import { six } from "srv/lib/six"; import { seven } from "seven-seven.of"; import { Books } from "../@cds-models/shop";
import data from "./data.json";`;
  const files = {
    "tsconfig.json":
      '{ "compilerOptions": { /* aliases */ "baseUrl": ".", "paths": { "@/*": ["srv/*"], "seven-*.of": ["srv/lib/*"] } } }',
    "srv/lib/seven.ts": "export const seven: number = 7;",
    "srv/lib/one.ts": "export const one: number = 1;",
    "srv/lib/index.ts": "export const two: number = 2;",
    "srv/lib/three.ts": "export const three: number = 3;",
    "srv/lib/four.ts": "export const four: number = 4;",
    "srv/lib/six.ts": "export const six: number = 6;",
    "srv/data.json": '{ "five": 5 }',
    "srv/cat_service.ts": handler(
      imports,
      "[one, two, three, four, data.five, six, seven, Books.name].join()",
    ),
  };
  assert.equal(await answerOf(files), "1,2,3,4,5,6,7,shop.Books");
});

Deno.test("the names of tsconfig.json count from its baseUrl, and from its folder where it has none", async () => {
  const paths = { "one-*": ["lib/*"] };
  const handled = handler(`${CDS} import { one } from "one-of";`, "String(one)");
  for (const [baseUrl, folder] of [[undefined, ""], ["srv", "srv/"], ["./srv/", "srv/"]] as const) {
    const files = {
      "tsconfig.json": JSON.stringify({ compilerOptions: { baseUrl, paths } }),
      [`${folder}lib/of.ts`]: "export const one: number = 1;",
      "srv/cat_service.ts": handled,
    };
    assert.equal(await answerOf(files), "1", baseUrl);
  }
});

Deno.test("types that a module passes on like values are left out, as compilers of whole projects do", async () => {
  const files = {
    "srv/lib/index.ts": 'export {\n  One, one,\n  Other as Two,\n} from "./one";\n',
    "srv/lib/one.ts":
      'export interface One { n: number }\nexport const one: One = { n: 1 };\nexport { Other } from "./other";',
    "srv/lib/other.ts": "export type Other = string;",
    "srv/cat_service.ts": handler(
      `${CDS} import { One, one, Two } from "./lib";`,
      "((given: One): Two => String(given.n))(one)",
    ),
  };
  assert.equal(await answerOf(files), "1");
});

Deno.test("TypeScript may use what compiled modules have: require, __dirname, module.exports", async () => {
  const text = `import cds from "@sap/cds";
const path = require("path");
interface Named { name: string }
const file: Named = { name: path.basename(__dirname) };
module.exports = class CatService extends cds.ApplicationService {
  init() { this.on("hello", () => file.name); return super.init(); }
};`;
  assert.equal(await answerOf({ "srv/cat_service.ts": text }), "srv");
  const named = text.replace(
    "module.exports = class CatService",
    "module.exports = {}; module.exports.CatService = class",
  );
  assert.equal(await answerOf({ "srv/cat_service.ts": named }), "srv");
});

Deno.test("names of generated types are those of the model", async () => {
  const text = handler(
    `${CDS} import { Book, Books, Kind } from "#cds-models/shop"; import CatService_ from "#cds-models/CatService";`,
    "[Book === Books, Books.name, Kind.short, CatService_.name].join()",
  );
  const model = `${SMALL["db/schema.cds"]}\ntype Kind : String enum { short = 's'; long };`;
  const files = { "db/schema.cds": model, "srv/cat_service.ts": text };
  assert.equal(await answerOf(files), "true,shop.Books,s,CatService");
  // generated files may be older than the model
  const old = {
    "package.json": '{ "imports": { "#cds-models/*": "./@cds-models/*/index.js" } }',
    "@cds-models/shop/index.js": "module.exports.Book = 1;",
  };
  assert.equal(await answerOf({ ...files, ...old }), "true,shop.Books,s,CatService");
});

Deno.test("a name of generated types that the model does not have is undefined", async () => {
  const text = handler(
    `${CDS} import { Book, Absent as Gone } from "#cds-models/shop"; import { Other } from "#cds-models/shop";`,
    "[typeof Book, typeof Gone, typeof Other].join()",
  );
  assert.equal(await answerOf({ "srv/cat_service.ts": text }), "object,undefined,undefined");
});

Deno.test("TypeScript may export and import as compilers to CommonJS have it", async () => {
  const files = {
    "srv/lib/one.ts": "const one: { n: number } = { n: 1 };\nexport = one;\n",
    "srv/cat_service.ts": `${CDS}
import path = require("path");
import one from "./lib/one";

export = class extends cds.ApplicationService {
  init() { this.on("hello", () => path.basename("a/b") + one.n); return super.init(); }
};
`,
  };
  assert.equal(await answerOf(files), "b1");
});

Deno.test("decorators from before the standard are compiled by the typescript of the project that asks for them", async () => {
  const files = {
    "tsconfig.json":
      '{ "compilerOptions": { "experimentalDecorators": true, "emitDecoratorMetadata": true } }',
    "node_modules/typed/package.json": '{ "name": "typed", "main": "index.js" }',
    "node_modules/typed/index.js":
      "exports.Given = (list) => (_target, name, index) => list.push(name + index);",
    "srv/cat_service.ts": `${CDS}
import { Given, Query } from "typed";

const seen: string[] = [];
@((_: unknown) => {}) export class CatService extends cds.ApplicationService {
  @((_: unknown, _name: string) => {}) query!: Query;
  twice(@Given(seen) n: number) { return 2 * n; }
  override async init(): Promise<void> { this.on("hello", () => seen.join()); await super.init(); }
}`,
  };
  assert.equal(await answerOf(files), "twice0");
});

Deno.test("the name of a compiled file at @impl means its source", async () => {
  const files = {
    "srv/cat_service.cds": SMALL["srv/cat_service.cds"].replace("service", "@impl: './lib/cat.js' service"),
    "srv/cat_service.ts": "",
    "srv/lib/cat.ts": handler(CDS, "'source'"),
  };
  assert.equal(await answerOf(files), "source");
});

const packages = {
  "node_modules/plain/package.json": '{ "name": "plain", "main": "lib" }',
  "node_modules/plain/lib/index.js": 'exports.plain = require("./data.json").value;',
  "node_modules/plain/lib/data.json": '{ "value": "plain" }',
  "node_modules/both/package.json":
    '{ "name": "both", "exports": { ".": [{ "module-sync": "./both.mjs", "import": "./both.mjs", "default": "./both.js" }] } }',
  "node_modules/both/both.mjs": 'import both from "./both.js"; export default both;',
  "node_modules/both/both.js": 'module.exports = "both";',
  "node_modules/@x/modern/package.json":
    '{ "name": "@x/modern", "type": "module", "exports": { "./part/*": { "import": "./src/*.js" } } }',
  "node_modules/@x/modern/src/one.js": 'import { two } from "./two.js"; export const one = `modern ${two}`;',
  "node_modules/@x/modern/src/two.js": "export const two = 2;",
};

Deno.test("packages in node_modules are found by import and by require", async () => {
  const text = handler(
    `${CDS} import { plain } from "plain"; import both from "both"; import { one } from "@x/modern/part/one";`,
    "[plain, both, one].join()",
  );
  assert.equal(await answerOf({ ...packages, "srv/cat_service.ts": text }), "plain,both,modern 2");
  const required = `const { plain } = require("plain"), both = require("both");
module.exports = (srv) => srv.on("hello", () => [plain, both].join());`;
  assert.equal(await answerOf({ ...packages, "srv/cat_service.js": required }), "plain,both");
});

Deno.test("packages, and files that say that they are ES modules, have nothing of CommonJS", async () => {
  const text = 'export const kind = typeof module === "object" && module.exports ? "CommonJS" : "ES module";';
  const files = {
    "node_modules/modern/package.json": '{ "name": "modern", "type": "module", "exports": "./kind.js" }',
    "node_modules/modern/kind.js": text,
    "srv/lib/own.mjs": text,
    "srv/lib/open.js": text,
    "srv/cat_service.ts": handler(
      `${CDS} import { kind } from "modern"; import { kind as own } from "./lib/own.mjs";
import { kind as open } from "./lib/open.js";`,
      "[kind, own, open].join()",
    ),
  };
  assert.equal(await answerOf(files), "ES module,ES module,CommonJS");
});

Deno.test("packages that are not public and absent fail where they are called, and not before", async () => {
  const text = `const closed = require("@sap/closed");
module.exports = (srv) => srv.on("hello", () => { try { return closed(); } catch (error) { return error.message; } });`;
  const message = "The package @sap/closed is not installed, and nothing stands in for it";
  assert.equal(await answerOf({ "srv/cat_service.js": text }), message);
  const imported = handler(
    `${CDS} import closed from "@sap/closed";`,
    "{ try { return closed(); } catch (error) { return (error as Error).message; } }",
  );
  assert.equal(await answerOf({ "srv/cat_service.ts": imported }), message);
});

Deno.test("what handlers ask @sap/xsenv for are the services of VCAP_SERVICES", async () => {
  const text = `const xsenv = require("@sap/xsenv");
module.exports = (srv) => srv.on("hello", () => {
  process.env.VCAP_SERVICES = '{ "mail": [{ "name": "mine", "tags": ["smtp"], "credentials": { "url": "x:" } }] }';
  const { mail } = xsenv.getServices({ mail: { tag: "smtp" } });
  const wrong = (() => { try { xsenv.serviceCredentials("none"); } catch (error) { return error.message; } })();
  delete process.env.VCAP_SERVICES;
  return [mail.url, wrong].join();
});`;
  assert.equal(
    await answerOf({ "srv/cat_service.js": text }),
    'x:,Expected one bound service that fits "none", but there are 0',
  );
});

Deno.test("modules that are made of values export what values inherit and hide, and no constructor", async () => {
  class Base {
    get inherited() {
      return "inherited";
    }
  }
  class Made extends Base {
    own = "own";
    method() {
      return "method";
    }
    get failing(): never {
      throw new Error("not yet");
    }
  }
  const value = Object.defineProperty(new Made(), "hidden", { value: "hidden" });
  // modules are loaded once, and so named anew each time
  const [values, fn] = ["values", "function"].map((what) => `made-of-${what}-${crypto.randomUUID()}`);
  answerModule(values, { exports: () => value });
  answerModule(fn, { exports: () => Object.assign(() => "called", { own: 1 }) });
  const imports = `${CDS}
import made, { own, inherited, hidden, method, failing } from "${values}";
import * as all from "${values}";
import call, { own as one } from "${fn}";
import * as called from "${fn}";`;
  const text = handler(
    imports,
    `[own, inherited, hidden, method(), typeof failing, made.own, call(), one, Object.keys(all).sort(), Object.keys(called)].join()`,
  );
  assert.equal(
    await answerOf({ "srv/cat_service.ts": text }),
    "own,inherited,hidden,method,undefined,own,called,1,default,failing,hidden,inherited,method,own,default,own",
  );
});

Deno.test("what modules have as default is that of ES modules, and of what is compiled from them, else the value itself", async () => {
  const own = "export const one = 1;";
  const values: readonly (readonly [unknown, string])[] = [
    [await import(`data:text/javascript,${own} export default "of a module";`), "of a module"],
    [await import(`data:text/javascript,${own}`), "1"],
    [{ __esModule: true, default: "compiled", one: 1 }, "compiled"],
    [{ __esModule: true, one: 1 }, "1"],
    [{ default: "a member", one: 1 }, "1"],
    [Object.assign(() => {}, { default: "a member", one: 1 }), "1"],
    ["a text", "a text"],
    [null, "null"],
    [undefined, "undefined"],
  ];
  const names = values.map(() => `default-of-${crypto.randomUUID()}`);
  values.forEach(([value], index) => answerModule(names[index]!, { exports: () => value }));
  const imports = names.map((name, index) => `import v${index} from "${name}";`).join("\n");
  const text = handler(
    `${CDS}\n${imports}`,
    `[${names.map((_, index) => `String((v${index} as { one?: number })?.one ?? v${index})`).join()}].join()`,
  );
  assert.equal(await answerOf({ "srv/cat_service.ts": text }), values.map(([, expected]) => expected).join());
});

Deno.test("a package that is not installed is named with the file that imports it", async () => {
  const text = handler(`${CDS} import missing from "missing-package";`, "missing");
  await assert.rejects(
    answerOf({ "srv/cat_service.ts": text }),
    /cat_service\.ts:\d+:\d+: .*The package "missing-package" is not installed: deno add npm:missing-package, or npm install/,
  );
});

Deno.test("a package that is not installed is named without the path inside of it, and with its scope", async () => {
  for (
    const [specifier, name] of [
      ["absent/part", "absent"],
      ["@acme/absent", "@acme/absent"],
      ["@acme/absent/part", "@acme/absent"],
    ] as const
  ) {
    const text = handler(`${CDS} import missing from "${specifier}";`, "missing");
    await assert.rejects(
      answerOf({ "srv/cat_service.ts": text }),
      new RegExp(`The package "${name}" is not installed: deno add npm:${name}, or npm install ${name}$`),
    );
  }
});
