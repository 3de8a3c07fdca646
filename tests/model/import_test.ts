import assert from "node:assert/strict";
import csdl from "odata-csdl";
import { compile } from "../../src/fw/facade_compile.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { importCsdl } from "../../src/model/import/import_csdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { runCommand } from "../cli/run_command.ts";
import { withProject } from "../deno/project.ts";
import { startCli } from "../deno/project_processes.ts";

const SHOP = `
  @Core.Description: 'Sells things' @path: '/shop'
  service my.Shop {
    type Money { amount : Decimal(10, 2) not null; currency : String(3); }
    entity Things {
      key ID : UUID;
      @title: 'Name' @mandatory name : String(20) not null default 'new';
      long : LargeString; count : Int64; weight : Double; tiny : UInt8; short : Int16; flag : Boolean;
      day : Date; clock : Time; at : DateTime; stamp : Timestamp; bytes : Binary(10); map : Map;
      tags : many String(10);
      @odata.Type: 'Edm.Duration' lasts : Decimal;
      @odata.Type: 'Edm.SByte' low : Int16;
      prices : many Money;
      group : Association to Groups;
      parts : Composition of many { key pos : Integer; text : String(5); };
      @Core.MediaType: 'image/png' photo : LargeBinary;
    } actions {
      action rename(name : String(20) not null) returns Things;
      action clear(in : many $self);
      function price(factor : Double not null, day : Date) returns Money;
    };
    @readonly entity Groups { key ID : Integer; title : String(5); things : Association to many Things on things.group = $self; }
    @odata.singleton entity Info { key ID : Integer; text : String(5); }
    action close(reason : String(5), now : Boolean not null);
    function best(count : Integer not null) returns many Things;
  }`;

const metadata = (model: Parameters<typeof compile.to.edmx>[0]) =>
  csdl.xml2json(compile.to.edmx(model, { service: "my.Shop" }), { annotations: true });

Deno.test("metadata of a service, imported, has the same metadata (CSDL 4.01)", () => {
  const model = linkModel(parseCdl(SHOP));
  const first = metadata(model);
  assert.deepEqual(metadata(linkModel(importCsdl(first))), first);
  assert.deepEqual(metadata(linkModel(importCsdl(compile.to.edm(model)))), first);
});

Deno.test("an imported service is one that lives elsewhere, under the name that is wanted", () => {
  const { definitions } = importCsdl(metadata(linkModel(parseCdl(SHOP))), { name: "Remote" });
  assert.equal(definitions!["Remote"]!["@cds.external"], true);
  assert.equal(definitions!["Remote.Things"]!["@cds.persistence.skip"], true);
  assert.deepEqual(definitions!["Remote.Things"]!.elements!.group, {
    type: "cds.Association",
    target: "Remote.Groups",
    on: [{ ref: ["group", "ID"] }, "=", { ref: ["group_ID"] }],
  });
});

Deno.test("aliases, base types, type definitions, flags and types of other documents are resolved", () => {
  const model = linkModel(importCsdl({
    $Version: "4.01",
    $Reference: { "x": { $Include: [{ $Namespace: "Org.OData.Core.V1", $Alias: "C" }] } },
    $EntityContainer: "a.b.Box",
    "a.b": {
      $Alias: "self",
      Box: { $Kind: "EntityContainer", Dogs: { $Collection: true, $Type: "self.Dog" } },
      Pet: {
        $Kind: "EntityType",
        $Abstract: true,
        $Key: ["id"],
        id: { $Type: "self.Id" },
        mood: { $Type: "self.Moods", $Nullable: true },
      },
      Dog: {
        $Kind: "EntityType",
        $BaseType: "self.Pet",
        name: { "@C.Description": "Call it" },
        vet: { $Kind: "NavigationProperty", $Type: "other.Vet", $Nullable: true },
      },
      Id: { $Kind: "TypeDefinition", $UnderlyingType: "Edm.String", $MaxLength: 8 },
      Moods: { $Kind: "EnumType", $IsFlags: true, Happy: 1, Sleepy: 2 },
    },
  }));
  const dogs = model.entity("a.b.Dogs")!;
  assert.deepEqual([...dogs.$flat.keys()], ["id", "mood", "name"]);
  assert.equal(dogs.elements.id!.$type.length, 8);
  assert.equal(dogs.elements.name!["@Core.Description"], "Call it");
  assert.equal(dogs.elements.vet!.$target?.name, "other.Vet");
});

Deno.test("types of several schemas and sets that share names have names of their own (CSDL 4.01, 5)", () => {
  const entity = { $Kind: "EntityType", $Key: ["ID"], ID: { $Type: "Edm.Int32" } };
  const { definitions } = importCsdl({
    ...{ $Version: "4.01", $EntityContainer: "a.C" },
    a: {
      C: {
        $Kind: "EntityContainer",
        // the set gives its name to its entities, and its type keeps its own
        People: { $Collection: true, $Type: "a.Person" },
        Pets: { $Collection: true, $Type: "a.Pet" },
      },
      ...{ Person: entity, Pet: entity, Place: entity },
    },
    "b.c": { ...{ Person: entity, Pets: entity, Place: entity }, Plain: entity },
  }, { name: "S" });
  const names = Object.entries(definitions!).map(([name, own]) => [name, own["@odata.typeName"]]);
  assert.deepEqual(Object.fromEntries(names), {
    ...{ S: undefined, "S.People": "Person", "S.Pets": "Pet", "S.Place": undefined, "S.Plain": undefined },
    ...{ "S.b_c_Person": undefined, "S.b_c_Pets": undefined, "S.b_c_Place": undefined },
  });
});

