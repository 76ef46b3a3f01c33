const INSTANT = `glob '????-??-??T??:??:??.???Z'`

/**
 * Rights in the gateway apart from the interface's field `level` (decision 0033). Append-only.
 * Until now `users.level` was both: it stays the right, and `interfaceLevel` is what partners read
 * and write. Whoever has not accepted an invitation has no right yet, and a key may have written
 * the level there: an administrator of the gateway gives it again. Keys that are in use keep
 * managing people, and every session confirms who is there before its first privileged action.
 */
export const rights = `
alter table users add column interfaceLevel text not null default 'member'
  check (interfaceLevel in ('owner', 'admin', 'member'));
update users set interfaceLevel = level;
update users set level = 'member' where level = 'admin' and (passwordHash is null or hasDashboardAccess = 0);

alter table apiKeys add column managesPeople integer not null default 0
  check (managesPeople in (0, 1));
update apiKeys set managesPeople = 1 where revokedAt is null;

alter table sessions add column confirmedAt text check (confirmedAt ${INSTANT});
`
