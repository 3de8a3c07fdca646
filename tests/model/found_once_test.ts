/** What follows from a model is found out once: requests ask for it each time. */

import assert from "node:assert/strict";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { typeHierarchy } from "../../src/model/derived_types.ts";
import { mediaElement } from "../../src/model/edm_types.ts";
import { entitiesRead, readsFirstSourceOnly } from "../../src/model/entities_read.ts";
import { flowOf } from "../../src/model/flows/flow.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { linksOf, throughOf } from "../../src/model/links.ts";
import { nestedStructures } from "../../src/model/nested_structures.ts";
import { isRuntimeView } from "../../src/model/runtime_view.ts";
import { validityElements, validSlice } from "../../src/model/valid_slice.ts";
import { foundOnce } from "./watched.ts";

const model = linkModel(parseCdl(`
  entity Plain { key ID : Integer; name : String; }
  @odata.subtypes: ['Truck']
  entity Cars {
    key ID : Integer; kind : String @odata.discriminator; owner : Association to Plain; load : Integer @odata.subtype: 'Truck';
    links : Composition of many Links on links.car = $self;
    friends : Association to many Plain @odata.through: 'links.friend';
  }
  entity Links { key ID : Integer; car : Association to Cars; friend : Association to Plain; }
  entity Slices { key ID : Integer; since : Timestamp @cds.valid.from; until : Timestamp @cds.valid.to; }
  entity Media { key ID : Integer; content : LargeBinary @Core.MediaType: 'image/png' @odata.media; }
  entity Boxes { key ID : Integer; @odata.nested size { width : Integer; height : Integer; } }
  entity Tasks { key ID : Integer; status : String enum { Open; Done; } default 'Open' @flow.status; }
    actions { @from: #Open @to: #Done action finish(); };
  entity Shown as select from Plain { ID, name };
  @cds.persistence.skip entity Run as select from Plain { ID };
  @cds.persistence.skip entity Skipped { key ID : Integer; }
`));
const entity = (name: string) => model.entity(name)!;

Deno.test("what an entity is, and is not, is found out once", () => {
  assert.deepEqual([...foundOnce(entity("Cars"), typeHierarchy)!.types.keys()], ["Cars", "Truck"]);
  assert.equal(foundOnce(entity("Plain"), typeHierarchy), undefined);
  assert.equal(foundOnce(entity("Media"), mediaElement)!.name, "content");
  assert.equal(foundOnce(entity("Plain"), mediaElement), undefined);
  assert.equal(foundOnce(entity("Tasks"), flowOf)!.status.name, "status");
  assert.equal(foundOnce(entity("Plain"), flowOf), undefined);
  assert.equal(foundOnce(entity("Slices"), validityElements).from!.name, "since");
  assert.deepEqual(foundOnce(entity("Plain"), validityElements), { from: undefined, to: undefined });
  assert.equal(foundOnce(entity("Slices"), validSlice).length, 3);
  assert.deepEqual(foundOnce(entity("Links"), validSlice), []);
  assert.equal(validSlice(entity("Slices")), validSlice(entity("Slices")));
  assert.deepEqual([...foundOnce(entity("Boxes"), nestedStructures).keys()], ["size"]);
  assert.equal(foundOnce(entity("Plain"), nestedStructures).size, 0);
});

Deno.test("what a view reads, and whether it is one of rows that are there, is found out once", () => {
  assert.deepEqual(foundOnce(entity("Shown"), entitiesRead).map(String), ["Plain"]);
  assert.equal(foundOnce(entity("Shown"), readsFirstSourceOnly), true);
  const skip = ["@cds.persistence.skip"];
  assert.equal(foundOnce(entity("Run"), isRuntimeView, skip), true);
  assert.equal(foundOnce(entity("Skipped"), isRuntimeView, skip), false);
});

Deno.test("how an association links rows is found out once", () => {
  const { owner, links, friends } = entity("Cars").elements;
  assert.deepEqual(foundOnce(owner!, linksOf).pairs, [{ source: "owner_ID", target: "ID" }]);
  assert.deepEqual(foundOnce(links!, linksOf).pairs, [{ source: "ID", target: "car_ID" }]);
  assert.equal(foundOnce(friends!, throughOf, ["@odata.through"])!.target.name, "friend");
});
