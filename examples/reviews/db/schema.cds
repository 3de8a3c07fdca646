namespace reviews;

using { cuid, managed } from '@sap/cds/common';

/** What a reader says about a book. */
entity Reviews : cuid, managed {
  book   : Integer @mandatory;
  rating : Integer @mandatory @assert.range: [1, 5];
  text   : String(1000);
}
