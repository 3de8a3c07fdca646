import assert from "node:assert/strict";
import { planned } from "../fleet.ts";

/** What URLs are planned as. */
const PLANS: Readonly<Record<string, readonly string[]>> = {
  "Cars(1)/S.reach(of=1)": [
    'operation; S.Cars at Cars(1)/S.reach; S.Cars; reach of entity with {"of":1}',
    "SELECT one from S.Cars[ID = 1]",
    "rows: none",
  ],
  "Cars(1)/reach(of=1,by='x')": [
    'operation; S.Cars at Cars(1)/reach; S.Cars; reachBy of entity with {"of":1,"by":"x"}',
    "SELECT one from S.Cars[ID = 1]",
    "rows: none",
  ],
  "Cars(1)/reach(by='x',of=1)": [
    'operation; S.Cars at Cars(1)/reach; S.Cars; reachBy of entity with {"by":"x","of":1}',
    "SELECT one from S.Cars[ID = 1]",
    "rows: none",
  ],
  "Cars(1)/reach(nope=1)": [
    '400 No overload of "reach" has the parameters (nope) (offset 8)',
  ],
  "Cars(1)/reach(of=@o)?@o=3": [
    'operation; S.Cars at Cars(1)/reach; S.Cars; reach of entity with {"of":3}',
    "SELECT one from S.Cars[ID = 1]",
    "rows: none",
  ],
  "Cars(1)/reach?of=2": [
    'operation; S.Cars at Cars(1)/reach; S.Cars; reach of entity with {"of":2}',
    "SELECT one from S.Cars[ID = 1]",
    "rows: none",
  ],
  "Cars(1)/reach()?of=2&by=y": [
    'operation; S.Cars at Cars(1)/reach; S.Cars; reachBy of entity with {"of":2,"by":"y"}',
    "SELECT one from S.Cars[ID = 1]",
    "rows: none",
  ],
  "Cars(1)/reach?of=2&of=3": [
    '400 "of" is given twice (offset 19)',
  ],
  "Cars(1)/reach?of=2&@of=3": [
    '400 "of" is given twice (offset 14)',
  ],
  "Cars(1)/reach(of='x')": [
    "400 ASSERT_DATA_TYPE of ASSERT_DATA_TYPE x,Integer",
  ],
  "Cars(1)/reach(of=1.5)": [
    "400 ASSERT_DATA_TYPE of ASSERT_DATA_TYPE 1.5,Integer",
  ],
  "Cars(1)/reach(of=99999999999)": [
    "400 ASSERT_DATA_TYPE of ASSERT_DATA_TYPE 99999999999,Integer",
  ],
  "Cars(1)/reach(of=null)": [
    'operation; S.Cars at Cars(1)/reach; S.Cars; reach of entity with {"of":null}',
    "SELECT one from S.Cars[ID = 1]",
    "rows: none",
  ],
  "Cars/reach(of=1)": [
    '400 "reach" is bound to one instance (offset 5)',
  ],
  "Cars/S.first()": [
    "operation (collection); S.Cars at Cars/S.first; S.Cars; first of collection with {}",
    "SELECT from S.Cars",
    "rows: none",
  ],
  "Cars(1)/S.first()": [
    '400 "first" is bound to the collection (offset 8)',
  ],
  "Cars/S.first()/name": [
    "property; S.Cars at Cars/S.first/name; S.Cars; property name; behind 2",
    "SELECT one from S.Cars { name }",
    "rows: none",
  ],
  "Cars(1)/others()": [
    "operation; S.Cars at Cars(1)/others; S.Cars; others of entity with {}",
    "SELECT one from S.Cars[ID = 1]",
    "rows: none",
  ],
  "Cars(1)/others()/2": [
    "entity; S.Cars at Cars(1)/others(2); S.Cars; behind 2",
    "SELECT one from S.Cars[ID = 2] { all }",
    "rows: S.Cars",
  ],
  "Cars(1)/others()(2)/name": [
    "property; S.Cars at Cars(1)/others(2)/name; S.Cars; property name; behind 2",
    "SELECT one from S.Cars[ID = 2] { name }",
    "rows: none",
  ],
  "Cars(1)/others()(2)(3)": [
    '400 "others" has more than one key predicate (offset 19)',
  ],
  "Cars(1)/best()(2)": [
    '400 "best" returns no collection of entities (offset 14)',
  ],
  "Cars(1)/best()/owner": [
    "entity; S.Cars/owner at Cars(1)/best/owner; S.People; behind 2",
    "SELECT one from S.Cars.owner",
    "rows: S.People",
  ],
  "Cars(1)/place()/city": [
    "part; property value inside city; behind 2",
  ],
  "Cars(1)/place()/city/$value": [
    "part; property value inside city; behind 2",
  ],
  "Cars(1)/place()/rooms/$count": [
    "part; property value inside rooms; behind 2",
  ],
  "Cars(1)/place()/nope": [
    '404 "returns" has no property "nope" (offset 16)',
  ],
  "Cars(1)/words()": [
    "operation; S.Cars at Cars(1)/words; S.Cars; words of entity with {}",
    "SELECT one from S.Cars[ID = 1]",
    "rows: none",
  ],
  "Cars(1)/words()/$count": [
    "part; property value inside ; behind 2",
  ],
  "Cars(1)/words()?$top=1": [
    "operation; S.Cars at Cars(1)/words; S.Cars; words of entity with {}",
    "result: as it is",
    "SELECT one from S.Cars[ID = 1]",
    "rows: none",
  ],
  "Cars(1)/words()/0?$top=1": [
    "400 The option $top is not allowed for a single value (offset 18)",
  ],
  "Cars(1)/place()/city?$select=x": [
    "501 $select for parts of values that a function returns is not implemented (offset 21)",
  ],
  "POST Cars(1)/S.sell": [
    "operation; S.Cars at Cars(1)/S.sell; S.Cars; sell of entity with {}",
    "SELECT one from S.Cars[ID = 1]",
    "rows: none",
  ],
  "POST Cars/S.sellAll": [
    "operation (collection); S.Cars at Cars/S.sellAll; S.Cars; sellAll of collection with {}",
    "SELECT from S.Cars",
    "rows: none",
  ],
  "POST stop": [
    "operation; S.stop of undefined with {}",
  ],
  "stop()": [
    '400 The action "stop" takes no parentheses (offset 0)',
  ],
  "sum(a=1,b=2)": [
    'operation; S.sum of undefined with {"a":1,"b":2}',
  ],
  "sum(a=1,b=2,c=3)": [
    'operation; S.sumOfThree of undefined with {"a":1,"b":2,"c":3}',
  ],
  "sum(a=1)": [
    'operation; S.sum of undefined with {"a":1}',
  ],
  "sum(a=1,b=2)?c=3": [
    'operation; S.sumOfThree of undefined with {"a":1,"b":2,"c":3}',
  ],
  "sum(a=1,d=2)": [
    '400 No overload of "sum" has the parameters (a, d) (offset 0)',
  ],
  "sum?a=1&b=2&c=3&d=4": [
    'operation; S.sumOfThree of undefined with {"a":1,"b":2,"c":3}; {"d":"4"}',
  ],
  "sum(a=1,b=2)(3)": [
    '400 "sum" returns no collection of entities (offset 12)',
  ],
  "all()": [
    "operation; S.all of undefined with {}",
  ],
  "all()(1)": [
    "entity; S.Cars at all(1); S.Cars; behind 1",
    "SELECT one from S.Cars[ID = 1] { all }",
    "rows: S.Cars",
  ],
  "all()(1)/owner": [
    "entity; S.Cars/owner at all(1)/owner; S.People; behind 1",
    "SELECT one from S.Cars[ID = 1].owner",
    "rows: S.People",
  ],
  "all()/1": [
    "entity; S.Cars at all(1); S.Cars; behind 1",
    "SELECT one from S.Cars[ID = 1] { all }",
    "rows: S.Cars",
  ],
  "all()?$filter=price gt 1&$select=name&$top=2": [
    "operation; S.all of undefined with {}",
    "result: SELECT from S.Cars { $position as $position } where price > 1 order by $position limit 2; rows S.Cars select name,ID",
  ],
  "all()/$count": [
    "count; S.Cars at all/$count; S.Cars; behind 1",
    "SELECT one from S.Cars { count(*) as $count }",
    "rows: none",
  ],
  "one()/name": [
    "property; S.Cars at one/name; S.Cars; property name; behind 1",
    "SELECT one from S.Cars { name }",
    "rows: none",
  ],
  "one()?$expand=owner($select=name)": [
    "operation; S.one of undefined with {}",
    "result: SELECT from S.Cars { $position as $position, owner { name, ID } } order by $position; own owner; rows S.Cars expand owner(S.People select name,ID)",
  ],
  "one()?$filter=true": [
    "400 The option $filter is not allowed for a single entity (offset 6)",
  ],
  "spots()": [
    "operation; S.spots of undefined with {}",
  ],
  "spots()?$filter=floor gt 1&$orderby=city desc&$select=city&$top=1&$skip=2": [
    "operation; S.spots of undefined with {}",
    "result: SELECT from $rows as $item1 { $position as $position } where cast($member($item1.value, name'floor'), cds.Integer) > 1 order by $by_code_points(cast($member($item1.value, name'city'), cds.String)) desc nulls last, $position limit 1 offset 2; values {city}",
  ],
  "spots()?$compute=floor add 1 as up&$select=up": [
    "operation; S.spots of undefined with {}",
    "result: SELECT from $rows as $item1 { $position as $position, cast($member($item1.value, name'floor'), cds.Integer) + 1 as up } order by $position limit 2147483647; own up; values {up} and up: cds.Int64",
  ],
  "spots()/$count": [
    "part; property value inside ; behind 1",
  ],
  "text()": [
    "operation; S.text of undefined with {}",
  ],
  "text()/$value": [
    "part; property value inside ; behind 1",
  ],
  "text()?$select=x": [
    '400 "returns" has no properties (offset 15)',
  ],
  "show(text='x')": [
    'operation; S.show of undefined with {"text":"x"}',
  ],
  "show(text=x)": [
    'operation; S.show of undefined with {"text":"x"}',
  ],
  "show?text=x": [
    'operation; S.show of undefined with {"text":"x"}',
  ],
  "show?text=1": [
    'operation; S.show of undefined with {"text":"1"}',
  ],
  "show?text=null": [
    'operation; S.show of undefined with {"text":null}',
  ],
  "show?text='it''s'": [
    'operation; S.show of undefined with {"text":"it\'s"}',
  ],
  "show?text=a b": [
    'operation; S.show of undefined with {"text":"a b"}',
  ],
  'show(at=@s)?@s={"city":"x","floor":1,"rooms":[1,2],"inner":{"zip":"z"}}': [
    'operation; S.show of undefined with {"at":{"city":"x","floor":1,"rooms":[1,2],"inner":{"zip":"z"}}}',
  ],
  'show(at=@s)?@s={"city":1}': [
    "400 ASSERT_DATA_TYPE at ASSERT_DATA_TYPE 1,String",
  ],
  'show(at=@s)?@s={"nope":1}': [
    '400 "at" has no member "nope" (offset 23)',
  ],
  'show(at=@s)?@s={"@odata.type":"x","city":null}': [
    'operation; S.show of undefined with {"at":{"city":null}}',
  ],
  "show(at=@s)?@s=[1]": [
    "400 ASSERT_DATA_TYPE at ASSERT_DATA_TYPE An array,structure",
  ],
  "show(at=1)": [
    "400 ASSERT_DATA_TYPE at ASSERT_DATA_TYPE 1,structure",
  ],
  "show(list=@l)?@l=[1,2,null]": [
    'operation; S.show of undefined with {"list":[1,2,null]}',
  ],
  'show(list=@l)?@l=[1,"x"]': [
    "400 ASSERT_DATA_TYPE list ASSERT_DATA_TYPE x,Integer",
  ],
  "show(list=@l)?@l={}": [
    "400 ASSERT_ARRAY list ASSERT_ARRAY undefined",
  ],
  "show(list=1)": [
    "400 ASSERT_ARRAY list ASSERT_ARRAY undefined",
  ],
  'show(any=@a)?@a={"x":[1,2.50,"y",null,{"z":true}]}': [
    'operation; S.show of undefined with {"any":{"x":[1,2.5,"y",null,{"z":true}]}}',
  ],
  'show(any=@a)?@a=[1,"2"]': [
    'operation; S.show of undefined with {"any":[1,"2"]}',
  ],
  "show(any=5)": [
    'operation; S.show of undefined with {"any":5}',
  ],
  "show(any=ID)": [
    "400 A literal is expected (offset 9)",
  ],
  "show(yes=true)": [
    'operation; S.show of undefined with {"yes":true}',
  ],
  "show(yes=1)": [
    "400 ASSERT_DATA_TYPE yes ASSERT_DATA_TYPE 1,Boolean",
  ],
  "show(yes='true')": [
    "400 ASSERT_DATA_TYPE yes ASSERT_DATA_TYPE true,Boolean",
  ],
  "show(yes=null)": [
    'operation; S.show of undefined with {"yes":null}',
  ],
  "show(colour=1)": [
    'operation; S.show of undefined with {"colour":1}',
  ],
  "show(colour='Red')": [
    "400 ASSERT_DATA_TYPE colour ASSERT_DATA_TYPE Red,Integer",
  ],
  "show(text=ID/name)": [
    '404 Syntax error at offset 12: found the end, expected ")"',
  ],
  "show(text=(1 add 1))": [
    "400 ASSERT_DATA_TYPE text ASSERT_DATA_TYPE An expression,String",
  ],
  "cut(top=2)": [
    'operation; S.cut of undefined with {"top":2}',
  ],
  "cut?top=2": [
    'operation; S.cut of undefined with {"top":2}',
  ],
  "cut(top=2)?top=3": [
    'operation; S.cut of undefined with {"top":2}',
    "result: as it is",
  ],
  "cut(top=2)?$top=3": [
    'operation; S.cut of undefined with {"top":2}',
    "result: as it is",
  ],
  "cut?top=2&skip=1": [
    'operation; S.cut of undefined with {"top":2}',
    "result: as it is",
  ],
  "cut?top=2&$top=3": [
    '400 Syntax error at offset 10: found "$top", expected each option once',
  ],
  'show(at=@s)?@s=@t&@t={"city":"x"}': [
    'operation; S.show of undefined with {"at":{"city":"x"}}',
  ],
  "show(yes={})": [
    "400 ASSERT_DATA_TYPE yes ASSERT_DATA_TYPE An object,Boolean",
  ],
  "show(yes=[])": [
    "400 ASSERT_DATA_TYPE yes ASSERT_DATA_TYPE An array,Boolean",
  ],
  "show(yes=ID)": [
    "400 ASSERT_DATA_TYPE yes ASSERT_DATA_TYPE ID,Boolean",
  ],
  "show(yes=(1 add 1))": [
    "400 ASSERT_DATA_TYPE yes ASSERT_DATA_TYPE An expression,Boolean",
  ],
  "show(text=5)": [
    "400 ASSERT_DATA_TYPE text ASSERT_DATA_TYPE 5,String",
  ],
  "show(colour=2.5)": [
    "400 ASSERT_DATA_TYPE colour ASSERT_DATA_TYPE 2.5,Integer",
  ],
};

Deno.test("calls of operations take arguments in parentheses or in the query, of the types of the parameters (URL 4.6, Protocol 11.5)", () => {
  assert.deepEqual(planned(Object.keys(PLANS)), PLANS);
});
