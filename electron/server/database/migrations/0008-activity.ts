const INSTANT = `glob '????-??-??T??:??:??.???Z'`
// Must match the conditions in modules/devices/association-queries.ts exactly.
const FAILED_CONDITION = `how in ('aborted', 'lost') or failures > 0`

/**
 * Associations with their log lines and negotiated parameters, which many share; the reason an
 * endpoint is disabled, as a code.
 */
export const activityTables = `
update endpoints set disabledReason = case disabledReason when 'It was switched off here.' then 'person' else 'gone' end
  where disabledReason is not null;

create table associationTerms (
  termsId integer primary key,
  hash text not null unique check (length(hash) = 64),
  terms text not null
) strict;

create table associations (
  seq integer primary key,
  associationId text not null unique check (associationId <> ''),
  deviceId text,
  deviceName text not null,
  aeTitle text not null,
  calledAeTitle text not null,
  address text not null,
  tls text not null,
  openedAt text not null check (openedAt ${INSTANT}),
  endedAt text check (endedAt ${INSTANT}),
  how text not null check (how in ('open', 'released', 'aborted', 'rejected', 'lost')),
  detail text not null,
  tone text not null check (tone in ('plain', 'good', 'warning', 'danger')),
  times integer not null check (times > 0),
  echoes integer not null,
  queries integer not null,
  exams integer not null,
  instances integer not null,
  bytes integer not null,
  steps integer not null,
  commitments integer not null,
  failures integer not null,
  omitted integer not null,
  folded text not null,
  termsId integer references associationTerms
) strict;
create index associationsByAeTitle on associations (aeTitle, seq);
create index associationsByAddress on associations (address, seq);
create index associationsByOpened on associations (openedAt);
create index associationsByTerms on associations (termsId) where termsId is not null;
create index associationsOpen on associations (seq) where how = 'open';
create index associationsRejected on associations (seq) where how = 'rejected';
create index associationsFailed on associations (seq) where ${FAILED_CONDITION};

create table associationLines (
  seq integer not null references associations on delete cascade,
  lineId integer not null,
  at text not null check (at ${INSTANT}),
  kind text not null,
  tone text not null check (tone in ('plain', 'good', 'warning', 'danger')),
  text text not null,
  inspectionId integer,
  studyInstanceUid text,
  primary key (seq, lineId)
) strict, without rowid;
`
