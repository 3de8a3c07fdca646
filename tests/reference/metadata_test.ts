/** The metadata of the fixture `reference`: types, properties and operations of the contract. */

import assert from "node:assert/strict";
import { type Answer, withReference } from "./reference.ts";
import { recordType } from "../model/record_type.ts";

type Json = Readonly<Record<string, unknown>>;

function schemaOf({ body }: Answer): Readonly<Record<string, Json>> {
  return body["reference.Reference"];
}

/** Type, facets, nullability and default of each property: `Edm.String(100) not null = x`. */
function propertiesOf(type: Json): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(type)) {
    if (name.startsWith("$")) continue;
    const property = value as Json;
    const kind = String(property.$Type ?? "Edm.String").replace("reference.Reference.", "");
    const facets = [property.$MaxLength ?? property.$Precision, property.$Scale].filter((one) =>
      one !== undefined
    );
    const bounds = facets.length > 0 ? `(${facets})` : "";
    const many = property.$Collection ? " many" : "";
    const required = property.$Kind === undefined && !property.$Nullable ? " not null" : "";
    const preset = property.$DefaultValue === undefined ? "" : ` = ${property.$DefaultValue}`;
    found[name] = `${kind}${bounds}${many}${required}${preset}`;
  }
  return found;
}

const PRODUCT = {
  ID: "Edm.Guid not null",
  Name: "Edm.String(100) not null",
  Description: "Edm.String(500)",
  Price: "Edm.Double not null",
  Rating: "Edm.Byte not null = 0",
  Temperature: "Edm.SByte not null = 0",
  Quantity: "Edm.Int16 not null = 0",
  Weight: "Edm.Single not null = 0",
  Data: "Edm.Binary",
  ReleaseDate: "Edm.Date",
  OpenTime: "Edm.TimeOfDay",
  ShippingTime: "Edm.Duration",
  ProcessingTime: "Edm.Duration",
  Offset: "Edm.Duration",
  CategoryID: "Edm.Guid",
  Status: "ProductStatus not null = None",
  Version: "Edm.Int32 not null = 1",
  CreatedAt: "Edm.DateTimeOffset(7) not null",
  SerialNumber: "Edm.String(50)",
  ProductType: "Edm.String(50) not null = Product",
  ShippingAddress: "Address",
  Dimensions: "Dimensions",
  Location: "Edm.GeographyPoint",
  Route: "Edm.GeographyLineString",
  Area: "Edm.GeographyPolygon",
  Photo: "Edm.Stream",
  Category: "Category",
  Descriptions: "ProductDescription many",
  RelatedProducts: "Product many",
};

Deno.test("the types have the properties of the contract", () =>
  withReference(async (send) => {
    const schema = schemaOf(await send("GET", "$metadata?$format=json"));
    assert.deepEqual(propertiesOf(schema.Product), PRODUCT);
    const { SpecialProduct, ProductStatus, MediaItem } = schema;
    assert.equal(SpecialProduct.$BaseType, "reference.Reference.Product");
    assert.deepEqual(propertiesOf(SpecialProduct), {
      SpecialProperty: "Edm.String(200)",
      SpecialFeature: "Edm.String(100)",
    });
    assert.deepEqual(ProductStatus, {
      $Kind: "EnumType",
      $IsFlags: true,
      None: 0,
      InStock: 1,
      OnSale: 2,
      Discontinued: 4,
      Featured: 8,
    });
    assert.equal(MediaItem.$HasStream, true);
    assert.equal("Content" in MediaItem, false);
    assert.deepEqual(propertiesOf(schema.Company), {
      ID: "Edm.Guid not null",
      Name: "Edm.String(200) not null",
      CEO: "Edm.String(100)",
      Founded: "Edm.Int32",
      HeadQuarter: "Edm.String(200)",
      Website: "Edm.String(100)",
      Logo: "Edm.Binary",
      Version: "Edm.Int32 not null = 1",
      UpdatedAt: "Edm.DateTimeOffset(7) not null",
    });
    assert.deepEqual(propertiesOf(schema.Address), {
      Street: "Edm.String(100)",
      City: "Edm.String(50)",
      State: "Edm.String(2)",
      PostalCode: "Edm.String(10)",
      Country: "Edm.String(50)",
    });
    assert.equal(propertiesOf(schema.DecimalSample).Amount, "Edm.Decimal(38,18) not null");
    const { $ReferentialConstraint } = schema.Product.Category as Json;
    assert.deepEqual($ReferentialConstraint, { CategoryID: "ID" });
  }));

