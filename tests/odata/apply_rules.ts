/**
 * What transformations make of the rows of the examples, by clause of OData Data Aggregation 4.0.
 *
 * @module
 */

/** Rows, or the code of a refusal, by URL and rule. */
export const RULES: Readonly<Record<string, Readonly<Record<string, readonly unknown[] | number>>>> = {
  "aggregate gives one row (Aggregation 3.2.1)": {
    "Sales?$apply=aggregate(Amount with sum as Total,Amount with max as MxA)": [{ Total: 24, MxA: 8 }],
    "Sales?$apply=aggregate($count as N,Product with countdistinct as P)": [{ N: 8, P: 3 }],
    "Sales?$apply=filter(ID gt 100)/aggregate(Amount with sum as T,$count as N)": [{ T: null, N: 0 }],
  },
  "a custom aggregate has a default method (Aggregation 3.2.1.3)": {
    "Sales?$apply=aggregate(Amount)": [{ Amount: 24 }],
    "Sales?$apply=groupby((Currency),aggregate(Amount as Sum))": [
      { Currency: "EUR", Sum: 5 },
      { Currency: "USD", Sum: 19 },
    ],
    "Sales?$apply=aggregate(Currency)": 400,
  },
  "aggregates reach related instances, each counted once (Aggregation 3.2.1)": {
    "Products?$apply=aggregate(Sales/Amount with sum as Total)": [{ Total: 24 }],
    "Products?$apply=aggregate(TaxRate with max as M,Sales/Amount with sum as T,$count as N,Sales/$count as S)":
      [
        { M: 0.14, T: 24, N: 4, S: 8 },
      ],
    "Products?$apply=groupby((Name),aggregate(Sales/Amount with sum as Total,$count as N))": [
      { Name: "Coffee", Total: 12, N: 1 },
      { Name: "Paper", Total: 8, N: 1 },
      { Name: "Pencil", Total: null, N: 1 },
      { Name: "Sugar", Total: 4, N: 1 },
    ],
    "Categories?$apply=aggregate(Products/Sales/Amount with sum as T,Products/Sales/Customer with countdistinct as C)":
      [{ T: 24, C: 3 }],
  },
  "from aggregates in steps (Aggregation 3.2.1.5)": {
    "Sales?$apply=aggregate(Amount with sum from Customer with average as A)": [{ A: 8 }],
    "Sales?$apply=aggregate(Amount with sum from Customer with max as M,Amount with sum as T)": [
      { M: 12, T: 24 },
    ],
    "Sales?$apply=groupby((Currency),aggregate(Amount with sum from Customer with max as M,$count as N))": [
      { Currency: "EUR", M: 5, N: 3 },
      { Currency: "USD", M: 12, N: 5 },
    ],
    "Sales?$apply=aggregate(Amount with sum from Customer with max from Currency with min as M)": [{ M: 5 }],
    "Sales?$apply=aggregate(Amount with sum from Customer as M)": 400,
  },
  "groupby makes groups of properties (Aggregation 3.2.3.1)": {
    "Customers?$apply=groupby((Name))": [{ Name: "Joe" }, { Name: "Luc" }, { Name: "Sue" }],
    "Sales?$apply=groupby((Customer/Country,Product/Name),aggregate(Amount with sum as Total))": [
      { Customer: { Country: "Netherlands" }, Product: { Name: "Paper" }, Total: 3 },
      { Customer: { Country: "Netherlands" }, Product: { Name: "Sugar" }, Total: 2 },
      { Customer: { Country: "USA" }, Product: { Name: "Coffee" }, Total: 12 },
      { Customer: { Country: "USA" }, Product: { Name: "Paper" }, Total: 5 },
      { Customer: { Country: "USA" }, Product: { Name: "Sugar" }, Total: 2 },
    ],
    "Sales?$apply=compute(Amount mul 10 as Ten)/groupby((Ten),aggregate($count as N))": [
      { Ten: 10, N: 2 },
      { Ten: 20, N: 3 },
      { Ten: 40, N: 2 },
      { Ten: 80, N: 1 },
    ],
    "Products?$apply=groupby((Sales/Amount))": 400,
  },
  "transformations of groupby run inside of each group (Aggregation 3.2.3.1)": {
    "Sales?$apply=groupby((Currency),filter(Amount gt 3)/aggregate(Amount with sum as T,$count as N))": [
      { Currency: "EUR", T: null, N: 0 },
      { Currency: "USD", T: 16, N: 3 },
    ],
    "Sales?$apply=groupby((Customer/Country),topcount(1,Amount)/aggregate(Amount with sum as T))": [
      { Customer: { Country: "Netherlands" }, T: 2 },
      { Customer: { Country: "USA" }, T: 8 },
    ],
    "Sales?$apply=groupby((Currency),groupby((Customer),aggregate(Amount with sum as T))/aggregate(T with max as M))":
      [{ Currency: "EUR", M: 5 }, { Currency: "USD", M: 12 }],
    "Sales?$apply=groupby((Currency),orderby(Day)/top(1)/aggregate(Day with min as D))": [
      { Currency: "EUR", D: "2022-04-01" },
      { Currency: "USD", D: "2022-01-03" },
    ],
    "Sales?$apply=groupby((Currency),topsum(4,Amount)/aggregate($count as N))": [
      { Currency: "EUR", N: 2 },
      { Currency: "USD", N: 1 },
    ],
  },
  "rollup adds groups of the levels above (Aggregation 3.2.3.2)": {
    "Sales?$apply=groupby((rollup(Customer/Country,Customer/Name)),aggregate(Amount with sum as Total))": [
      { Customer: { Country: "Netherlands", Name: "Sue" }, Total: 5 },
      { Customer: { Country: "USA", Name: "Joe" }, Total: 7 },
      { Customer: { Country: "USA", Name: "Sue" }, Total: 12 },
      { Customer: { Country: "Netherlands" }, Total: 5 },
      { Customer: { Country: "USA" }, Total: 19 },
    ],
    "Sales?$apply=groupby((rollup(Customer/Country,Customer/Name),Currency),aggregate(Amount with sum as T))/filter(T gt 6)":
      [
        { Customer: { Country: "USA", Name: "Joe" }, Currency: "USD", T: 7 },
        { Customer: { Country: "USA", Name: "Sue" }, Currency: "USD", T: 12 },
        { Customer: { Country: "USA" }, Currency: "USD", T: 19 },
      ],
    "Products?$apply=groupby((rollup(ProductHierarchy)),aggregate($count as N))": [
      { Category: { Name: "Food" }, Name: "Coffee", N: 1 },
      { Category: { Name: "Food" }, Name: "Sugar", N: 1 },
      { Category: { Name: "Non-Food" }, Name: "Paper", N: 1 },
      { Category: { Name: "Non-Food" }, Name: "Pencil", N: 1 },
      { Category: { Name: "Food" }, N: 2 },
      { Category: { Name: "Non-Food" }, N: 2 },
    ],
    "Products?$apply=groupby((rollup(Unknown)),aggregate($count as N))": 400,
  },
  "transformations follow each other in any order (Aggregation 3.1)": {
    "Sales?$apply=groupby((Customer),aggregate(Amount with sum as T))/aggregate(T with average as A)": [
      { A: 8 },
    ],
    "Sales?$apply=groupby((Currency,Product/Name),aggregate(Amount with sum as T))/groupby((Product/Name),aggregate(T with max as M))":
      [
        { Product: { Name: "Coffee" }, M: 12 },
        { Product: { Name: "Paper" }, M: 5 },
        { Product: { Name: "Sugar" }, M: 2 },
      ],
    "Sales?$apply=topcount(3,Amount)/aggregate(Amount with sum as T)": [{ T: 16 }],
    "Sales?$apply=topcount(3,Amount)/filter(Customer/Name eq 'Sue')&$select=ID": [{ ID: 4 }, { ID: 5 }],
    "Sales?$apply=orderby(Amount desc)/top(4)/skip(1)/top(2)&$select=ID": [{ ID: 3 }, { ID: 5 }],
    "Sales?$apply=groupby((Customer),aggregate(Amount with sum as T))/orderby(T desc)/top(2)/orderby(T)": [
      { Customer: { ID: "C1" }, T: 7 },
      { Customer: { ID: "C2" }, T: 12 },
    ],
    "Sales?$apply=groupby((Customer),aggregate(Amount with sum as T))/compute(T mul 2 as D)/filter(D gt 10)":
      [
        { Customer: { ID: "C1" }, T: 7, D: 14 },
        { Customer: { ID: "C2" }, T: 12, D: 24 },
      ],
  },
  "topsum, toppercent and their counterparts keep as few rows as reach the limit (Aggregation 3.3.1)": {
    "Sales?$apply=topsum(15,Amount)&$select=ID": [{ ID: 4 }, { ID: 3 }, { ID: 5 }],
    "Sales?$apply=toppercent(50,Amount)&$select=ID": [{ ID: 4 }, { ID: 3 }],
    "Sales?$apply=bottomsum(7,Amount)&$select=ID": [{ ID: 1 }, { ID: 7 }, { ID: 2 }, { ID: 6 }, { ID: 8 }],
    "Sales?$apply=bottompercent(10,Amount)&$select=ID": [{ ID: 1 }, { ID: 7 }, { ID: 2 }],
    "Sales?$apply=groupby((Customer),aggregate(Amount with sum as T))/topsum(13,T)": [
      { Customer: { ID: "C1" }, T: 7 },
      { Customer: { ID: "C2" }, T: 12 },
    ],
    "Sales?$apply=topsum(15,Amount)/aggregate(Amount with sum as T)": [{ T: 16 }],
    "Sales?$apply=toppercent(101,Amount)": 400,
    "Sales?$apply=topsum(3,Currency)": 400,
    "Sales?$apply=topcount(1.5,Amount)": 400,
  },
  "concat puts the rows of sequences one behind the other (Aggregation 3.1.2)": {
    "Sales?$apply=concat(groupby((Currency),aggregate(Amount with sum as T)),aggregate(Amount with sum as T))":
      [
        { Currency: "EUR", T: 5 },
        { Currency: "USD", T: 19 },
        { T: 24 },
      ],
    "Sales?$apply=concat(topcount(1,Amount),bottomcount(1,Amount))/aggregate(Amount with sum as T)": [{
      T: 9,
    }],
    "Sales?$apply=concat(groupby((Currency),aggregate(Amount with sum as T)),aggregate(Amount with sum as T))&$filter=T gt 10":
      [{ Currency: "USD", T: 19 }, { T: 24 }],
    "Sales?$apply=concat(groupby((Currency),aggregate(Amount with sum as T)),aggregate(Amount with sum as T))&$orderby=T desc&$top=1":
      [{ T: 24 }],
    "Sales?$apply=concat(groupby((Currency)),aggregate(Amount with sum as T))&$filter=T gt 3": [{ T: 24 }],
    "Sales?$apply=concat(filter(ID eq 1),aggregate(Amount with sum as T))&$orderby=T desc&$select=T,ID": [
      { T: 24 },
      { ID: 1 },
    ],
  },
  "join puts related instances beside those of the entity (Aggregation 3.4.1)": {
    "Products?$apply=join(Sales as Sale)/groupby((Color),aggregate(Sale/Amount with sum as T,$count as N))": [
      { Color: "Brown", T: 12, N: 2 },
      { Color: "White", T: 12, N: 6 },
    ],
    "Products?$apply=outerjoin(Sales as Sale)/groupby((Color),aggregate(Sale/Amount with sum as T,$count as N))":
      [
        { Color: "Black", T: null, N: 1 },
        { Color: "Brown", T: 12, N: 2 },
        { Color: "White", T: 12, N: 6 },
      ],
    "Products?$apply=join(Sales as Sale,filter(Amount gt 3))/groupby((Sale/Customer/Country,Name))": [
      { Name: "Coffee", Sale: { Customer: { Country: "USA" } } },
      { Name: "Paper", Sale: { Customer: { Country: "USA" } } },
    ],
    "Products?$apply=join(Sales as Sale)/compute(Sale/Amount mul 2 as D)/filter(D gt 7)&$select=ID,D": [
      { ID: "P2", D: 8 },
      { ID: "P2", D: 16 },
      { ID: "P3", D: 8 },
    ],
    "Products?$apply=join(Sales as A)/join(Sales as B)/aggregate($count as N)": [{ N: 24 }],
    "Products?$apply=outerjoin(Sales as A)/join(Sales as B)&$select=ID,A/ID,B/ID&$filter=ID eq 'P1'": [
      { ID: "P1", A: { ID: 2 }, B: { ID: 2 } },
      { ID: "P1", A: { ID: 2 }, B: { ID: 6 } },
      { ID: "P1", A: { ID: 6 }, B: { ID: 2 } },
      { ID: "P1", A: { ID: 6 }, B: { ID: 6 } },
    ],
    "Products?$apply=join(Nothing as Sale)": 400,
  },
  "options of the URL see the rows of $apply (Aggregation 3)": {
    "Sales?$apply=groupby((Currency),aggregate(Amount with sum as T))&$compute=T add 1 as U&$orderby=U desc":
      [
        { Currency: "USD", T: 19, U: 20 },
        { Currency: "EUR", T: 5, U: 6 },
      ],
    "Sales?$apply=topcount(2,Amount)&$filter=Amount lt 8&$select=ID": [{ ID: 3 }],
    "Sales?$apply=topcount(2,Amount)&$top=1&$select=ID": [{ ID: 4 }],
    "Sales?$apply=search(USD)/search(EUR)&$select=ID": [],
    "Sales?$apply=groupby((Currency))&$select=Nothing": 400,
  },
  "$apply in $expand transforms the related instances of each row (Aggregation 6.1)": {
    "Customers?$select=ID&$expand=Sales($apply=aggregate(Amount with sum as T))": [
      { ID: "C1", Sales: [{ T: 7 }] },
      { ID: "C2", Sales: [{ T: 12 }] },
      { ID: "C3", Sales: [{ T: 5 }] },
      { ID: "C4", Sales: [{ T: null }] },
    ],
    "Customers?$select=ID&$filter=ID ne 'C2'&$expand=Sales($apply=groupby((Product/Name),aggregate(Amount with sum as T));$orderby=T desc;$top=1)":
      [
        { ID: "C1", Sales: [{ Product: { Name: "Coffee" }, T: 4 }] },
        { ID: "C3", Sales: [{ Product: { Name: "Paper" }, T: 3 }] },
        { ID: "C4", Sales: [] },
      ],
    "Customers?$select=ID&$top=2&$expand=Sales($apply=topcount(2,Amount)/filter(Product/Name ne 'Paper');$select=ID;$count=true)":
      [
        { ID: "C1", "Sales@odata.count": 2, Sales: [{ ID: 3 }, { ID: 2 }] },
        { ID: "C2", "Sales@odata.count": 1, Sales: [{ ID: 4 }] },
      ],
    "Categories?$select=ID&$expand=Products($select=ID;$filter=Color eq 'White';$expand=Sales($apply=topsum(4,Amount)/aggregate($count as N)))":
      [
        { ID: "PG1", Products: [{ ID: "P1", Sales: [{ N: 2 }] }] },
        { ID: "PG2", Products: [{ ID: "P3", Sales: [{ N: 1 }] }] },
      ],
    "Customers?$select=ID&$expand=Sales($apply=filter(Amount gt 1);$select=ID;$orderby=Amount desc,ID;$top=1)":
      [
        { ID: "C1", Sales: [{ ID: 3 }] },
        { ID: "C2", Sales: [{ ID: 4 }] },
        { ID: "C3", Sales: [{ ID: 6 }] },
        { ID: "C4", Sales: [] },
      ],
    "Customers?$select=ID&$expand=Sales($apply=filter(Amount gt 1);$select=ID;$orderby=ID;$skip=1)": [
      { ID: "C1", Sales: [{ ID: 3 }] },
      { ID: "C2", Sales: [{ ID: 5 }] },
      { ID: "C3", Sales: [{ ID: 8 }] },
      { ID: "C4", Sales: [] },
    ],
    "Customers?$select=ID&$filter=ID eq 'C2'&$expand=Sales($apply=filter(Amount gt 1);$compute=Amount add 1 as U;$filter=U gt 3;$orderby=U desc;$select=U)":
      [{ ID: "C2", Sales: [{ ID: 4, U: 9 }, { ID: 5, U: 5 }] }],
    "Sales?$expand=Customer($apply=identity)": 400,
  },
  "addnested puts transformed instances beside each instance (Aggregation 3.5.2)": {
    "Customers?$apply=addnested(Sales,groupby((Currency),aggregate(Amount with sum as T)) as Totals)/filter(Country ne 'USA')&$select=ID":
      [{ ID: "C3", Totals: [{ Currency: "EUR", T: 5 }] }, { ID: "C4", Totals: [] }],
    "Customers?$apply=addnested(Sales,filter(Amount gt 3) as Large,aggregate($count as N) as All)/topcount(1,ID)":
      [
        { ID: "C4", Name: "Luc", Country: "France", Large: [], All: [{ N: 0 }] },
      ],
    "Customers?$apply=addnested(Sales,identity as Name)": 400,
  },
  "nest gives one row with the results of sequences (Aggregation 3.5.1)": {
    "Sales?$apply=filter(Currency eq 'USD')/nest(groupby((Customer/Name)) as Buyers,aggregate(Amount with sum as T) as Total)":
      [{ Buyers: [{ Customer: { Name: "Joe" } }, { Customer: { Name: "Sue" } }], Total: [{ T: 19 }] }],
    "Sales?$apply=nest(identity as A,identity as A)": 400,
  },
  "$compute stands beside all options that see its names (URL 5.1.5)": {
    "Sales?$compute=Amount mul 2 as D&$filter=D gt 7&$orderby=D desc,ID desc&$select=ID,D": [
      { ID: 4, D: 16 },
      { ID: 5, D: 8 },
      { ID: 3, D: 8 },
    ],
    "Customers?$select=ID&$filter=ID eq 'C1'&$expand=Sales($compute=Amount add 1 as U;$filter=U gt 2;$orderby=U desc;$select=ID,U)":
      [{ ID: "C1", Sales: [{ ID: 3, U: 5 }, { ID: 2, U: 3 }] }],
    "Sales?$compute=Amount add 1 as U,U mul 2 as V&$filter=V eq 18&$select=V": [{ ID: 4, V: 18 }],
    "Sales?$compute=Amount add 1 as Amount": 400,
    "Sales?$compute=Amount add 1 as amount": 400,
    "Sales?$compute=Amount add 1 as U,Amount add 2 as u": 400,
    "Sales?$apply=compute(Amount add 1 as amount)": 400,
    "Customers?$compute=length(Name) as L&$filter=Sales/any(s:s/Amount eq L)&$select=ID,L": [],
    "Customers?$compute=length(Name) add 1 as L&$filter=Sales/any(s:s/Amount eq L or s/Product/Sales/any(t:t/Amount eq L add 4))&$select=ID,L":
      [{ ID: "C1", L: 4 }, { ID: "C2", L: 4 }],
    "Sales(1)?$compute=Amount mul 2 as D&$select=D": 200,
  },
  "descendants and ancestors keep instances by the nodes above and below (Aggregation 6.2.1)": {
    "SalesOrganizations?$apply=descendants($root/SalesOrganizations,SalesOrgHierarchy,ID,filter(Name eq 'US'))&$select=ID":
      [{ ID: "US East" }, { ID: "US West" }],
    "SalesOrganizations?$apply=descendants($root/SalesOrganizations,SalesOrgHierarchy,ID,filter(ID eq 'Sales'),1,keep start)&$select=ID":
      [{ ID: "EMEA" }, { ID: "Sales" }, { ID: "US" }],
    "SalesOrganizations?$apply=ancestors($root/SalesOrganizations,SalesOrgHierarchy,ID,filter(contains(Name,'East') or contains(Name,'Central')),keep start)&$select=ID":
      [{ ID: "EMEA" }, { ID: "EMEA Central" }, { ID: "Sales" }, { ID: "US" }, { ID: "US East" }],
    "SalesOrganizations?$apply=ancestors($root/SalesOrganizations,SalesOrgHierarchy,ID,filter(ID eq 'US East'),1)&$select=ID":
      [{ ID: "US" }],
    "Sales?$apply=descendants($root/SalesOrganizations,SalesOrgHierarchy,SalesOrganization/ID,filter(SalesOrganization/ID eq 'US East'),keep start)/aggregate(Amount with sum as T)":
      [{ T: 12 }],
    "Sales?$apply=filter(Amount gt 100)/ancestors($root/SalesOrganizations,SalesOrgHierarchy,SalesOrganization/ID,identity)":
      [],
    "Sales/$count?$apply=descendants($root/SalesOrganizations,SalesOrgHierarchy,SalesOrganization/ID,filter(ID eq 1),keep start)":
      3,
    "SalesOrganizations?$apply=ancestors($root/SalesOrganizations,Nothing,ID,identity)": 400,
    "SalesOrganizations?$apply=ancestors($root/Nothing,SalesOrgHierarchy,ID,identity)": 400,
  },
  "traverse orders instances by their place in the hierarchy (Aggregation 6.2.2)": {
    "SalesOrganizations?$apply=traverse($root/SalesOrganizations,SalesOrgHierarchy,ID,preorder,Name desc)&$select=ID":
      [
        { ID: "Sales" },
        { ID: "US" },
        { ID: "US West" },
        { ID: "US East" },
        { ID: "EMEA" },
        { ID: "EMEA Central" },
      ],
    "SalesOrganizations?$apply=traverse($root/SalesOrganizations,SalesOrgHierarchy,ID,postorder)&$select=ID&$skip=1&$top=3":
      [{ ID: "EMEA" }, { ID: "US East" }, { ID: "US West" }],
    "SalesOrganizations?$apply=descendants($root/SalesOrganizations,SalesOrgHierarchy,ID,filter(ID eq 'US'),keep start)/traverse($root/SalesOrganizations,SalesOrgHierarchy,ID,preorder,filter(ID ne 'Sales'),Name)&$select=ID":
      [{ ID: "US" }, { ID: "US East" }, { ID: "US West" }],
    "Sales?$apply=traverse($root/SalesOrganizations,SalesOrgHierarchy,SalesOrganization/ID,preorder,Name)&$filter=Amount gt 2&$select=ID":
      [{ ID: 4 }, { ID: 5 }, { ID: 3 }],
  },
  "$these stands for all rows that there are (Aggregation 3.2.1.6)": {
    "Sales?$apply=filter(Currency eq 'EUR')/compute($these/aggregate(Amount with sum) as All)/filter(Amount mul 5 eq All mul 2)&$select=ID,All":
      [{ ID: 6, All: 5 }, { ID: 8, All: 5 }],
    "Sales?$apply=groupby((Currency),aggregate(Amount with sum as T))/compute(T add $these/aggregate(T with max) as S,$these/$count as N)":
      [{ Currency: "EUR", T: 5, S: 24, N: 2 }, { Currency: "USD", T: 19, S: 38, N: 2 }],
    "Sales?$apply=topcount(3,Amount)/filter(Amount eq $these/aggregate(Amount with min))&$select=ID": [
      { ID: 3 },
      { ID: 5 },
    ],
    "Sales?$filter=Amount eq $these/aggregate(Amount with min)": 400,
  },
  "search looks into the texts of groups (Aggregation 3.3.4)": {
    "Sales?$apply=groupby((Customer/Country,Currency),aggregate(Amount with max as M))/search(usd OR nether)":
      [
        { Customer: { Country: "Netherlands" }, Currency: "EUR", M: 2 },
        { Customer: { Country: "USA" }, Currency: "USD", M: 8 },
      ],
    "Sales?$apply=groupby((Customer/Country),aggregate(Amount with max as M))/search(NOT usa)": [
      { Customer: { Country: "Netherlands" }, M: 2 },
    ],
  },
  "names are taken without regard to case (Aggregation 3.2.1.1)": {
    "Sales?$apply=aggregate(Amount with sum as a,Amount with max as A)": 400,
    "Sales?$apply=groupby((Currency),aggregate(Amount with max as currency))": 400,
    "Sales?$apply=groupby((Currency))/compute(1 as currency)": 400,
  },
};
