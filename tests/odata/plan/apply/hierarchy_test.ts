import assert from "node:assert/strict";
import { planned } from "./orders.ts";

/** What URLs are planned as. */
const PLANS: Readonly<Record<string, readonly string[]>> = {
  "Nodes?$apply=ancestors($root/Nodes,Tree,ID,filter(name eq 'x'))": [
    "SELECT from S.Nodes where ID in :nodes1 order by ID asc",
    "before: nodes1 ancestors; nodes SELECT from S.Nodes { ID as node, parent.ID as parent } order by ID asc (localized) (bounded); start SELECT distinct from S.Nodes { ID as node } where name = 'x' (localized) (bounded)",
    "rows: S.Nodes",
  ],
  "Nodes?$apply=descendants($root/Nodes,Tree,ID,filter(name eq 'x'),2,keep start)": [
    "SELECT from S.Nodes where ID in :nodes1 order by ID asc",
    "before: nodes1 descendants; up to 2; keep start; nodes SELECT from S.Nodes { ID as node, parent.ID as parent } order by ID asc (localized) (bounded); start SELECT distinct from S.Nodes { ID as node } where name = 'x' (localized) (bounded)",
    "rows: S.Nodes",
  ],
  "Nodes?$apply=traverse($root/Nodes,Tree,ID,preorder)": [
    "SELECT from S.Nodes where ID in :nodes1 order by indexof(:nodes1_order, concat('\u0001', cast(ID, cds.String), '\u0001')) asc, ID asc",
    "before: nodes1 traverse; preorder; nodes SELECT from S.Nodes { ID as node, parent.ID as parent } order by ID asc (localized) (bounded)",
    "rows: S.Nodes",
  ],
  "Nodes?$apply=traverse($root/Nodes,Tree,ID,postorder,filter(name ne 'x'),name desc)": [
    "SELECT from S.Nodes where ID in :nodes1 order by indexof(:nodes1_order, concat('\u0001', cast(ID, cds.String), '\u0001')) asc, ID asc",
    "before: nodes1 traverse; postorder; nodes SELECT from S.Nodes { ID as node, parent.ID as parent } where name != 'x' order by name desc nulls last, ID asc (localized) (bounded)",
    "rows: S.Nodes",
  ],
  "Levels?$apply=filter(level eq 1)/traverse($root/Levels,Tree,ID,preorder)": [
    "SELECT from S.Levels { ID, marks, parent_ID, cast(trim(substring(:nodes1_facts, (indexof(:nodes1_facts, concat('\u0001', cast(ID, cds.String), '\u0002')) + length(concat('\u0001', cast(ID, cds.String), '\u0002'))) + 18, 9)), cds.Integer) as level, trim(substring(:nodes1_facts, (indexof(:nodes1_facts, concat('\u0001', cast(ID, cds.String), '\u0002')) + length(concat('\u0001', cast(ID, cds.String), '\u0002'))) + 54, 9)) as state } where level = 1 and ID in :nodes1 order by indexof(:nodes1_order, concat('\u0001', cast(ID, cds.String), '\u0001')) asc, ID asc",
    "before: nodes1 traverse; preorder; nodes SELECT from S.Levels { ID as node, parent.ID as parent } order by ID asc (localized) (bounded); members SELECT from S.Levels { ID as node, parent.ID as parent } where level = 1 order by ID asc (localized) (bounded)",
    "rows: S.Levels",
  ],
  "Levels?$apply=search(x)/orderby(level)/descendants($root/Levels,Tree,ID,filter(level eq 1),1)": [
    "SELECT from S.Levels { ID, marks, parent_ID, cast(trim(substring(:nodes1_facts, (indexof(:nodes1_facts, concat('\u0001', cast(ID, cds.String), '\u0002')) + length(concat('\u0001', cast(ID, cds.String), '\u0002'))) + 18, 9)), cds.Integer) as level, trim(substring(:nodes1_facts, (indexof(:nodes1_facts, concat('\u0001', cast(ID, cds.String), '\u0002')) + length(concat('\u0001', cast(ID, cds.String), '\u0002'))) + 54, 9)) as state } where ID in :nodes1 search 'x' order by level asc nulls first, ID asc",
    "before: nodes1 descendants; up to 1; nodes SELECT from S.Levels { ID as node, parent.ID as parent } order by ID asc (localized) (bounded); start SELECT distinct from S.Levels { ID as node } where level = 1 search 'x' (localized) (bounded); members SELECT from S.Levels { ID as node, parent.ID as parent } search 'x' order by level asc nulls first, ID asc (localized) (bounded)",
    "rows: S.Levels",
  ],
  "Levels?$apply=traverse($root/Levels,Tree,ID,preorder)/aggregate(level with max as deepest)": [
    "SELECT from S.Levels { max(cast(trim(substring(:nodes1_facts, (indexof(:nodes1_facts, concat('\u0001', cast(ID, cds.String), '\u0002')) + length(concat('\u0001', cast(ID, cds.String), '\u0002'))) + 18, 9)), cds.Integer)) as deepest } where ID in :nodes1",
    "before: nodes1 traverse; preorder; nodes SELECT from S.Levels { ID as node, parent.ID as parent } order by ID asc (localized) (bounded); members SELECT from S.Levels { ID as node, parent.ID as parent } order by ID asc (localized) (bounded)",
    "rows: S.Levels {deepest: Integer of Integer}",
  ],
  "Nodes?$apply=traverse($root/Nodes,NoParent,ID,preorder)": [
    '400 "S.Nodes" has no recursive hierarchy "NoParent" (offset 43)',
  ],
  "Nodes?$apply=traverse($root/Nodes,NoNode,ID,preorder)": [
    '400 "S.Nodes" has no recursive hierarchy "NoNode" (offset 41)',
  ],
  "Nodes?$apply=traverse($root/Nodes,Many,ID,preorder)": [
    "501 A hierarchy of nodes with several parents is not implemented (offset 39)",
  ],
  "Orders?$apply=descendants($root/Nodes,Tree,node/ID,filter(node/name eq 'x'))&$select=ID": [
    "SELECT from S.Orders { ID } where node.ID in :nodes1 order by ID asc",
    "before: nodes1 descendants; nodes SELECT from S.Nodes { ID as node, parent.ID as parent } order by ID asc (localized) (bounded); start SELECT distinct from S.Orders { node.ID as node } where node.name = 'x' (localized) (bounded)",
    "rows: S.Orders select ID",
  ],
  "Orders?$apply=traverse($root/Levels,Tree,node/ID,preorder)&$select=ID": [
    "SELECT from S.Orders { ID } where node.ID in :nodes1 order by indexof(:nodes1_order, concat('\u0001', cast(node.ID, cds.String), '\u0001')) asc, ID asc",
    "before: nodes1 traverse; preorder; nodes SELECT from S.Levels { ID as node, parent.ID as parent } order by ID asc (localized) (bounded)",
    "rows: S.Orders select ID",
  ],
  "Orders?$apply=descendants($root/Nodes(1)/children,Tree,node/ID,filter(true))&$select=ID": [
    "SELECT from S.Orders { ID } where node.ID in :nodes1 order by ID asc",
    "before: nodes1 descendants; nodes SELECT from S.Nodes[ID = 1].children { ID as node, parent.ID as parent } order by ID asc (localized) (bounded); start SELECT distinct from S.Orders { node.ID as node } where 1 = 1 (localized) (bounded)",
    "rows: S.Orders select ID",
  ],
  "Nodes?$expand=children($apply=descendants($root/Nodes,Tree,ID,filter(name eq 'x'),2,keep start);$select=name)":
    [
      "SELECT from S.Nodes as $row1 { *, children { * } as children } order by ID asc",
      "nested children: SELECT from S.Nodes[ID = $row1.ID].children { name, ID } where ID in (SELECT from (SELECT from $rows as $item1 { cast($member($item1.value, name'node'), cds.Integer) as node, cast($member($item1.value, name'below'), cds.Integer) as below }) as $row2 { below } where node in (SELECT distinct from S.Nodes[ID = $row1.ID].children { ID as node } where name = 'x')) order by ID asc",
      "before: nodes1 pairs; up to 2; keep start; nodes SELECT from S.Nodes { ID as node, parent.ID as parent } order by ID asc (localized) (bounded)",
      "rows: S.Nodes expand children(S.Nodes select name,ID)",
    ],
  "Nodes?$expand=children($apply=filter(ID gt 1)/ancestors($root/Nodes,Tree,ID,filter(name eq 'x')))": [
    "SELECT from S.Nodes as $row1 { *, children { * } as children } order by ID asc",
    "nested children: SELECT from S.Nodes[ID = $row1.ID].children { * } where ID > 1 and ID in (SELECT from (SELECT from $rows as $item1 { cast($member($item1.value, name'node'), cds.Integer) as node, cast($member($item1.value, name'below'), cds.Integer) as below }) as $row2 { node } where below in (SELECT distinct from S.Nodes[ID = $row1.ID].children { ID as node } where ID > 1 and name = 'x')) order by ID asc",
    "before: nodes1 pairs; nodes SELECT from S.Nodes { ID as node, parent.ID as parent } order by ID asc (localized) (bounded)",
    "rows: S.Nodes expand children(S.Nodes)",
  ],
  "Nodes?$expand=children($apply=traverse($root/Nodes,Tree,ID,preorder))": [
    "SELECT from S.Nodes as $row1 { *, children { * } as children } order by ID asc",
    "nested children: SELECT from S.Nodes[ID = $row1.ID].children { * } where ID in :nodes1 order by indexof(:nodes1_order, concat('\u0001', cast(ID, cds.String), '\u0001')) asc, ID asc",
    "before: nodes1 traverse; preorder; nodes SELECT from S.Nodes { ID as node, parent.ID as parent } order by ID asc (localized) (bounded)",
    "rows: S.Nodes expand children(S.Nodes)",
  ],
  "Nodes?$apply=traverse($root/Nodes,Tree,ID,preorder,aggregate($count as n))": [
    "501 Groups as nodes of a hierarchy is not implemented (offset 22)",
  ],
  "Nodes?$apply=top(3)/traverse($root/Nodes,Tree,ID,preorder)": [
    "SELECT from S.Nodes where ID in (SELECT from S.Nodes { ID } limit 3) and ID in :nodes1 order by indexof(:nodes1_order, concat('\u0001', cast(ID, cds.String), '\u0001')) asc, ID asc",
    "before: nodes1 traverse; preorder; nodes SELECT from S.Nodes { ID as node, parent.ID as parent } order by ID asc (localized) (bounded)",
    "rows: S.Nodes",
  ],
  "Nodes?$apply=top(3)/descendants($root/Nodes,Tree,ID,top(2))": [
    "SELECT from S.Nodes where ID in (SELECT from S.Nodes { ID } limit 3) and ID in :nodes1 order by ID asc",
    "before: nodes1 descendants; nodes SELECT from S.Nodes { ID as node, parent.ID as parent } order by ID asc (localized) (bounded); start SELECT distinct from S.Nodes { ID as node } where ID in (SELECT from S.Nodes { ID } where ID in (SELECT from S.Nodes { ID } limit 3) limit 2) (localized) (bounded)",
    "rows: S.Nodes",
  ],
  "Nodes?$apply=com.sap.vocabularies.Hierarchy.v1.TopLevels(HierarchyNodes=$root/Nodes,HierarchyQualifier='Tree',NodeProperty='ID')":
    [
      "SELECT from S.Nodes where ID in :nodes1 order by indexof(:nodes1_order, concat('\u0001', cast(ID, cds.String), '\u0001')) asc, ID asc",
      'before: nodes1 topLevels; changes {"levels":[],"shown":[]}; nodes SELECT from S.Nodes { ID as node, parent.ID as parent } order by ID asc (localized) (bounded)',
      "rows: S.Nodes",
    ],
  "Levels?$apply=filter(level gt 1)/orderby(level desc)/com.sap.vocabularies.Hierarchy.v1.TopLevels(HierarchyNodes=$root/Levels,HierarchyQualifier='Tree',NodeProperty='ID',Levels=2)":
    [
      "SELECT from S.Levels { ID, marks, parent_ID, cast(trim(substring(:nodes1_facts, (indexof(:nodes1_facts, concat('\u0001', cast(ID, cds.String), '\u0002')) + length(concat('\u0001', cast(ID, cds.String), '\u0002'))) + 18, 9)), cds.Integer) as level, trim(substring(:nodes1_facts, (indexof(:nodes1_facts, concat('\u0001', cast(ID, cds.String), '\u0002')) + length(concat('\u0001', cast(ID, cds.String), '\u0002'))) + 54, 9)) as state } where level > 1 and ID in :nodes1 order by indexof(:nodes1_order, concat('\u0001', cast(ID, cds.String), '\u0001')) asc, ID asc",
      'before: nodes1 topLevels; levels 2; changes {"levels":[],"shown":[]}; nodes SELECT from S.Levels { ID as node, parent.ID as parent } where level > 1 order by level desc nulls last, ID asc (localized) (bounded); members SELECT from S.Levels { ID as node, parent.ID as parent } where level > 1 order by level desc nulls last, ID asc (localized) (bounded)',
      "rows: S.Levels",
    ],
  'Nodes?$apply=com.sap.vocabularies.Hierarchy.v1.TopLevels(HierarchyNodes=$root/Nodes,HierarchyQualifier=\'Tree\',NodeProperty=\'ID\',Levels=1,Expand=[\'1\',2],Collapse=[3],Show=[4],ExpandLevels=[{"NodeID":5,"Levels":2},{"NodeID":6},{"NodeID":7,"Levels":null},{"NodeID":8,"Levels":0}])':
    [
      "SELECT from S.Nodes where ID in :nodes1 order by indexof(:nodes1_order, concat('\u0001', cast(ID, cds.String), '\u0001')) asc, ID asc",
      'before: nodes1 topLevels; levels 1; changes {"levels":[{"node":"1","below":1},{"node":"2","below":1},{"node":"3","below":0},{"node":"5","below":2},{"node":"6","below":null},{"node":"7","below":null},{"node":"8","below":0}],"shown":["4"]}; nodes SELECT from S.Nodes { ID as node, parent.ID as parent } order by ID asc (localized) (bounded)',
      "rows: S.Nodes",
    ],
  "Nodes?$apply=top(1)/com.sap.vocabularies.Hierarchy.v1.TopLevels(HierarchyNodes=$root/Nodes,HierarchyQualifier='Tree',NodeProperty='ID',Levels=99999999999999999999)":
    [
      "SELECT from S.Nodes where ID in (SELECT from S.Nodes { ID } limit 1) and ID in :nodes1 order by indexof(:nodes1_order, concat('\u0001', cast(ID, cds.String), '\u0001')) asc, ID asc",
      'before: nodes1 topLevels; levels 9007199254740991; changes {"levels":[],"shown":[]}; nodes SELECT from S.Nodes { ID as node, parent.ID as parent } where ID in (SELECT from S.Nodes { ID } limit 1) order by ID asc (localized) (bounded)',
      "rows: S.Nodes",
    ],
  "Nodes?$apply=com.sap.vocabularies.Hierarchy.v1.TopLevels(HierarchyNodes=$root/Nodes,HierarchyQualifier='Tree',NodeProperty='ID',Levels=-99999999999999999999)":
    [
      "400 A whole number from 1 on is expected (offset 135)",
    ],
  "Nodes?$apply=com.sap.vocabularies.Hierarchy.v1.TopLevels(HierarchyNodes=$root/Nodes,HierarchyQualifier='Tree',NodeProperty='ID',Levels=@l)&@l=3":
    [
      "SELECT from S.Nodes where ID in :nodes1 order by indexof(:nodes1_order, concat('\u0001', cast(ID, cds.String), '\u0001')) asc, ID asc",
      'before: nodes1 topLevels; levels 3; changes {"levels":[],"shown":[]}; nodes SELECT from S.Nodes { ID as node, parent.ID as parent } order by ID asc (localized) (bounded)',
      "rows: S.Nodes",
    ],
  "Nodes?$apply=com.sap.vocabularies.Hierarchy.v1.TopLevels(HierarchyNodes=$root/Nodes,HierarchyQualifier=1,NodeProperty='ID')":
    [
      "400 A text is expected (offset 103)",
    ],
  "Nodes?$apply=com.sap.vocabularies.Hierarchy.v1.TopLevels(HierarchyQualifier='Tree',NodeProperty='ID')": [
    '400 TopLevels needs "HierarchyNodes" (offset 13)',
  ],
  "Nodes?$apply=com.sap.vocabularies.Hierarchy.v1.TopLevels(HierarchyNodes=$root/Nodes,NodeProperty='ID')": [
    '400 TopLevels needs "HierarchyQualifier" (offset 13)',
  ],
  "Nodes?$apply=com.sap.vocabularies.Hierarchy.v1.TopLevels(HierarchyNodes=$root/Nodes,HierarchyQualifier='Tree',NodeProperty='ID',Show=[null])":
    [
      "400 The value of a node is expected (offset 134)",
    ],
  "Nodes?$apply=com.sap.vocabularies.Hierarchy.v1.TopLevels(HierarchyNodes=$root/Nodes,HierarchyQualifier='Tree',NodeProperty='ID',ExpandLevels=[{\"Levels\":1}])":
    [
      '400 An object with "NodeID" and "Levels" is expected (offset 142)',
    ],
  "Nodes?$apply=com.sap.vocabularies.Hierarchy.v1.TopLevels": [
    '400 Syntax error at offset 13: found "com.sap.vocabularies.Hierarchy.v1.TopLev…", expected a transformation',
  ],
  "Nodes?$apply=com.sap.vocabularies.Hierarchy.v1.TopLevels()": [
    '400 TopLevels needs "NodeProperty" (offset 13)',
  ],
  "Nodes?$expand=children($apply=com.sap.vocabularies.Hierarchy.v1.TopLevels(HierarchyNodes=$root/Nodes,HierarchyQualifier='Tree',NodeProperty='ID'))":
    [
      '501 "com.sap.vocabularies.Hierarchy.v1.TopLevels" of rows that are no entities is not implemented (offset 30)',
    ],
  "Nodes?$apply=aggregate($count as n)/com.sap.vocabularies.Hierarchy.v1.TopLevels(HierarchyNodes=$root/Nodes,HierarchyQualifier='Tree',NodeProperty='ID')":
    [
      '501 "com.sap.vocabularies.Hierarchy.v1.TopLevels" of rows that are no entities is not implemented (offset 36)',
    ],
  "Orders?$apply=com.sap.vocabularies.Hierarchy.v1.TopLevels(HierarchyNodes=$root/Nodes,HierarchyQualifier='Tree',NodeProperty='node/ID')":
    [
      '501 "com.sap.vocabularies.Hierarchy.v1.TopLevels" of instances that are no nodes is not implemented (offset 14)',
    ],
};

Deno.test("ancestors, descendants, traverse and TopLevels say which nodes are found out before, and keep what is at them (Data Aggregation 6.2)", () => {
  assert.deepEqual(planned(Object.keys(PLANS)), PLANS);
});
