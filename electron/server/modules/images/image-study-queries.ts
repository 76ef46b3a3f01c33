import type { Insertable } from 'kysely'
import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'
import type { Slice } from '#server/database/page.ts'
import { rawQuery } from '#server/database/raw-query.ts'
import type { Schema } from '#server/database/schema.ts'
import { IN_DOUBT, IS_CORRECTED } from '#server/modules/corrections/correction-queries.ts'
import type { SearchIndex } from '#server/modules/studies/search-index.ts'
import type { StudiesStore } from '#server/modules/studies/study-queries.ts'
import type { Enrichment, IDENTITY_FIELDS } from '#shared/contract/images.ts'
import { type AnnouncedInstances, announcedInstances } from './announced-instance-queries.ts'
import { imageStudyPages, NOT_EMPTY } from './image-study-page-queries.ts'
import { imageStudyRows, type StoredImageStudy } from './image-study-row.ts'
import { NO_NOTE, REPLACING } from './instance-queries.ts'
import { noteReceivedSteps } from './received-steps.ts'
import { type IdentityOverride, identityOf } from './study-identity.ts'
import { type Seeds, seeds } from './study-seed-queries.ts'

export type { Seed, SeedValues } from './study-seed-queries.ts'

/**
 * Header fields of the first instance of the study, decoded, as DICOM has them; empty where they
 * are missing.
 */
export interface ImageHeader {
  readonly patientName: string
  readonly patientId: string
  readonly patientBirthDate: string
  readonly patientSex: string
  readonly patientSize: string
  readonly patientWeight: string
  readonly patientAge: string
  readonly accessionNumber: string
  readonly studyDescription: string
  readonly requestedProcedureDescription: string
  readonly studyDate: string
  readonly studyTime: string
  readonly referringPhysicianName: string
  readonly institutionName: string
  readonly studyId: string
  readonly modality: string
  readonly requestedProcedureId: string
  readonly scheduledProcedureStepId: string
  /** Study Instance UID inside RequestAttributesSequence. */
  readonly requestStudyInstanceUid: string
  /** How its character set was found. */
  readonly characterSetRule: string
}

/** The worklist row that the images were made for. */
export interface HandedOutRow {
  readonly studyInstanceUid: string
  readonly scheduledProcedureStepId: string
  readonly requestedProcedureId: string
  readonly accessionNumber: string
  readonly patientName: string
  readonly patientId: string
  readonly patientBirthDate: string
  readonly patientSex: string
  readonly description: string
  readonly callingAeTitle: string
  /** When it was handed out, or linked. */
  readonly at: string
  /** Name of the person who linked it: it was handed out to no device for these images. */
  readonly linkedBy?: string
}

type IdentityField = (typeof IDENTITY_FIELDS)[number]

/** What differed when the images arrived; null where nothing did. */
export interface Mismatch {
  /** What the row that was handed out says, and what the images say. */
  readonly fields: readonly {
    readonly field: IdentityField
    readonly handedOut: string
    readonly received: string
  }[]
  /** What the first images of the study say, which is used, and what others of it say. */
  readonly amongImages: readonly {
    readonly field: Exclude<IdentityField, 'studyInstanceUid'>
    readonly first: string
    readonly other: string
  }[]
  readonly foundAt: string
}

export interface StudyTransfer {
  readonly how: 'open' | 'released' | 'aborted'
  readonly detail: string
  readonly at: string
}

interface StudyFields {
  readonly studyInstanceUid: string
  /** When the first instance came. */
  readonly createdAt: string
  readonly lastInstanceAt: string
  readonly state: 'receiving' | 'settled'
  readonly settledAt: string | null
  /** When it is settled at the latest. */
  readonly dueAt: string
  readonly callingAeTitle: string
  readonly remoteAddress: string
  readonly deviceName: string
  /** The last association that brought images of it. */
  readonly transfer: StudyTransfer
  readonly header: ImageHeader
  readonly handedOut: HandedOutRow | null
  readonly mismatch: Mismatch | null
  readonly override: IdentityOverride | null
  /** All of it was fetched from an archive as an earlier exam: it is not put up for reading. */
  readonly isFetched: boolean
  readonly enrichment: Enrichment
  readonly enrichmentAttempts: number
}
/**
 * A study that has images. Counters are of current instances; those set aside are in `quarantined`
 * alone.
 */
