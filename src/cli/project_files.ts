/**
 * The files of a new project.
 *
 * @module
 */

import { relative } from "node:path/posix";
import { VERSION } from "../fw/version.ts";
import { projectRoot } from "../deno/project_root.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";

/**
 * What V8 is told at the start of servers, as it cannot be told later: how much space short-lived objects may take. By
 * default it lets that grow to more than the rest of a server takes. Requests take no more time with it, and a server in use
 * keeps a fourth less memory.
 */
export const V8_FLAGS = "--max-semi-space-size=8";

/** Files by their paths in the project. */
export type ProjectFiles = Readonly<Record<string, string>>;

/** A data model with rows, two services, handlers, a test, requests: the sample of a project. */
export const SAMPLE_FILES: ProjectFiles = {
  "db/schema.cds": `namespace shop;

entity Books {
  key ID : Integer;
  title  : String(111) @mandatory;
  stock  : Integer default 0;
  author : Association to Authors;
}

entity Authors {
  key ID : Integer;
  name   : String(111) @mandatory;
  books  : Association to many Books on books.author = $self;
}
`,
  "db/data/shop-Authors.csv": "ID;name\n1;Jane Austen\n2;Mary Shelley\n",
  "db/data/shop-Books.csv": "ID;title;stock;author_ID\n11;Emma;7;1\n12;Persuasion;1;1\n13;Frankenstein;3;2\n",
  "srv/catalog_service.cds": `using { shop } from '../db/schema';

/** What everybody may see, and users may order. */
service CatalogService {
  @readonly entity Books as projection on shop.Books;
  @readonly entity Authors as projection on shop.Authors;

  /** Takes copies from stock. */
  @requires: 'authenticated-user'
  action order (book : Integer @mandatory, quantity : Integer @mandatory @assert.range: [1, 100]) returns {
    stock : Integer;
  };
}
`,
  "srv/admin_service.cds": `using { shop } from '../db/schema';

/** Keeping the shelves in order. */
@requires: 'admin'
service AdminService {
  entity Books as projection on shop.Books;
  entity Authors as projection on shop.Authors;
}
`,
  "srv/catalog_service.ts": `import fw, { SELECT, UPDATE } from "@fw/runtime";
import { CatalogService as Catalog, shop } from "./model.ts";

/** Orders reduce the stock. */
export class CatalogService extends fw.ApplicationService {
  override async init(): Promise<void> {
    const { Books } = shop;

    this.on(Catalog.order, async (req) => {
      const { book, quantity } = req.data;
      const found = await SELECT.one.from(Books, book).columns("stock");
      if (!found) return req.reject(404, "There is no such book", "book");
      const taken = await UPDATE(Books).where({ ID: book, stock: { ">=": quantity } })
        .set({ stock: { "-=": quantity } });
      if (Number(taken) === 0) return req.reject(409, "Sold out", "quantity");
      return { stock: (found.stock ?? 0) - quantity };
    });
    await super.init();
  }
}
`,
  "test/catalog_service_test.ts": `import { expect, test } from "@fw/runtime/test";

const ROOT = \`\${import.meta.dirname}/..\`;
const CATALOG = "/odata/v4/catalog";

Deno.test("books are read with their authors", async () => {
  const { GET, close } = test(ROOT);
  const auth = { username: "bob" };
  const { data } = await GET(\`\${CATALOG}/Books(11)?$select=title&$expand=author($select=name)\`, { auth });
  expect(data).to.containSubset({ title: "Emma", author: { name: "Jane Austen" } });
  await close();
});

Deno.test("orders reduce the stock, until there is none", async () => {
  const { POST, close } = test(ROOT);
  const auth = { username: "bob" };
  const first = await POST(\`\${CATALOG}/order\`, { book: 12, quantity: 1 }, { auth });
  expect(first.data).to.containSubset({ stock: 0 });
  const second = await POST(\`\${CATALOG}/order\`, { book: 12, quantity: 1 }, { auth });
  expect(second.status).to.equal(409);
  await close();
});

Deno.test("only administrators see the shelves", async () => {
  const { GET, close } = test(ROOT);
  const read = async (username: string) =>
    (await GET("/odata/v4/admin/Books", { auth: { username } })).status;
  expect(await read("alice")).to.equal(200);
  expect(await read("bob")).to.equal(403);
  await close();
});
`,
  "requests.http": `### Books with their authors
GET http://localhost:4004/odata/v4/catalog/Books?$expand=author($select=name)

### Nobody is logged in: 401
GET http://localhost:4004/odata/v4/admin/Books

### bob orders
POST http://localhost:4004/odata/v4/catalog/order
Authorization: Basic bob:
Content-Type: application/json

{ "book": 11, "quantity": 2 }

### alice adds a book
POST http://localhost:4004/odata/v4/admin/Books
Authorization: Basic alice:
Content-Type: application/json

{ "ID": 14, "title": "The Last Man", "author_ID": 2, "stock": 5 }
`,
};