Deno.test("the container has sets, the singleton and one import per name", () =>
  withReference(async (send) => {
    const { EntityContainer: container, $Annotations } = schemaOf(
      await send("GET", "$metadata?$format=json"),
    );
    const names = Object.keys(container).filter((name) => !name.startsWith("$"));
    assert.deepEqual(names, [
      ...["Products", "Categories", "ProductDescriptions", "MediaItems", "ReadOnlyItems", "DecimalSamples"],
      ...["Company", "GetTopProducts", "GetProductStats", "FindProducts", "Calculate", "Convert"],
      ...["ResetAllPrices", "ResetProducts", "Process", "Reseed"],
    ]);
    const at = (target: string) => $Annotations[`reference.Reference.${target}`] as Json;
    assert.equal(at("EntityContainer")?.["@Core.SchemaVersion"] ?? at("EntityContainer"), "1.0");
    const restricted = Object.entries($Annotations).filter(([, value]) =>
      JSON.stringify(value).includes("Capabilities")
    );
    assert.deepEqual(restricted.map(([target]) => target), [
      "reference.Reference.EntityContainer/Products",
      "reference.Reference.EntityContainer/ReadOnlyItems",
    ]);
    assert.deepEqual(at("EntityContainer/Products")["@Capabilities.ChangeTracking"], {
      ...recordType("Capabilities.ChangeTrackingType"),
      Supported: true,
    });
    assert.equal(at("Product/CreatedAt")["@Core.Computed"], true);
    assert.equal(at("Product/SerialNumber")["@Core.Immutable"], true);
    assert.equal(at("Product/Name")["@Core.Description"], "Product display name");
    assert.equal(at("Company/Logo")["@Core.MediaType"], "image/svg+xml");
    assert.equal(JSON.stringify($Annotations).includes("OptimisticConcurrency"), false);
  }));

Deno.test("operations with the same name are overloads", () =>
  withReference(async (send) => {
    const schema = schemaOf(await send("GET", "$metadata?$format=json"));
    const signatures = (name: string) =>
      (schema[name] as unknown as readonly Json[]).map(({ $Parameter = [], $IsBound }) => {
        const params = ($Parameter as readonly Json[]).slice($IsBound ? 1 : 0).map(({ $Name }) => $Name);
        return `${$IsBound ? "bound" : "free"}(${params})`;
      });
    assert.deepEqual(signatures("GetTopProducts"), [
      ...["bound()", "bound(count)", "bound(count,category)"],
      ...["free()", "free(count)", "free(count,category)"],
    ]);
    assert.deepEqual(signatures("CalculatePrice"), ["bound(discount)", "bound(discount,tax)"]);
    assert.deepEqual(signatures("Process"), ["free(percentage)", "free(percentage,minPrice)"]);
  }));

Deno.test("the metadata in XML has the same types", () =>
  withReference(async (send) => {
    const { body, headers } = await send("GET", "$metadata");
    assert.equal(headers.get("content-type"), "application/xml");
    for (
      const part of [
        '<EntityType Name="SpecialProduct" BaseType="reference.Reference.Product">',
        '<EntityType Name="MediaItem" HasStream="true">',
        '<EnumType Name="ProductStatus" IsFlags="true">',
        '<Member Name="Featured" Value="8"/>',
        '<Property Name="Location" Type="Edm.GeographyPoint" SRID="4326"/>',
        '<Property Name="ShippingTime" Type="Edm.Duration"/>',
        '<ReferentialConstraint Property="CategoryID" ReferencedProperty="ID"/>',
      ]
    ) assert.ok(body.includes(part), part);
  }));
