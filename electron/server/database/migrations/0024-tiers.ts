const INSTANT = `glob '????-??-??T??:??:??.???Z'`
const FLAG = 'in (0, 1)'
const COUNT = (column: string) => `${column} integer not null default 0 check (${column} >= 0)`
/** Adds to, or subtracts from, the counters of a tier when the row is, or was, a stored copy. */
const COUNTED = (sign: '+' | '-', row: 'new' | 'old') => `
  update tiers set storedInstances = storedInstances ${sign} 1,
    storedBytes = storedBytes ${sign} ${row}.bytes
  where tierId = ${row}.tierId and ${row}.state = 'stored';`

/**
 * Tiers behind the local folder (decision 0063), the copies of instances in object stores,
 * migrations of the archive to a tier, and files that were fetched from a tier. Rows of
 * copies outlive their instances until the objects are deleted.
 */
export const tierTables = `
create table tiers (
  tierId text primary key,
  name text not null check (name <> ''),
  kind text not null check (kind in ('s3', 'pacs', 'dicomweb')),
  isEnabled integer not null check (isEnabled ${FLAG}),
  isAutomatic integer not null check (isAutomatic ${FLAG}),
  settings text not null check (json_valid(settings)),
  ${COUNT('storedInstances')},
  ${COUNT('storedBytes')},
  lastError text not null default '',
  verification text check (json_valid(verification)),
  createdAt text not null check (createdAt ${INSTANT}),
  updatedAt text not null check (updatedAt ${INSTANT}),
  check (isAutomatic = 0 or kind = 's3')
) strict, without rowid;

create table tierMigrations (
  migrationId integer primary key autoincrement,
  tierId text not null references tiers on delete cascade,
  state text not null check (state in ('running', 'paused', 'done', 'cancelled')),
  throughId integer not null,
  queuedId integer not null default 0,
  totalInstances integer not null,
  totalBytes integer not null,
  ${COUNT('doneInstances')},
  ${COUNT('doneBytes')},
  ${COUNT('failedInstances')},
  startedAt text not null check (startedAt ${INSTANT}),
  endedAt text check (endedAt ${INSTANT}),
  check ((state in ('running', 'paused')) = (endedAt is null))
) strict;
create unique index tierMigrationsCurrent on tierMigrations (tierId) where endedAt is null;
create index tierMigrationsByTier on tierMigrations (tierId, migrationId);

create table tierCopies (
  copyId integer primary key autoincrement,
  tierId text not null references tiers on delete cascade,
  instanceId integer not null,
  migrationId integer references tierMigrations on delete set null,
  state text not null check (state in ('waiting', 'stored', 'failed', 'lost', 'deleting')),
  objectKey text not null check (objectKey <> ''),
  encryption text not null default 'none' check (encryption in ('none', 'sse-s3', 'sse-c')),
  ${COUNT('bytes')},
  sha256 blob check (length(sha256) = 32),
  copiedAt text check (copiedAt ${INSTANT}),
  verifiedAt text check (verifiedAt ${INSTANT}),
  ${COUNT('attempts')},
  nextAt text check (nextAt ${INSTANT}),
  lastError text not null default '',
  unique (tierId, instanceId),
  check ((state in ('waiting', 'deleting')) = (nextAt is not null)),
  check (state <> 'stored' or (sha256 is not null and copiedAt is not null and verifiedAt is not null))
) strict;
create index tierCopiesDue on tierCopies (tierId, nextAt) where nextAt is not null;
create index tierCopiesByInstance on tierCopies (instanceId);
create index tierCopiesNotStored on tierCopies (tierId, state) where state <> 'stored';
create index tierCopiesByKey on tierCopies (tierId, objectKey);
create trigger tierCopiesStored after update of state on tierCopies when old.state <> new.state
begin${COUNTED('-', 'old')}${COUNTED('+', 'new')} end;
create trigger tierCopiesGone after delete on tierCopies begin${COUNTED('-', 'old')} end;
create trigger tierCopiesOfDeleted after delete on instances begin
  update tierCopies set state = 'deleting', nextAt = '1970-01-01T00:00:00.000Z', attempts = 0
  where instanceId = old.instanceId;
end;

create table tierRecalls (
  instanceId integer primary key references instances on delete cascade,
  recalledAt text not null check (recalledAt ${INSTANT}),
  ${COUNT('bytes')}
) strict;
create index tierRecallsByTime on tierRecalls (recalledAt);
create trigger tierRecallsEnd after update of localRemovedAt on instances
when new.localRemovedAt is not null begin
  delete from tierRecalls where instanceId = new.instanceId;
end;
`
