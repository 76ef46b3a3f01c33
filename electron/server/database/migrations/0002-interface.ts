const INSTANT = `glob '????-??-??T??:??:??.???Z'`
const HASH = `glob '[0-9a-f]*'`
const FLAG = 'in (0, 1)'
const token = (column: string) => `length(${column}) = 64 and ${column} ${HASH}`
const PERSON = `
  email text not null,
  emailKey text not null check (emailKey <> ''),
  firstName text not null,
  lastName text not null,
  level text not null check (level in ('owner', 'admin', 'member')),
  clinicRole text not null,
  canManageStudies integer not null check (canManageStudies ${FLAG}),
  canCreateReports integer not null check (canCreateReports ${FLAG}),
  hasDashboardAccess integer not null check (hasDashboardAccess ${FLAG}),
  middleName text check (middleName <> ''),
  suffix1 text check (suffix1 <> ''),
  suffix2 text check (suffix2 <> ''),
  phoneNumber text check (phoneNumber not glob '*[^0-9]*' and length(phoneNumber) between 10 and 15),
  npiNumber text check (npiNumber not glob '*[^0-9]*' and length(npiNumber) = 10),
  invitedSource text not null default 'dashboard' check (invitedSource in ('dashboard', 'api'))`
// Must match the counting in modules/studies.
const FACET = `(case status when 'incomplete' then 0 when 'complete' then 1 when 'unassigned' then 2 when 'assigned' then 3
    when 'in_progress' then 4 when 'completed' then 5 when 'addendum_active' then 6 end * 3
    + case severity when 'normal' then 0 when 'high' then 1 when 'stat' then 2 end) * 2 + (cancelledAt is not null)`
const KEPT_COLUMNS =
  'userId, email, emailKey, firstName, lastName, level, clinicRole, canManageStudies, canCreateReports, hasDashboardAccess'
const TIME_COLUMNS = 'passwordHash, createdAt, updatedAt, lastLoginAt, deactivatedAt'

/**
 * The partner interface: customers, users and invitations, API key rotation, studies, reports,
 * links and the outbox. `users` is recreated because an invited user has no password
 * yet; sessions and links are kept (their foreign keys are checked at the commit).
 */
