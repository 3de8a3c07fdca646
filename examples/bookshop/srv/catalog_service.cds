using { bookshop } from '../db/schema';

/** What everybody may see. */
@odata @mcp
service CatalogService {
  @readonly entity Books as projection on bookshop.Books {
    ID, title, descr, author, genre, stock, price, currency, rating, reviews
  };

  @readonly entity Authors as projection on bookshop.Authors {
    ID, name, dateOfBirth, dateOfDeath, placeOfBirth, books
  };

  @readonly entity Genres as projection on bookshop.Genres;

  /** Takes copies from stock and books an order for the caller. */
  @requires: 'authenticated-user'
  action submitOrder (book : Books:ID @mandatory, quantity : Integer @mandatory @assert.range: [1, 100]) returns {
    stock : Integer;
  };

  /** Copies were sold. */
  event OrderedBook {
    book     : Books:ID;
    quantity : Integer;
    buyer    : String(255);
  }
}
