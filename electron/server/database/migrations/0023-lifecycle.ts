const INSTANT = `glob '????-??-??T??:??:??.???Z'`

/**
 * The lifecycle of images (decision 0061): instances whose file was removed from this PC
 * (`localRemovedAt`), files that are still to be deleted (`fileRemovals`), what destinations have
 * confirmed (`instanceCopies`) and the requests for it (`confirmations`), rules, legal holds, and
 * erasures (decision 0062). A file is deleted only after its row in `fileRemovals` was committed, so that
 * a deletion that a crash interrupted is finished after the next start.
 */
export const lifecycle = `
alter table instances add column localRemovedAt text check (localRemovedAt ${INSTANT});
create index instancesElsewhere on instances (studyInstanceUid) where localRemovedAt is not null;

alter table imageStudies add column localRemovedAt text check (localRemovedAt ${INSTANT});
create index imageStudiesLocal on imageStudies (lastInstanceAt, studyInstanceUid) where localRemovedAt is null;
create trigger instancesReturn after update of localRemovedAt on instances when new.localRemovedAt is null begin
  update imageStudies set localRemovedAt = null where studyInstanceUid = new.studyInstanceUid;
end;
create trigger instancesJoinRemoved after insert on instances
when (select localRemovedAt from imageStudies where studyInstanceUid = new.studyInstanceUid) is not null begin
  update imageStudies set localRemovedAt = null where studyInstanceUid = new.studyInstanceUid;
end;

create table fileRemovals (
  file text primary key check (file glob '[0-9a-f][0-9a-f]/*.dcm'),
  requestedAt text not null check (requestedAt ${INSTANT})
) strict, without rowid;

alter table destinations add column confirmsStorage integer not null default 0
  check (confirmsStorage in (0, 1));

create table instanceCopies (
  instanceId integer not null references instances on delete cascade,
  destinationId text not null,
  kind text not null check (kind in ('commitment', 'read-back')),
  destinationName text not null,
  confirmedAt text not null check (confirmedAt ${INSTANT}),
  primary key (instanceId, destinationId, kind)
) strict, without rowid;
create index instanceCopiesByDestination on instanceCopies (destinationId);

create table confirmations (
  destinationId text not null references destinations on delete cascade,
  studyInstanceUid text not null,
  transactionUid text unique,
  state text not null check (state in ('waiting', 'asked', 'answered', 'given-up')),
  attempts integer not null default 0 check (attempts >= 0),
  nextAt text check (nextAt ${INSTANT}),
  lastError text not null default '',
  updatedAt text not null check (updatedAt ${INSTANT}),
  primary key (destinationId, studyInstanceUid),
  check ((nextAt is null) = (state in ('answered', 'given-up')))
) strict, without rowid;
create index confirmationsDue on confirmations (nextAt) where nextAt is not null;
create index confirmationsByStudy on confirmations (studyInstanceUid);

create table confirmationItems (
  destinationId text not null,
  studyInstanceUid text not null,
  instanceId integer not null references instances on delete cascade,
  sopClassUid text not null,
  sopInstanceUid text not null,
  failureReason integer check (failureReason between 0 and 65535),
  primary key (destinationId, studyInstanceUid, instanceId),
  foreign key (destinationId, studyInstanceUid) references confirmations on delete cascade
) strict, without rowid;
create index confirmationItemsByInstance on confirmationItems (instanceId);

create trigger forwardsToConfirm after update of state on forwards
when new.state = 'sent' and old.state <> 'sent'
  and exists (select 1 from destinations d where d.destinationId = new.destinationId and d.confirmsStorage = 1)
begin
  insert into confirmations (destinationId, studyInstanceUid, state, nextAt, updatedAt)
  values (new.destinationId, new.studyInstanceUid, 'waiting', new.updatedAt, new.updatedAt)
  on conflict (destinationId, studyInstanceUid) do update
  set state = 'waiting', attempts = 0, nextAt = excluded.nextAt, updatedAt = excluded.updatedAt;
end;

create trigger destinationsToConfirm after update of confirmsStorage on destinations
when new.confirmsStorage = 1 and old.confirmsStorage = 0
begin
  insert into confirmations (destinationId, studyInstanceUid, state, nextAt, updatedAt)
  select destinationId, studyInstanceUid, 'waiting', new.updatedAt, new.updatedAt from forwardedStudies
  where destinationId = new.destinationId and sent > 0
  on conflict (destinationId, studyInstanceUid) do update
  set state = 'waiting', attempts = 0, nextAt = excluded.nextAt, updatedAt = excluded.updatedAt;
end;

create table lifecycleRules (
  ruleId text primary key,
  name text not null check (name <> ''),
  definition text not null check (json_valid(definition)),
  revision integer not null check (revision > 0),
  previewedRevision integer,
  isOn integer not null check (isOn in (0, 1)),
  createdAt text not null check (createdAt ${INSTANT}),
  updatedAt text not null check (updatedAt ${INSTANT}),
  check (isOn = 0 or previewedRevision = revision)
) strict, without rowid;

create table legalHolds (
  holdId text primary key,
  studyInstanceUid text not null,
  sealedReason blob not null,
  userId text not null,
  placedAt text not null check (placedAt ${INSTANT}),
  liftedBy text,
  liftedAt text check (liftedAt ${INSTANT}),
  check ((liftedAt is null) = (liftedBy is null))
) strict, without rowid;
create unique index legalHoldsInForce on legalHolds (studyInstanceUid) where liftedAt is null;
create index legalHoldsByStudy on legalHolds (studyInstanceUid);

create table erasures (
  erasureId text primary key,
  scope text not null check (scope in ('study', 'patient')),
  state text not null check (state in ('running', 'done')),
  sealedPlan blob not null,
  userId text not null,
  requestedAt text not null check (requestedAt ${INSTANT}),
  finishedAt text check (finishedAt ${INSTANT}),
  sealedRecord blob,
  check ((state = 'done') = (finishedAt is not null)),
  check ((state = 'done') = (sealedRecord is not null))
) strict, without rowid;
create index erasuresRunning on erasures (state) where state = 'running';

drop trigger reportsStay;
create trigger reportsStay before delete on reports
when old.status = 'completed' and not exists (select 1 from erasures where state = 'running')
begin select raise(abort, 'a signed report is never deleted'); end;
drop trigger reportPdfsStay;
create trigger reportPdfsStay before delete on reportPdfs
when not exists (select 1 from erasures where state = 'running')
begin select raise(abort, 'the PDF of a signed report is never deleted'); end;
`
