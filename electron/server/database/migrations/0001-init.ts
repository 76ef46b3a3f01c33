const INSTANT = `glob '????-??-??T??:??:??.???Z'`
const DAY = `glob '????-??-??'`
const HASH = `glob '[0-9a-f]*'`

/** The first schema. Append-only: a released migration is never edited. */
export const init = `
create table settings (
  key text primary key,
  value text not null check (json_valid(value)),
  updatedAt text not null check (updatedAt ${INSTANT})
) strict, without rowid;

create table auditEntries (
  seq integer primary key check (seq > 0),
  at text not null check (at ${INSTANT}),
  actor text not null check (actor <> ''),
  action text not null check (action <> ''),
  target text not null,
  sealedDetail blob not null,
  hash blob not null check (length(hash) = 32)
) strict;
create trigger auditEntriesKeepWhatTheySay before update on auditEntries
begin select raise(abort, 'the audit trail is append-only'); end;
create trigger auditEntriesStay before delete on auditEntries
begin select raise(abort, 'the audit trail is append-only'); end;

create table auditHead (id integer primary key check (id = 1), sealed blob not null) strict;

create table devices (
  deviceId text primary key,
  aeTitle text not null check (length(aeTitle) between 1 and 16),
  address text,
  name text not null,
  modality text,
  isEnabled integer not null check (isEnabled in (0, 1)),
  characterSet text,
  stationMode text not null check (stationMode in ('echo', 'strict')),
  alwaysSendCharacterSet integer not null check (alwaysSendCharacterSet in (0, 1)),
  daysBack integer check (daysBack between 0 and 31),
  daysForward integer check (daysForward between 0 and 31),
  maxRows integer check (maxRows > 0),
  createdAt text not null check (createdAt ${INSTANT}),
  updatedAt text not null check (updatedAt ${INSTANT}),
  lastSeenAt text check (lastSeenAt ${INSTANT}),
  lastAddress text
) strict, without rowid;
create unique index devicesByCaller on devices (upper(aeTitle), ifnull(address, ''));

create table callers (
  aeTitle text not null,
  address text not null,
  calledAeTitle text not null,
  attempts integer not null check (attempts > 0),
  firstAt text not null check (firstAt ${INSTANT}),
  lastAt text not null check (lastAt ${INSTANT}),
  services text not null check (json_valid(services)),
  primary key (aeTitle, address)
) strict, without rowid;
create index callersByTime on callers (lastAt);

create table users (
  userId text primary key check (userId glob 'usr_*'),
  email text not null,
  emailKey text not null check (emailKey <> ''),
  firstName text not null,
  lastName text not null,
  level text not null check (level in ('owner', 'admin', 'member')),
  clinicRole text not null,
  canManageStudies integer not null check (canManageStudies in (0, 1)),
  canCreateReports integer not null check (canCreateReports in (0, 1)),
  hasDashboardAccess integer not null check (hasDashboardAccess in (0, 1)),
  passwordHash text not null,
  createdAt text not null check (createdAt ${INSTANT}),
  updatedAt text not null check (updatedAt ${INSTANT}),
  lastLoginAt text check (lastLoginAt ${INSTANT}),
  deactivatedAt text check (deactivatedAt ${INSTANT})
) strict, without rowid;
create unique index usersByEmail on users (emailKey) where deactivatedAt is null;

create table signInAttempts (
  accountHash text primary key check (length(accountHash) = 64 and accountHash ${HASH}),
  failures integer not null check (failures > 0),
  lastAt text not null check (lastAt ${INSTANT}),
  blockedUntil text check (blockedUntil ${INSTANT})
) strict, without rowid;
create index signInAttemptsByTime on signInAttempts (lastAt);

create table sessions (
  tokenHash text primary key check (length(tokenHash) = 64 and tokenHash ${HASH}),
  userId text not null references users,
  createdAt text not null check (createdAt ${INSTANT}),
  lastUsedAt text not null check (lastUsedAt ${INSTANT}),
  expiresAt text not null check (expiresAt ${INSTANT})
) strict, without rowid;
create index sessionsByUser on sessions (userId);

create table signInLinks (
  tokenHash text primary key check (length(tokenHash) = 64 and tokenHash ${HASH}),
  kind text not null check (kind in ('setup', 'sign-in')),
  userId text references users,
  createdAt text not null check (createdAt ${INSTANT}),
  expiresAt text not null check (expiresAt ${INSTANT}),
  usedAt text check (usedAt ${INSTANT}),
  check ((kind = 'sign-in') = (userId is not null))
) strict, without rowid;
create index signInLinksByUser on signInLinks (userId);

create table apiKeys (
  apiKeyId text primary key,
  keyHash text not null unique check (length(keyHash) = 64 and keyHash ${HASH}),
  last4 text not null check (length(last4) = 4),
  description text not null,
  isViewerEnabled integer not null check (isViewerEnabled in (0, 1)),
  scope text not null check (scope in ('all', 'self')),
  createdAt text not null check (createdAt ${INSTANT}),
  lastUsedAt text check (lastUsedAt ${INSTANT}),
  revokedAt text check (revokedAt ${INSTANT})
) strict, without rowid;

create table endpoints (
  endpointId text primary key,
  url text not null,
  events text not null check (json_valid(events)),
  apiKeyId text references apiKeys,
  allowsPlaintext integer not null check (allowsPlaintext in (0, 1)),
  createdAt text not null check (createdAt ${INSTANT}),
  updatedAt text not null check (updatedAt ${INSTANT}),
  disabledAt text check (disabledAt ${INSTANT})
) strict, without rowid;
create index endpointsByKey on endpoints (apiKeyId);

create table endpointSecrets (
  secretId integer primary key,
  endpointId text not null references endpoints on delete cascade,
  sealed blob not null,
  createdAt text not null check (createdAt ${INSTANT})
) strict;
create index endpointSecretsByEndpoint on endpointSecrets (endpointId);

create table documents (
  hash text primary key check (length(hash) = 64 and hash ${HASH}),
  sealed blob not null,
  byteLength integer not null check (byteLength >= 0),
  keptAt text not null check (keptAt ${INSTANT})
) strict;

create table answers (
  callingAe text not null,
  dateStart text not null check (dateStart ${DAY}),
  dateEnd text not null check (dateEnd ${DAY} and dateEnd >= dateStart),
  modality text not null,
  documentHash text not null references documents,
  receivedAt text not null check (receivedAt ${INSTANT}),
  items integer not null check (items >= 0),
  primary key (callingAe, dateStart, dateEnd, modality)
) strict, without rowid;
create index answersByTime on answers (receivedAt);
create index answersByDocument on answers (documentHash);

create table inspections (
  inspectionId integer primary key autoincrement,
  at text not null check (at ${INSTANT}),
  origin text not null check (origin in ('device', 'window')),
  deviceName text not null,
  callingAeTitle text not null,
  calledAeTitle text not null,
  remoteAddress text not null,
  source text not null,
  status text not null check (status glob '[0-9A-F][0-9A-F][0-9A-F][0-9A-F]'),
  errorComment text not null,
  fault text,
  sent integer not null check (sent >= 0),
  filtered integer not null check (filtered >= 0),
  withheld integer not null check (withheld >= 0),
  tookMs real not null,
  partnerMs real,
  sentence text not null,
  transferSyntax text not null,
  answerHash text references documents,
  verdictHash text references documents,
  sealedDetail blob not null
) strict;
create index inspectionsByTime on inspections (at, status, sent, withheld);
create index inspectionsByCaller on inspections (callingAeTitle, inspectionId);
create index inspectionsWithRows on inspections (inspectionId) where sent > 0;
create index inspectionsEmpty on inspections (inspectionId) where sent = 0 and status = '0000';
create index inspectionsFailed on inspections (inspectionId) where status not in ('0000', 'FE00');
create index inspectionsWithheld on inspections (inspectionId) where withheld > 0;
create index inspectionsByAnswer on inspections (answerHash) where answerHash is not null;
create index inspectionsByVerdict on inspections (verdictHash) where verdictHash is not null;

create table closedSteps (
  studyInstanceUid text not null,
  scheduledProcedureStepId text not null,
  closedAt text not null check (closedAt ${INSTANT}),
  sealedReason blob not null,
  primary key (studyInstanceUid, scheduledProcedureStepId)
) strict, without rowid;

create table downtime (
  id integer primary key check (id = 1),
  since text not null check (since ${INSTANT}),
  until text not null check (until ${INSTANT}),
  userId text not null,
  userName text not null,
  sealedReason blob not null
) strict;
`