export const interfaceTables = `
pragma defer_foreign_keys = on;
create table usersBefore as select * from users;
drop table users;
create table users (
  userId text primary key check (userId glob 'usr_*'),${PERSON},
  passwordHash text check (passwordHash <> ''),
  createdAt text not null check (createdAt ${INSTANT}),
  updatedAt text not null check (updatedAt ${INSTANT}),
  lastLoginAt text check (lastLoginAt ${INSTANT}),
  deactivatedAt text check (deactivatedAt ${INSTANT})
) strict, without rowid;
insert into users (${KEPT_COLUMNS}, ${TIME_COLUMNS}) select ${KEPT_COLUMNS}, ${TIME_COLUMNS} from usersBefore;
drop table usersBefore;
create unique index usersByEmail on users (emailKey) where deactivatedAt is null;
create index usersByTime on users (createdAt, userId);
create index usersByAddress on users (emailKey, createdAt, userId);

create table invitations (
  invitationId text primary key check (invitationId glob 'inv_*'),
  userId text not null references users,${PERSON},
  status text not null check (status in ('sent', 'accepted', 'rejected', 'revoked')),
  inviterId text references users,
  invitedByApiKeyId text references apiKeys,
  tokenHash text not null unique check (${token('tokenHash')}),
  expiry text check (expiry ${INSTANT}),
  createdAt text not null check (createdAt ${INSTANT}),
  updatedAt text not null check (updatedAt ${INSTANT}),
  check (inviterId is null or invitedByApiKeyId is null)
) strict, without rowid;
create index invitationsByTime on invitations (createdAt, invitationId);
create index invitationsByUser on invitations (userId, createdAt, invitationId);
create index invitationsByEmail on invitations (emailKey) where status = 'sent';

alter table apiKeys add column rotatedAt text check (rotatedAt ${INSTANT});
alter table apiKeys add column oldKeyHash text check (${token('oldKeyHash')});
alter table apiKeys add column oldLast4 text check (length(oldLast4) = 4);
alter table apiKeys add column oldExpiresAt text check (oldExpiresAt ${INSTANT});
create unique index apiKeysByOldHash on apiKeys (oldKeyHash) where oldKeyHash is not null;

create table expressCustomers (
  seq integer primary key autoincrement,
  expressCustomerId text not null unique check (expressCustomerId glob 'cus_*'),
  name text not null check (name <> ''),
  nameFolded text not null,
  isActive integer not null check (isActive ${FLAG}),
  createdByApiKeyId text references apiKeys,
  createdByUserId text references users,
  sealedMetadata blob,
  createdAt text not null check (createdAt ${INSTANT}),
  updatedAt text not null check (updatedAt ${INSTANT}),
  check ((createdByApiKeyId is null) <> (createdByUserId is null))
) strict;

create table customerUsers (
  expressCustomerId text not null references expressCustomers (expressCustomerId),
  userId text not null references users,
  createdAt text not null check (createdAt ${INSTANT}),
  primary key (expressCustomerId, userId)
) strict, without rowid;
create index customerUsersByUser on customerUsers (userId);

create table organizations (
  orgId text primary key check (orgId glob 'org_*'),
  name text not null check (name <> ''),
  createdByApiKeyId text references apiKeys,
  createdByUserId text references users,
  sealedMetadata blob,
  createdAt text not null check (createdAt ${INSTANT}),
  updatedAt text not null check (updatedAt ${INSTANT}),
  check ((createdByApiKeyId is null) <> (createdByUserId is null))
) strict, without rowid;

create table imageStudies (
  studyInstanceUid text primary key check (studyInstanceUid <> ''),
  createdAt text not null check (createdAt ${INSTANT})
) strict, without rowid;

create table studies (
  seq integer primary key autoincrement,
  studyId text not null unique check (studyId glob 'stu_*'),
  area text not null check (area in ('viewer', 'scribe')),
  studyInstanceUid text not null check (studyInstanceUid not glob '*[^0-9.]*' and length(studyInstanceUid) between 1 and 64),
  studyDescription text not null check (studyDescription <> ''),
  descriptionFolded text not null,
  severity text not null check (severity in ('normal', 'high', 'stat')),
  status text not null check (
    case area when 'viewer' then status in ('incomplete', 'complete')
    else status in ('unassigned', 'assigned', 'in_progress', 'completed', 'addendum_active') end),
  cancelledAt text check (cancelledAt ${INSTANT}),
  facet integer not null generated always as (${FACET}) virtual,
  assignedTo text references users,
  expressCustomerId text references expressCustomers (expressCustomerId),
  createdByApiKeyId text references apiKeys,
  createdByUserId text references users,
  sealedDetail blob,
  createdAt text not null check (createdAt ${INSTANT}),
  updatedAt text not null check (updatedAt ${INSTANT}),
  check (createdByApiKeyId is null or createdByUserId is null),
  unique (studyInstanceUid, area)
) strict;
create index studiesByArea on studies (area);
create index studiesByFacet on studies (facet);
create index studiesByAssignee on studies (assignedTo, facet);
create index studiesByCustomer on studies (expressCustomerId, facet);
create index studiesByAssigneeAndCustomer on studies (assignedTo, expressCustomerId, facet);
create index studiesByKey on studies (createdByApiKeyId, facet, seq, assignedTo, expressCustomerId);
create virtual table viewerStudyGrams using fts5 (grams, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii');
create virtual table scribeStudyGrams using fts5 (grams, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii');

create table reports (
  seq integer primary key autoincrement,
  reportId text not null unique check (reportId glob 'rep_*'),
  studyId text not null references studies (studyId),
  userId text not null references users,
  isAddendum integer not null check (isAddendum ${FLAG}),
  status text not null check (status in ('in_progress', 'completed')),
  signedAt text check (signedAt ${INSTANT}),
  isCritical integer check (isCritical ${FLAG}),
  sealedText blob,
  sealedSnapshot blob not null,
  createdAt text not null check (createdAt ${INSTANT}),
  updatedAt text not null check (updatedAt ${INSTANT}),
  check ((status = 'completed') = (signedAt is not null)),
  check ((status = 'completed') = (isCritical is not null))
) strict;
create index reportsByStudy on reports (studyId, seq, reportId, status, isCritical);
create unique index reportsOneDraft on reports (studyId) where status = 'in_progress';

create table links (
  tokenHash text primary key check (${token('tokenHash')}),
  kind text not null check (kind in ('viewer', 'reroute', 'viewer-only', 'ephemeral')),
  area text not null check (area in ('viewer', 'scribe')),
  studyId text references studies (studyId),
  userId text references users,
  createdByApiKeyId text references apiKeys,
  createdByUserId text references users,
  sealedSession blob,
  createdAt text not null check (createdAt ${INSTANT}),
  expiresAt text not null check (expiresAt ${INSTANT}),
  usedAt text check (usedAt ${INSTANT}),
  check ((kind = 'ephemeral') = (studyId is null)),
  check ((kind = 'ephemeral') = (sealedSession is not null)),
  check (kind <> 'reroute' or userId is not null)
) strict, without rowid;
create index linksByExpiry on links (expiresAt);

create table idempotencyKeys (
  keyHash text primary key check (${token('keyHash')}),
  bodyHash text not null check (${token('bodyHash')}),
  status integer not null check (status between 200 and 499),
  sealedBody blob not null,
  createdAt text not null check (createdAt ${INSTANT})
) strict, without rowid;
create index idempotencyKeysByTime on idempotencyKeys (createdAt);

create table outbox (
  outboxId integer primary key autoincrement,
  kind text not null check (kind <> ''),
  subject text not null,
  sealedPayload blob,
  state text not null check (state in ('waiting', 'sent', 'failed', 'dropped')),
  attempts integer not null check (attempts >= 0),
  notBefore text not null check (notBefore ${INSTANT}),
  lastError text,
  createdAt text not null check (createdAt ${INSTANT}),
  updatedAt text not null check (updatedAt ${INSTANT}),
  check ((state = 'waiting') = (sealedPayload is not null))
) strict;
create index outboxWaiting on outbox (kind, notBefore) where state = 'waiting';
create index outboxBySubject on outbox (subject, outboxId);

create table secrets (
  name text primary key check (name <> ''),
  sealed blob not null,
  updatedAt text not null check (updatedAt ${INSTANT})
) strict, without rowid;
`
