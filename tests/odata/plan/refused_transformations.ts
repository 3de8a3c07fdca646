/**
 * Transformations that the planner refuses: status, what is said, and where.
 *
 * @module
 */

/** By URL of the service of `refused_model.ts`. */
export const REFUSED_TRANSFORMATIONS: Readonly<Record<string, string>> = {
  "Books?$expand=author($apply=aggregate($count as n))": "400 $apply needs a collection (offset 21)",
  "Books(1)?$apply=identity": "400 The option $apply is not allowed for a single entity (offset 9)",
  "Books(1)/places?$apply=identity": "501 $apply in collections of values is not implemented (offset 16)",
  "Books(1)/tags?$apply=aggregate($count as n)":
    "501 $apply in collections of values is not implemented (offset 14)",
  "Books?$apply=nope": '400 Syntax error at offset 13: found "nope", expected a transformation',
  "Books?$apply=aggregate(nope with sum as x)": '400 "S.Books" has no property "nope" (offset 23)',
  "Books?$apply=aggregate(stock with nope as x)":
    '400 Syntax error at offset 34: found "nope", expected sum, min, max, average, countdistinct',
  "Books?$apply=aggregate(stock with S.median as x)":
    '501 The aggregation method "S.median" is not implemented (offset 23)',
  "Books?$apply=aggregate(stock as x)":
    '400 An aggregation needs "with" and a method, or "as" and a name (offset 23)',
  "Books?$apply=aggregate(stock)":
    '400 An aggregation needs "with" and a method, or "as" and a name (offset 23)',
  "Books?$apply=aggregate(title with sum as x)": '400 The method "sum" needs numbers (offset 23)',
  "Books?$apply=aggregate(stock with sum as x,price with sum as x)": '400 The name "x" is taken (offset 43)',
  "Books?$apply=aggregate(reviews/rating mul author/books/edition with sum as x)":
    "501 An aggregation of two collections is not implemented (offset 38)",
  "Books?$apply=aggregate(reviews with sum as x)": "400 A primitive value is expected (offset 23)",
  "Editions?$apply=aggregate($it with countdistinct as x)": "400 A primitive value is expected (offset 26)",
  "Authors?$apply=aggregate(books with countdistinct as x)":
    "501 countdistinct of instances with several keys is not implemented (offset 25)",
  "Books?$apply=aggregate(tags/$count as x)": "400 A collection is expected before this (offset 23)",
  "Books?$apply=aggregate(tags with max as x)": "400 A primitive value is expected (offset 23)",
  "Books?$apply=aggregate(address/city with max as x)": '400 "S.Books" has no property "address" (offset 23)',
  "Books?$apply=aggregate($count)": '400 Syntax error at offset 29: found ")", expected "as" with an alias',
  "Books?$apply=aggregate($count as x)/filter(stock gt 1)":
    '400 "$apply" has no property "stock" (offset 43)',
  "Books?$apply=aggregate($count as x)/filter(x eq 'y')": "400 'y' is not a value of type Int64 (offset 48)",
  "Books?$apply=aggregate($count as x)&$select=title": '400 "$apply" has no property "title" (offset 44)',
  "Books?$apply=aggregate($count as x)&$orderby=title": '400 "$apply" has no property "title" (offset 45)',
  "Books?$apply=aggregate($count as x)&$expand=author": '400 The groups have no key of "author" (offset 44)',
  "Books?$apply=aggregate($count as x)&$search=x": "501 $search with $apply is not implemented (offset 36)",
  "Books?$apply=aggregate($count as x)&$filter=nope eq 1": '400 "$apply" has no property "nope" (offset 44)',
  "Books?$apply=aggregate(stock with sum from title as x)":
    '400 Syntax error at offset 48: found "as", expected "with" and a method',
  "Books?$apply=aggregate(stock with sum from nope with max as x)":
    '400 "S.Books" has no property "nope" (offset 43)',
  "Bare?$apply=groupby((rollup($all,title)))": '400 Syntax error at offset 28: found "$all", expected a path',
  "Books?$apply=groupby((nope))": '400 "S.Books" has no property "nope" (offset 22)',
  "Books?$apply=groupby((reviews))": "400 Rows can be grouped by single values only (offset 22)",
  "Books?$apply=groupby((reviews/rating))":
    '400 A collection has no property "rating": any(x:x/rating …) asks for one (offset 30)',
  "Books?$apply=groupby((tags))": "400 Rows can be grouped by single values only (offset 22)",
  "Books?$apply=groupby((address/city))": '400 "S.Books" has no property "address" (offset 22)',
  "Books?$apply=groupby((title))&$expand=author": '400 The groups have no key of "author" (offset 38)',
  "Books?$apply=groupby((author/name))&$expand=author": '400 The groups have no key of "author" (offset 44)',
  "Books?$apply=groupby((author/name))&$expand=author/books":
    "501 This path in $expand of groups is not implemented (offset 44)",
  "Books?$apply=groupby((author/ID))&$expand=author/S.Authors":
    "501 This path in $expand of groups is not implemented (offset 42)",
  "Books?$apply=groupby((author/ID))&$expand=reviews":
    "501 A collection in $expand of groups is not implemented (offset 42)",
  "Books?$apply=groupby((title))&$select=stock": '400 "$apply" has no property "stock" (offset 38)',
  "Books?$apply=groupby((title))/aggregate(stock with sum as x)":
    '400 "$apply" has no property "stock" (offset 40)',
  "Books?$apply=groupby((title))/groupby((stock))": '400 "$apply" has no property "stock" (offset 39)',
  "Books?$apply=groupby((rollup(title)))":
    '400 "S.Books" has no leveled hierarchy "title", and rollup needs two levels (offset 29)',
  "Books?$apply=groupby((rollup($all,title)))":
    '400 Syntax error at offset 29: found "$all", expected a path',
  "Books?$apply=groupby((rollup(nope,title)))": '400 "S.Books" has no property "nope" (offset 29)',
  "Books?$apply=groupby((rollup(Nope)))":
    '400 "S.Books" has no leveled hierarchy "Nope", and rollup needs two levels (offset 29)',
  "Books?$apply=groupby((title),filter($these/$count gt 1))":
    '501 "$these" inside of groups is not implemented (offset 36)',
  "Books?$apply=filter($these/x gt 1)": "501 This path behind $these is not implemented (offset 20)",
  "Books?$apply=filter($these/aggregate(stock with sum)/x gt 1)":
    "501 This path behind $these is not implemented (offset 20)",
  "Books?$apply=filter($these/$count/x gt 1)": "501 This path behind $these is not implemented (offset 20)",
  "Books?$apply=filter($these/title gt 1)": "501 This path behind $these is not implemented (offset 20)",
  "Books?$apply=filter(nope eq 1)": '400 "S.Books" has no property "nope" (offset 20)',
  "Books?$apply=filter(title)": "400 A Boolean expression is expected (offset 20)",
  "Books?$apply=compute(stock add 1 as title)": '400 The name "title" is taken (offset 27)',
  "Books?$apply=compute(nope as x)": '400 "S.Books" has no property "nope" (offset 21)',
  "Books?$apply=compute(reviews as x)": "400 A primitive value is expected (offset 21)",
  "Books?$apply=concat(aggregate($count as x))": '400 Syntax error at offset 42: found ")", expected ","',
  "Books?$apply=concat(aggregate($count as x),nope)":
    '400 Syntax error at offset 43: found "nope", expected a transformation',
  "Books?$apply=concat(aggregate($count as x),aggregate(title with max as x))":
    '400 The name "x" stands for values of different types (offset 13)',
  "Books?$apply=concat(aggregate(at with max as x),aggregate(day with max as x))":
    '400 The name "x" stands for values of different types (offset 13)',
  "Books?$apply=concat(identity,aggregate($count as n))&$search=x":
    "501 $search with $apply is not implemented (offset 53)",
  "Books?$apply=nest(identity as x,identity as x)": "400 The names of nest are not distinct (offset 13)",
  "Books?$apply=nest(identity as x)&$expand=x":
    "501 An option behind nest in $apply is not implemented (offset 13)",
  "Books?$apply=nest(identity as x)&$filter=true":
    "501 An option behind nest in $apply is not implemented (offset 13)",
  "Books?$apply=nest(identity as x)&$orderby=title":
    "501 An option behind nest in $apply is not implemented (offset 13)",
  "Books?$apply=nest(identity as x)&$top=1":
    "501 An option behind nest in $apply is not implemented (offset 13)",
  "Books?$apply=nest(topcount(1,stock) as x)":
    "501 Bounds at the end of a sequence in nest is not implemented (offset 13)",
  "Books?$apply=nest(top(1) as x)":
    "501 Bounds at the end of a sequence in nest is not implemented (offset 13)",
  "Books?$apply=nest(identity as x)/identity":
    '501 The transformation "nest" at this place of $apply is not implemented (offset 13)',
  "Books?$apply=groupby((title),nest(identity as x))":
    '501 The transformation "nest" at this place of $apply is not implemented (offset 29)',
  "Books?$apply=topcount(x,stock)": '400 "$apply" has no property "x" (offset 22)',
  "Books?$apply=topcount('x',stock)": "400 A positive whole number is expected (offset 22)",
  "Books?$apply=topcount(-1,stock)": "400 A positive whole number is expected (offset 22)",
  "Books?$apply=topcount(1,nope)": '400 "S.Books" has no property "nope" (offset 24)',
  "Books?$apply=topcount(1.5,stock)": "400 A positive whole number is expected (offset 22)",
  "Books?$apply=topcount(stock,stock)": '400 "$apply" has no property "stock" (offset 22)',
  "Books?$apply=toppercent(101,stock)": "400 A percentage above 0 is expected (offset 24)",
  "Books?$apply=topsum('x',stock)": "400 A number is expected (offset 20)",
  "Books?$apply=bottomsum(1,title)": "400 A number is expected (offset 25)",
  "Books?$apply=top(x)": '400 Syntax error at offset 17: found "x", expected a non-negative integer',
  "Books?$apply=top(-1)": '400 Syntax error at offset 17: found "-1", expected a non-negative integer',
  "Books?$apply=skip('x')": "400 Syntax error at offset 18: found \"'x'\", expected a non-negative integer",
  "Books?$apply=orderby(nope)": '400 "S.Books" has no property "nope" (offset 21)',
  "Books?$apply=orderby(reviews)": "400 A primitive value is expected (offset 21)",
  "Books?$apply=join(nope as r)": '400 "S.Books" has no navigation property "nope" (offset 18)',
  "Books?$apply=join(title as r)": '400 "S.Books" has no navigation property "title" (offset 18)',
  "Books?$apply=join(reviews as title)": '400 The name "title" is taken (offset 13)',
  "Books?$apply=join(author/books as b)": "501 This path in a join is not implemented (offset 18)",
  "Books?$apply=join(reviews as r,filter(nope eq 1))": '400 "S.Reviews" has no property "nope" (offset 38)',
  "Books?$apply=join(reviews as r,aggregate($count as n))":
    "501 This transformation inside of a join is not implemented (offset 31)",
  "Books?$apply=join(reviews as r,join(book as b))":
    "501 This transformation inside of a join is not implemented (offset 31)",
  "Books?$apply=join(reviews as r,topcount(1,rating))":
    "501 This transformation inside of a join is not implemented (offset 31)",
  "Books?$apply=aggregate($count as n)/join(reviews as r)":
    "501 A join of rows that are no entities is not implemented (offset 36)",
  "Books?$apply=outerjoin(reviews as r)/filter(r/nope eq 1)":
    '400 "S.Reviews" has no property "nope" (offset 46)',
  "Books?$apply=outerjoin(tags as t)": '400 "S.Books" has no navigation property "tags" (offset 23)',
  "Bare?$apply=join(reviews as r)": '400 "S.Bare" has no navigation property "reviews" (offset 17)',
  "Books?$apply=addnested(reviews,filter(nope gt 1) as good)":
    '400 "S.Reviews" has no property "nope" (offset 38)',
  "Books?$apply=addnested(nope,filter(true) as good)":
    '400 "S.Books" has no navigation property "nope" (offset 23)',
  "Books?$apply=S.nope()":
    '501 The transformation "S.nope" at this place of $apply is not implemented (offset 13)',
  "Books?$apply=S.best()":
    '501 The transformation "S.best" at this place of $apply is not implemented (offset 13)',
  "Books?$apply=S.rate(stars=1)":
    '501 The transformation "S.rate" at this place of $apply is not implemented (offset 13)',
  "Books?$apply=traverse($root/Books,Tree,ID,preorder)":
    '400 "S.Books" has no recursive hierarchy "Tree" (offset 39)',
  "Nodes?$apply=traverse($root/Nodes,Tree,ID,sideways)":
    '400 Syntax error at offset 42: found "sideways", expected "preorder" or "postorder"',
  "Nodes?$apply=traverse($root/Nope,Tree,ID,preorder)":
    '400 "S" has no entity set "Nope" (offset 28); did you mean "Nodes"?',
  "Nodes?$apply=traverse($root/Nodes,Nope,ID,preorder)":
    '400 "S.Nodes" has no recursive hierarchy "Nope" (offset 39)',
  "Nodes?$apply=traverse($root/Nodes,Tree,nope,preorder)":
    '400 "S.Nodes" has no property "nope" (offset 39); did you mean "name"?',
  "Nodes?$apply=traverse(Nodes,Tree,ID,preorder)": '400 "$root/" and an entity set are expected (offset 22)',
  "Nodes?$apply=traverse($root/Settings,Tree,ID,preorder)":
    "400 A path to a collection is expected (offset 22)",
  "Nodes?$apply=ancestors($root/Nodes,Tree,ID,filter(nope eq 1))":
    '400 "S.Nodes" has no property "nope" (offset 50); did you mean "name"?',
  "Nodes?$apply=ancestors($root/Nodes,Tree,ID,filter(name eq 'x'),x)":
    '400 Syntax error at offset 63: found "x", expected "keep start"',
  "Nodes?$apply=ancestors($root/Nodes,Tree,ID,aggregate($count as n))":
    "501 Groups as start nodes of a hierarchy is not implemented (offset 13)",
  "Nodes?$apply=ancestors($root/Nodes,Tree,ID,groupby((name)))":
    "501 Groups as start nodes of a hierarchy is not implemented (offset 13)",
  "Nodes?$apply=descendants($root/Nodes,Tree,ID,filter(name eq 'x'),1,keep start)/filter(nope eq 1)":
    '400 "S.Nodes" has no property "nope" (offset 86); did you mean "name"?',
  "Nodes?$apply=aggregate($count as n)/traverse($root/Nodes,Tree,ID,preorder)":
    '501 "traverse" of rows that are no entities is not implemented (offset 36)',
  "Nodes?$apply=aggregate($count as n)/ancestors($root/Nodes,Tree,ID,filter(true))":
    '501 "ancestors" of rows that are no entities is not implemented (offset 36)',
  "Items?$apply=descendants($root/Nodes,Tree,node/nope,filter(true))":
    '400 "S.Nodes" has no property "nope" (offset 47); did you mean "name"?',
  "Items?$apply=traverse($root/Nodes,Tree,tags,preorder)": "400 A primitive value is expected (offset 39)",
  "Items?$apply=groupby((rolluprecursive($root/Nodes,Tree,node/nope)),aggregate(amount with sum as x))":
    '400 "S.Nodes" has no property "nope" (offset 60); did you mean "name"?',
  "Items?$apply=groupby((rolluprecursive($root/Nodes,Nope,node/ID)),aggregate(amount with sum as x))":
    '400 "S.Nodes" has no recursive hierarchy "Nope" (offset 55)',
  "Items?$apply=groupby((rolluprecursive($root/Nodes/children,Tree,node/ID)),aggregate(amount with sum as x))":
    '400 A collection has no property "children": any(x:x/children …) asks for one (offset 50)',
  "Items?$apply=groupby((rolluprecursive($root/Nodes(1)/children,Tree,node/ID)),aggregate(amount with sum as x))":
    "501 This collection of nodes in rolluprecursive is not implemented (offset 38)",
  "Items?$apply=groupby((rolluprecursive($root/Books,Tree,node/ID)),aggregate(amount with sum as x))":
    '400 "S.Books" has no recursive hierarchy "Tree" (offset 55)',
  "Items?$apply=aggregate($count as n)/groupby((rolluprecursive($root/Nodes,Tree,node/ID)))":
    "501 rolluprecursive of rows that are no entities is not implemented (offset 45)",
  "Items?$apply=filter(Aggregation.rollupnode() eq 1)":
    '400 "Aggregation.rollupnode" belongs into the transformations of rolluprecursive (offset 20)',
  "Items?$apply=filter(Aggregation.rollupnode(Position=0) eq 1)":
    '400 "Aggregation.rollupnode" belongs into the transformations of rolluprecursive (offset 20)',
  "Items?$apply=groupby((rolluprecursive($root/Nodes,Tree,node/ID)),filter(node eq Aggregation.rollupnode(Position=0))/aggregate(amount with sum as x))":
    '400 The parameter of "Aggregation.rollupnode" is Position, a number from 1 on (offset 80)',
  "Items?$apply=groupby((rolluprecursive($root/Nodes,Tree,node/ID)),filter(node eq Aggregation.rollupnode(X=1))/aggregate(amount with sum as x))":
    '400 The parameter of "Aggregation.rollupnode" is Position, a number from 1 on (offset 80)',
  "Items?$apply=groupby((rolluprecursive($root/Nodes,Tree,node/ID)),filter(node/name eq Aggregation.rollupnode()/nope)/aggregate(amount with sum as x))":
    '400 "S.Nodes" has no property "nope" (offset 110); did you mean "name"?',
  "Nodes?$filter=Aggregation.isroot(HierarchyNodes=$root/Nodes,HierarchyQualifier='Tree',Node=ID)":
    '501 "Aggregation.isroot" in an expression is not implemented (offset 14)',
  "Nodes?$filter=Aggregation.isroot(HierarchyNodes=$root/Nodes,HierarchyQualifier='Nope',Node=ID)":
    '501 "Aggregation.isroot" in an expression is not implemented (offset 14)',
  "Nodes?$filter=Aggregation.isroot(HierarchyNodes=$root/Nodes,Node=ID)":
    '501 "Aggregation.isroot" in an expression is not implemented (offset 14)',
  "Nodes?$filter=Aggregation.isroot(HierarchyNodes=$root/Nope,HierarchyQualifier='Tree',Node=ID)":
    '501 "Aggregation.isroot" in an expression is not implemented (offset 14)',
  "Nodes?$filter=Aggregation.isnode(HierarchyNodes=$root/Nodes,HierarchyQualifier='Tree',Node=name)":
    '501 "Aggregation.isnode" in an expression is not implemented (offset 14)',
  "Nodes?$filter=Aggregation.isancestor(HierarchyNodes=$root/Nodes,HierarchyQualifier='Tree',Node=ID)":
    '501 "Aggregation.isancestor" in an expression is not implemented (offset 14)',
  "Nodes?$filter=Aggregation.isancestor(HierarchyNodes=$root/Nodes,HierarchyQualifier='Tree',Node=ID,Descendant='x')":
    '501 "Aggregation.isancestor" in an expression is not implemented (offset 14)',
  "Nodes?$filter=Aggregation.isancestor(HierarchyNodes=$root/Nodes,HierarchyQualifier='Tree',Node=ID,Descendant=3,MaxDistance=0)":
    '501 "Aggregation.isancestor" in an expression is not implemented (offset 14)',
  "Nodes?$filter=Aggregation.isancestor(HierarchyNodes=$root/Nodes,HierarchyQualifier='Tree',Node=ID,Descendant=3,MaxDistance='x')":
    '501 "Aggregation.isancestor" in an expression is not implemented (offset 14)',
  "Nodes?$filter=Aggregation.isancestor(HierarchyNodes=$root/Nodes,HierarchyQualifier='Tree',Node=ID,Descendant=3,Nope=1)":
    '501 "Aggregation.isancestor" in an expression is not implemented (offset 14)',
  "Nodes?$apply=groupby((name),ancestors($root/Nodes,Tree,ID,filter(true)))":
    '501 The transformation "ancestors" at this place of $apply is not implemented (offset 28)',
  "Nodes?$apply=groupby((name,parent/name),traverse($root/Nodes,Tree,ID,preorder))":
    '501 The transformation "traverse" at this place of $apply is not implemented (offset 40)',
  "Nodes?$apply=groupby((name),com.sap.vocabularies.Hierarchy.v1.TopLevels(HierarchyNodes=$root/Nodes,HierarchyQualifier='Tree',NodeProperty='ID'))":
    '501 The transformation "com.sap.vocabularies.Hierarchy.v1.TopLevels" at this place of $apply is not implemented (offset 28)',
  "Nodes?$apply=com.sap.vocabularies.Hierarchy.v1.TopLevels(HierarchyNodes=$root/Nodes,HierarchyQualifier='Tree',Levels=2)":
    '400 TopLevels needs "NodeProperty" (offset 13)',
  "Nodes?$apply=com.sap.vocabularies.Hierarchy.v1.TopLevels(HierarchyNodes=$root/Nodes,HierarchyQualifier='Tree',NodeProperty='ID',Levels=0)":
    "400 A whole number from 1 on is expected (offset 135)",
  "Nodes?$apply=com.sap.vocabularies.Hierarchy.v1.TopLevels(HierarchyNodes=$root/Nodes,HierarchyQualifier='Tree',NodeProperty='ID',Levels='x')":
    "400 A whole number from 1 on is expected (offset 135)",
  "Nodes?$apply=com.sap.vocabularies.Hierarchy.v1.TopLevels(HierarchyNodes=$root/Nodes,HierarchyQualifier='Tree',NodeProperty='ID',Levels=1,Nope=1)":
    "400 The parameters of TopLevels are HierarchyNodes, HierarchyQualifier, NodeProperty, Levels, Expand, Show, Collapse, ExpandLevels (offset 137)",
  "Nodes?$apply=com.sap.vocabularies.Hierarchy.v1.TopLevels(HierarchyNodes=$root/Nodes,HierarchyQualifier='Tree',NodeProperty='ID',Levels=1,ExpandLevels=[{\"NodeID\":{},\"Levels\":1}])":
    "400 The value of a node is expected (offset 161)",
  "Nodes?$apply=com.sap.vocabularies.Hierarchy.v1.TopLevels(HierarchyNodes=$root/Nodes,HierarchyQualifier='Tree',NodeProperty='ID',Levels=1,ExpandLevels=[{\"NodeID\":1,\"Levels\":-1}])":
    "400 A whole number from 0 on is expected (offset 172)",
  "Nodes?$apply=com.sap.vocabularies.Hierarchy.v1.TopLevels(HierarchyNodes=$root/Nodes,HierarchyQualifier='Tree',NodeProperty='ID',Levels=1,ExpandLevels=[1])":
    '400 An object with "NodeID" and "Levels" is expected (offset 151)',
  "Nodes?$apply=com.sap.vocabularies.Hierarchy.v1.TopLevels(HierarchyNodes=$root/Nodes,HierarchyQualifier='Tree',NodeProperty='ID',Levels=1,ExpandLevels=1)":
    "400 An array is expected (offset 150)",
  "all()?$apply=concat(identity,identity)":
    "501 concat or nest for what an operation returns is not implemented (offset 6)",
  "all()?$apply=nest(identity as x)":
    "501 concat or nest for what an operation returns is not implemented (offset 6)",
  "all()?$apply=groupby((author/ID))&$expand=author":
    "501 $expand of groups of what an operation returns is not implemented (offset 34)",
  "all()?$apply=aggregate(nope with sum as x)": '400 "S.Books" has no property "nope" (offset 23)',
  "Books/$count?$apply=aggregate($count as n)&$search=x":
    "501 $search with $apply and /$count is not implemented (offset 43)",
  "Books/$count?$apply=nope": '400 Syntax error at offset 20: found "nope", expected a transformation',
  "Books?$expand=reviews($apply=nope)":
    '400 Syntax error at offset 29: found "nope", expected a transformation',
  "Books?$expand=reviews($apply=aggregate($count as n);$search=x)":
    "501 $search with $apply is not implemented (offset 52)",
  "Books?$expand=reviews($apply=aggregate($count as n);$select=x)":
    '400 "$apply" has no property "x" (offset 60); did you mean "n"?',
  "Books?$expand=reviews($apply=nest(identity as n))":
    '501 The transformation "nest" at this place of $apply is not implemented (offset 29)',
};
