/* global sap */
// A page over the bookshop that knows nothing of it but its metadata: a table with lists of values, and a tree of genres.
sap.ui.define([
  "sap/m/Column",
  "sap/m/ColumnListItem",
  "sap/m/Input",
  "sap/m/SelectDialog",
  "sap/m/StandardListItem",
  "sap/m/Table",
  "sap/m/Text",
  "sap/ui/model/odata/v4/ODataModel",
  "sap/ui/table/Column",
  "sap/ui/table/Table",
  "sap/ui/table/plugins/ODataV4Hierarchy",
], (Column, ColumnListItem, Input, SelectDialog, StandardListItem, Table, Text, ODataModel, TreeColumn, TreeTable, Hierarchy) => {
  const model = new ODataModel({ serviceUrl: "/odata/v4/admin/", autoExpandSelect: true, operationMode: "Server" });
  const meta = model.getMetaModel();
  const labelOf = async (path) =>
    new Text({ text: await meta.requestObject(`${path}@com.sap.vocabularies.Common.v1.Label`) }).addStyleClass("label");

  /** The value help of an input: a dialog with the rows of the list that the metadata name. */
  const choose = async (event) => {
    const input = event.getSource();
    const context = input.getBindingContext();
    const path = context.getPath(input.getBinding("value").getPath());
    const { "": { CollectionPath, Label, Parameters, $model } } = await meta.requestValueListInfo(path, true, context);
    const of = (suffix) => Parameters.find(({ $Type }) => $Type.endsWith(`.${suffix}`));
    const value = of("ValueListParameterInOut");
    const dialog = new SelectDialog({
      title: Label,
      items: {
        path: `/${CollectionPath}`,
        template: new StandardListItem({
          title: `{${of("ValueListParameterDisplayOnly").ValueListProperty}}`,
          description: `{${value.ValueListProperty}}`,
        }),
      },
      search: (search) =>
        search.getParameter("itemsBinding").changeParameters({ $search: search.getParameter("value") || undefined }),
      confirm: (chosen) =>
        context.setProperty(
          value.LocalDataProperty.$PropertyPath,
          chosen.getParameter("selectedContexts")[0].getProperty(value.ValueListProperty),
        ),
    });
    dialog.setModel($model);
    dialog.open("");
  };

  const showBooks = async () => {
    const items = await meta.requestObject("/Books/@com.sap.vocabularies.UI.v1.LineItem");
    const names = items.map(({ Value }) => Value.$Path);
    const cells = await Promise.all(names.map(async (name) => {
      const binding = { value: { path: name }, showValueHelp: true, valueHelpRequest: choose };
      return await meta.requestValueListType(`/Books/${name}`) === "None"
        ? new Text({ text: { path: name } }).addStyleClass(name)
        : new Input(binding).addStyleClass(name);
    }));
    const table = new Table("books", {
      columns: await Promise.all(names.map(async (name) => new Column({ header: await labelOf(`/Books/${name}`) }))),
      growing: true,
      growingThreshold: 5,
      items: { path: "/Books", parameters: { $orderby: "ID", $count: true }, template: new ColumnListItem({ cells }) },
    });
    table.setModel(model);
    table.placeAt("content");
  };

  const showGenres = async () => {
    const table = new TreeTable("genres", {
      dependents: [new Hierarchy()],
      columns: [new TreeColumn({ label: await labelOf("/Genres/name"), template: new Text({ text: "{name}" }).addStyleClass("node") })],
      rows: {
        path: "/Genres",
        parameters: {
          $$aggregation: { hierarchyQualifier: "GenresHierarchy", expandTo: 1 },
          $count: true,
          $orderby: "name",
          $select: ["ID", "name"],
        },
      },
    });
    table.setModel(model);
    table.placeAt("content");
  };

  return Promise.all([showBooks(), showGenres()]);
});
