/**
 * URLs of the service of `refused_model.ts`, and the queries that they are planned as, with their values.
 *
 * @module
 */

/** Queries as CQL by URL: `all` stands for the columns of books, and pages of 1000 rows are left out. */
export const PLANNED: Readonly<Record<string, string>> = {
  "Books": "SELECT from S.Books { all } order by ID asc",
  "Books(1)": "SELECT one from S.Books[ID = 1] { all }",
  "Books/1": "SELECT one from S.Books[ID = 1] { all }",
  "Books(1)/title": "SELECT one from S.Books[ID = 1] { title }",
  "Books(1)/author": "SELECT one from S.Books[ID = 1].author",
  "Books(1)/author/name": "SELECT one from S.Books[ID = 1].author { name }",
  "Books(1)/reviews": "SELECT from S.Books[ID = 1].reviews order by ID asc",
  "Books/$count": "SELECT one from S.Books { count(*) as $count }",
  "Books/$count?$filter=stock gt 1": "SELECT one from S.Books { count(*) as $count } where stock > 1",
  "Books(1)/reviews/$count": "SELECT one from S.Books[ID = 1].reviews { count(*) as $count }",
  "Books?$select=title,stock&$filter=stock gt 1 and not (title eq 'x')&$orderby=title desc,stock&$top=5&$skip=2&$count=true":
    "SELECT from S.Books { title, stock, ID } where stock > 1 and not (title == 'x') order by title desc nulls last, stock asc nulls first, ID asc limit 5 offset 2",
  "Books?$select=ID&$filter=author/name eq 'x' or author eq null":
    "SELECT from S.Books { ID } where author.name = 'x' or author_ID == null order by ID asc",
  "Books?$select=ID&$filter=reviews/any()": "SELECT from S.Books { ID } where exists reviews order by ID asc",
  "Books?$select=ID&$filter=reviews/any(r:r/rating gt 3)":
    "SELECT from S.Books { ID } where exists reviews[rating > 3] order by ID asc",
  "Books?$select=ID&$filter=reviews/all(r:r/rating gt 3)":
    "SELECT from S.Books { ID } where not exists reviews[(case when rating > 3 then 0 else 1 end) = 1] order by ID asc",
  "Books?$select=ID&$filter=reviews/$count gt 2":
    "SELECT from S.Books { ID } where count(reviews) > 2 order by ID asc",
  "Books?$select=ID&$filter=reviews/$count($filter=rating gt 2) gt 2":
    "SELECT from S.Books { ID } where count(reviews[rating > 2]) > 2 order by ID asc",
  "Books?$select=ID&$filter=stock in (1,2)":
    "SELECT from S.Books { ID } where stock in (1, 2) order by ID asc",
  "Books?$select=ID&$filter=stock in []": "SELECT from S.Books { ID } where 1 = 0 order by ID asc",
  "Books?$select=ID&$filter=contains(title,'x') and startswith(title,'y') and endswith(title,'z')":
    "SELECT from S.Books { ID } where contains(title, 'x') and startswith(title, 'y') and endswith(title, 'z') order by ID asc",
  "Books?$select=ID&$filter=length(title) gt 1":
    "SELECT from S.Books { ID } where length(title) > 1 order by ID asc",
  "Books?$select=ID&$filter=substring(title,1) eq 'x'":
    "SELECT from S.Books { ID } where substring(title, 1) = 'x' order by ID asc",
  "Books?$select=ID&$filter=substring(title,1,2) eq 'x'":
    "SELECT from S.Books { ID } where substring(title, 1, 2) = 'x' order by ID asc",
  "Books?$select=ID&$filter=concat(title,'x') eq 'y'":
    "SELECT from S.Books { ID } where concat(title, 'x') = 'y' order by ID asc",
  "Books?$select=ID&$filter=year(day) eq 2024 and month(day) eq 2 and day(day) eq 3":
    "SELECT from S.Books { ID } where year(day) = 2024 and month(day) = 2 and day(day) = 3 order by ID asc",
  "Books?$select=ID&$filter=hour(at) eq 1": "SELECT from S.Books { ID } where hour(at) = 1 order by ID asc",
  "Books?$select=ID&$filter=date(at) eq 2024-01-01":
    "SELECT from S.Books { ID } where date(at) = '2024-01-01' order by ID asc",
  "Books?$select=ID&$filter=at gt now()": "SELECT from S.Books { ID } where at > now() order by ID asc",
  "Books?$select=ID&$filter=round(price) eq 1":
    "SELECT from S.Books { ID } where round(price) = 1 order by ID asc",
  "Books?$select=ID&$filter=stock add 1 sub 2 mul 3 div 4 mod 5 eq 1":
    "SELECT from S.Books { ID } where ((stock + 1) - $mod($div(2 * 3, 4), 5)) = 1 order by ID asc",
  "Books?$select=ID&$filter=stock divby 2 eq 1":
    "SELECT from S.Books { ID } where $decimal($divby(stock, 2)) = 1 order by ID asc",
  "Books?$select=ID&$filter=-stock lt 0": "SELECT from S.Books { ID } where (- stock) < 0 order by ID asc",
  "Books?$select=ID&$filter=case(stock gt 1:'many',true:'few') eq 'few'":
    "SELECT from S.Books { ID } where (case when stock > 1 then 'many' when 1 = 1 then 'few' end) = 'few' order by ID asc",
  "Books?$select=ID&$filter=cast(stock,Edm.String) eq '1'":
    "SELECT from S.Books { ID } where $integer_text(stock) = '1' order by ID asc",
  "Books?$select=ID&$filter=title eq null": "SELECT from S.Books { ID } where title == null order by ID asc",
  "Books?$select=ID&$filter=title ne null": "SELECT from S.Books { ID } where title != null order by ID asc",
  "Books?$select=ID&$filter=title ne 'x'": "SELECT from S.Books { ID } where title != 'x' order by ID asc",
  "Books?$select=ID&$filter=available": "SELECT from S.Books { ID } where available = true order by ID asc",
  "Books?$select=ID&$filter=available eq false":
    "SELECT from S.Books { ID } where available = false order by ID asc",
  "Books?$select=ID&$filter=stock ge 1 and stock le 3":
    "SELECT from S.Books { ID } where stock >= 1 and stock <= 3 order by ID asc",
  "Books?$select=ID&$filter=tags/any(t:t eq 'x')":
    "SELECT from S.Books { ID } where $any(tags, $by_code_points($member($item1.value)) = 'x', name'$item1') order by ID asc",
  "Books?$select=ID&$filter=tags/$count gt 1":
    "SELECT from S.Books { ID } where $size(tags) > 1 order by ID asc",
  "Books?$select=ID&$filter=$root/Settings/minimum lt stock":
    "SELECT from S.Books { ID } where (SELECT one from S.Settings { minimum }) < stock order by ID asc",
  "Books?$select=ID&$filter=@x lt stock&@x=1": "SELECT from S.Books { ID } where 1 < stock order by ID asc",
  "Books?$select=ID&$expand=author": "SELECT from S.Books { ID, author { * } } order by ID asc",
  "Books?$select=ID&$expand=author($select=name)":
    "SELECT from S.Books { ID, author { name, ID } } order by ID asc",
  "Books?$select=ID&$expand=reviews($filter=rating gt 2;$orderby=rating;$top=2;$skip=1;$count=true)":
    "SELECT from S.Books { ID, reviews { * } where rating > 2 order by rating asc nulls first, ID asc limit 2 offset 1 } order by ID asc",
  "Books?$select=ID&$expand=reviews/$count":
    "SELECT from S.Books { ID, count(reviews) as reviews } order by ID asc",
  "Books?$select=ID&$expand=reviews/$ref": "SELECT from S.Books { ID, reviews { ID } } order by ID asc",
  "Books?$select=ID&$expand=*": "SELECT from S.Books { ID, author { * }, reviews { * } } order by ID asc",
  "Books?$select=*": "SELECT from S.Books { all } order by ID asc",
  "Books?$select=address_city": "SELECT from S.Books { address_city, ID } order by ID asc",
  "Books?$orderby=author/name": "SELECT from S.Books { all } order by author.name asc nulls first, ID asc",
  "Books?$orderby=reviews/$count desc": "SELECT from S.Books { all } order by count(reviews) desc, ID asc",
  "Books?$compute=stock mul 2 as twice&$select=ID,twice&$filter=twice gt 3&$orderby=twice":
    "SELECT from S.Books { ID, stock * 2 as twice } where (stock * 2) > 3 order by (stock * 2) asc nulls first, ID asc",
  "Books?$search=x": "SELECT from S.Books { all } search 'x' order by ID asc",
  'Books?$search="a b" OR NOT c': "SELECT from S.Books { all } search 'a b' or not 'c' order by ID asc",
  "Books?$select=ID&$skip=3": "SELECT from S.Books { ID } order by ID asc limit 1000 offset 3",
  "Books?$top=0": "SELECT from S.Books { all } order by ID asc limit 0",
  "Settings": "SELECT one from S.Settings",
  "Settings/minimum": "SELECT one from S.Settings { minimum }",
  "Editions(title='x',edition=1)": "SELECT one from S.Editions[title = 'x' and edition = 1]",
  "Editions/x/1": "SELECT one from S.Editions[title = 'x' and edition = 1]",
  "Authors/books": "SELECT one from S.Authors[ID = 'books']",
  "Cheap(most=5)/Set": "SELECT from S.Cheap(most: 5) order by ID asc",
  "Cheap(most=5)/Set(1)": "SELECT one from S.Cheap(most: 5)[ID = 1]",
  "Nodes?$expand=children($levels=2)":
    "SELECT from S.Nodes { *, children { *, children { * } } } order by ID asc",
  "Nodes?$expand=parent($levels=max)":
    "SELECT from S.Nodes { *, parent { *, parent { *, parent { *, parent { *, parent { *, parent { *, parent { *, parent { * } } } } } } } } } order by ID asc",
  "Books/$filter(stock gt 1)": "SELECT from S.Books[stock > 1] { all } order by ID asc",
  "$crossjoin(Books,Authors)?$filter=Books/author/ID eq Authors/ID":
    "SELECT from (S.Books as $row1 cross join S.Authors as $row2) { $row1.ID as $row1.ID, $row2.ID as $row2.ID } where $row1.author.ID == $row2.ID order by $row1.ID asc, $row2.ID asc limit 1000 offset 0",
  "Books?$apply=aggregate(stock with sum as total,$count as n)":
    "SELECT from S.Books { sum(stock) as total, count(*) as n }",
  "Books?$apply=groupby((author/name),aggregate(stock with max as m))":
    "SELECT from S.Books { author.name as author_name, max(stock) as m } group by author.name order by author.name asc",
  "Books?$apply=filter(stock gt 1)/groupby((title))&$orderby=title":
    "SELECT from S.Books { title as title } where stock > 1 group by title order by title asc nulls first, title asc",
  "Books?$apply=topcount(2,stock)":
    "SELECT from S.Books { all } order by stock desc nulls last, ID asc limit 2",
  "Books?$apply=compute(stock add 1 as x)/filter(x gt 1)":
    "SELECT from S.Books { all, stock + 1 as x } where (stock + 1) > 1 order by ID asc",
  "Books?$select=ID&$filter=(stock gt 1 or stock lt 0) and available":
    "SELECT from S.Books { ID } where (stock > 1 or stock < 0) and available = true order by ID asc",
  "Books?$select=ID&$filter=not contains(title,'x') or not available":
    "SELECT from S.Books { ID } where not contains(title, 'x') or not (available = true) order by ID asc",
  "Books?$select=ID&$filter=not (stock gt 1 and stock lt 3)":
    "SELECT from S.Books { ID } where not (stock > 1 and stock != null and stock < 3 and stock != null) order by ID asc",
  "Books?$select=ID&$filter=author/name ne 'x'":
    "SELECT from S.Books { ID } where author.name != 'x' order by ID asc",
  "Books?$select=ID&$filter=author ne null":
    "SELECT from S.Books { ID } where author_ID != null order by ID asc",
  "Books?$select=ID&$filter=null eq title": "SELECT from S.Books { ID } where null == title order by ID asc",
  "Books?$select=ID&$filter=null ne null": "SELECT from S.Books { ID } where 1 = 0 order by ID asc",
  "Books?$select=ID&$filter=stock gt null": "SELECT from S.Books { ID } where 1 = 0 order by ID asc",
  "Books?$select=ID&$filter=1 lt stock": "SELECT from S.Books { ID } where 1 < stock order by ID asc",
  "Books?$select=ID&$filter=stock eq price":
    "SELECT from S.Books { ID } where stock == price order by ID asc",
  "Books?$select=ID&$filter=stock add price gt 1.5":
    "SELECT from S.Books { ID } where $decimal_add(stock, price) > 1.5 order by ID asc",
  "Books?$select=ID&$filter=price mul 2 lt 10.25":
    "SELECT from S.Books { ID } where $decimal_mul(price, 2) < 10.25 order by ID asc",
  "Books?$select=ID&$filter=stock div 2 eq 1":
    "SELECT from S.Books { ID } where $div(stock, 2) = 1 order by ID asc",
  "Books?$select=ID&$filter=price div 2 eq 1":
    "SELECT from S.Books { ID } where $decimal($divby(price, 2)) = 1 order by ID asc",
  "Books?$select=ID&$filter=price mod 2 eq 1":
    "SELECT from S.Books { ID } where $mod(price, 2) = 1 order by ID asc",
  "Books?$select=ID&$filter=floor(price) eq 1 or ceiling(price) eq 2":
    "SELECT from S.Books { ID } where floor(price) = 1 or ceiling(price) = 2 order by ID asc",
  "Books?$select=ID&$filter=tolower(title) eq 'x' or toupper(title) eq 'X' or trim(title) eq 'x'":
    "SELECT from S.Books { ID } where tolower(title) = 'x' or toupper(title) = 'X' or trim(title) = 'x' order by ID asc",
  "Books?$select=ID&$filter=indexof(title,'x') eq 1":
    "SELECT from S.Books { ID } where indexof(title, 'x') = 1 order by ID asc",
  "Books?$select=ID&$filter=minute(at) eq 1 and second(clock) eq 2 and fractionalseconds(at) eq 0.5":
    "SELECT from S.Books { ID } where minute(at) = 1 and second(clock) = 2 and fractionalseconds(at) = 0.5 order by ID asc",
  "Books?$select=ID&$filter=time(at) eq 10:00:00":
    "SELECT from S.Books { ID } where time(at) = '10:00:00' order by ID asc",
  "Books?$select=ID&$filter=at lt maxdatetime() and at gt mindatetime()":
    "SELECT from S.Books { ID } where at < '9999-12-31T23:59:59.999Z' and at > '0001-01-01T00:00:00.000Z' order by ID asc",
  "Books?$select=ID&$filter=totaloffsetminutes(at) eq 0":
    "SELECT from S.Books { ID } where (case when at != null then 0 end) = 0 order by ID asc",
  "Books?$select=ID&$filter=day eq 2024-02-29 and at ge 2024-01-01T00:00:00Z and clock lt 10:00:00":
    "SELECT from S.Books { ID } where day = '2024-02-29' and at >= '2024-01-01T00:00:00.000Z' and clock < '10:00:00' order by ID asc",
  "Books?$select=ID&$filter=at add duration'P1DT1S' gt now()":
    "SELECT from S.Books { ID } where $shift_timestamp(at, '86401') > now() order by ID asc",
  "Books?$select=ID&$filter=at sub at gt duration'PT1H'":
    "SELECT from S.Books { ID } where $seconds_between(at, at) > '3600' order by ID asc",
  "Books?$select=ID&$filter=bytes eq binary'AQID'":
    "SELECT from S.Books { ID } where bytes = {'0':1,'1':2,'2':3} order by ID asc",
  "Books?$select=ID&$filter=matchesPattern(title,'%5Ea')":
    "SELECT from S.Books { ID } where matchespattern(title, '^a') order by ID asc",
  "Books?$select=ID&$filter=concat(concat(title,'a'),title) eq 'b'":
    "SELECT from S.Books { ID } where concat(concat(title, 'a'), title) = 'b' order by ID asc",
  "Books?$select=ID&$filter=title in ('a','b',null)":
    "SELECT from S.Books { ID } where title in ('a', 'b') or title == null order by ID asc",
  "Books?$select=ID&$filter=not (title in ('a'))":
    "SELECT from S.Books { ID } where not (title in ('a') and title != null) order by ID asc",
  "Books?$select=ID&$filter=author/ID in (11111111-aaaa-4bbb-8ccc-222222222222)":
    "SELECT from S.Books { ID } where author.ID in ('11111111-aaaa-4bbb-8ccc-222222222222') order by ID asc",
  "Books?$select=ID&$filter=reviews/any(r:r/book/stock gt 1 and r/rating lt stock)":
    "SELECT from S.Books as $row1 { ID } where exists reviews[book.stock > 1 and rating < $row1.stock] order by ID asc",
  "Books?$select=ID&$filter=not reviews/any(r:r/rating eq 1)":
    "SELECT from S.Books { ID } where not exists reviews[rating = 1] order by ID asc",
  "Books?$select=ID&$filter=author/books/any(b:b/edition gt 1)":
    "SELECT from S.Books { ID } where exists author.books[edition > 1] order by ID asc",
  "Books?$select=ID&$filter=author/books/$count gt 1":
    "SELECT from S.Books { ID } where count(author.books) > 1 order by ID asc",
  "Books?$select=ID&$filter=reviews/any(r:r/book/reviews/all(s:s/rating gt r/rating))":
    "SELECT from S.Books { ID } where exists reviews[not exists book.reviews[(case when rating > $row1.rating then 0 else 1 end) = 1]] order by ID asc",
  "Books?$select=ID&$filter=tags/any()": "SELECT from S.Books { ID } where $size(tags) > 0 order by ID asc",
  "Books?$select=ID&$filter=tags/all(t:t ne 'x')":
    "SELECT from S.Books { ID } where not $any(tags, (case when $by_code_points($member($item1.value)) != 'x' then 0 else 1 end) = 1, name'$item1') order by ID asc",
  "Books?$select=ID&$filter=marks/any(m:m gt stock)":
    "SELECT from S.Books { ID } where $any(marks, $member($item1.value) > stock, name'$item1') order by ID asc",
  "Books?$select=ID&$filter=places/any(p:p/city eq 'x' and p/floor gt 1)":
    "SELECT from S.Books { ID } where $any(places, $by_code_points($member($item1.value, name'city')) = 'x' and $member($item1.value, name'floor') > 1, name'$item1') order by ID asc",
  "Books?$select=ID&$filter=places/any(p:p/rooms/any(r:r eq 1))":
    "SELECT from S.Books { ID } where $any(places, $any($nested($item1.value, name'rooms'), $member($item2.value) = 1, name'$item2'), name'$item1') order by ID asc",
  "Books?$select=ID&$filter=title in tags":
    "SELECT from S.Books { ID } where $any(tags, $by_code_points($member($item1.value)) == title, name'$item1') order by ID asc",
  'Books?$select=ID&$filter=hassubset(tags,["a","b"])':
    "SELECT from S.Books { ID } where ($count(tags, $by_code_points($member($item1.value)) == 'a', name'$item1') >= 1 and $count(tags, $by_code_points($member($item2.value)) == 'b', name'$item2') >= 1) = true order by ID asc",
  "Books?$select=ID&$filter=$it/title eq 'x'": "SELECT from S.Books { ID } where title = 'x' order by ID asc",
  "Books?$select=ID&$filter=$root/Books/$count gt 3":
    "SELECT from S.Books { ID } where (SELECT from S.Books { count(*) as count }) > 3 order by ID asc",
  "Books?$select=ID&$filter=$root/Books(1)/stock lt stock":
    "SELECT from S.Books { ID } where (SELECT one from S.Books[ID = 1] { stock }) < stock order by ID asc",
  "Books?$select=ID&$filter=$root/Books/any(b:b/stock gt stock)":
    "SELECT from S.Books as $row1 { ID } where exists (SELECT from S.Books[stock > $row1.stock] { 1 as found }) order by ID asc",
  "Books?$select=ID&$filter=isof(title,Edm.String)":
    "SELECT from S.Books { ID } where true = true order by ID asc",
  "Books?$select=ID&$filter=cast(title,Edm.Int32) eq 1":
    "SELECT from S.Books { ID } where (title) = 1 order by ID asc",
  "Books?$select=ID&$filter=cast(price,Edm.Int32) eq 1":
    "SELECT from S.Books { ID } where $whole(price, -2147483649, 2147483648) = 1 order by ID asc",
  "Books?$select=ID&$filter=cast(title,Edm.DateTimeOffset) lt now()":
    "SELECT from S.Books { ID } where 1 = 0 order by ID asc",
  "Books?$select=ID&$filter=cast(day,Edm.TimeOfDay) lt 10:00:00":
    "SELECT from S.Books { ID } where 1 = 0 order by ID asc",
  "Books?$select=ID&$filter=cast(clock,Edm.Date) lt 2024-01-01":
    "SELECT from S.Books { ID } where 1 = 0 order by ID asc",
  "Books?$select=ID&$filter=cast(at,Edm.Date) lt 2024-01-01":
    "SELECT from S.Books { ID } where date(at) < '2024-01-01' order by ID asc",
  "Books?$select=ID&$filter=cast(at,Edm.TimeOfDay) lt 10:00:00":
    "SELECT from S.Books { ID } where time(at) < '10:00:00' order by ID asc",
  "Books?$select=ID&$filter=cast(day,Edm.DateTimeOffset) lt now()":
    "SELECT from S.Books { ID } where $shift_timestamp(day, 0) < now() order by ID asc",
  "Books?$select=ID&$filter=true": "SELECT from S.Books { ID } where 1 = 1 order by ID asc",
  "Books?$select=ID&$filter=false or stock eq 1":
    "SELECT from S.Books { ID } where 1 = 0 or stock = 1 order by ID asc",
  "Books?$select=ID&$filter=available and not available":
    "SELECT from S.Books { ID } where available = true and not (available = true) order by ID asc",
  "Books?$select=ID&$filter=S.rate(stars=1) eq 1":
    "SELECT from S.Books { ID } where $member($nested(:call1, $entry_name(ID)), name'v') = 1 order by ID asc",
  "Books?$select=ID&$filter=case(available:stock,true:0) gt 1":
    "SELECT from S.Books { ID } where (case when available = true then stock when 1 = 1 then 0 end) > 1 order by ID asc",
  "Books?$select=ID&$orderby=stock add 1 desc,length(title)":
    "SELECT from S.Books { ID } order by (stock + 1) desc nulls last, length(title) asc nulls first, ID asc",
  "Books?$select=ID&$orderby=ID desc": "SELECT from S.Books { ID } order by ID desc",
  "Books?$select=ID&$orderby=author/ID":
    "SELECT from S.Books { ID } order by author.ID asc nulls first, ID asc",
  "Books?$select=ID&$orderby=case(stock gt 1:title)":
    "SELECT from S.Books { ID } order by (case when stock > 1 then title end) asc nulls first, ID asc",
  "Books?$select=ID&$top=5000": "SELECT from S.Books { ID } order by ID asc",
  "Books?$select=ID&$top=2&$skip=0": "SELECT from S.Books { ID } order by ID asc limit 2 offset 0",
  "Books(1)?$select=title": "SELECT one from S.Books[ID = 1] { title, ID }",
  "Books(1)?$expand=reviews($top=1)":
    "SELECT one from S.Books[ID = 1] { all, reviews { * } order by ID asc limit 1 }",
  "Books(1)?$select=ID&$expand=author($expand=books($select=title))":
    "SELECT one from S.Books[ID = 1] { ID, author { *, books { title, edition } } }",
  "Books?$select=ID&$expand=author($expand=books($orderby=edition desc;$top=1))":
    "SELECT from S.Books { ID, author { *, books { * } order by edition desc, title asc limit 1 } } order by ID asc",
  "Books?$select=ID&$expand=reviews($filter=book/stock gt 1)":
    "SELECT from S.Books { ID, reviews { * } where book.stock > 1 } order by ID asc",
  "Books?$select=ID&$expand=reviews($filter=$it/stock gt rating)":
    "SELECT from S.Books as $row1 { ID, reviews { * } where $row1.stock > rating } order by ID asc",
  "Books?$select=ID&$expand=reviews($search=x)": "SELECT from S.Books { ID, reviews { * } } order by ID asc",
  "Books?$select=ID&$expand=reviews/$count($filter=rating gt 1)":
    "SELECT from S.Books { ID, count(reviews[rating > 1]) as reviews } order by ID asc",
  "Books?$select=ID&$expand=reviews($compute=rating add 1 as more;$select=ID,more)":
    "SELECT from S.Books { ID, reviews { ID, rating + 1 as more } } order by ID asc",
  "Books?$select=ID&$expand=reviews($levels=2)": "SELECT from S.Books { ID, reviews { * } } order by ID asc",
  "Books?$select=ID&$expand=author,reviews($select=ID)":
    "SELECT from S.Books { ID, author { * }, reviews { ID } } order by ID asc",
  "Books?$select=ID&$expand=reviews($apply=aggregate($count as n))":
    "SELECT from S.Books as $row1 { ID, reviews { * } as reviews } order by ID asc",
  "Books?$select=title,title": "SELECT from S.Books { title, ID } order by ID asc",
  "Books?$select=tags,marks": "SELECT from S.Books { tags, marks, ID } order by ID asc",
  "Books?$select=picture": "SELECT from S.Books { ID } order by ID asc",
  "Books?$select=author": "SELECT from S.Books { author_ID, ID } order by ID asc",
  "Books?$select=hint": "SELECT from S.Books { ID } order by ID asc",
  "Books?$compute=length(title) as len&$select=len":
    "SELECT from S.Books { ID, length(title) as len } order by ID asc",
  "Books?$compute=author/name as writer&$select=ID,writer&$orderby=writer":
    "SELECT from S.Books { ID, author.name as writer } order by author.name asc nulls first, ID asc",
  "Books/$count?$search=x": "SELECT one from S.Books { count(*) as $count } search 'x'",
  "Books(1)/tags": "SELECT one from S.Books[ID = 1] { tags }",
  "Books(1)/tags/$count": "SELECT one from S.Books[ID = 1] { $size(tags) as $count }",
  "Books(1)/tags/0": "SELECT one from S.Books[ID = 1] { tags }",
  "Books(1)/tags?$filter=$it eq 'x'&$orderby=$it desc&$top=1":
    "SELECT one from S.Books[ID = 1] { $filtered(tags, $by_code_points($member($item1.value)) = 'x', name'$item1', ($by_code_points($member($item1.value))), (1, null)) as tags }",
  "Books(1)/places?$select=city": "SELECT one from S.Books[ID = 1] { places }",
  "Books(1)/title/$value": "SELECT one from S.Books[ID = 1] { title }",
  "Books(1)/picture": "SELECT one from S.Books[ID = 1] { picture }",
  "Books(1)/author/$ref": "SELECT one from S.Books[ID = 1].author { ID }",
  "Books(1)/reviews/$ref": "SELECT from S.Books[ID = 1].reviews { ID } order by ID asc",
  "Books/$ref": "SELECT from S.Books { ID } order by ID asc",
  "Authors(11111111-aaaa-4bbb-8ccc-222222222222)/books(title='x',edition=1)/author":
    "SELECT one from S.Authors[ID = '11111111-aaaa-4bbb-8ccc-222222222222'].books[title = 'x' and edition = 1].author",
  "Editions(edition=1,title='it''s')": "SELECT one from S.Editions[title = 'it's' and edition = 1]",
  "Nodes(1)/children?$filter=parent/name eq 'x'":
    "SELECT from S.Nodes[ID = 1].children where parent.name = 'x' order by ID asc",
  "Nodes(1)/parent/parent/name": "SELECT one from S.Nodes[ID = 1].parent.parent { name }",
  "Nodes(1)/children(2)": "SELECT one from S.Nodes[ID = 1].children[ID = 2]",
  "Settings?$select=minimum": "SELECT one from S.Settings { minimum, ID }",
  "Cheap(most=5)/Set?$filter=title eq 'x'": "SELECT from S.Cheap(most: 5) where title = 'x' order by ID asc",
  "Books/$filter(stock gt 1)/$count": "SELECT one from S.Books[stock > 1] { count(*) as $count }",
  "Books/$filter(stock gt 1)?$filter=stock lt 3":
    "SELECT from S.Books[stock > 1] { all } where stock < 3 order by ID asc",
  "Books/$filter(stock gt 1)/$filter(available)":
    "SELECT from S.Books[stock > 1 and available = true] { all } order by ID asc",
  "PATCH Books(1)": "SELECT one from S.Books[ID = 1] { all }",
  "PATCH Books(1)/title": "SELECT one from S.Books[ID = 1] { title }",
  "DELETE Books(1)/author/$ref": "SELECT one from S.Books[ID = 1].author { ID }",
  "Books?$apply=identity": "SELECT from S.Books { all } order by ID asc",
  "Books?$apply=filter(stock gt 1)": "SELECT from S.Books { all } where stock > 1 order by ID asc",
  "Books?$apply=filter(stock gt 1)/aggregate(stock with average as a,stock with min as m,title with countdistinct as d)":
    "SELECT from S.Books { $decimal_avg(stock) as a, min(stock) as m, countdistinct(title) as d } where stock > 1",
  "Books?$apply=aggregate(stock mul 2 with sum as s)": "SELECT from S.Books { sum(stock * 2) as s }",
  "Books?$apply=aggregate(author/rank with max as m)": "SELECT from S.Books { max(author.rank) as m }",
  "Books?$apply=aggregate(reviews/rating with sum as s)": "SELECT from S.Books { sum(reviews.rating) as s }",
  "Books?$apply=groupby((title,stock))&$select=title":
    "SELECT from S.Books { title as title } group by title, stock order by title asc, stock asc",
  "Books?$apply=join(author as a)&$select=a/name":
    "SELECT from S.Books { author.name as a_name, author.ID as a_ID } where author.ID is not null order by ID asc, author.ID asc",
  "Books?$apply=join(author as a)&$select=title,a/ID":
    "SELECT from S.Books { title as title, author.ID as a_ID } where author.ID is not null order by ID asc, author.ID asc",
  "Books?$apply=groupby((title,stock))":
    "SELECT from S.Books { title as title, stock as stock } group by title, stock order by title asc, stock asc",
  "Books?$apply=groupby((author/ID,author/name))&$orderby=author/name desc":
    "SELECT from S.Books { author.ID as author_ID, author.name as author_name } group by author.ID, author.name order by author.name desc nulls last, author.ID asc, author.name asc",
  "Books?$apply=groupby((title),aggregate($count as n))/filter(n gt 1)":
    "SELECT from S.Books { title as title, count(*) as n } group by title having count(*) > 1 order by title asc",
  "Books?$apply=groupby((title),aggregate(stock with sum as s))&$filter=s gt 1&$orderby=s desc&$top=3&$skip=1":
    "SELECT from S.Books { title as title, sum(stock) as s } group by title having sum(stock) > 1 order by sum(stock) desc nulls last, title asc limit 3 offset 1",
  "Books?$apply=groupby((title),aggregate(stock with sum as s))/aggregate(s with max as m)":
    "SELECT from (SELECT from S.Books { title as title, sum(stock) as s } group by title) { max(s) as m }",
  "Books?$apply=groupby((title),topcount(1,stock))":
    "SELECT from S.Books { all } where ID in (SELECT from (SELECT from S.Books { ID, row_number() over (partition by title order by (case when stock is null then 1 else 0 end) , stock desc , (case when ID is null then 0 else 1 end) , ID asc) as $place }) { ID } where $place <= 1) order by ID asc",
  "Books?$apply=bottomcount(2,stock)/aggregate(stock with sum as s)":
    "SELECT from S.Books { sum(stock) as s } where ID in (SELECT from S.Books { ID } order by stock asc nulls first limit 2)",
  "Books?$apply=topsum(10,stock)":
    "SELECT from S.Books { all } where ID in (SELECT from (SELECT from S.Books { ID, sum(coalesce(stock, 0)) over (order by (case when stock is null then 1 else 0 end) , stock desc , (case when ID is null then 0 else 1 end) , ID asc) - coalesce(stock, 0) as $place }) { ID } where $place < 10) order by stock desc nulls last, ID asc",
  "Books?$apply=toppercent(50,stock)":
    "SELECT from S.Books { all } where ID in (SELECT from (SELECT from S.Books { ID, sum(coalesce(stock, 0)) over (order by (case when stock is null then 1 else 0 end) , stock desc , (case when ID is null then 0 else 1 end) , ID asc) - coalesce(stock, 0) as $place, sum(coalesce(stock, 0)) over () as $total }) { ID } where $place < ($total * (50 * 0.01))) order by stock desc nulls last, ID asc",
  "Books?$apply=bottompercent(50,stock)":
    "SELECT from S.Books { all } where ID in (SELECT from (SELECT from S.Books { ID, sum(coalesce(stock, 0)) over (order by (case when stock is null then 0 else 1 end) , stock asc , (case when ID is null then 0 else 1 end) , ID asc) - coalesce(stock, 0) as $place, sum(coalesce(stock, 0)) over () as $total }) { ID } where $place < ($total * (50 * 0.01))) order by stock asc nulls first, ID asc",
  "Books?$apply=concat(groupby((title)),aggregate($count as n))":
    "SELECT from (SELECT from (SELECT from S.Books { title as title } group by title) { title as title, null as n : cds.Int64, 0 as $part, null as $position : cds.Integer } union all SELECT from (SELECT from S.Books { count(*) as n }) { null as title : cds.String, n as n, 1 as $part, null as $position : cds.Integer }) { title as title, n as n, $part, $position } order by $part, $position, title asc",
  "Books?$apply=concat(aggregate(stock with max as x),aggregate(price with max as x))":
    "SELECT from (SELECT from (SELECT from S.Books { max(stock) as x }) { x as x, 0 as $part, null as $position : cds.Integer } union all SELECT from (SELECT from S.Books { max(price) as x }) { x as x, 1 as $part, null as $position : cds.Integer }) { x as x, $part, $position } order by $part, $position",
  "Books?$apply=orderby(stock desc)/top(2)":
    "SELECT from S.Books { all } order by stock desc nulls last, ID asc limit 2",
  "Books?$apply=skip(1)/top(2)": "SELECT from S.Books { all } order by ID asc limit 2 offset 1",
  "Books?$apply=search(x)/aggregate($count as n)": "SELECT from S.Books { count(*) as n } search 'x'",
  "Books?$apply=join(reviews as r)/groupby((r/rating),aggregate($count as n))":
    "SELECT from S.Books { reviews.rating as r_rating, count(*) as n } where reviews.ID is not null group by reviews.rating order by reviews.rating asc",
  "Books?$apply=outerjoin(reviews as r)/aggregate($count as n)":
    "SELECT from S.Books { count(*) as n } where reviews.ID is null or reviews.ID is not null",
  "Books?$apply=compute(stock mul 2 as twice)/groupby((twice))":
    "SELECT from (SELECT from S.Books { stock * 2 as $key0 }) { $key0 as twice } group by $key0 order by $key0 asc",
  "Books?$apply=groupby((title),aggregate($count as n))/compute(n add 1 as more)":
    "SELECT from S.Books { title as title, count(*) as n, count(*) + 1 as more } group by title order by title asc",
  "Books?$apply=filter($these/aggregate(stock with max) eq stock)":
    "SELECT from S.Books { all } where (SELECT from S.Books { max(stock) as value }) == stock order by ID asc",
  "Books?$apply=aggregate(stock with sum from author with max as x)":
    "SELECT from (SELECT from S.Books { author.ID as author_ID, sum(stock) as x } group by author.ID) { max(x) as x }",
  "Books/$count?$apply=groupby((title))":
    "SELECT one from (SELECT from S.Books { title as title } group by title) { count(*) as $count }",
  "Books?$apply=groupby((author/ID))&$expand=author":
    "SELECT from S.Books { author.ID as author_ID } group by author.ID order by author.ID asc",
  "Nodes?$apply=ancestors($root/Nodes,Tree,ID,filter(name eq 'x'))":
    "SELECT from S.Nodes where ID in :nodes1 order by ID asc",
  "Nodes?$apply=descendants($root/Nodes,Tree,ID,filter(name eq 'x'),1,keep start)":
    "SELECT from S.Nodes where ID in :nodes1 order by ID asc",
  "Nodes?$apply=traverse($root/Nodes,Tree,ID,preorder,name asc)":
    "SELECT from S.Nodes where ID in :nodes1 order by indexof(:nodes1_order, concat('\u0001', ID, '\u0001')) asc, ID asc",
  "Books?$apply=join(reviews as r,filter(rating gt 1))/groupby((r/rating),aggregate($count as n))":
    "SELECT from S.Books { reviews[rating > 1].rating as r_rating, count(*) as n } where reviews[rating > 1].ID is not null group by reviews[rating > 1].rating order by reviews[rating > 1].rating asc",
  "Books?$apply=outerjoin(reviews as r,filter(rating gt 1))/aggregate($count as n)":
    "SELECT from S.Books { count(*) as n } where reviews[rating > 1].ID is null or reviews[rating > 1].ID is not null",
  "Books?$apply=join(author as a)/groupby((a/name))":
    "SELECT from S.Books { author.name as a_name } where author.ID is not null group by author.name order by author.name asc",
  "Books?$apply=addnested(reviews,filter(rating gt 1) as good)":
    "SELECT from S.Books as $row1 { all, reviews { * } as good } order by ID asc",
  "Books?$apply=filter($these/$count gt 3)":
    "SELECT from S.Books { all } where (SELECT from S.Books { count(*) as value }) > 3 order by ID asc",
  "Books?$apply=groupby((title),aggregate($these/$count as x))":
    "SELECT from S.Books { title as title, count(*) as x } group by title order by title asc",
  "Books?$apply=compute(stock add 1 as x)/aggregate(x with sum as s)":
    "SELECT from S.Books { sum(stock + 1) as s }",
  "Books?$apply=topcount(1,title)":
    "SELECT from S.Books { all } order by title desc nulls last, ID asc limit 1",
  "Books?$apply=skip(2)": "SELECT from S.Books { all } order by ID asc limit 1000 offset 2",
  "Books?$apply=top(2)/skip(1)":
    "SELECT from S.Books { all } where ID in (SELECT from S.Books { ID } limit 2) order by ID asc limit 1000 offset 1",
  "Books?$apply=top(2)/filter(stock gt 1)":
    "SELECT from S.Books { all } where ID in (SELECT from S.Books { ID } limit 2) and stock > 1 order by ID asc",
  "Books?$apply=groupby((author))":
    "SELECT from S.Books { author.ID as author_ID } group by author.ID order by author.ID asc",
  "Books?$apply=aggregate(author with countdistinct as x)":
    "SELECT from S.Books { countdistinct(author.ID) as x }",
  "Books?$apply=aggregate(reviews/$count as x)": "SELECT from S.Books { count(reviews.ID) as x }",
  "Bare?$apply=topcount(1,stock)": "SELECT from S.Bare order by stock desc nulls last limit 1",
  "Bare": "SELECT from S.Bare",
};
