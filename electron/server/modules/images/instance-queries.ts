import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'
import { type Slice, type SliceQuery, sliceOf } from '#server/database/page.ts'
import { rawQuery } from '#server/database/raw-query.ts'
import { WITHDRAWN } from '#server/modules/corrections/correction-queries.ts'
import type { CONTENT_CHANGES, QUARANTINE_REASONS } from '#shared/contract/images.ts'

export type QuarantineReason = (typeof QUARANTINE_REASONS)[number]

/**
 * current: the one of its SOP Instance UID; superseded: a newer one of the same source took its
 * place; quarantined: set aside.
 */
export type InstanceState = 'current' | 'superseded' | 'quarantined'

/**
 * Whether the object's structure is whole (`dimse/structure`). unchecked: received by a version
 * that did not look; incomplete: it ends too early, and is never committed.
 */
export type InstanceStructure = 'unchecked' | 'complete' | 'incomplete'

/**
 * What differs from the version it took the place of; unknown: the pixel data of the two could not
 * be compared.
 */
export type ContentChange = (typeof CONTENT_CHANGES)[number]

/**
 * Image Pixel module and number of frames (PS3.3 C.7.6.3, C.7.6.6), as far as the header has them.
 */
export interface ImageAttributes {
  readonly rows: number | null
  readonly columns: number | null
  readonly bitsAllocated: number | null
  readonly bitsStored: number | null
  readonly highBit: number | null
  readonly pixelRepresentation: number | null
  readonly samplesPerPixel: number | null
  /** Empty where it is missing. */
  readonly photometricInterpretation: string
  readonly numberOfFrames: number | null
}

/** An instance in the archive: one file and one row. */
export interface InstanceRecord {
  readonly instanceId: number
  readonly sopInstanceUid: string
  readonly sopClassUid: string
  readonly studyInstanceUid: string
  readonly seriesInstanceUid: string
  readonly transferSyntaxUid: string
  /** Below `images` (`fileFor`). */
  readonly file: string
  /** Bytes of our preamble and meta information before the data set. */
  readonly dataSetOffset: number
  /** Of the whole file. */
  readonly bytes: number
  /** CRC-32 of the data set, unsigned. */
  readonly crc32: number
  readonly state: InstanceState
  readonly reason: QuarantineReason | null
  /**
   * One sentence for a person: why it is quarantined, or a note about a current one; mostly empty.
   */
  readonly detail: string
  readonly callingAeTitle: string
  readonly remoteAddress: string
  readonly associationId: string
  readonly deviceName: string
  readonly receivedAt: string
  /** Refreshed when the same instance is sent again. */
  readonly lastSeenAt: string
  readonly modality: string
  /** As the header has it; empty where it is missing. */
  readonly instanceNumber: string
  /**
   * The step it carries (RequestAttributesSequence) or, where it carries none, arrived for; empty:
   * none is known.
   */
  readonly scheduledProcedureStepId: string
  readonly image: ImageAttributes | null
  readonly patientName: string
  readonly structure: InstanceStructure
  /** Null where it took no other version's place. */
  readonly change: ContentChange | null
  /** When a person looked at the change; null where nobody has. */
  readonly changeReviewedAt: string | null
}
export type NewInstance = Omit<
  InstanceRecord,
  'instanceId' | 'structure' | 'change' | 'changeReviewedAt'
> &
  Partial<Pick<InstanceRecord, 'structure' | 'change'>>

/**
 * Quarantined instances of one study that were set aside for one reason; no later ones than `upTo`,
 * an instance id.
 */
export interface QuarantineGroup {
  readonly studyInstanceUid: string
  readonly because: QuarantineReason
  readonly upTo: number
}

/** What is in quarantine of a study for one reason. */
export interface QuarantineGroupRecord extends QuarantineGroup {
  readonly instances: number
  readonly bytes: number
  /** Each once, no more than 20. */
  readonly patientNames: readonly string[]
}

