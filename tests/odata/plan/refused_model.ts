/**
 * A service for URLs that the planner refuses.
 *
 * @module
 */

/** Elements, keys and operations of every kind. */
export const CDL = `
  service S {
    type Place { city : String; floor : Integer; rooms : many Integer; }
    entity Books {
      key ID : Integer; title : String(111); stock : Integer; price : Decimal(9,2); available : Boolean;
      at : Timestamp; day : Date; clock : Time; bytes : Binary(4); tags : many String; marks : many Integer;
      places : many Place; address { city : String; zip : String; } virtual hint : String;
      picture : LargeBinary @Core.MediaType: 'image/png';
      author : Association to Authors; reviews : Association to many Reviews on reviews.book = $self;
    } actions {
      function rate(stars : Integer) returns Integer;
      function best(in : many $self) returns Integer;
      function similar() returns many Books;
      function tagsOf() returns many String;
      action submit();
      action clear(in : many $self);
    };
    entity Authors { key ID : UUID; name : String; rank : Integer; books : Association to many Editions on books.author = $self; }
    entity Editions { key title : String; key edition : Integer; author : Association to Authors; }
    entity Reviews { key ID : UUID; rating : Integer; book : Association to Books; }
    @Aggregation.RecursiveHierarchy #Tree : { NodeProperty : ID, ParentNavigationProperty : parent }
    entity Nodes { key ID : Integer; name : String; parent : Association to Nodes; children : Association to many Nodes on children.parent = $self; items : Association to many Items on items.node = $self; }
    entity Items { key ID : Integer; amount : Integer; tags : many String; node : Association to Nodes; }
    @odata.singleton entity Settings { key ID : Integer; minimum : Integer; }
    entity Bare as select from Books { title, stock };
    entity Cheap(most : Integer) as select from Books { ID, title } where price < :most;
    function getStock(book : Integer, warehouse : String) returns Integer;
    function all() returns many Books;
    function one() returns Books;
    function names() returns many String;
    function place() returns Place;
    function places() returns many Place;
    action restock(amount : Integer);
  }
`;
