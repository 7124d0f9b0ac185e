-- Categories stand in the order that their merchant has given them, among those under the same parent. Null: behind the others, oldest first,
-- as all did until now.
alter table categories add column position integer;
