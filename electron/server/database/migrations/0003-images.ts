const INSTANT = `glob '????-??-??T??:??:??.???Z'`
const FLAG = 'in (0, 1)'
const COUNT = (column: string) => `${column} integer not null default 0 check (${column} >= 0)`
const DEVICE = `
  callingAeTitle text not null,
  remoteAddress text not null,
  deviceName text not null`
// An announced instance counts as here while a current or quarantined instance has its UID.
const UPDATE_IS_HERE = (uid: string) => `
  update announcedInstances
  set isHere = exists (select 1 from instances where sopInstanceUid = ${uid} and state = 'current')
    or exists (select 1 from instances where sopInstanceUid = ${uid} and state <> 'current' and state = 'quarantined')
  where sopInstanceUid = ${uid};`

/**
 * Images: instances with their series and studies, announced instances, created studies, performed
 * procedure steps, storage commitment and forwarding. `imageStudies` is recreated; it
 * was empty until now.
 */
export const images = `
alter table devices add column port integer check (port between 1 and 65535);
alter table devices add column profile text not null default 'standard' check (profile in ('standard', 'ge', 'philips'));
alter table devices add column hideStarted integer not null default 0 check (hideStarted ${FLAG});
alter table devices add column countsBytes integer not null default 0 check (countsBytes ${FLAG});
alter table devices add column tls text not null default 'optional' check (tls in ('optional', 'required', 'mutual'));
alter table devices add column certificate text;

drop table imageStudies;
create table imageStudies (
  studyInstanceUid text primary key check (studyInstanceUid <> ''),
  createdAt text not null check (createdAt ${INSTANT}),
  lastInstanceAt text not null check (lastInstanceAt ${INSTANT}),
  state text not null check (state in ('receiving', 'settled')),
  settledAt text check (settledAt ${INSTANT}),
  dueAt text not null check (dueAt ${INSTANT}),${DEVICE},
  transferHow text not null check (transferHow in ('open', 'released', 'aborted')),
  transferDetail text not null,
  transferAt text not null check (transferAt ${INSTANT}),
  ${COUNT('instances')},
  ${COUNT('series')},
  ${COUNT('bytes')},
  ${COUNT('quarantined')},
  patientIdKey blob check (length(patientIdKey) = 32),
  accessionKey blob check (length(accessionKey) = 32),
  sealedHeader blob not null,
  sealedHandedOut blob,
  sealedMismatch blob,
  mismatchAcknowledgedAt text check (mismatchAcknowledgedAt ${INSTANT}),
  isFetched integer not null check (isFetched ${FLAG}),
  enrichmentState text not null check (enrichmentState in ('not-asked', 'waiting', 'done', 'empty', 'given-up')),
  enrichmentAskedAt text check (enrichmentAskedAt ${INSTANT}),
  enrichmentNextAt text check (enrichmentNextAt ${INSTANT}),
  ${COUNT('enrichmentAttempts')},
  enrichmentDetail text not null,
  enrichmentWarnings text not null check (json_valid(enrichmentWarnings)),
  check (state = 'receiving' or settledAt is not null)
) strict;
create index imageStudiesByTime on imageStudies (lastInstanceAt, studyInstanceUid);
create index imageStudiesReceiving on imageStudies (dueAt) where state = 'receiving';
create index imageStudiesAborted on imageStudies (studyInstanceUid) where transferHow = 'aborted';
create index imageStudiesOpen on imageStudies (studyInstanceUid) where transferHow = 'open';
create index imageStudiesMismatched on imageStudies (studyInstanceUid) where sealedMismatch is not null and mismatchAcknowledgedAt is null;
create index imageStudiesToEnrich on imageStudies (enrichmentNextAt) where enrichmentState = 'waiting';
create index imageStudiesByPatient on imageStudies (patientIdKey) where patientIdKey is not null;
create index imageStudiesByAccession on imageStudies (accessionKey) where accessionKey is not null;

create table imageSeries (
  studyInstanceUid text not null references imageStudies on delete cascade,
  seriesInstanceUid text not null check (seriesInstanceUid <> ''),
  modality text not null,
  seriesNumber text not null,
  sealedDescription blob,
  ${COUNT('instances')},
  ${COUNT('bytes')},
  lastInstanceAt text not null check (lastInstanceAt ${INSTANT}),
  primary key (studyInstanceUid, seriesInstanceUid)
) strict, without rowid;

create table instances (
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
  reason text check (reason in ('different-content', 'wrong-step', 'invalid-uid', 'long-header')),
  detail text not null,${DEVICE},
  associationId text not null,
  receivedAt text not null check (receivedAt ${INSTANT}),
  lastSeenAt text not null check (lastSeenAt ${INSTANT}),
  modality text not null,
  instanceNumber text not null,
  scheduledProcedureStepId text not null,
  image text check (json_valid(image)),
  sealedPatientName blob,
  check ((state = 'quarantined') = (reason is not null))
) strict;
create unique index instancesCurrent on instances (sopInstanceUid) where state = 'current';
create index instancesNotCurrent on instances (sopInstanceUid) where state <> 'current';
create index instancesByStudy on instances (studyInstanceUid, state);
create index instancesByTime on instances (receivedAt);
create index instancesQuarantined on instances (studyInstanceUid) where state = 'quarantined';

create table announcedInstances (
  sopInstanceUid text primary key check (sopInstanceUid <> ''),
  studyInstanceUid text not null,
  seriesInstanceUid text not null,
  isHere integer not null check (isHere ${FLAG}),
  announcedAt text not null check (announcedAt ${INSTANT})
) strict, without rowid;
create index announcedInstancesByStudy on announcedInstances (studyInstanceUid, seriesInstanceUid);
create index announcedInstancesByTime on announcedInstances (announcedAt);
create index announcedInstancesMissing on announcedInstances (studyInstanceUid) where isHere = 0;
create trigger instancesArrive after insert on instances begin${UPDATE_IS_HERE('new.sopInstanceUid')} end;
create trigger instancesChange after update of state on instances begin${UPDATE_IS_HERE('new.sopInstanceUid')} end;
create trigger instancesGo after delete on instances begin${UPDATE_IS_HERE('old.sopInstanceUid')} end;

create table seeds (
  studyInstanceUid text not null,
  area text not null check (area in ('viewer', 'scribe')),
  studyId text not null,
  seededAt text not null check (seededAt ${INSTANT}),
  sealedSeed blob not null,
  touched text not null default '[]' check (json_valid(touched)),
  primary key (studyInstanceUid, area)
) strict, without rowid;
create index seedsByStudy on seeds (studyId);

create table receivedSteps (
  studyInstanceUid text not null,
  scheduledProcedureStepId text not null,
  imageStudyUid text not null references imageStudies on delete cascade,
  receivedAt text not null check (receivedAt ${INSTANT}),
  primary key (studyInstanceUid, scheduledProcedureStepId, imageStudyUid)
) strict, without rowid;
create index receivedStepsByImages on receivedSteps (imageStudyUid);
create index receivedStepsByTime on receivedSteps (receivedAt);

create table performedSteps (
  seq integer primary key autoincrement,
  sopInstanceUid text not null unique check (sopInstanceUid <> ''),
  status text not null check (status in ('IN PROGRESS', 'COMPLETED', 'DISCONTINUED')),
  modality text not null,${DEVICE},
  startedAt text not null check (startedAt ${INSTANT}),
  endedAt text check (endedAt ${INSTANT}),
  discontinuationCode text not null,
  discontinuationMeaning text not null,
  ${COUNT('instances')},
  sealedDataSet blob not null,
  updatedAt text not null check (updatedAt ${INSTANT})
) strict;
create index performedStepsByTime on performedSteps (updatedAt);

create table performedStepItems (
  sopInstanceUid text not null references performedSteps (sopInstanceUid) on delete cascade,
  studyInstanceUid text not null,
  scheduledProcedureStepId text not null,
  primary key (studyInstanceUid, scheduledProcedureStepId, sopInstanceUid)
) strict, without rowid;
create index performedStepItemsByStep on performedStepItems (sopInstanceUid);

create table commitments (
  commitmentId integer primary key autoincrement,
  transactionUid text not null check (transactionUid <> ''),${DEVICE},
  requestedAt text not null check (requestedAt ${INSTANT}),
  state text not null check (state in ('waiting', 'delivered', 'given-up')),
  ${COUNT('attempts')},
  nextAt text check (nextAt ${INSTANT}),
  lastError text not null,
  check ((state = 'waiting') = (nextAt is not null))
) strict;
create index commitmentsByTransaction on commitments (transactionUid, callingAeTitle);
create index commitmentsWaiting on commitments (nextAt) where state = 'waiting';
create index commitmentsByTime on commitments (requestedAt);

create table commitmentItems (
  commitmentId integer not null references commitments on delete cascade,
  position integer not null,
  sopClassUid text not null,
  sopInstanceUid text not null,
  failureReason integer check (failureReason between 1 and 65535),
  primary key (commitmentId, position)
) strict, without rowid;
create index commitmentItemsByInstance on commitmentItems (sopInstanceUid);

create table destinations (
  destinationId text primary key,
  name text not null check (name <> ''),
  aeTitle text not null check (length(aeTitle) between 1 and 16),
  host text not null check (host <> ''),
  port integer not null check (port between 1 and 65535),
  isTls integer not null check (isTls ${FLAG}),
  certificate text,
  isEnabled integer not null check (isEnabled ${FLAG}),
  isAutomatic integer not null check (isAutomatic ${FLAG}),
  modalities text not null check (json_valid(modalities)),
  hasPriors integer not null check (hasPriors ${FLAG}),
  createdAt text not null check (createdAt ${INSTANT}),
  updatedAt text not null check (updatedAt ${INSTANT}),
  lastSentAt text check (lastSentAt ${INSTANT}),
  lastError text not null
) strict, without rowid;

create table forwards (
  forwardId integer primary key autoincrement,
  destinationId text not null references destinations on delete cascade,
  instanceId integer not null,
  sopInstanceUid text not null,
  studyInstanceUid text not null,
  state text not null check (state in ('waiting', 'sent', 'failed', 'dropped')),
  ${COUNT('attempts')},
  queuedAt text not null check (queuedAt ${INSTANT}),
  nextAt text check (nextAt ${INSTANT}),
  status text not null check (status = '' or status glob '[0-9A-F][0-9A-F][0-9A-F][0-9A-F]'),
  lastError text not null,
  sentAs text not null,
  createdAt text not null check (createdAt ${INSTANT}),
  updatedAt text not null check (updatedAt ${INSTANT}),
  unique (destinationId, instanceId),
  check ((state = 'waiting') = (nextAt is not null))
) strict;
create index forwardsWaiting on forwards (destinationId, nextAt) where state = 'waiting';
create index forwardsByStudy on forwards (destinationId, studyInstanceUid, state);

create table forwardedStudies (
  destinationId text not null references destinations on delete cascade,
  studyInstanceUid text not null,
  ${COUNT('waiting')},
  ${COUNT('sent')},
  ${COUNT('failed')},
  ${COUNT('dropped')},
  lastError text not null,
  updatedAt text not null check (updatedAt ${INSTANT}),
  primary key (destinationId, studyInstanceUid)
) strict, without rowid;
create index forwardedStudiesByTime on forwardedStudies (updatedAt, destinationId, studyInstanceUid);
create index forwardedStudiesOpen on forwardedStudies (destinationId, waiting, failed) where waiting > 0 or failed > 0;
create trigger forwardsBegin after insert on forwards begin
  insert into forwardedStudies (destinationId, studyInstanceUid, waiting, lastError, updatedAt)
  values (new.destinationId, new.studyInstanceUid, 1, '', new.updatedAt)
  on conflict (destinationId, studyInstanceUid) do update set waiting = waiting + 1, updatedAt = excluded.updatedAt;
end;
create trigger forwardsChange after update of state, lastError on forwards begin
  update forwardedStudies set
    waiting = waiting - (old.state = 'waiting') + (new.state = 'waiting'),
    sent = sent - (old.state = 'sent') + (new.state = 'sent'),
    failed = failed - (old.state = 'failed') + (new.state = 'failed'),
    dropped = dropped - (old.state = 'dropped') + (new.state = 'dropped'),
    lastError = case
      when new.state in ('waiting', 'failed') and new.lastError <> '' then new.lastError
      when waiting - (old.state = 'waiting') + failed - (old.state = 'failed') = 0 and new.state in ('sent', 'dropped') then ''
      else lastError end,
    updatedAt = new.updatedAt
  where destinationId = new.destinationId and studyInstanceUid = new.studyInstanceUid;
end;
`
