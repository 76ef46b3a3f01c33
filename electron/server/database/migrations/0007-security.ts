const INSTANT = `glob '????-??-??T??:??:??.???Z'`
const HASH = (column: string) => `length(${column}) = 64 and ${column} glob '[0-9a-f]*'`

/**
 * Locked sessions, two-factor authentication and workstations; a view opened from the window ends
 * with its session. Existing sessions are kept and receive an id.
 */
export const securityTables = `
alter table sessions add column sessionId text check (sessionId <> '');
update sessions set sessionId = lower(hex(randomblob(16)));
create unique index sessionsById on sessions (sessionId);
alter table sessions add column browser text not null default '';
alter table sessions add column address text not null default '';
alter table sessions add column workstationId text;
alter table sessions add column lockedAt text check (lockedAt ${INSTANT});
alter table sessions add column wrongPasswords integer not null default 0;

alter table views add column sessionId text;

create table passwordChanges (
  userId text primary key references users,
  at text not null check (at ${INSTANT})
) strict;

create table secondFactors (
  userId text primary key references users,
  sealedSecret blob,
  since text check (since ${INSTANT}),
  lastStep integer,
  sealedPending blob,
  pendingAt text check (pendingAt ${INSTANT}),
  check ((sealedSecret is null) = (since is null)),
  check ((sealedPending is null) = (pendingAt is null))
) strict;

create table secondFactorCodes (
  userId text not null references users,
  codeHash text not null check (${HASH('codeHash')}),
  usedAt text check (usedAt ${INSTANT}),
  primary key (userId, codeHash)
) strict, without rowid;

create table workstations (
  workstationId text primary key check (workstationId <> ''),
  tokenHash text not null unique check (${HASH('tokenHash')}),
  name text not null check (name <> ''),
  code text not null check (code <> ''),
  address text not null,
  browser text not null,
  askedAt text not null check (askedAt ${INSTANT}),
  refusedAt text check (refusedAt ${INSTANT}),
  approvedAt text check (approvedAt ${INSTANT}),
  approvedByUserId text references users,
  lastSeenAt text check (lastSeenAt ${INSTANT}),
  check (refusedAt is null or approvedAt is null)
) strict;
`
