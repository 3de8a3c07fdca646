using { bookshop } from '../db/schema';

/** Keeping the shelves in order. */
@requires: 'admin'
@odata @mcp
service AdminService {
  entity Books as projection on bookshop.Books;
  entity Authors as projection on bookshop.Authors;
  entity Genres as projection on bookshop.Genres;
  @readonly entity Orders as projection on bookshop.Orders;
}
