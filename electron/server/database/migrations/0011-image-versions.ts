const INSTANT = `glob '????-??-??T??:??:??.???Z'`
// Must match the conditions of migration 0003 exactly.
const UPDATE_IS_HERE = (uid: string) => `
  update announcedInstances
  set isHere = exists (select 1 from instances where sopInstanceUid = ${uid} and state = 'current')
    or exists (select 1 from instances where sopInstanceUid = ${uid} and state <> 'current' and state = 'quarantined')
  where sopInstanceUid = ${uid};`

/**
 * Instances: whether an object is structurally complete, and how it differs from the version it
 * replaced. The table is recreated to allow a new quarantine reason; its ids continue, because
 * `forwards` keeps ids of deleted instances. Forwards that failed only because their row had been
 * taken back are deleted.
 */
export const imageVersions = `
create table instancesNext (
  instanceId integer primary key autoincrement,
  sopInstanceUid text not null check (sopInstanceUid <> ''),
  sopClassUid text not null,
  studyInstanceUid text not null references imageStudies,
  seriesInstanceUid text not null check (seriesInstanceUid <> ''),
  transferSyntaxUid text not null check (transferSyntaxUid <> ''),
  file text not null unique check (file glob '[0-9a-f][0-9a-f]/*.dcm'),
  dataSetOffset integer not null check (dataSetOffset >= 132),
  bytes integer not null check (bytes >= dataSetOffset),
  crc32 integer not null check (crc32 between 0 and 4294967295),
  state text not null check (state in ('current', 'superseded', 'quarantined')),
  reason text check (reason in ('different-content', 'wrong-step', 'invalid-uid', 'long-header', 'incomplete')),
  detail text not null,
  callingAeTitle text not null,
  remoteAddress text not null,
  deviceName text not null,
  associationId text not null,
  receivedAt text not null check (receivedAt ${INSTANT}),
  lastSeenAt text not null check (lastSeenAt ${INSTANT}),
  modality text not null,
  instanceNumber text not null,
  scheduledProcedureStepId text not null,
  image text check (json_valid(image)),
  sealedPatientName blob,
  structure text not null default 'unchecked' check (structure in ('unchecked', 'complete', 'incomplete')),
  change text check (change in ('attributes', 'pixels', 'unknown')),
  changeReviewedAt text check (changeReviewedAt ${INSTANT}),
  check ((state = 'quarantined') = (reason is not null))
) strict;
insert into instancesNext (instanceId, sopInstanceUid, sopClassUid, studyInstanceUid, seriesInstanceUid, transferSyntaxUid, file,
    dataSetOffset, bytes, crc32, state, reason, detail, callingAeTitle, remoteAddress, deviceName, associationId, receivedAt, lastSeenAt,
    modality, instanceNumber, scheduledProcedureStepId, image, sealedPatientName)
  select instanceId, sopInstanceUid, sopClassUid, studyInstanceUid, seriesInstanceUid, transferSyntaxUid, file,
    dataSetOffset, bytes, crc32, state, reason, detail, callingAeTitle, remoteAddress, deviceName, associationId, receivedAt, lastSeenAt,
    modality, instanceNumber, scheduledProcedureStepId, image, sealedPatientName from instances order by instanceId;
delete from sqlite_sequence where name = 'instancesNext';
insert into sqlite_sequence (name, seq) select 'instancesNext', seq from sqlite_sequence where name = 'instances';
drop table instances;
alter table instancesNext rename to instances;
create unique index instancesCurrent on instances (sopInstanceUid) where state = 'current';
create index instancesNotCurrent on instances (sopInstanceUid) where state <> 'current';
create index instancesByStudy on instances (studyInstanceUid, state);
create index instancesByTime on instances (receivedAt);
create index instancesQuarantined on instances (studyInstanceUid) where state = 'quarantined';
create index instancesReplacing on instances (studyInstanceUid)
  where change in ('pixels', 'unknown') and changeReviewedAt is null and state = 'current';
create trigger instancesArrive after insert on instances begin${UPDATE_IS_HERE('new.sopInstanceUid')} end;
create trigger instancesChange after update of state on instances begin${UPDATE_IS_HERE('new.sopInstanceUid')} end;
create trigger instancesGo after delete on instances begin${UPDATE_IS_HERE('old.sopInstanceUid')} end;

update forwards set state = 'dropped'
  where state = 'failed' and lastError = 'the image was discarded here'
    and not exists (select 1 from instances n where n.instanceId = forwards.instanceId);
`
