import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { note, userActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { fileFor } from '#server/database/image-files.ts'
import type { Dicomweb } from '#server/modules/dicomweb/routes.ts'
import type { Pulls } from '#server/modules/forwarding/pulls.ts'
import { notifyImagesChanged } from '#server/modules/images/image-feed.ts'
import { recountInstances } from '#server/modules/images/image-study-writing-queries.ts'
import { queueFileRemovals } from '#server/modules/images/local-file-queries.ts'
import { finishFileRemovals } from '#server/modules/images/local-files.ts'
import { findUser } from '#server/modules/users/queries.ts'
import type { ViewSessions } from '#server/modules/viewer/sessions.ts'
import { instantOf } from '#server/platform/clock.ts'
import { reportError } from '#server/platform/log.ts'
import {
  type Erasure,
  ErasureRecord,
  type ErasureScope,
  type SignedErasure,
} from '#shared/contract/erasure.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { confirmationOf, erasurePreview, holdersOf, type ListBackups } from './erasure-preview.ts'
import {
  countStudy,
  deleteStudyRows,
  deleteViewFiles,
  type ErasurePlan,
  type ErasureRow,
  findErasure,
  finishErasure,
  insertErasure,
  listErasedFiles,
  listErasures,
  type SignedRecord,
  savePlan,
} from './erasure-queries.ts'
import { isHeld } from './hold-queries.ts'

const HOUR_MS = 60 * 60_000
/** Stored answers and responses are deleted after a day, see `diagnostics/retention.ts`. */
const CACHE_RETENTION_MS = 24 * HOUR_MS

/** Where copies of images may be, besides the archive, or come from. */
export interface Caches {
  readonly pulls: Pick<Pulls, 'isRetrieving' | 'block'>
  readonly views: Pick<ViewSessions, 'purge'>
  readonly dicomweb: Pick<Dicomweb, 'deleteOrphans'>
}

/** What a person asks to erase. */
export interface ErasureRequest {
  readonly studyInstanceUids: readonly string[]
  readonly scope: ErasureScope
  readonly reason: string
  readonly confirmation: string
}

/**
 * Erases studies at the request of a person (decision 0062). The erasure and its plan are committed
 * first; then each study is deleted in a transaction of its own, which also queues its files. What
 * a crash interrupts is finished after the next start, and the record is signed at the end.
 */
export class Erasures implements AsyncDisposable {
  readonly #context: Context
  readonly #listBackups: ListBackups
  readonly #caches: Caches
  readonly #running: Promise<void>
  #isClosed = false

  constructor(context: Context, listBackups: ListBackups, caches: Caches) {
    this.#context = context
    this.#listBackups = listBackups
    this.#caches = caches
    this.#running = context.isSafe ? Promise.resolve() : this.#resume()
  }

  preview(studyInstanceUid: string, scope: ErasureScope) {
    return erasurePreview(this.#context, studyInstanceUid, scope, this.#listBackups)
  }

  /**
   * Erases the studies and returns the signed record.
   * @throws ApiError not-found; refused if a study is under legal hold or is being retrieved, or the
   *   confirmation is not that of the preview
   */
  async erase(request: ErasureRequest, userId: string): Promise<SignedErasure> {
    const { database, clock, uuid, settings } = this.#context
    const uids = [...new Set(request.studyInstanceUids)]
    const [first = ''] = uids
    if (request.confirmation !== confirmationOf(database, first))
      throw new ApiError('refused', message('lifecycle.confirmation-differs'))
    const backups = await this.#listBackups()
    const erasureId = uuid()
    using _blocked = this.#caches.pulls.block(uids)
    await database.commitSoon(() => {
      const now = clock()
      const requestedAt = instantOf(now)
      for (const uid of uids) {
        if (isHeld(database, uid)) throw new ApiError('refused', message('lifecycle.erasure-held'))
        // What arrives after the erasure would be a new study.
        if (this.#caches.pulls.isRetrieving(uid))
          throw new ApiError('refused', message('lifecycle.erasure-retrieving'))
      }
      const { scope, reason } = request
      const inspectorRetentionMs = settings.get('inspector.retentionHours') * HOUR_MS
      const plan: ErasurePlan = {
        ...{ version: 1, erasureId, scope, reason, requestedAt },
        requestedBy: this.#nameOf(userId),
        studies: uids.map((studyInstanceUid) => ({
          ...{ studyInstanceUid, ...countStudy(database, studyInstanceUid) },
          ...{ rows: {}, erasedAt: null },
        })),
        elsewhere: holdersOf(this.#context, uids),
        backups,
        cachesUntil: instantOf(now + Math.max(CACHE_RETENTION_MS, inspectorRetentionMs)),
      }
      insertErasure(database, { erasureId, scope, userId, requestedAt, plan })
      const detail = { scope, reason, studies: uids }
      note(this.#context, userActor(userId), 'erasure.begin', erasureId, detail)
    })
    await this.#perform(erasureId)
    return this.read(erasureId)
  }

  list(): Erasure[] {
    return listErasures(this.#context.database).map((row) => this.#view(row))
  }

  /** @throws ApiError not-found */
  read(erasureId: string): SignedErasure {
    const row = findErasure(this.#context.database, erasureId)
    if (!row) throw new ApiError('not-found', message('lifecycle.no-such-erasure'))
    const { record } = row
    return {
      ...this.#view(row),
      record: record && ErasureRecord.parse(JSON.parse(record.text)),
      text: record?.text ?? null,
      signature: record?.mac ?? null,
      isValid: record !== null && this.#isSigned(record),
    }
  }

  /** Resolves when what an earlier run left unfinished is done. */
  settled(): Promise<void> {
    return this.#running
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    await this.#running
  }

  async #resume(): Promise<void> {
    try {
      for (const { erasureId, state, plan } of listErasures(this.#context.database))
        if (state === 'running' && !this.#isClosed) {
          const uids = plan.studies.map(({ studyInstanceUid }) => studyInstanceUid)
          using _blocked = this.#caches.pulls.block(uids)
          await this.#perform(erasureId)
        }
    } catch (error) {
      // The next start tries again.
      reportError(this.#context, error)
    }
  }

  /** Does what is left of an erasure; each step may run again after a crash. */
  async #perform(erasureId: string): Promise<void> {
    const { database, clock } = this.#context
    const row = findErasure(database, erasureId)
    if (row?.state !== 'running') return
    for (const study of row.plan.studies)
      if (study.erasedAt === null) await this.#eraseStudy(erasureId, study.studyInstanceUid)
    await finishFileRemovals(this.#context)
    // Views of the studies end, so that nothing is added to the viewer's cache.
    this.#caches.views.purge()
    await this.#caches.dicomweb.deleteOrphans()
    for (const { studyInstanceUid } of row.plan.studies)
      await this.#deleteLooseFiles(studyInstanceUid)
    await database.commitSoon(() => {
      const plan = findErasure(database, erasureId)?.plan
      if (!plan) return
      const finishedAt = instantOf(clock())
      const text = JSON.stringify({ ...plan, finishedAt }, null, 2)
      const record = { text, mac: this.#macOf(text) }
      finishErasure(database, erasureId, record, finishedAt)
      note(this.#context, 'gateway', 'erasure.done', erasureId, {
        sha256: createHash('sha256').update(text).digest('hex'),
        signature: record.mac,
      })
    })
    notifyImagesChanged(this.#context)
    this.#context.feed.noteStatus()
  }

  async #eraseStudy(erasureId: string, studyInstanceUid: string): Promise<void> {
    const { database, clock } = this.#context
    await database.commitSoon(() => {
      const plan = findErasure(database, erasureId)?.plan
      if (!plan) return
      const { files, others } = listErasedFiles(database, studyInstanceUid)
      const counts = countStudy(database, studyInstanceUid)
      const at = instantOf(clock())
      queueFileRemovals(
        database,
        files.map(({ file }) => file),
        at,
      )
      const rows = deleteStudyRows(database, studyInstanceUid)
      for (const other of others) recountInstances(database, other)
      const studies = plan.studies.map((one) =>
        one.studyInstanceUid === studyInstanceUid ? { ...one, ...counts, rows, erasedAt: at } : one,
      )
      savePlan(database, erasureId, { ...plan, studies })
      // Caches in memory that hold studies are emptied.
      for (const topic of ['studies', 'image studies', 'events', 'tier copies'] as const)
        database.notify(topic)
    })
    await finishFileRemovals(this.#context)
  }

  /**
   * Files of the study that no image has: those of the viewer's cache, which a view may have added
   * until it ended, and those of the recovery folder.
   */
  async #deleteLooseFiles(studyInstanceUid: string): Promise<void> {
    const { database, folder, imageFiles } = this.#context
    const cached = await database.commitSoon(() => deleteViewFiles(database, studyInstanceUid))
    // A cached file without a row is also deleted at the next start.
    for (const file of cached)
      await rm(join(folder, 'cache', 'views', file), { force: true }).catch(() => undefined)
    const { recovery } = imageFiles
    const studyFolder = dirname(fileFor(studyInstanceUid, ''))
    for (const file of [...recovery.files()])
      if (dirname(file) === studyFolder) await recovery.remove(file)
  }

  #view({ erasureId, scope, state, requestedAt, finishedAt, plan }: ErasureRow): Erasure {
    const { requestedBy, studies } = plan
    return {
      ...{ erasureId, scope, state, requestedBy, requestedAt, finishedAt },
      studies: studies.length,
    }
  }

  #macOf(text: string): string {
    const key = this.#context.database.seal.keyFor('erasure record')
    return createHmac('sha256', key).update(text).digest('hex')
  }

  #isSigned({ text, mac }: SignedRecord): boolean {
    const expected = Buffer.from(this.#macOf(text))
    const given = Buffer.from(mac)
    return expected.length === given.length && timingSafeEqual(expected, given)
  }

  #nameOf(userId: string): string {
    const user = findUser(this.#context.database, userId)
    return user ? `${user.firstName} ${user.lastName}`.trim() || user.email : userId
  }
}