export interface ImageStudyRecord extends StudyFields {
  readonly instances: number
  readonly series: number
  readonly bytes: number
  readonly quarantined: number
  /** Of its series that have current instances, in alphabetical order. */
  readonly modalities: readonly string[]
  /** Instances that were announced; null where none were. */
  readonly expected: number | null
  /** Announced ones that are neither current nor quarantined. */
  readonly missing: number
  /** Images of it were corrected (decision 0031), and the correction stands. */
  readonly isCorrected: boolean
  /**
   * A version of one of its images, in this study or another, that was found and set aside: a
   * person has to decide which of the two is right. Null where there is none.
   */
  readonly inDoubt: { readonly studyInstanceUid: string; readonly header: ImageHeader } | null
}
export type NewImageStudy = Omit<StudyFields, 'override'>
export type ReceivingStudy = Pick<StudyFields, 'studyInstanceUid' | 'lastInstanceAt' | 'dueAt'>
export type ImageStudyPatch = Partial<Omit<StudyFields, 'studyInstanceUid' | 'createdAt'>>

export interface ImageSeriesRecord {
  readonly seriesInstanceUid: string
  readonly modality: string
  readonly seriesNumber: string
  readonly seriesDescription: string
  readonly instances: number
  readonly bytes: number
  readonly lastInstanceAt: string
}
export type SeriesHeader = Pick<
  ImageSeriesRecord,
  'seriesInstanceUid' | 'modality' | 'seriesNumber' | 'seriesDescription'
>

export interface ImageStudyQuery {
  readonly show: 'all' | 'receiving' | 'incomplete' | 'mismatch' | 'replaced'
  /**
   * As it was typed: each word in name, patient id, accession number or description, or what the
   * UID begins with; empty: every study.
   */
  readonly search: string
}

/** With what was announced of the studies and what was seeded from them. */
export interface ImageStudiesStore extends AnnouncedInstances, Seeds {
  get(studyInstanceUid: string): ImageStudyRecord | undefined
  /** As `get` says it, for every instance that is sent again. */
  isFetched(studyInstanceUid: string): boolean
  /**
   * The one that last received an instance first; none that every instance was discarded of. With a
   * search a page may be short or empty where much was looked at for little: `next` goes on behind
   * what was looked at.
   */
  list(query: ImageStudyQuery, after: string | undefined, limit: number): Slice<ImageStudyRecord>
  /** With its counters at zero: `count` counts its first instance too. */
  insert(study: NewImageStudy): void
  /**
   * Of a study that is settled, the steps its instances were made for are noted as received
   * (`performedSteps.standing`).
   */
  update(studyInstanceUid: string, patch: ImageStudyPatch): void
  /** Counts a new instance and sets the times. */
  count(
    studyInstanceUid: string,
    series: SeriesHeader,
    bytes: number,
    at: string,
    what: 'current' | 'quarantined',
  ): void
  /** Takes off an instance whose place another of its series took, which is counted already. */
  uncount(studyInstanceUid: string, seriesInstanceUid: string, bytes: number): void
  /** Counts everything anew: after instances changed their state or were removed. */
  recount(studyInstanceUid: string): void
  /** As `identityOf` says: its state is `mismatch`. */
  isMismatched(studyInstanceUid: string): boolean
  /**
   * Calls the listener after each commit by which `isMismatched` became false. @returns a function
   * that removes it
   */
  onMismatchEnd(listener: () => void): () => void
  /** After the study of the interface was created or changed: `isMismatched` is computed anew. */
  compareAnew(studyInstanceUid: string): void
  /** Whether there are studies of which `isMismatched` was never computed. */
  isUncompared(): boolean
  /** Computes `isMismatched` of so many studies of which it never was. Whether there are more. */
  compareUncompared(count: number): boolean
  /**
   * Studies that still receive, the one that is due first first. No more than what is asked at each
   * look: an archive that moves in opens thousands.
   */
  receiving(): ReceivingStudy[]
  /**
   * For the start: transfers that were open when the last run ended broke off with it, at their
   * last image. How many there were.
   */
  breakOff(detail: string): number
  /** Studies whose enrichment waits and is due. */
  enrichmentDue(now: string): ImageStudyRecord[]
  /** When the next enrichment is due. */
  nextEnrichment(): string | undefined
  /** In the order of their numbers. */
  seriesOf(studyInstanceUid: string): ImageSeriesRecord[]
  /**
   * `today`: instances that arrived since the instant; `receiving`: studies; `quarantined`:
   * instances; `mismatches`: studies whose identity is one; `replaced`: studies with images whose
   * pixels their device replaced, which nobody has looked at.
   */
  summary(sinceToday: string): {
    today: number
    receiving: number
    quarantined: number
    mismatches: number
    replaced: number
  }
}

