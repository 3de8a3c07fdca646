/**
 * What transformations with recursive hierarchies make of the rows of the examples, by clause of OData Data Aggregation 4.0.
 *
 * @module
 */

const HIERARCHY = "$root/SalesOrganizations,SalesOrgHierarchy";
const BY_NODE = `rolluprecursive(${HIERARCHY},SalesOrganization/ID)`;

const node = (ID: string, Superordinate_ID: string | null, Name = ID) => ({ ID, Name, Superordinate_ID });
const [SALES, US, WEST, EAST, EMEA, CENTRAL] = [
  node("Sales", null, "Corporate Sales"),
  node("US", "Sales"),
  node("US West", "US"),
  node("US East", "US"),
  node("EMEA", "Sales"),
  node("EMEA Central", "EMEA"),
];

/** Rows, or the code of a refusal, by URL and rule. */
export const HIERARCHY_RULES: Readonly<
  Record<string, Readonly<Record<string, readonly unknown[] | number>>>
> = {
  "rolluprecursive makes a group for each node, of the instances at it and below (Aggregation 6.3)": {
    [`Sales?$apply=groupby((${BY_NODE}),aggregate(Amount with sum as T,$count as N))`]: [
      { SalesOrganization: EMEA, T: 5, N: 3 },
      { SalesOrganization: CENTRAL, T: 5, N: 3 },
      { SalesOrganization: SALES, T: 24, N: 8 },
      { SalesOrganization: US, T: 19, N: 5 },
      { SalesOrganization: EAST, T: 12, N: 2 },
      { SalesOrganization: WEST, T: 7, N: 3 },
    ],
    [`Sales?$apply=groupby((${BY_NODE}),aggregate(Amount with sum as T))&$filter=SalesOrganization/Name eq 'US'&$select=SalesOrganization/ID,T`]:
      [{ SalesOrganization: { ID: "US" }, T: 19 }],
    [`Sales?$apply=groupby((${BY_NODE}),aggregate(Amount with sum as T))&$orderby=T desc&$top=2&$select=T`]: [
      { T: 24 },
      { T: 19 },
    ],
    [`Sales/$count?$apply=groupby((${BY_NODE}),aggregate(Amount with sum as T))`]: 6,
    [`Sales?$apply=groupby((rolluprecursive(${HIERARCHY},SalesOrganization/Superordinate/ID)),aggregate(Amount with sum as T))`]:
      [
        { SalesOrganization: { Superordinate: EMEA }, T: 5 },
        { SalesOrganization: { Superordinate: CENTRAL }, T: null },
        { SalesOrganization: { Superordinate: SALES }, T: 24 },
        { SalesOrganization: { Superordinate: US }, T: 19 },
        { SalesOrganization: { Superordinate: EAST }, T: null },
        { SalesOrganization: { Superordinate: WEST }, T: null },
      ],
    [`Sales?$apply=groupby((Currency))/groupby((rolluprecursive(${HIERARCHY},Currency)))`]: 501,
    "Sales?$apply=groupby((rolluprecursive($root/Customers,SalesOrgHierarchy,Customer/ID)))": 400,
  },
  "rollupnode is the node that a group stands for (Aggregation 6.3)": {
    [`Sales?$apply=groupby((rolluprecursive(${HIERARCHY},SalesOrganization/ID,descendants(${HIERARCHY},ID,filter(ID eq 'US'),keep start))),compute(case(SalesOrganization eq Aggregation.rollupnode():Amount) as AmountExcl)/aggregate(Amount with sum as Incl,AmountExcl with sum as Excl))`]:
      [
        { SalesOrganization: US, Incl: 19, Excl: null },
        { SalesOrganization: EAST, Incl: 12, Excl: 12 },
        { SalesOrganization: WEST, Incl: 7, Excl: 7 },
      ],
    [`Sales?$apply=groupby((${BY_NODE}),filter(SalesOrganization/ID eq Aggregation.rollupnode(Position=1)/ID)/aggregate(Amount with sum as T,$count as N))&$filter=N gt 0&$select=SalesOrganization/ID,T,N`]:
      [
        { SalesOrganization: { ID: "EMEA Central" }, T: 5, N: 3 },
        { SalesOrganization: { ID: "US East" }, T: 12, N: 2 },
        { SalesOrganization: { ID: "US West" }, T: 7, N: 3 },
      ],
    [`Sales?$apply=groupby((Currency,${BY_NODE}),filter(SalesOrganization ne $it/Aggregation.rollupnode())/aggregate(Amount with sum as T))/filter(T gt 5)&$select=Currency,SalesOrganization/ID,T`]:
      [
        { Currency: "USD", SalesOrganization: { ID: "Sales" }, T: 19 },
        { Currency: "USD", SalesOrganization: { ID: "US" }, T: 19 },
      ],
    [`Sales?$apply=groupby((${BY_NODE}),aggregate(Amount with sum as T)/compute(concat(Aggregation.rollupnode()/Name,'!') as X))&$filter=T gt 12&$select=X`]:
      [{ X: "Corporate Sales!" }, { X: "US!" }],
    [`Sales?$apply=groupby((${BY_NODE}),filter(SalesOrganization eq Aggregation.rollupnode(Position=2)))`]:
      400,
    [`Sales?$apply=groupby((${BY_NODE}),filter(SalesOrganization eq Aggregation.rollupnode(Position=0)))`]:
      400,
    [`Sales?$apply=groupby((${BY_NODE}),filter(Customer eq Aggregation.rollupnode()))`]: 400,
    [`Sales?$apply=groupby((${BY_NODE}),aggregate(Amount with sum as T))/filter(T gt 1 and Aggregation.rollupnode()/ID eq 'US')`]:
      400,
    "Sales?$filter=SalesOrganization eq Aggregation.rollupnode()": 400,
    [`Sales?$apply=groupby((${BY_NODE}),filter(Aggregation.rollupnode()/Superordinate/ID eq 'US'))`]: 501,
  },
  "nodes without instances have a group where nothing else makes groups (Aggregation 6.3)": {
    [`Sales?$apply=search(EUR)/groupby((${BY_NODE}),aggregate(Amount with sum as T,$count as N))`]: [
      { SalesOrganization: EMEA, T: 5, N: 3 },
      { SalesOrganization: CENTRAL, T: 5, N: 3 },
      { SalesOrganization: SALES, T: 5, N: 3 },
      { SalesOrganization: US, T: null, N: 0 },
      { SalesOrganization: EAST, T: null, N: 0 },
      { SalesOrganization: WEST, T: null, N: 0 },
    ],
    [`Sales?$apply=filter(Amount gt 3)/groupby((Currency,${BY_NODE}),aggregate(Amount with sum as T))&$select=Currency,SalesOrganization/ID,T`]:
      [
        { Currency: "USD", SalesOrganization: { ID: "Sales" }, T: 16 },
        { Currency: "USD", SalesOrganization: { ID: "US" }, T: 16 },
        { Currency: "USD", SalesOrganization: { ID: "US East" }, T: 12 },
        { Currency: "USD", SalesOrganization: { ID: "US West" }, T: 4 },
      ],
    [`Sales?$apply=groupby((${BY_NODE},rollup(Customer/Country,Customer/Name)),aggregate(Amount with sum as T))/filter(T gt 12)&$select=SalesOrganization/ID,Customer,T`]:
      [
        { SalesOrganization: { ID: "Sales" }, Customer: { Country: "USA" }, T: 19 },
        { SalesOrganization: { ID: "US" }, Customer: { Country: "USA" }, T: 19 },
      ],
  },
  "a group is what its transformations make of it (Aggregation 6.3)": {
    [`Sales?$apply=groupby((${BY_NODE}),topcount(1,Amount)/aggregate(Amount with sum as T))&$select=SalesOrganization/ID,T`]:
      [
        { SalesOrganization: { ID: "EMEA" }, T: 2 },
        { SalesOrganization: { ID: "EMEA Central" }, T: 2 },
        { SalesOrganization: { ID: "Sales" }, T: 8 },
        { SalesOrganization: { ID: "US" }, T: 8 },
        { SalesOrganization: { ID: "US East" }, T: 8 },
        { SalesOrganization: { ID: "US West" }, T: 4 },
      ],
    [`Sales?$apply=groupby((${BY_NODE}),groupby((Currency),aggregate(Amount with sum as T))/aggregate(T with max as M))/aggregate(M with min as L)`]:
      [{ L: 5 }],
    [`Sales?$apply=groupby((${BY_NODE}),filter(Currency eq 'USD')/aggregate($count as N))&$filter=N gt 3&$select=N`]:
      [{ N: 5 }, { N: 5 }],
    [`Sales?$apply=topcount(2,Amount)/groupby((${BY_NODE}),aggregate(Amount with sum as T,Product with countdistinct as P))&$filter=P gt 0&$select=SalesOrganization/ID,T,P`]:
      [
        { SalesOrganization: { ID: "Sales" }, T: 12, P: 1 },
        { SalesOrganization: { ID: "US" }, T: 12, P: 1 },
        { SalesOrganization: { ID: "US East" }, T: 8, P: 1 },
        { SalesOrganization: { ID: "US West" }, T: 4, P: 1 },
      ],
    [`Sales?$apply=concat(groupby((${BY_NODE}),aggregate(Amount with sum as T)),aggregate(Amount with sum as T))&$filter=T ge 24`]:
      [{ SalesOrganization: SALES, T: 24 }, { T: 24 }],
  },
  "only nodes that the fourth argument keeps make groups (Aggregation 6.1)": {
    [`Sales?$apply=groupby((rolluprecursive(${HIERARCHY},SalesOrganization/ID,descendants(${HIERARCHY},ID,filter(ID eq 'US'),keep start))),aggregate(Amount with sum as T))`]:
      [
        { SalesOrganization: US, T: 19 },
        { SalesOrganization: EAST, T: 12 },
        { SalesOrganization: WEST, T: 7 },
      ],
  },
  "nodes that are the instances themselves stay whole, others are known by name (Aggregation 6.2.2, 6.3)": {
    [`SalesOrganizations?$apply=groupby((rolluprecursive(${HIERARCHY},ID)),aggregate($count as OrgCnt)/compute(OrgCnt sub 1 as SubOrgCnt))&$select=ID,Name,SubOrgCnt`]:
      [
        { ID: "EMEA", Name: "EMEA", SubOrgCnt: 1 },
        { ID: "EMEA Central", Name: "EMEA Central", SubOrgCnt: 0 },
        { ID: "Sales", Name: "Corporate Sales", SubOrgCnt: 5 },
        { ID: "US", Name: "US", SubOrgCnt: 2 },
        { ID: "US East", Name: "US East", SubOrgCnt: 0 },
        { ID: "US West", Name: "US West", SubOrgCnt: 0 },
      ],
    [`Sales?$apply=groupby((rolluprecursive(${HIERARCHY},Customer/ID)),aggregate(Amount with sum as T))&$top=1`]:
      [
        { Customer: { ID: "EMEA" }, T: null },
      ],
  },
  "hierarchies of the instances of each row around (Aggregation 3.8, 6.2)": {
    [`Customers?$select=ID&$expand=Sales($apply=descendants(${HIERARCHY},SalesOrganization/ID,filter(Amount eq 2),keep start);$select=ID)`]:
      [
        { ID: "C1", Sales: [{ ID: 1 }, { ID: 2 }, { ID: 3 }] },
        { ID: "C2", Sales: [] },
        { ID: "C3", Sales: [{ ID: 6 }, { ID: 7 }, { ID: 8 }] },
        { ID: "C4", Sales: [] },
      ],
    [`Customers?$filter=ID eq 'C2'&$select=ID&$expand=Sales($apply=ancestors(${HIERARCHY},SalesOrganization/ID,identity,1);$select=ID)`]:
      [{ ID: "C2", Sales: [] }],
    [`Customers?$filter=ID eq 'C2'&$select=ID&$expand=Sales($apply=traverse(${HIERARCHY},SalesOrganization/ID,preorder);$select=ID)`]:
      [{ ID: "C2", Sales: [{ ID: 4 }, { ID: 5 }] }],
    [`Customers?$filter=ID eq 'C2'&$select=ID&$expand=Sales($apply=groupby((${BY_NODE}),aggregate(Amount with sum as T))/filter(T ne null))`]:
      [{
        ID: "C2",
        Sales: [
          { SalesOrganization: SALES, T: 12 },
          { SalesOrganization: US, T: 12 },
          { SalesOrganization: EAST, T: 12 },
        ],
      }],
    [`Customers('C2')?$expand=Sales($apply=descendants(${HIERARCHY},SalesOrganization/ID,identity,keep start))`]:
      200,
    [`Sales?$apply=groupby((Currency),descendants(${HIERARCHY},SalesOrganization/ID,identity))`]: 501,
    [`$crossjoin(Customers)?$expand=Customers($expand=Sales($apply=traverse(${HIERARCHY},SalesOrganization/ID,preorder)))`]:
      501,
  },
  "bounds are expressions over all rows, not over one (Aggregation 3.3.1)": {
    "Sales?$apply=topcount($these/$count div 4,Amount)&$select=ID": [{ ID: 4 }, { ID: 3 }],
    "Sales?$apply=topcount(1 add 1,Amount)/aggregate(Amount with sum as T)": [{ T: 12 }],
    "Sales?$apply=toppercent(25 add 25,Amount)&$select=ID": [{ ID: 4 }, { ID: 3 }],
    "Sales?$apply=topsum($these/aggregate(Amount with sum) div 2,Amount)&$select=ID": [{ ID: 4 }, { ID: 3 }],
    "Sales?$apply=groupby((Currency),bottomcount(2 sub 1,Amount))&$select=ID": [{ ID: 1 }, { ID: 7 }],
    "Sales?$apply=topcount(Amount,Amount)": 400,
    "Sales?$apply=topcount('x' eq 'y',Amount)": 400,
    "Sales?$apply=groupby((Currency),topcount($these/$count,Amount))": 501,
  },
};
