-- Filters are in the address of a list, which browsers keep as bookmarks.
-- needs programs of 0047
drop table saved_views;