const SELECT = `
  select s.*,
    (select count(*) from announcedInstances a where a.studyInstanceUid = s.studyInstanceUid) as announced,
    (select count(*) from announcedInstances a where a.studyInstanceUid = s.studyInstanceUid and a.isHere = 0) as missing,
    ${IS_CORRECTED} as isCorrected,
    ${IN_DOUBT} as inDoubt,
    (select json_group_array(modality) from (
      select distinct modality from imageSeries r
      where r.studyInstanceUid = s.studyInstanceUid and r.instances > 0 and modality <> '' order by modality)) as modalities
  from imageStudies s`
const COUNT_SERIES = `update imageSeries set instances = instances + 1, bytes = bytes + ?, lastInstanceAt = ?
  where studyInstanceUid = ? and seriesInstanceUid = ? returning instances`
const NEW_SERIES = `insert into imageSeries
    (studyInstanceUid, seriesInstanceUid, modality, seriesNumber, sealedDescription, instances, bytes, lastInstanceAt)
  values (?, ?, ?, ?, ?, ?, ?, ?) on conflict (studyInstanceUid, seriesInstanceUid) do nothing`
const COUNT_CURRENT = `update imageStudies set instances = instances + 1, series = series + ?, bytes = bytes + ?, lastInstanceAt = ?
  where studyInstanceUid = ? returning instances`
const COUNT_QUARANTINED =
  'update imageStudies set quarantined = quarantined + 1, lastInstanceAt = ? where studyInstanceUid = ?'
const UNCOUNT_SERIES = `update imageSeries set instances = instances - 1, bytes = bytes - ?
  where studyInstanceUid = ? and seriesInstanceUid = ?`
const UNCOUNT =
  'update imageStudies set instances = instances - 1, bytes = bytes - ? where studyInstanceUid = ?'

const CURRENT = `from instances n where n.studyInstanceUid = ? and n.state = 'current' and ${NO_NOTE}`
const RECOUNT_SERIES = `update imageSeries set
    (instances, bytes) = (select count(*), ifnull(sum(n.bytes), 0) ${CURRENT} and n.seriesInstanceUid = imageSeries.seriesInstanceUid)
  where studyInstanceUid = ?`
const RECOUNT = `update imageStudies set
    (instances, series, bytes) = (select count(*), count(distinct n.seriesInstanceUid), ifnull(sum(n.bytes), 0) ${CURRENT}),
    quarantined = (select count(*) from instances where studyInstanceUid = ? and state = 'quarantined')
  where studyInstanceUid = ?`
const SUMMARY = `select
  (select count(*) from instances where receivedAt >= ?) as today,
  (select count(*) from imageStudies where state = 'receiving' and ${NOT_EMPTY}) as receiving,
  (select count(*) from instances where state = 'quarantined') as quarantined,
  (select count(*) from imageStudies where isMismatched = 1 and ${NOT_EMPTY}) as mismatches,
  (select count(distinct studyInstanceUid) from instances indexed by instancesReplacing where ${REPLACING}) as replaced`
const RECEIVING = `select studyInstanceUid, lastInstanceAt, dueAt from imageStudies
  where state = 'receiving' order by dueAt, studyInstanceUid`
const BREAK_OFF = `update imageStudies set transferHow = 'aborted', transferDetail = ?, transferAt = lastInstanceAt
  where transferHow = 'open'`
