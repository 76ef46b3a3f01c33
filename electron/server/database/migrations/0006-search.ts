const INSTANT = `glob '????-??-??T??:??:??.???Z'`
const searchTable = (name: string) =>
  `create virtual table ${name} using fts5 (words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii');`
const tallyKey = (row: 'new' | 'old') =>
  `${row}.facet, ifnull(${row}.assignedTo, ''), ifnull(${row}.expressCustomerId, '')`
const COUNT_NEW = `
  insert into studyTallies (facet, assignedTo, expressCustomerId, studies) values (${tallyKey('new')}, 1)
    on conflict do update set studies = studies + 1;`
const COUNT_OLD = `
  update studyTallies set studies = studies - 1 where (facet, assignedTo, expressCustomerId) = (${tallyKey('old')});`
/**
 * The quarter hour of an instant, `YYYY-MM-DDTHH:0` to `:3`. Days start on a quarter hour in every
 * time zone.
 */
const quarterOf = (instant: string) =>
  `substr(${instant}, 1, 14) || (cast(substr(${instant}, 15, 2) as integer) / 15)`

/**
 * The search index of patient data, as words that only the data key can produce; study counts; the
 * range of creation times per range of row numbers; saved views. Existing rows are indexed after
 * the start, in batches (`searchFill`).
 */
export const searchTables = `
${searchTable('viewerStudyWords')}
${searchTable('scribeStudyWords')}
${searchTable('imageStudyWords')}

create table imageStudyNumbers (
  number integer primary key autoincrement,
  studyInstanceUid text not null unique references imageStudies on delete cascade
) strict;
create trigger imageStudiesAreNumbered after insert on imageStudies
begin insert into imageStudyNumbers (studyInstanceUid) values (new.studyInstanceUid); end;
create trigger imageStudyNumbersGo after delete on imageStudyNumbers
begin delete from imageStudyWords where rowid = old.number; end;
insert into imageStudyNumbers (studyInstanceUid) select studyInstanceUid from imageStudies order by createdAt, studyInstanceUid;

drop index imageStudiesByPatient;
drop index imageStudiesByAccession;
alter table imageStudies drop column patientIdKey;
alter table imageStudies drop column accessionKey;

create table searchFill (
  what text primary key check (what in ('studies', 'images')),
  below integer not null
) strict, without rowid;
insert into searchFill (what, below) select 'studies', max(seq) + 1 from studies having count(*) > 0;
insert into searchFill (what, below) select 'images', max(number) + 1 from imageStudyNumbers having count(*) > 0;

create table studyTallies (
  facet integer not null,
  assignedTo text not null,
  expressCustomerId text not null,
  studies integer not null check (studies >= 0),
  primary key (facet, assignedTo, expressCustomerId)
) strict, without rowid;
create table studyQuarters (
  quarter text primary key,
  lowest integer not null,
  highest integer not null,
  isLate integer not null check (isLate in (0, 1))
) strict, without rowid;
create index studyQuartersLate on studyQuarters (quarter) where isLate = 1;

insert into studyTallies (facet, assignedTo, expressCustomerId, studies)
  select facet, ifnull(assignedTo, ''), ifnull(expressCustomerId, ''), count(*) from studies group by 1, 2, 3;
insert into studyQuarters (quarter, lowest, highest, isLate)
  select ${quarterOf('createdAt')} as quarter, min(seq), max(seq), 0 from studies group by 1;
update studyQuarters set isLate = 1
  where quarter in (select quarter from (select quarter, lowest, max(highest) over (order by quarter rows between unbounded preceding and 1 preceding) as before
    from studyQuarters) where before >= lowest);

create trigger studiesAreCounted after insert on studies begin ${COUNT_NEW}
  insert into studyQuarters (quarter, lowest, highest, isLate)
    values (${quarterOf('new.createdAt')}, new.seq, new.seq, exists (select 1 from studyQuarters where quarter > ${quarterOf('new.createdAt')}))
    on conflict do update set lowest = min(lowest, excluded.lowest), highest = max(highest, excluded.highest),
      isLate = max(isLate, excluded.isLate);
end;
create trigger studiesAreCountedAnew after update of severity, status, cancelledAt, assignedTo, expressCustomerId on studies
when (${tallyKey('old')}) <> (${tallyKey('new')})
begin ${COUNT_OLD}${COUNT_NEW}
end;
create trigger studiesAreCountedOff after delete on studies begin ${COUNT_OLD}
end;

create table savedViews (
  savedViewId text primary key check (savedViewId <> ''),
  ownerId text not null references users,
  list text not null check (list in ('studies', 'reading')),
  area text not null check (area in ('viewer', 'scribe')),
  name text not null check (name <> ''),
  sortOrder text not null check (sortOrder in ('newest', 'priority')),
  isShared integer not null check (isShared in (0, 1)),
  sealedFilter blob not null,
  createdAt text not null check (createdAt ${INSTANT}),
  updatedAt text not null check (updatedAt ${INSTANT}),
  unique (ownerId, list, name)
) strict, without rowid;
create index savedViewsShared on savedViews (list) where isShared = 1;

create index auditEntriesByTarget on auditEntries (target, seq);
`
