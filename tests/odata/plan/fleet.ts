/**
 * A service for tests of paths, options and expressions: derived types, structures, enumerations, operations, media.
 *
 * @module
 */

import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import { createPlanner, type PlannerOptions } from "../../../src/odata/plan/planner.ts";
import { planLinesOfPath } from "./plan_texts.ts";

const CDL = `
service S {
  type Spot { city : String; floor : Integer; rooms : many Integer; inner { zip : String; } }
  @odata.subtypes: ['Van', { name: 'Camper', base: 'Van' }]
  entity Cars {
    key ID : Integer; @odata.discriminator kind : String; name : String @Core.Description: 'Its name';
    @odata.subtype: 'Van' load : Integer; @odata.subtype: 'Camper' beds : Integer;
    colour : Integer enum { None = 0; Red = 1; Blue = 2; } @odata.enum: true;
    marks : Integer enum { None = 0; Old = 1; Fast = 2; Rare = 4; } @odata.enum: #flags;
    size : String enum { Small = 'S'; Large; };
    price : Decimal(9,2); weight : Double; short : Double @odata.Type: 'Edm.Single'; whole : Int64; tiny : UInt8;
    took : Decimal(9,2) @odata.Type: 'Edm.Duration'; day : Date; clock : Time; at : Timestamp; since : DateTime;
    code : Binary(4); guid : UUID; ready : Boolean; note : LargeString; extra : Map;
    tags : many String; spots : many Spot; @odata.nested spot : Spot; @odata.nested address { street : String; geo { lat : Double; lon : Double; } }
    picture : LargeBinary @Core.MediaType: 'image/png';
    owner : Association to People; @odata.subtype: 'Van' driver : Association to People;
    trips : Composition of many Trips on trips.car = $self;
  } actions {
    @odata.overload: 'reach' function reach(of : Integer) returns Integer; @odata.overload: 'reach' function reachBy(of : Integer, by : String) returns Integer;
    function others() returns many Cars; function best() returns Cars; function place() returns Spot;
    function first(in : many $self) returns Cars; action sell(to : String); action sellAll(in : many $self);
    function words() returns many String;
  };
  entity People { key ID : UUID; name : String; cars : Association to many Cars on cars.owner = $self; best : Association to Cars; }
  entity Trips { key car : Association to Cars; key no : Integer; length : Integer; stops : many String; }
  @odata.singleton entity Home { key ID : Integer; limit : Integer; car : Association to Cars; }
  entity Files { key ID : Integer; @Core.MediaType: 'text/plain' content : LargeBinary; name : String; }
  @odata.mediaEntity entity Films { key ID : Integer; name : String; }
  entity Songs { key ID : Integer; @odata.media content : LargeBinary; }
  @cds.query.limit: { default: 5, max: 20 } entity Few { key ID : Integer; }
  @cds.query.limit.max: 7 entity Fewer { key ID : Integer; }
  @cds.query.limit: 3 entity Three { key ID : Integer; }
  entity Cheap(most : Integer, least : Integer default 1) as select from Few { ID } where ID < :most;
  @odata.overload: 'sum' function sum(a : Integer, b : Integer) returns Integer;
  @odata.overload: 'sum' function sumOfThree(a : Integer, b : Integer, c : Integer) returns Integer;
  function show(text : String, at : Spot, list : many Integer, any : Map, yes : Boolean, colour : Integer enum { Red = 1; }) returns String;
  function cut(top : Integer) returns many Cars; function all() returns many Cars; function one() returns Cars; function spots() returns many Spot; function text() returns String;
  action stop(hard : Boolean);
}`;

const MODEL = linkModel(parseCdl(CDL));
const COLUMNS =
  "ID, kind, name, load, beds, colour, marks, size, price, weight, short, whole, tiny, took, day, clock, at, " +
  "since, code, guid, ready, note, extra, tags, spots, spot_city, spot_floor, spot_rooms, spot_inner_zip, address_street, " +
  "address_geo_lat, address_geo_lon, owner_ID, driver_ID";

/**
 * What URLs of the service lead to, and what they are planned as; `all` stands for the columns of cars.
 *
 * @param urls the URLs
 * @param options of the planner
 */
export function planned(
  urls: readonly string[],
  options?: PlannerOptions,
): Readonly<Record<string, readonly string[]>> {
  const planner = createPlanner(MODEL.service("S")!, options);
  const linesOf = (url: string) =>
    planLinesOfPath(planner, url).map((line) => line.replaceAll(COLUMNS, "all"));
  return Object.fromEntries(urls.map((url) => [url, linesOf(url)]));
}
