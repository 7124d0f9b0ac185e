-- How much a line of a cart shows of its product, in bytes, as it was when the line was made. A cart takes a further line only while
-- all of them together stay within a limit: otherwise three hundred lines of one product with long texts made answers of a hundred
-- megabytes. Lines from before count nothing.

alter table cart_lines add column shown_bytes integer not null default 0;