/** Changes of these belong in one transaction with those of `imageStudies`. */
export interface InstancesStore {
  /**
   * Its study is there already. @throws a second current instance of a SOP Instance UID, or of a
   * file (a constraint of the database)
   */
  insert(instance: NewInstance): InstanceRecord
  get(instanceId: number): InstanceRecord | undefined
  current(sopInstanceUid: string): InstanceRecord | undefined
  /**
   * The highest id that was ever given out, also of instances that are deleted; 0 before the first.
   */
  newestId(): number
  /** The newest ones first, of any state. */
  newestFirst(): IterableIterator<InstanceRecord>
  byFile(file: string): InstanceRecord | undefined
  /**
   * The last version of the UID that does not count because of a correction
   * (`corrections.isWithdrawn`); undefined where there is none, or where another version is
   * current.
   */
  withdrawn(sopInstanceUid: string): InstanceRecord | undefined
  /** In the order they came. */
  versions(sopInstanceUid: string): InstanceRecord[]
  /** The current ones, in the order they came; rejection notes left out. */
  ofStudy(studyInstanceUid: string): InstanceRecord[]
  /**
   * Names of the patients of the current ones, but for those from this address; each once, '' where
   * one names none.
   */
  patientNames(studyInstanceUid: string, notFrom: string): string[]
  /** As `ofStudy`, a part of them: those that came after this instance id. */
  partOfStudy(studyInstanceUid: string, after: number, limit: number): InstanceRecord[]
  /** Whether a row names the file. */
  has(file: string): boolean
  /** After it: `imageStudies.recount`. Reason and detail are forgotten unless given. */
  setState(
    instanceId: number,
    state: InstanceState,
    reason?: QuarantineReason | null,
    detail?: string,
  ): void
  setStructure(instanceId: number, structure: InstanceStructure): void
  /**
   * Versions of the instances of the study that have more than one, image by image, each in the
   * order they came; at most `limit` earlier ones.
   */
  replacements(studyInstanceUid: string, limit: number): InstanceRecord[]
  /**
   * Current instances of the study whose pixels differ from those of the version before, which
   * nobody has looked at.
   */
  unreviewed(studyInstanceUid: string): number
  /** A person has looked at the replacements of the study. How many were open. */
  review(studyInstanceUid: string, at: string): number
  /** It was sent again. */
  seen(instanceId: number, at: string): void
  /**
   * After it: `imageStudies.recount`. Its file is the caller's to delete, once this is committed.
   */
  remove(instanceId: number): void
  /** Newest first. */
  quarantined(
    query: SliceQuery & { readonly studyInstanceUid?: string | undefined },
  ): Slice<InstanceRecord>
  countQuarantined(): number
  /** What is in quarantine of a study, by reason. */
  quarantineGroups(studyInstanceUid: string): QuarantineGroupRecord[]
  /** Of a group, in the order they came. */
  quarantinedIn(
    group: QuarantineGroup,
    query: { readonly after: number; readonly limit: number },
  ): InstanceRecord[]
  countQuarantinedIn(group: QuarantineGroup): number
  /** Current instances of the study that carry this step, or arrived for it. */
  ofStep(studyInstanceUid: string, scheduledProcedureStepId: string): InstanceRecord[]
}

type StoredInstance = Omit<InstanceRecord, 'image' | 'patientName'> & {
  image: string | null
  sealedPatientName: Buffer | null
}

