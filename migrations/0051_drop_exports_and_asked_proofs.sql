-- needs programs of 0047: files are sent as they are read, and proofs made by the command alone,
-- which keeps what they came to.
drop table export_chunks;
drop table exports;

delete from proofs where state <> 'done';
drop index proofs_under_way;
alter table proofs drop column asked_at, drop column state, drop column attempt, drop column done,
  drop column total, drop column problem, drop column version, drop column due_at;
alter table proofs rename column asked_by to proved_by;
alter table proofs alter column started_at set not null, alter column ended_at set not null,
  alter column postings set not null, alter column entries set not null,
  alter column accounts set not null, alter column anchors set not null,
  alter column breaks set not null;
revoke update on proofs from passerelle_app;
