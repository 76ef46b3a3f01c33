import { init } from './migrations/0001-init.ts'
import { interfaceTables } from './migrations/0002-interface.ts'
import { images } from './migrations/0003-images.ts'
import { reportTables } from './migrations/0004-reports.ts'
import { viewingTables } from './migrations/0005-viewing.ts'
import { searchTables } from './migrations/0006-search.ts'
import { securityTables } from './migrations/0007-security.ts'
import { activityTables } from './migrations/0008-activity.ts'
import { imageVersions } from './migrations/0011-image-versions.ts'
import { correctionTables } from './migrations/0013-corrections.ts'
import { neededAddenda } from './migrations/0018-needed-addenda.ts'
import { retrievalIndex } from './migrations/0021-retrieval-index.ts'
import { lifecycle } from './migrations/0023-lifecycle.ts'
import { tierTables } from './migrations/0024-tiers.ts'
import { ownEvents } from './migrations/0026-own-events.ts'

// Short migrations are written here, longer ones in separate files. A released migration is never
// changed. Its number is its position in the list, and the schema version.

const INSTANT = `glob '????-??-??T??:??:??.???Z'`

/** A clinic that was in use before setup existed is not asked to go through it. */
const setupIsDone = `
insert or ignore into settings (key, value, updatedAt)
select 'setup.isDone', 'true', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
where exists (select 1 from users where passwordHash is not null)
  and exists (select 1 from devices)
  and exists (select 1 from endpoints);
`

/**
 * Worklist queries that were repeated on the same association are counted on the first one.
 */
const repeatedQueries = `
alter table inspections add column repeats integer not null default 0 check (repeats >= 0);
alter table inspections add column lastAt text check (lastAt ${INSTANT});
`

/**
 * The patient identity of a study: who overrode the check, and an index of studies with a mismatch
 * (`isMismatched`, null until first computed). Acknowledging a mismatch no longer has an effect;
 * the audit log still shows who did.
 */
const identity = `
alter table imageStudies add column sealedOverride blob;
alter table imageStudies add column isMismatched integer check (isMismatched in (0, 1));
drop index imageStudiesMismatched;
update imageStudies set isMismatched = 1 where sealedMismatch is not null;
create index imageStudiesMismatched on imageStudies (studyInstanceUid) where isMismatched = 1;
create index imageStudiesUncompared on imageStudies (studyInstanceUid) where isMismatched is null;
`

/**
 * Decisions of staff about exams without an order and orders without images (decision 0032), and
 * indexes for finding both. `day` is the local day of the exam or the order. At most one decision
 * per exam and one per order is in force.
 */
const reconciliation = `
create table reconciliations (
  decisionId integer primary key autoincrement,
  kind text not null check (kind in ('link', 'keep', 'not-done')),
  day text not null check (day glob '????-??-??'),
  imageStudyUid text references imageStudies,
  orderStudyUid text,
  scheduledProcedureStepId text,
  sealedDetails blob not null,
  userId text not null,
  at text not null check (at ${INSTANT}),
  undoneAt text check (undoneAt ${INSTANT}),
  undoneBy text,
  check ((imageStudyUid is null) = (kind = 'not-done')),
  check ((orderStudyUid is null) = (kind = 'keep')),
  check ((orderStudyUid is null) = (scheduledProcedureStepId is null)),
  check ((undoneAt is null) = (undoneBy is null))
) strict;
create index reconciliationsByDay on reconciliations (day) where undoneAt is null;
create unique index reconciliationsOfImages on reconciliations (imageStudyUid) where undoneAt is null;
create unique index reconciliationsOfOrders on reconciliations (orderStudyUid, scheduledProcedureStepId)
  where undoneAt is null;
create index imageStudiesUnscheduled on imageStudies (createdAt, studyInstanceUid)
  where sealedHandedOut is null and isFetched = 0 and remoteAddress <> '';
create index inspectionsWithFault on inspections (at) where fault is not null;
`

/**
 * Permissions in the gateway, separate from the interface's field `level` (decision 0033).
 * So far `users.level` was both; it remains the permission, and `interfaceLevel` is
 * what partners read and write. A user who has not accepted an invitation loses the level, because
 * an API key may have set it, and an administrator assigns it again. Existing keys keep the right
 * to manage users, and each session must confirm its user before its first privileged action.
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

/**
 * The audit log: entries are keyed from the next start on (`auditUnkeyed` has a row until then),
 * the head cannot be deleted, and the position up to which entries were sent to the collector is
 * stored.
 */
