/* global sap */
// A page over a service with drafts: the list of drafts and active instances, and one of them to edit.
sap.ui.define([
  "sap/m/Button",
  "sap/m/CustomListItem",
  "sap/m/HBox",
  "sap/m/Input",
  "sap/m/List",
  "sap/m/Text",
  "sap/m/VBox",
  "sap/ui/core/Messaging",
  "sap/ui/model/odata/v4/ODataModel",
], (Button, CustomListItem, HBox, Input, List, Text, VBox, Messaging, ODataModel) => {
  const model = new ODataModel({
    serviceUrl: "/odata/v4/order/",
    autoExpandSelect: true,
    operationMode: "Server",
  });
  const classed = (control, name) => control.addStyleClass(name);
  const state = (isActive, hasDraft, user) => isActive === false ? "draft" : hasDraft ? `locked by ${user}` : "active";
  const list = new List("orders", {
    items: {
      path: "/Orders",
      parameters: {
        $orderby: "ID",
        $filter: "IsActiveEntity eq false or SiblingEntity/IsActiveEntity eq null",
        $expand: { DraftAdministrativeData: { $select: "InProcessByUser" } },
      },
      template: new CustomListItem({
        content: new HBox({
          items: [
            classed(new Text({ text: "{title}" }), "title"),
            classed(
              new Text({
                text: {
                  parts: [
                    { path: "IsActiveEntity", targetType: "any" },
                    { path: "HasDraftEntity", targetType: "any" },
                    "DraftAdministrativeData/InProcessByUser",
                  ],
                  formatter: state,
                },
              }),
              "state",
            ),
            classed(new Button({ text: "Open", press: (event) => show(event.getSource().getBindingContext().getCanonicalPath()) }), "open"),
          ],
        }),
      }),
    },
  });
  const detail = new VBox("detail", {
    items: [
      classed(new Input({ value: "{title}" }), "editTitle"),
      classed(new Input({ value: "{path: 'price', type: 'sap.ui.model.odata.type.Int32'}" }), "editPrice"),
      classed(new Text({ text: "{IsActiveEntity}" }), "isActive"),
    ],
  });
  Messaging.registerObject(detail, true);
  const problem = new Text("problem");
  const context = () => detail.getBindingContext();
  const show = (path) => detail.bindElement({ path, parameters: { $select: "DraftMessages,HasDraftEntity" } });
  const told = async (run) => {
    problem.setText("");
    try {
      await run();
    } catch (error) {
      problem.setText(error.message);
    }
    list.getBinding("items").refresh();
  };
  const act = (name) =>
    told(async () => {
      const action = model.bindContext(`OrderService.${name}(...)`, context());
      await action.invoke("$auto");
      const { ID, IsActiveEntity } = action.getBoundContext().getObject();
      show(`/Orders(ID=${ID},IsActiveEntity=${IsActiveEntity})`);
    });
  const create = () =>
    told(async () => {
      const created = list.getBinding("items").create({ ID: 3, title: "New" });
      await created.created();
      show("/Orders(ID=3,IsActiveEntity=false)");
    });
  const discard = () =>
    told(async () => {
      await context().delete("$auto");
      detail.unbindElement();
    });
  const button = (id, press) => new Button(id, { text: id, press });
  const messages = new List("messages", {
    items: {
      path: "messages>/",
      template: new CustomListItem({
        content: [classed(new Text({ text: "{messages>code} {messages>target}" }), "message")],
      }),
    },
  });
  new VBox({
    items: [
      new HBox({
        items: [
          button("create", create),
          button("edit", () => act("draftEdit")),
          button("activate", () => act("draftActivate")),
          button("discard", discard),
          button("refresh", () => list.getBinding("items").refresh()),
        ],
      }),
      problem,
      list,
      detail,
      messages,
    ],
  }).setModel(model).setModel(Messaging.getMessageModel(), "messages").placeAt("content");
  Object.assign(globalThis, { showOrder: show, forget: () => Messaging.removeAllMessages() });
});
