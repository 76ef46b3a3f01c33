/** A clinic that worked before there was a wizard is not asked to go through it. */
export const setupIsDone = `
insert or ignore into settings (key, value, updatedAt)
select 'setup.isDone', 'true', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
where exists (select 1 from users where passwordHash is not null)
  and exists (select 1 from devices)
  and exists (select 1 from endpoints);
`
