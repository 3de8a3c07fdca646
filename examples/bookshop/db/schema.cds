namespace bookshop;

using { Currency, managed } from '@sap/cds/common';

/** A title on our shelves. */
entity Books : managed {
  key ID   : Integer;
  title    : localized String(120) @mandatory;
  descr    : localized String(1000);
  author   : Association to Authors @assert.target;
  genre    : Association to Genres;
  stock    : Integer default 0 @assert.range: [0, 100000];
  price    : Decimal(9, 2) @assert.range: [(0), _];
  currency : Currency;
  rating   : Decimal(2, 1) @readonly;
  reviews  : Integer default 0 @readonly;
  chapters : Composition of many Chapters on chapters.book = $self;
}

/** A part of a book, kept with it. */
entity Chapters {
  key book  : Association to Books;
  key pos   : Integer;
  title     : String(120) @mandatory;
  pages     : Integer;
}

entity Authors : managed {
  key ID       : Integer;
  name         : String(80) @mandatory;
  dateOfBirth  : Date;
  dateOfDeath  : Date;
  placeOfBirth : String(80);
  books        : Association to many Books on books.author = $self;
}

/** Genres form a tree. */
entity Genres {
  key ID   : Integer;
  name     : localized String(60) @mandatory;
  parent   : Association to Genres;
  children : Composition of many Genres on children.parent = $self;
}

/** What customers have ordered. */
entity Orders : managed {
  key ID   : UUID;
  book     : Association to Books;
  quantity : Integer;
  buyer    : String(255);
}
