const FLAG = 'in (0, 1)'

/**
 * The rights of API keys to their own events and endpoints, and whom an event belongs to (decision
 * 0076): the ID of an API key, `clinic`, or `unknown` for an event from before this version, which
 * no key may read.
 */
export const ownEvents = `
alter table apiKeys add column eventAccess text not null default 'none'
  check (eventAccess in ('none', 'without-bodies', 'with-bodies'));
alter table apiKeys add column seesClinicEvents integer not null default 0
  check (seesClinicEvents ${FLAG});
alter table apiKeys add column managesEndpoints integer not null default 0
  check (managesEndpoints ${FLAG});
alter table events add column owner text not null default 'unknown' check (owner <> '');
create index eventsByOwner on events (owner, seq);
`
