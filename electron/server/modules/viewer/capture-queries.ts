import type { Database } from '#server/database/database.ts'
import type { CAPTURE_STATES } from '#shared/contract/viewing.ts'

/** A secondary capture that is in the archive, and its way to the partner. */
export interface CaptureRecord {
  readonly captureId: string
  /** Null where only the archive has the study: then nobody takes it. */
  readonly studyId: string | null
  readonly studyInstanceUid: string
  /** Its own. */
  readonly sopInstanceUid: string
  readonly seriesInstanceUid: string
  /** What it is a capture of. */
  readonly ofSopInstanceUid: string
  readonly ofSeriesInstanceUid: string
  /** Whose endpoint is asked where it goes; null: the clinic's. */
  readonly apiKeyId: string | null
  /** Who made it; null where the link names nobody. */
  readonly userId: string | null
  /** waiting: for its next try; kept: in the archive alone, since nobody takes it. */
  readonly state: (typeof CAPTURE_STATES)[number]
  /** How many URLs the partner gave at the last try, and how many of them have it. */
  readonly urls: number
  readonly uploaded: number
  readonly attempts: number
  readonly nextAt: string | null
  /** One sentence, of no patient and no URL; empty where nothing failed. */
  readonly lastError: string
  readonly createdAt: string
  readonly updatedAt: string
}

export interface CapturesStore {
  insert(capture: CaptureRecord): void
  get(captureId: string): CaptureRecord | undefined
  /** What it is of stays. */
  update(capture: CaptureRecord): void
  /** Newest first. */
  ofStudy(studyInstanceUid: string): CaptureRecord[]
}

export function capturesStore(db: Database): CapturesStore {
  const every = db.sql.selectFrom('captures').selectAll()
  return {
    insert: (capture) => void db.run(db.sql.insertInto('captures').values(capture)),
    get: (captureId) =>
      db.get(every.where('captureId', '=', captureId)) as CaptureRecord | undefined,
    update({ captureId, state, urls, uploaded, attempts, nextAt, lastError, updatedAt }) {
      const changed = { state, urls, uploaded, attempts, nextAt, lastError, updatedAt }
      db.run(db.sql.updateTable('captures').set(changed).where('captureId', '=', captureId))
    },
    ofStudy: (studyInstanceUid) =>
      db.all(
        every
          .where('studyInstanceUid', '=', studyInstanceUid)
          .orderBy('createdAt', 'desc')
          .orderBy('captureId'),
      ) as CaptureRecord[],
  }
}
