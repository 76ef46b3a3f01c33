const INSTANT = `glob '????-??-??T??:??:??.???Z'`
const HASH = (column: string) => `length(${column}) = 64 and ${column} glob '[0-9a-f]*'`

/**
 * The viewer: sessions, cached partner images, annotations, and secondary captures waiting to be
 * uploaded; revoked links, so that the viewer can say why a link does not open.
 */
export const viewingTables = `
alter table links add column revokedAt text check (revokedAt ${INSTANT});

create table views (
  viewId text primary key check (viewId <> ''),
  tokenHash text not null unique check (${HASH('tokenHash')}),
  kind text not null check (kind in ('viewer', 'reroute', 'viewer-only', 'ephemeral', 'window')),
  area text check (area in ('viewer', 'scribe')),
  studyId text references studies (studyId),
  studyInstanceUid text check (studyInstanceUid <> ''),
  userId text references users,
  createdByApiKeyId text references apiKeys,
  createdByUserId text references users,
  sealedSession blob,
  createdAt text not null check (createdAt ${INSTANT}),
  lastUsedAt text not null check (lastUsedAt ${INSTANT}),
  expiresAt text not null check (expiresAt ${INSTANT}),
  check ((kind = 'ephemeral') = (sealedSession is not null)),
  check ((kind = 'ephemeral') = (studyInstanceUid is null)),
  check (kind <> 'ephemeral' or studyId is null),
  check (kind in ('ephemeral', 'window') or studyId is not null),
  check (studyId is null or area is not null),
  check (area is not null or kind = 'window'),
  check (kind not in ('reroute', 'window') or userId is not null)
) strict, without rowid;
create index viewsByUser on views (userId) where userId is not null;
create index viewsByExpiry on views (expiresAt);

create table viewFiles (
  fileKey text primary key check (${HASH('fileKey')}),
  studyInstanceUid text not null,
  file text not null unique check (file <> ''),
  bytes integer not null check (bytes >= 0),
  etag text,
  lastModified text,
  usedAt text not null check (usedAt ${INSTANT}),
  createdAt text not null check (createdAt ${INSTANT})
) strict, without rowid;
create index viewFilesByUse on viewFiles (usedAt, fileKey);

create table annotations (
  studyInstanceUid text not null check (studyInstanceUid <> ''),
  owner text not null check (owner <> ''),
  revision integer not null check (revision > 0),
  sealedAnnotations blob not null,
  updatedAt text not null check (updatedAt ${INSTANT}),
  primary key (studyInstanceUid, owner)
) strict;
create index annotationsByOwner on annotations (owner);

create table captures (
  captureId text primary key check (captureId <> ''),
  studyId text references studies (studyId),
  studyInstanceUid text not null,
  sopInstanceUid text not null unique,
  seriesInstanceUid text not null,
  ofSopInstanceUid text not null,
  ofSeriesInstanceUid text not null,
  apiKeyId text references apiKeys,
  userId text references users,
  state text not null check (state in ('waiting', 'uploading', 'done', 'failed', 'kept')),
  urls integer not null check (urls >= 0),
  uploaded integer not null check (uploaded between 0 and urls),
  attempts integer not null check (attempts >= 0),
  nextAt text check (nextAt ${INSTANT}),
  lastError text not null,
  createdAt text not null check (createdAt ${INSTANT}),
  updatedAt text not null check (updatedAt ${INSTANT})
) strict, without rowid;
create index capturesByStudy on captures (studyInstanceUid, createdAt);
`