const SERIES = `select seriesInstanceUid, modality, seriesNumber, sealedDescription, instances, bytes, lastInstanceAt from imageSeries
  where studyInstanceUid = ? and instances > 0 order by cast(seriesNumber as integer), seriesInstanceUid`

const SET_MISMATCHED =
  'update imageStudies set isMismatched = ? where studyInstanceUid = ? and isMismatched is not ?'
const UNCOMPARED = 'select studyInstanceUid from imageStudies where isMismatched is null limit ?'
/** What `identityOf` looks at. */
const IDENTIFYING = [
  'header',
  'handedOut',
  'mismatch',
  'override',
  'remoteAddress',
] as const satisfies (keyof ImageStudyPatch)[]

/** `studies`: told that other words find them than before. */
export function imageStudiesStore(
  db: Database,
  seal: Seal,
  index: SearchIndex,
  studies: Pick<StudiesStore, 'findAnew' | 'byUid'>,
): ImageStudiesStore {
  const rows = imageStudyRows(seal)
  const pages = imageStudyPages(db, seal, index)
  const all = (text: string, ...parameters: string[]) =>
    db.all(rawQuery<StoredImageStudy>(`${SELECT} ${text}`, parameters)).map(rows.recordOf)
  const get = (studyInstanceUid: string) => all('where s.studyInstanceUid = ?', studyInstanceUid)[0]
  const first = (text: string) =>
    (db.get(rawQuery(text, [])) as { at: string | null } | undefined)?.at ?? undefined

  function noteSteps(studyInstanceUid: string): void {
    const study = get(studyInstanceUid)
    if (study) noteReceivedSteps(db, study, study.settledAt)
  }

  const mismatchEnd = new Set<() => void>()
  const isMismatched = (studyInstanceUid: string) =>
    db.get(
      rawQuery('select 1 from imageStudies where studyInstanceUid = ? and isMismatched = 1', [
        studyInstanceUid,
      ]),
    ) !== undefined

  /** In the transaction of every change that the identity depends on. */
  function compareAnew(studyInstanceUid: string): void {
    const study = get(studyInstanceUid)
    if (!study) return
    const isNow = identityOf(study, studies.byUid('scribe', studyInstanceUid)).state === 'mismatch'
    const was = isMismatched(studyInstanceUid)
    db.run(rawQuery(SET_MISMATCHED, [Number(isNow), studyInstanceUid, Number(isNow)]))
    if (was && !isNow)
      db.afterCommit(() => {
        for (const listener of mismatchEnd) listener()
      })
  }

  function findAnew(studyInstanceUid: string): void {
    index.keepImages(studyInstanceUid)
    studies.findAnew(studyInstanceUid)
  }

  return {
    ...announcedInstances(db),
    ...seeds(db, seal),
    get,
    isFetched: (studyInstanceUid) =>
      db.get(
        rawQuery('select 1 from imageStudies where studyInstanceUid = ? and isFetched = 1', [
          studyInstanceUid,
        ]),
      ) !== undefined,
    list: (query, after, limit) => {
      const { items, ...rest } = pages.read(query, after, limit)
      return { items: items.flatMap((studyInstanceUid) => get(studyInstanceUid) ?? []), ...rest }
    },
    insert: (study) =>
      db.transaction(() => {
        const { studyInstanceUid, createdAt, ...fields } = study
        const columns = rows.columnsOf(studyInstanceUid, fields) as Omit<
          Insertable<Schema['imageStudies']>,
          'studyInstanceUid' | 'createdAt'
        >
        db.run(
          db.sql.insertInto('imageStudies').values({ studyInstanceUid, createdAt, ...columns }),
        )
        findAnew(studyInstanceUid)
        compareAnew(studyInstanceUid)
      }),
    update: (studyInstanceUid, patch) =>
      db.transaction(() => {
        const columns = rows.columnsOf(studyInstanceUid, patch)
        if (Object.keys(columns).length === 0) return
        db.run(
          db.sql
            .updateTable('imageStudies')
            .set(columns)
            .where('studyInstanceUid', '=', studyInstanceUid),
        )
        if (patch.state === 'settled' || patch.handedOut !== undefined) noteSteps(studyInstanceUid)
        if (patch.header || patch.handedOut !== undefined) findAnew(studyInstanceUid)
        if (IDENTIFYING.some((field) => patch[field] !== undefined)) compareAnew(studyInstanceUid)
      }),
    count(studyInstanceUid, series, bytes, at, what) {
      const insertSeries = (instances: number) => {
        const { seriesInstanceUid, modality, seriesNumber, seriesDescription } = series
        const sealed =
          seriesDescription === ''
            ? null
            : seal.seal(Buffer.from(seriesDescription), contextOf(studyInstanceUid))
        const values = [
          studyInstanceUid,
          seriesInstanceUid,
          modality,
          seriesNumber,
          sealed,
          instances,
          instances * bytes,
          at,
        ]
        db.run(rawQuery(NEW_SERIES, values))
      }
      if (what === 'quarantined') {
        // It tells of its series should the instance be let in.
        insertSeries(0)
        db.run(rawQuery(COUNT_QUARANTINED, [at, studyInstanceUid]))
        return
      }
      const known = db.get(
        rawQuery<{ instances: number }>(COUNT_SERIES, [
          bytes,
          at,
          studyInstanceUid,
          series.seriesInstanceUid,
        ]),
      )
      if (!known) insertSeries(1)
      const isNewSeries = known && known.instances > 1 ? 0 : 1
      const counted = db.get(
        rawQuery<{ instances: number }>(COUNT_CURRENT, [isNewSeries, bytes, at, studyInstanceUid]),
      )
      // Until then the study had no image that counts.
      if (counted?.instances === 1) compareAnew(studyInstanceUid)
    },
    uncount: (studyInstanceUid, seriesInstanceUid, bytes) =>
      db.transaction(() => {
        db.run(rawQuery(UNCOUNT_SERIES, [bytes, studyInstanceUid, seriesInstanceUid]))
        db.run(rawQuery(UNCOUNT, [bytes, studyInstanceUid]))
      }),
    recount: (studyInstanceUid) =>
      db.transaction(() => {
        db.run(rawQuery(RECOUNT_SERIES, [studyInstanceUid, studyInstanceUid]))
        db.run(rawQuery(RECOUNT, [studyInstanceUid, studyInstanceUid, studyInstanceUid]))
        noteSteps(studyInstanceUid)
        compareAnew(studyInstanceUid)
      }),
    isMismatched,
    onMismatchEnd(listener) {
      mismatchEnd.add(listener)
      return () => mismatchEnd.delete(listener)
    },
    compareAnew,
    isUncompared: () => db.get(rawQuery(UNCOMPARED, [1])) !== undefined,
    compareUncompared: (count) =>
      db.transaction(() => {
        const uncompared = db.all(rawQuery<{ studyInstanceUid: string }>(UNCOMPARED, [count]))
        for (const { studyInstanceUid } of uncompared) compareAnew(studyInstanceUid)
        return uncompared.length === count
      }),
    breakOff: (detail) => db.run(rawQuery(BREAK_OFF, [detail])).changes,
    receiving: () => db.all(rawQuery<ReceivingStudy>(RECEIVING, [])),
    enrichmentDue: (now) =>
      all(
        `where s.enrichmentState = 'waiting' and s.enrichmentNextAt <= ? order by s.enrichmentNextAt`,
        now,
      ),
    nextEnrichment: () =>
      first(
        `select min(enrichmentNextAt) as at from imageStudies where enrichmentState = 'waiting'`,
      ),
    seriesOf: (studyInstanceUid) =>
      db
        .all(
          rawQuery<
            Omit<ImageSeriesRecord, 'seriesDescription'> & { sealedDescription: Buffer | null }
          >(SERIES, [studyInstanceUid]),
        )
        .map(({ sealedDescription, ...series }) => ({
          ...series,
          seriesDescription:
            sealedDescription === null
              ? ''
              : seal.open(sealedDescription, contextOf(studyInstanceUid)).toString(),
        })),
    summary: (sinceToday) =>
      db.get(rawQuery<ReturnType<ImageStudiesStore['summary']>>(SUMMARY, [sinceToday])) ?? {
        today: 0,
        receiving: 0,
        quarantined: 0,
        mismatches: 0,
        replaced: 0,
      },
  }
}

const contextOf = (studyInstanceUid: string) => `series of images ${studyInstanceUid}`
