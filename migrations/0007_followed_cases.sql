-- What a difference is before what people have moved for it, what it was when a person decided about
-- it, and when it was last judged: null, it is to be judged again.
alter table recon_cases add column difference bigint;
alter table recon_cases add column decided bigint;
alter table recon_cases add column judged_at timestamp with time zone;
