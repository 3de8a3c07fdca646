/* global sap */
// A page over the service: books with author and reviews, changes collected until they are saved, messages.
sap.ui.define([
  "sap/m/Button",
  "sap/m/CustomListItem",
  "sap/m/HBox",
  "sap/m/Input",
  "sap/m/List",
  "sap/m/Text",
  "sap/m/VBox",
  "sap/ui/core/Messaging",
  "sap/ui/model/Filter",
  "sap/ui/model/odata/v4/ODataModel",
], (Button, CustomListItem, HBox, Input, List, Text, VBox, Messaging, Filter, ODataModel) => {
  const GROUP = "changes";
  const model = new ODataModel({
    serviceUrl: "/odata/v4/shop/",
    autoExpandSelect: true,
    updateGroupId: GROUP,
    operationMode: "Server",
  });
  const save = () => model.submitBatch(GROUP);
  const contextOf = (event) => event.getSource().getBindingContext();
  const classed = (control, name) => control.addStyleClass(name);

  const reviews = () =>
    new VBox({
      items: {
        path: "reviews",
        parameters: { $orderby: "stars desc" },
        template: classed(new Text({ text: "{text}" }), "review"),
        templateShareable: false,
      },
    });
  const restock = async (event) => {
    const action = model.bindContext("ShopService.restock(...)", contextOf(event), {
      $$inheritExpandSelect: true,
    });
    await action.setParameter("copies", 10).invoke("$auto");
  };
  const worth = async (event) => {
    const item = event.getSource().getParent();
    const worthOf = model.bindContext("ShopService.worth(...)", contextOf(event));
    await worthOf.setParameter("discount", "0.25").invoke("$auto");
    item.addItem(classed(new Text({ text: worthOf.getBoundContext().getObject().value }), "worth"));
  };
  const praise = (event) => {
    const [list] = event.getSource().getParent().getItems().filter((control) => control.isA("sap.m.VBox"));
    list.getBinding("items").create({ stars: 5, text: 'It\'s great & "good"' }, false, true);
  };
  const item = new CustomListItem({
    content: new HBox({
      items: [
        classed(new Text({ text: "{title}" }), "title"),
        classed(new Text({ text: "{author/name}" }), "author"),
        classed(new Text({ text: "{price}" }), "price"),
        classed(new Text({ text: "{sold}" }), "sold"),
        classed(new Input({ value: "{stock}", valueLiveUpdate: true }), "stock"),
        classed(
          new Button({ text: "Delete", press: (event) => void contextOf(event).delete("$auto") }),
          "delete",
        ),
        classed(new Button({ text: "Restock", press: restock }), "restock"),
        classed(new Button({ text: "Worth", press: worth }), "worthButton"),
        classed(new Button({ text: "Praise", press: praise }), "praise"),
        reviews(),
      ],
    }),
  });
  const list = new List("books", {
    growing: true,
    growingThreshold: 10,
    items: {
      path: "/Books",
      parameters: {
        $count: true,
        $orderby: "title",
        $expand: { author: { $select: "name" } },
        $$ownRequest: true,
      },
      template: item,
      templateShareable: false,
    },
  });
  list.setModel(model);
  Messaging.registerObject(list, true);

  const count = new Text("count", { text: "{$count}" });
  const header = list.getBinding("items").getHeaderContext();
  count.setModel(model);
  count.setBindingContext(header);

  const titleInput = new Input("newTitle");
  const stockInput = new Input("newStock");
  const create = () =>
    list.getBinding("items").create({
      ID: 100 + list.getBinding("items").getCount(),
      title: titleInput.getValue(),
      stock: Number(stockInput.getValue()),
      author_ID: 1,
    });
  /** Books with a good review, an author of a name in any case, published before a day. */
  const liked = () => {
    const books = list.getBinding("items");
    books.changeParameters({ $filter: undefined, $search: undefined });
    books.filter([
      new Filter({
        path: "reviews",
        operator: "Any",
        variable: "one",
        condition: new Filter({
          filters: [new Filter("one/stars", "GE", 4), new Filter("one/text", "NE", null)],
          and: true,
        }),
      }),
      new Filter({ path: "author/name", operator: "Contains", value1: "BRONTË", caseSensitive: false }),
      new Filter("published", "BT", "1840-01-01", "1850-12-31"),
    ]);
  };
  /** Stock by author, with the sum of all before; a group is opened by a press. */
  const showTotals = () => {
    const totals = new List("sums", {
      items: {
        path: "/Books",
        parameters: {
          $$aggregation: {
            aggregate: { stock: { grandTotal: true, subtotals: true, with: "sum" } },
            group: { title: {} },
            groupLevels: ["author_ID"],
          },
          $orderby: "author_ID,title",
        },
        template: new CustomListItem({
          content: new HBox({
            items: [
              classed(new Text({ text: "{author_ID} {title} {stock}" }), "total"),
              classed(new Button({ text: "Open", press: (event) => void contextOf(event).expand() }), "open"),
            ],
          }),
        }),
        templateShareable: false,
      },
    });
    totals.setModel(model);
    totals.placeAt("content");
  };
  const describe = (message) =>
    [message.getType(), message.getCode(), message.getMessage(), ...message.getTargets()].join(" ").trim();
  const messages = new List("messages", {
    items: {
      path: "messages>/",
      template: new CustomListItem({
        content: classed(new Text({ text: { path: "messages>", formatter: describe } }), "message"),
      }),
      templateShareable: false,
    },
  });
  messages.setModel(Messaging.getMessageModel(), "messages");

  const press = (id, handler) => new Button(id, { text: id, press: handler });
  new VBox({
    items: [
      new HBox({
        items: [
          titleInput,
          stockInput,
          press("create", create),
          press("save", save),
          press("reset", () => model.resetChanges(GROUP)),
          press("refresh", () => list.getBinding("items").refresh()),
          press("liked", liked),
          press("totals", showTotals),
          press("forget", () => Messaging.removeAllMessages()),
          press(
            "expensive",
            () => list.getBinding("items").changeParameters({ $filter: "price gt 10", $search: "e" }),
          ),
        ],
      }),
      count,
      list,
      messages,
    ],
  }).placeAt("content");
});