const COLUMNS = [
  ...[
    'sopInstanceUid',
    'sopClassUid',
    'studyInstanceUid',
    'seriesInstanceUid',
    'transferSyntaxUid',
    'file',
    'dataSetOffset',
    'bytes',
  ],
  ...[
    'crc32',
    'state',
    'reason',
    'detail',
    'callingAeTitle',
    'remoteAddress',
    'associationId',
    'deviceName',
    'receivedAt',
    'lastSeenAt',
  ],
  ...[
    'modality',
    'instanceNumber',
    'scheduledProcedureStepId',
    'image',
    'sealedPatientName',
    'structure',
    'change',
    'changeReviewedAt',
  ],
]
const SELECT = `select instanceId, ${COLUMNS.join(', ')} from instances`
const INSERT = `insert into instances (${COLUMNS.join(', ')}) values (${COLUMNS.map(() => '?').join(', ')})`
// Two branches, because there are two partial indexes. One each: their union would be sorted, which
// costs ten times as much for every instance that comes.
const CURRENT = `${SELECT} where sopInstanceUid = ? and state = 'current'`
const NOT_CURRENT = `${SELECT} where sopInstanceUid = ? and state <> 'current'`

// Without being told, SQLite looks through all instances because they are in the order of the list.
const QUARANTINED = `${SELECT} indexed by instancesQuarantined where state = 'quarantined'`
const COUNT_QUARANTINED = `select count(*) as count from instances where state = 'quarantined'`
const OF_STUDY = `from instances indexed by instancesQuarantined where state = 'quarantined' and studyInstanceUid = ?`
const GROUPS = `select reason as because, count(*) as instances, sum(bytes) as bytes, max(instanceId) as upTo ${OF_STUDY}
  group by reason order by reason`
// Instances that came one after the other share one sealed name: a name is rarely sealed more often
// than this.
const NAMES = `select distinct sealedPatientName ${OF_STUDY} and reason = ? and sealedPatientName is not null limit 200`
const MOST_NAMES = 20
const CURRENT_NAMES = `select distinct sealedPatientName from instances where studyInstanceUid = ? and state = 'current' and remoteAddress <> ?`
/** The condition of the index `instancesReplacing`. */
export const REPLACING = `change in ('pixels', 'unknown') and changeReviewedAt is null and state = 'current'`
const UNREVIEWED = `where studyInstanceUid = ? and ${REPLACING}`
const REPLACED = `select sopInstanceUid from instances where studyInstanceUid = ? and state = 'superseded'`
const IS_WITHDRAWN = `exists (select 1 from instances n where n.instanceId = instances.instanceId and ${WITHDRAWN})`
/** Rejection notes are for archives: no list of a study has them. */
export const NO_NOTE = `sopInstanceUid not in (select sopInstanceUid from rejectionNotes)`
const IN_GROUP = `and reason = ? and instanceId <= ?`