Deno.test("what is no metadata document is refused with a reason", () => {
  for (
    const [document, message] of [
      [{}, /\$Version/],
      ["text", /\$Version/],
      [{ $Version: "4.01" }, /no schema/],
      [
        { $Version: "4.01", s: { C: { $Kind: "EntityContainer", A: { $Collection: true, $Type: "s.B" } } } },
        /no type "s.B"/,
      ],
    ] as const
  ) assert.throws(() => importCsdl(document), { name: "ConfigurationError", message });
});

Deno.test("fw import writes the model of a service from a file, and says what is wrong with one (design 13)", () =>
  withProject({
    "shop.xml": compile.to.edmx(linkModel(parseCdl(SHOP))),
    "broken.xml": "<edmx:Edmx",
  }, async (folder) => {
    const dest = `${folder}/srv/external/Shop.csn`;
    const done = await startCli("import", `${folder}/shop.xml`, "--name", "Shop", "--dest", dest).ended;
    assert.equal(done.code, 0, done.output);
    assert.match(
      done.output,
      /wrote .*Shop\.csn[\s\S]*using \{ Shop \} from '(?:\/[^'/]+)+\/srv\/external\/Shop'/,
    );
    const text = await Deno.readTextFile(dest);
    assert.ok(linkModel(JSON.parse(text)).service("Shop"));
    assert.equal(text, `${JSON.stringify(JSON.parse(text), null, 2)}\n`, "people read it, too");
    for (
      const [file, message] of [["broken.xml", /broken\.xml:1:11: Not a metadata document in XML: /], [
        "none.xml",
        /There is no such file/,
      ]] as const
    ) {
      const { code, output } = await runCommand("import", `${folder}/${file}`);
      assert.equal(code, 1);
      assert.match(output, message);
    }
  }));

Deno.test("fw import logs in with what the URL holds, says how, and keeps it out of its messages (design 13)", async () => {
  const answers = (request: Request) =>
    request.headers.get("authorization") === `Basic ${btoa("ada:pw-1")}`
      ? new Response(compile.to.edmx(linkModel(parseCdl(SHOP))))
      : new Response(null, { status: 401 });
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, answers);
  const host = `127.0.0.1:${server.addr.port}`;
  const run = (login: string) => runCommand("import", `http://${login}${host}/shop`, "--dest", "-");
  assert.equal((await run("ada:pw-1@")).code, 0);
  const refused = await run("ada:pw-2@");
  assert.equal(refused.code, 1);
  assert.match(refused.output, /status 401; a login stands in the URL: https:\/\/user:password@host\/path/);
  await server.shutdown();
  const gone = await run("ada:pw-2@");
  assert.match(gone.output, /Cannot be reached: .*refused/);
  assert.doesNotMatch(refused.output + gone.output, /pw-2/);
});

Deno.test("overloads bound to a type are all imported, numbered beside operations whose names begin so (CSDL 4.01, 12.2)", () => {
  const bound = (type: string, ...parameters: readonly string[]) => ({
    ...{ $Kind: "Action", $IsBound: true },
    $Parameter: [
      { $Name: "in", $Type: type },
      ...parameters.map(($Name) => ({ $Name, $Type: "Edm.String" })),
    ],
  });
  const model = importCsdl({
    ...{ $Version: "4.01", $EntityContainer: "s.C" },
    s: {
      C: {
        $Kind: "EntityContainer",
        As: { $Collection: true, $Type: "s.A" },
        Bs: { $Collection: true, $Type: "s.B" },
      },
      A: { $Kind: "EntityType", $Key: ["ID"], ID: { $Type: "Edm.Int32" } },
      B: { $Kind: "EntityType", $Key: ["ID"], ID: { $Type: "Edm.Int32" } },
      rate_all: [bound("s.A")],
      rate: [bound("s.A"), bound("s.B"), bound("s.A", "a"), bound("s.A", "a", "b")],
      rate_2: [bound("s.A", "c")],
    },
  });
  const actions = (entity: string) =>
    Object.entries(model.definitions![entity]!.actions!).map((
      [name, { params = {}, "@odata.overload": overload }],
    ) => [name, Object.keys(params).join(), overload]);
  assert.deepEqual(actions("s.As"), [
    ["rate_all", "", undefined],
    ["rate", "", undefined],
    ["rate_2", "a", "rate"],
    ["rate_3", "a,b", "rate"],
    ["rate_2_2", "c", "rate_2"],
  ]);
  assert.deepEqual(actions("s.Bs"), [["rate", "", undefined]]);
});
