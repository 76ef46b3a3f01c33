/**
 * The audit trail: entries are keyed from the next opening on (`auditUnkeyed` has a row until
 * then), its head cannot be deleted, and the position up to which entries were sent to the
 * collector.
 */
export const auditKeys = `
create table auditUnkeyed (id integer primary key check (id = 1)) strict;
insert into auditUnkeyed (id) values (1);
create trigger auditHeadStays before delete on auditHead
begin select raise(abort, 'the audit trail is append-only'); end;
create table auditSending (
  id integer primary key check (id = 1),
  seq integer not null check (seq >= 0)
) strict;
`
