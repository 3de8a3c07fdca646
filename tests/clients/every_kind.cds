/** Types, operations and annotations of every kind that metadata has. */
service EveryKind {
  type Color : String enum { red = 'R'; green = 'G'; };

  type Address {
    street : String(10);
    zip    : Integer;
    nested { share : Decimal(5, 2); names : array of String; }
  };

  entity Things {
    key ID       : UUID;
        bytes    : Binary(5);
        file     : LargeBinary @Core.MediaType: fileType;
        fileType : String @Core.IsMediaType;
        free     : Map;
        time     : Time;
        day      : Date;
        moment   : DateTime default '2024-01-01T00:00:00Z';
        instant  : Timestamp;
        small    : UInt8;
        long     : Int64 default 5;
        double   : Double default 1.5;
        exact    : Decimal default 2.50;
        text     : String default 'it''s';
        flag     : Boolean default true;
        color    : Color;
        colors   : array of Color;
        address  : Address;
        places   : many Address;
        inner    : many { x : Integer };
        virtual computed : Integer;
        to       : Association to Things;
        others   : Association to many Things on others.to = $self;
        parts    : Composition of many { key pos : Integer; text : localized String; };
  };

  action change (id : Integer, names : many String, place : Address, thing : Things, rows : many { q : Integer }) returns many Address;
  function find (day : Date, share : Decimal(3, 1), numbers : array of Integer) returns Things;
  function names () returns array of String;
}

annotate EveryKind.Things with
  @UI.LineItem #short: [
    { Value: ID, Label: 'A & <b> "c"', ![@UI.Importance]: #High },
    { $Type: 'UI.DataFieldForAction', Action: 'EveryKind.change', Label: '{i18n>x}' },
    { $Type: 'UI.DataFieldWithUrl', Value: text, Url: 'http://localhost' }
  ]
  @UI.HeaderInfo: { TypeName: 'Thing', Title: { Value: text }, TypeImageUrl: null }
  @UI.DataPoint #point: { Value: exact, Criticality: #Negative, TargetValue: 10.5, MinimumValue: -3 }
  @UI.Hidden: (flag = true and long > 3 or text is null)
  @Common.SemanticKey: [ text, ID ]
  @Common.SideEffects #effects: { SourceProperties: [ 'text' ], TargetEntities: [ to, '' ] }
  @Capabilities.SortRestrictions: { NonSortableProperties: [] }
  @Capabilities.NavigationRestrictions: {
    RestrictedProperties: [ { NavigationProperty: to, InsertRestrictions: { Insertable: false } } ]
  };

annotate EveryKind.Things with {
  text  @Common: { Text: address.street, TextArrangement: #TextOnly } @Common.Text.@UI.TextArrangement: #TextLast;
  exact @Measures.ISOCurrency: text @Validation.Minimum: 1.5 @Validation.Maximum: 99;
  time  @UI.Hidden: { $edmJson: { $If: [ { $Eq: [ { $Path: 'flag' }, true ] }, { $Path: 'text' }, null ] } };
  color @Validation.AllowedValues: [ { Value: 'R' } ] @Common.FieldControl: { $edmJson: { $Path: 'long' } };
  day   @Core.Example: { $Type: 'Core.PrimitiveExampleValue', Value: '2024-01-01' };
  to    @Common.ValueList #list: {
    CollectionPath: 'Things',
    Parameters: [ { $Type: 'Common.ValueListParameterOut', LocalDataProperty: to_ID, ValueListProperty: 'ID' } ]
  };
};
