const INSTANT = `glob '????-??-??T??:??:??.???Z'`
const FLAG = 'in (0, 1)'
const HASH = (column: string) => `length(${column}) = 64 and ${column} glob '[0-9a-f]*'`

/**
 * Reports: draft revisions, contents frozen at signing, critical results, templates and clinical
 * context; delivery attempts of events; endpoints that receive several events.
 */
export const reportTables = `
alter table reports add column revision integer not null default 0 check (revision >= 0);
alter table reports add column textHash text check (${HASH('textHash')});
alter table reports add column sealedSigner blob;
create trigger reportsStaySigned before update on reports when old.status = 'completed'
begin select raise(abort, 'a signed report is never changed'); end;
create trigger reportsStay before delete on reports when old.status = 'completed'
begin select raise(abort, 'a signed report is never deleted'); end;

create table reportRevisions (
  reportId text not null references reports (reportId) on delete cascade,
  revision integer not null check (revision > 0),
  userId text not null references users,
  windowId text not null,
  at text not null check (at ${INSTANT}),
  sealedText blob not null,
  primary key (reportId, revision)
) strict, without rowid;

create table reportPdfs (
  reportId text primary key references reports (reportId),
  sealedPdf blob not null,
  sha256 text not null check (${HASH('sha256')}),
  pages integer not null check (pages > 0),
  bytes integer not null check (bytes > 0),
  createdAt text not null check (createdAt ${INSTANT})
) strict;
create trigger reportPdfsKeepWhatTheySay before update on reportPdfs
begin select raise(abort, 'the PDF of a signed report is never changed'); end;
create trigger reportPdfsStay before delete on reportPdfs
begin select raise(abort, 'the PDF of a signed report is never deleted'); end;

create table reportObjects (
  reportId text not null references reports (reportId),
  kind text not null check (kind in ('pdf', 'sr')),
  sopInstanceUid text not null,
  createdAt text not null check (createdAt ${INSTANT}),
  primary key (reportId, kind)
) strict, without rowid;

create table criticalResults (
  reportId text primary key references reports (reportId),
  studyId text not null references studies (studyId),
  openedAt text not null check (openedAt ${INSTANT}),
  communicatedAt text check (communicatedAt ${INSTANT}),
  sealedDetail blob not null
) strict, without rowid;
create index criticalResultsOpen on criticalResults (openedAt) where communicatedAt is null;
create index criticalResultsByStudy on criticalResults (studyId);

create table reportTemplates (
  templateId text primary key,
  kind text not null check (kind in ('template', 'macro')),
  ownerId text references users,
  name text not null check (name <> ''),
  shortcut text check (shortcut <> ''),
  modalities text not null check (json_valid(modalities)),
  sex text check (sex in ('male', 'female', 'other')),
  ageFrom integer check (ageFrom between 0 and 150),
  ageTo integer check (ageTo between 0 and 150),
  keywords text not null check (json_valid(keywords)),
  text text not null,
  createdAt text not null check (createdAt ${INSTANT}),
  updatedAt text not null check (updatedAt ${INSTANT})
) strict, without rowid;
create unique index reportTemplatesByName on reportTemplates (ifnull(ownerId, ''), kind, lower(name));
create unique index reportTemplatesByShortcut on reportTemplates (ifnull(ownerId, ''), lower(shortcut)) where shortcut is not null;

create table clinicalContexts (
  studyId text primary key references studies (studyId),
  state text not null check (state in ('answered', 'empty', 'failed')),
  askedAt text not null check (askedAt ${INSTANT}),
  sealedContext blob not null
) strict, without rowid;

create table contextDocuments (
  documentId integer primary key autoincrement,
  studyId text not null references studies (studyId),
  sealedName blob not null,
  sealedSource blob,
  mediaType text not null,
  state text not null check (state in ('kept', 'failed')),
  detail text not null,
  bytes integer not null check (bytes >= 0),
  sealedContent blob,
  fetchedAt text not null check (fetchedAt ${INSTANT})
) strict;
create index contextDocumentsByStudy on contextDocuments (studyId);

alter table outbox add column lane text;
create index outboxLanes on outbox (lane, outboxId) where state = 'waiting' and lane is not null;

alter table endpoints add column name text not null default '';
alter table endpoints add column fileHosts text not null default '[]' check (json_valid(fileHosts));
alter table endpoints add column budgets text not null default '{}' check (json_valid(budgets));
alter table endpoints add column disabledReason text;

create table events (
  seq integer primary key autoincrement,
  eventId text not null unique check (eventId glob 'whe_*'),
  type text not null check (type <> ''),
  endpointId text,
  subject text not null,
  studyInstanceUid text,
  state text not null check (state in ('waiting', 'done', 'failed', 'dropped')),
  outcome text not null,
  attempts integer not null default 0 check (attempts >= 0),
  notes integer not null default 0 check (notes >= 0),
  tookMs real not null default 0,
  sealedRequest blob,
  effect text not null default '',
  isTest integer not null default 0 check (isTest ${FLAG}),
  createdAt text not null check (createdAt ${INSTANT}),
  updatedAt text not null check (updatedAt ${INSTANT})
) strict;
create index eventsByType on events (type, seq);
create index eventsByState on events (state, seq);
create index eventsByTypeAndState on events (type, state, seq);
create index eventsByEndpoint on events (endpointId, seq);
create index eventsByEndpointAndType on events (endpointId, type, seq);
create index eventsWithNotes on events (seq) where notes > 0;
create index eventsWithBody on events (createdAt) where state = 'done' and sealedRequest is not null;
create index eventsByStudy on events (studyInstanceUid, seq) where studyInstanceUid is not null;
create index eventsBySubject on events (subject, seq);
create index eventsByTime on events (createdAt, type, outcome, tookMs, notes, endpointId, isTest);

create table eventAttempts (
  seq integer not null references events on delete cascade,
  attempt integer not null check (attempt > 0),
  at text not null check (at ${INSTANT}),
  outcome text not null,
  httpStatus integer,
  tookMs real not null check (tookMs >= 0),
  bytes integer not null check (bytes >= 0),
  sealedDetail blob not null,
  sealedResponse blob,
  primary key (seq, attempt)
) strict, without rowid;
`