export function instancesStore(db: Database, seal: Seal): InstancesStore {
  const names = nameSeal(seal)
  const recordOf = ({ image, sealedPatientName, ...row }: StoredInstance): InstanceRecord => ({
    ...row,
    image: image === null ? null : JSON.parse(image),
    patientName:
      sealedPatientName === null
        ? ''
        : names.opened(sealedPatientName, contextOf(row.studyInstanceUid)),
  })
  const one = (where: string, ...parameters: (string | number)[]) => {
    const row = db.get(rawQuery<StoredInstance>(`${SELECT} where ${where}`, parameters))
    return row && recordOf(row)
  }
  const all = (text: string, ...parameters: (string | number)[]) =>
    db.all(rawQuery<StoredInstance>(text, parameters)).map(recordOf)

  const withdrawn = (sopInstanceUid: string) =>
    one(
      `sopInstanceUid = ? and state <> 'current' and state = 'superseded' and ${IS_WITHDRAWN}
        and not exists (select 1 from instances m where m.sopInstanceUid = ? and m.state = 'current')
        order by instanceId desc limit 1`,
      sopInstanceUid,
      sopInstanceUid,
    )

  return {
    insert(instance) {
      const { image, patientName, ...given } = instance
      const row = {
        structure: 'unchecked',
        change: null,
        changeReviewedAt: null,
        ...given,
      } as const
      const stored: Record<string, unknown> = {
        ...row,
        image: image === null ? null : JSON.stringify(image),
        sealedPatientName:
          patientName === '' ? null : names.sealed(patientName, contextOf(row.studyInstanceUid)),
      }
      const values = COLUMNS.map((column) => stored[column])
      return {
        ...row,
        image,
        patientName,
        instanceId: db.run(rawQuery(INSERT, values)).lastInsertRowid,
      }
    },
    get: (instanceId) => one('instanceId = ?', instanceId),
    current: (sopInstanceUid) => one(`sopInstanceUid = ? and state = 'current'`, sopInstanceUid),
    newestId: () =>
      db.get(
        rawQuery<{ seq: number }>(`select seq from sqlite_sequence where name = 'instances'`, []),
      )?.seq ?? 0,
    *newestFirst() {
      // By portions: others write while somebody reads.
      for (let before = Number.MAX_SAFE_INTEGER; ; ) {
        const portion = all(
          `${SELECT} where instanceId < ? order by instanceId desc limit 100`,
          before,
        )
        yield* portion
        before = portion.at(-1)?.instanceId ?? 0
        if (portion.length < 100) return
      }
    },
    byFile: (file) => one('file = ?', file),
    withdrawn,
    versions: (sopInstanceUid) =>
      [...all(NOT_CURRENT, sopInstanceUid), ...all(CURRENT, sopInstanceUid)].sort(
        (a, b) => a.instanceId - b.instanceId,
      ),
    ofStudy: (studyInstanceUid) =>
      all(
        `${SELECT} where studyInstanceUid = ? and state = 'current' and ${NO_NOTE} order by instanceId`,
        studyInstanceUid,
      ),
    patientNames(studyInstanceUid, notFrom) {
      const sealed = db.all(
        rawQuery<{ sealedPatientName: Buffer | null }>(CURRENT_NAMES, [studyInstanceUid, notFrom]),
      )
      const context = contextOf(studyInstanceUid)
      return [
        ...new Set(
          sealed.map((row) =>
            row.sealedPatientName === null ? '' : names.opened(row.sealedPatientName, context),
          ),
        ),
      ]
    },
    partOfStudy: (studyInstanceUid, after, limit) =>
      all(
        `${SELECT} where studyInstanceUid = ? and state = 'current' and instanceId > ? and ${NO_NOTE} order by instanceId limit ?`,
        ...[studyInstanceUid, after, limit],
      ),
    has: (file) => db.get(rawQuery('select 1 from instances where file = ?', [file])) !== undefined,
    setState: (instanceId, state, reason = null, detail = '') =>
      void db.run(
        db.sql
          .updateTable('instances')
          .set({ state, reason, detail })
          .where('instanceId', '=', instanceId),
      ),
    setStructure: (instanceId, structure) =>
      void db.run(
        db.sql.updateTable('instances').set({ structure }).where('instanceId', '=', instanceId),
      ),
    replacements(studyInstanceUid, limit) {
      // Two queries: there are two partial indexes, and one condition for both would look through
      // all instances.
      const earlier = all(
        `${SELECT} where studyInstanceUid = ? and state = 'superseded' and not ${IS_WITHDRAWN} order by instanceId limit ?`,
        studyInstanceUid,
        limit,
      )
      const shown = all(
        `${SELECT} where state = 'current' and sopInstanceUid in (${REPLACED} order by instanceId limit ?)`,
        studyInstanceUid,
        limit,
      )
      const byImage = Map.groupBy([...earlier, ...shown], ({ sopInstanceUid }) => sopInstanceUid)
      // Of an image that was corrected no earlier version can take its place either.
      const isShown = (versions: readonly InstanceRecord[]) =>
        versions.some(({ state }) => state === 'current') ||
        !withdrawn(versions[0]?.sopInstanceUid ?? '')
      return [...byImage.values()]
        .filter(isShown)
        .flatMap((versions) => versions.sort((a, b) => a.instanceId - b.instanceId))
    },
    unreviewed: (studyInstanceUid) =>
      db.get(
        rawQuery<{ count: number }>(`select count(*) as count from instances ${UNREVIEWED}`, [
          studyInstanceUid,
        ]),
      )?.count ?? 0,
    review: (studyInstanceUid, at) =>
      db.run(
        rawQuery(`update instances set changeReviewedAt = ? ${UNREVIEWED}`, [at, studyInstanceUid]),
      ).changes,
    seen: (instanceId, at) =>
      void db.run(
        rawQuery('update instances set lastSeenAt = ? where instanceId = ?', [at, instanceId]),
      ),
    remove: (instanceId) =>
      void db.run(db.sql.deleteFrom('instances').where('instanceId', '=', instanceId)),
    quarantined({ after, limit, studyInstanceUid }) {
      const conditions = [
        ...(studyInstanceUid === undefined ? [] : ['and studyInstanceUid = ?']),
        ...(after === undefined ? [] : ['and instanceId < ?']),
      ]
      const parameters = [
        ...(studyInstanceUid === undefined ? [] : [studyInstanceUid]),
        ...(after === undefined ? [] : [Number(after)]),
      ]
      const text = `${QUARANTINED} ${conditions.join(' ')} order by instanceId desc limit ?`
      const rows = db.all(rawQuery<StoredInstance>(text, [...parameters, limit + 1])).map(recordOf)
      return sliceOf(rows, limit, (row) => row.instanceId)
    },
    countQuarantined: () => db.get(rawQuery<{ count: number }>(COUNT_QUARANTINED, []))?.count ?? 0,
    quarantineGroups: (studyInstanceUid) =>
      db
        .all(
          rawQuery<Omit<QuarantineGroupRecord, 'studyInstanceUid' | 'patientNames'>>(GROUPS, [
            studyInstanceUid,
          ]),
        )
        .map((group) => {
          const sealed = db.all(
            rawQuery<{ sealedPatientName: Buffer }>(NAMES, [studyInstanceUid, group.because]),
          )
          const opened = sealed.map(({ sealedPatientName }) =>
            names.opened(sealedPatientName, contextOf(studyInstanceUid)),
          )
          return {
            ...group,
            studyInstanceUid,
            patientNames: [...new Set(opened)].slice(0, MOST_NAMES),
          }
        }),
    quarantinedIn: ({ studyInstanceUid, because, upTo }, { after, limit }) => {
      const text = `${QUARANTINED} and studyInstanceUid = ? ${IN_GROUP} and instanceId > ? order by instanceId limit ?`
      return all(text, studyInstanceUid, because, upTo, after, limit)
    },
    countQuarantinedIn: ({ studyInstanceUid, because, upTo }) =>
      db.get(
        rawQuery<{ count: number }>(`select count(*) as count ${OF_STUDY} ${IN_GROUP}`, [
          studyInstanceUid,
          because,
          upTo,
        ]),
      )?.count ?? 0,
    ofStep: (studyInstanceUid, scheduledProcedureStepId) =>
      all(
        `${SELECT} where studyInstanceUid = ? and state = 'current' and scheduledProcedureStepId = ? order by instanceId`,
        studyInstanceUid,
        scheduledProcedureStepId,
      ),
  }
}

const contextOf = (studyInstanceUid: string) => `patient of images ${studyInstanceUid}`

/**
 * Seals and opens names; the last one is remembered, because the instances of a study come one
 * after the other and have the same.
 */
function nameSeal(seal: Seal): {
  sealed(name: string, context: string): Buffer
  opened(sealed: Buffer, context: string): string
} {
  let last: { readonly name: string; readonly context: string; readonly sealed: Buffer } | undefined
  return {
    sealed(name, context) {
      if (last?.name !== name || last.context !== context)
        last = { name, context, sealed: seal.seal(Buffer.from(name), context) }
      return last.sealed
    },
    opened(sealed, context) {
      if (last?.context !== context || !last.sealed.equals(sealed))
        last = { name: seal.open(sealed, context).toString(), context, sealed }
      return last.name
    },
  }
}