const auditKeys = `
create table auditUnkeyed (id integer primary key check (id = 1)) strict;
insert into auditUnkeyed (id) values (1);
create trigger auditHeadStays before delete on auditHead
begin select raise(abort, 'the audit trail is append-only'); end;
create table auditSending (
  id integer primary key check (id = 1),
  seq integer not null check (seq >= 0)
) strict;
`

/**
 * Images that were received or found on disk as another version of an image, where the database has
 * no record of a correction: corrected copies or their originals (decision 0031). `otherUid` is the
 * SOP Instance UID of each other version; the header names a patient.
 */
const foundVersions = `
create table foundVersions (
  instanceId integer not null references instances on delete cascade,
  otherUid text not null,
  sealedHeader blob not null,
  primary key (instanceId, otherUid)
) strict, without rowid;
create index foundVersionsByUid on foundVersions (otherUid);
`

/**
 * The steps of escalation that a critical result has reached (decision 0044): each once. Kept after
 * the result was communicated, as its history.
 */
const criticalEscalations = `
create table criticalEscalations (
  reportId text not null references criticalResults (reportId),
  step integer not null check (step in (1, 2)),
  at text not null check (at ${INSTANT}),
  primary key (reportId, step)
) strict, without rowid;
`

/**
 * The hanging protocols of each user for the viewer, as one document that is replaced as a whole.
 * They are encrypted, because a series description may contain anything that a device writes.
 */
const hangingProtocols = `
create table hangingProtocols (
  userId text primary key references users,
  revision integer not null check (revision > 0),
  sealedProtocols blob not null,
  updatedAt text not null check (updatedAt ${INSTANT})
) strict, without rowid;
`

/**
 * The rights of devices to query and retrieve studies, and of API keys to use DICOMweb (decision
 * 0057). Nobody has them until they are granted.
 */
export const retrievalRights = `
alter table devices add column retrieval text not null default 'none'
  check (retrieval in ('none', 'query', 'retrieve'));
alter table apiKeys add column dicomweb text not null default 'none'
  check (dicomweb in ('none', 'read', 'store', 'read-and-store'))
  check (dicomweb = 'none' or scope = 'all');
`

/**
 * The account of a person at the identity provider (OpenID Connect Core 1.0 §5.7: issuer and
 * subject together identify a person), and the ID token of a session that the provider began, which
 * it wants again at sign-out (decision 0067).
 */
export const userIdentities = `
create table userIdentities (
  userId text primary key references users,
  issuer text not null check (issuer <> ''),
  subject text not null check (subject <> ''),
  linkedAt text not null check (linkedAt ${INSTANT}),
  unique (issuer, subject)
) strict, without rowid;
alter table sessions add column sealedIdToken blob;
`

/**
 * Destinations and tiers that are now another node or server (decision 0084): what was confirmed
 * before does not count. And the stores that were removed, for each study of which they held images.
 */
export const movedPlaces = `
create table movedPlaces (
  placeId text primary key,
  movedAt text not null check (movedAt ${INSTANT})
) strict, without rowid;

create table formerTierStudies (
  studyInstanceUid text not null,
  tierId text not null,
  name text not null,
  primary key (studyInstanceUid, tierId)
) strict, without rowid;
create trigger tiersRemoved before delete on tiers begin
  insert or replace into formerTierStudies
  select distinct n.studyInstanceUid, old.tierId, old.name
  from tierCopies c join instances n using (instanceId)
  where c.tierId = old.tierId and c.state in ('stored', 'lost');
end;
`

/**
 * The SQL of each schema version, append-only; `user_version` is the number of migrations that have
 * run.
 */
export const MIGRATIONS: readonly string[] = [
  init,
  interfaceTables,
  images,
  reportTables,
  viewingTables,
  searchTables,
  securityTables,
  activityTables,
  setupIsDone,
  repeatedQueries,
  imageVersions,
  identity,
  correctionTables,
  reconciliation,
  rights,
  auditKeys,
  foundVersions,
  neededAddenda,
  criticalEscalations,
  hangingProtocols,
  retrievalIndex,
  retrievalRights,
  lifecycle,
  tierTables,
  userIdentities,
  ownEvents,
  movedPlaces,
]
