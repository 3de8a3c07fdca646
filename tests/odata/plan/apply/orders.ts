/**
 * A service for tests of `$apply`: properties of every kind, hierarchies, and entities with no key, one or several.
 *
 * @module
 */

import { parseCdl } from "../../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../../src/model/link_model.ts";
import { createPlanner, type PlannerOptions } from "../../../../src/odata/plan/planner.ts";
import { planLines } from "../plan_texts.ts";

const CDL = `
service S {
  @Aggregation.LeveledHierarchy #Place : ['buyer.country', 'city']
  @Aggregation.LeveledHierarchy #Town : [buyer.country]
  entity Orders {
    key ID : Integer; city : String;
    amount : Integer @Aggregation.default: #SUM; low : Integer @Aggregation.default: 'min';
    mean : Integer @Aggregation.default: #AVERAGE; odd : Integer @Aggregation.default: #MEDIAN;
    price : Decimal(9,2); weight : Double; took : Decimal(9,2) @odata.Type: 'Edm.Duration';
    day : Date; at : Timestamp; code : Binary(4); tags : many String; virtual hint : String;
    picture : LargeBinary @Core.MediaType: 'image/png';
    address { street : String; zip : String; }
    buyer : Association to Buyers; named : Association to Buyers { name, country };
    node : Association to Nodes; pair : Association to Pairs;
    items : Composition of many Items on items.order = $self;
    bare : Association to Bare on bare.city = city;
    bares : Association to many Bare on bares.city = city;
  }
  entity Buyers { key ID : String; name : String; country : String; orders : Association to many Orders on orders.buyer = $self; }
  entity Items { key order : Association to Orders; key pos : Integer; amount : Integer; parts : Association to many Parts on parts.item = $self; }
  entity Parts { key ID : Integer; size : Integer; item : Association to Items; }
  entity Pairs { key a : Integer; key b : Integer; name : String; orders : Association to many Orders on orders.pair = $self; }
  entity Bare as select from Orders { city, amount, items };
  @odata.subtypes: ['Van']
  entity Cars { key ID : Integer; @odata.discriminator kind : String; @odata.subtype: 'Van' load : Integer; }
  @Aggregation.RecursiveHierarchy #Tree : { NodeProperty : ID, ParentNavigationProperty : parent }
  @Aggregation.RecursiveHierarchy #NoParent : { NodeProperty : ID, ParentNavigationProperty : name }
  @Aggregation.RecursiveHierarchy #NoNode : { NodeProperty : nope, ParentNavigationProperty : parent }
  @Aggregation.RecursiveHierarchy #Many : { NodeProperty : ID, ParentNavigationProperty : children }
  entity Nodes {
    key ID : Integer; name : String; parent : Association to Nodes;
    children : Association to many Nodes on children.parent = $self;
    orders : Association to many Orders on orders.node = $self;
  }
  @Aggregation.RecursiveHierarchy#Tree.NodeProperty : ID
  @Aggregation.RecursiveHierarchy#Tree.ParentNavigationProperty : parent
  @Hierarchy.RecursiveHierarchy #Tree : { DistanceFromRoot : level, DrillStateProperty : state, LimitedRank : state, ChildCount : nope, DescendantCount : marks }
  entity Levels { key ID : Integer; level : Integer; state : String; marks : many String; parent : Association to Levels; }
}`;

const MODEL = linkModel(parseCdl(CDL));
const COLUMNS =
  "ID, city, amount, low, mean, odd, price, weight, took, day, at, code, tags, address_street, " +
  "address_zip, buyer_ID, named_name, named_country, node_ID, pair_a, pair_b";

/**
 * What URLs of the service are planned as; `all` stands for the columns of orders.
 *
 * @param urls the URLs
 * @param options of the planner
 */
export function planned(
  urls: readonly string[],
  options?: PlannerOptions,
): Readonly<Record<string, readonly string[]>> {
  const planner = createPlanner(MODEL.service("S")!, options);
  const linesOf = (url: string) => planLines(planner, url).map((line) => line.replaceAll(COLUMNS, "all"));
  return Object.fromEntries(urls.map((url) => [url, linesOf(url)]));
}