/**
 * What a project has around its sample: configuration with tasks, README, what is not committed.
 *
 * @param folder root of the project
 * @param name name of the project
 */
export function frameFiles(folder: string, name: string): ProjectFiles {
  const clone = cloneFrom(folder);
  const configuration = {
    imports: { "@fw/runtime": PUBLISHED, "@fw/runtime/": `${PUBLISHED.replace(":", ":/")}/` },
    ...clone === undefined ? {} : { links: [clone] },
    tasks: {
      start: `deno run -A --v8-flags=${V8_FLAGS} @fw/runtime/cli serve`,
      watch: "deno run -A @fw/runtime/cli watch",
      test: "deno test -A --no-check",
      check: "deno check",
      types: "deno run -A @fw/runtime/cli compile --to types --dest srv/model.ts",
      fw: "deno run -A @fw/runtime/cli",
    },
    fmt: { lineWidth: 110, proseWrap: "preserve" },
    lint: { plugins: [`${PUBLISHED}/lint`] },
    fw: { name, version: "0.1.0", types: "srv/model.ts" },
  };
  return {
    "deno.json": `${JSON.stringify(configuration, null, 2)}\n`,
    ".gitignore": "node_modules/\ngen/\n*.sqlite*\n.env\n.cdsrc-private.json\n",
    "README.md": `# ${name}

\`\`\`sh
deno task watch    # serves on http://localhost:4004, and again when a file changes
deno task test
deno task check    # types of handlers and tests
deno task fw help  # all commands
\`\`\`

- \`db/schema.cds\`: entities, \`db/data\`: their first rows
- \`srv/*.cds\`: services, \`srv/*.ts\`: their handlers
- \`srv/model.ts\`: types of the model, written by \`deno task watch\` and \`deno task types\`
- \`test\`: tests, \`requests.http\`: requests to try
`,
  };
}

/** This package as a registry has it. */
const PUBLISHED = `jsr:@fw/runtime@^${VERSION}`;

/**
 * The clone of this package that runs, seen from a folder: what "links" of a project name.
 *
 * @param folder an absolute path
 * @returns undefined where the package was published
 */
export function cloneFrom(folder: string): string | undefined {
  const { protocol, pathname } = new URL("../../", import.meta.url);
  return protocol === "file:" ? relative(folder, decodeURIComponent(pathname)) : undefined;
}

/**
 * The absolute path of a folder that must be there.
 *
 * @param folder as it was given
 * @throws ConfigurationError where there is none of that name
 */
export async function existingFolder(folder: string): Promise<string> {
  const root = projectRoot(folder);
  const found = await Deno.stat(root).catch(() => undefined);
  if (found?.isDirectory) return root;
  throw new ConfigurationError(found ? "Expected a folder" : "There is no such folder", { file: folder });
}
