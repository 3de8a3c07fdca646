/* global sap */
// A page that knows nothing of the service but its metadata: columns and labels of a table, lists of values of inputs.
sap.ui.define([
  "sap/m/Column",
  "sap/m/ColumnListItem",
  "sap/m/Input",
  "sap/m/SelectDialog",
  "sap/m/StandardListItem",
  "sap/m/Table",
  "sap/m/Text",
  "sap/ui/model/odata/v4/ODataModel",
], (Column, ColumnListItem, Input, SelectDialog, StandardListItem, Table, Text, ODataModel) => {
  const model = new ODataModel({ serviceUrl: "/odata/v4/trips/", autoExpandSelect: true, operationMode: "Server" });
  const meta = model.getMetaModel();
  const lineItem = "@com.sap.vocabularies.UI.v1.LineItem";
  const label = "@com.sap.vocabularies.Common.v1.Label";
  const typeOf = (path) => path.slice(path.lastIndexOf(".") + 1);

  /** The value help of an input: a dialog with the rows of the list that the metadata name. */
  const choose = async (event) => {
    const input = event.getSource();
    const context = input.getBindingContext();
    const path = context.getPath(input.getBinding("value").getPath());
    const lists = await meta.requestValueListInfo(path, true, context);
    const { CollectionPath, Label, Parameters, $model } = lists[""];
    const kind = (suffix) => Parameters.filter(({ $Type }) => typeOf($Type) === suffix);
    const [inOut] = kind("ValueListParameterInOut");
    const [shown] = kind("ValueListParameterDisplayOnly");
    const dialog = new SelectDialog("values", {
      title: Label,
      items: {
        path: `/${CollectionPath}`,
        template: new StandardListItem({
          title: `{${inOut.ValueListProperty}}`,
          description: `{${shown.ValueListProperty}}`,
        }),
      },
      confirm: (chosen) => {
        const row = chosen.getParameter("selectedContexts")[0];
        context.setProperty(inOut.LocalDataProperty.$PropertyPath, row.getProperty(inOut.ValueListProperty));
      },
    });
    dialog.setModel($model);
    dialog.open("");
  };

  return meta.requestObject(`/Trips/${lineItem}`).then(async (items) => {
    const names = items.map(({ Value }) => Value.$Path);
    const columns = await Promise.all(names.map(async (name) => {
      const text = await meta.requestObject(`/Trips/${name}${label}`);
      return new Column({ header: new Text({ text }).addStyleClass("label") });
    }));
    const cells = await Promise.all(names.map(async (name) => {
      const type = await meta.requestValueListType(`/Trips/${name}`);
      return type === "None"
        ? new Text({ text: `{${name}}` }).addStyleClass(name)
        : new Input({ value: `{${name}}`, showValueHelp: true, valueHelpRequest: choose }).addStyleClass(name);
    }));
    const table = new Table("trips", {
      columns,
      items: { path: "/Trips", parameters: { $orderby: "ID" }, template: new ColumnListItem({ cells }) },
    });
    table.setModel(model);
    table.placeAt("content");
  });
});
