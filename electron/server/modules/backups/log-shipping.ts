import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from '#server/context.ts'
import { instantOf } from '#server/platform/clock.ts'
import { reportError } from '#server/platform/log.ts'
import { type ImageFile, imagesAfter, newestInstanceId } from './log-queries.ts'
import {
  IMAGES_EXTENSION,
  LOG_FOLDER,
  LOG_POSITION_FILE,
  type LogBase,
  type LogPosition,
  listSegments,
  sealSegment,
  segmentName,
  writeDurably,
} from './log-segment.ts'
import {
  checksumOf,
  isContinued,
  type LogState,
  newLogState,
  readFrames,
  readLogState,
  removeLogState,
  saltOf,
  saveLogState,
  stampDatabaseFile,
} from './log-state.ts'

/** How often the log is copied. It is a part of the recovery point. */
const INTERVAL_MS = 5000
/** Maximum number of frames in a segment: 16 MB. */
const MAX_SEGMENT_FRAMES = 4000
/** The log is emptied once it has so many frames and all were copied. */
const EPOCH_FRAMES = 4000
/** If nothing can be copied, the log is emptied anyway at this length: 1 GB. */
const MAX_FRAMES = 250_000
const BASE_RETRY_MS = 2 * 60_000

/**
 * Copies SQLite's write-ahead log to the backup folder every few seconds, encrypted, from where a
 * script takes it to the standby (docs/STANDBY.md, decision 0065). While this runs, only it empties
 * the log, after what is in it was copied. A backup is the base from which the segments are
 * followed, so one is made when a chain begins.
 */
export class LogShipping implements AsyncDisposable {
  readonly #context: Context
  readonly #stop = new AbortController()
  #state: LogState | undefined
  #makeBase: () => Promise<unknown> = () => Promise.resolve()
  #baseTriedAt = Number.NEGATIVE_INFINITY
  #isMakingBase = false
  #reported: string | undefined
  #running: Promise<void> = Promise.resolve()

  constructor(context: Context) {
    this.#context = context
    const state = readLogState(context, (file) => readFileSync(file, 'utf8'))
    if (state && isContinued(context, state)) this.#state = state
  }

  /** @param makeBase makes a backup, which calls `base` and `noteBase` */
  begin(makeBase: () => Promise<unknown>): void {
    this.#makeBase = makeBase
    this.#running = this.#run()
  }

  /** From where on a backup that begins now is continued; `undefined` if nowhere. */
  base(): LogBase | undefined {
    return this.#state && { chain: this.#state.chain, epoch: this.#state.epoch }
  }

  /** A backup is complete: segments that only older ones need are deleted. */
  async noteBase(backup: string, base: LogBase): Promise<void> {
    const state = this.#state
    if (!state || state.chain !== base.chain) return
    state.bases = [...state.bases, { backup, epoch: base.epoch }].slice(-2)
    saveLogState(this.#context, state)
    const logs = join(state.folder, LOG_FOLDER)
    const chain = join(logs, state.chain)
    for (const segment of await listSegments(chain))
      if (segment.epoch < (state.bases[0]?.epoch ?? 0)) {
        const name = segmentName(segment)
        await rm(join(chain, name), { force: true })
        await rm(join(chain, `${name}${IMAGES_EXTENSION}`), { force: true })
      }
    for (const entry of await readdir(logs, { withFileTypes: true }))
      if (entry.isDirectory() && entry.name !== state.chain)
        await rm(join(logs, entry.name), { recursive: true, force: true })
  }

  /** Ends the copying at intervals; no more backups are made. */
  async end(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  /** Copies what is left, so that the next start continues the chain. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.end()
    if (!this.#state || !this.#isOn()) return
    try {
      await this.#ship(this.#state)
      this.#endEpoch(this.#state)
      saveLogState(this.#context, this.#state)
    } catch (error) {
      reportError(this.#context, error)
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      await this.#tick().catch((error: unknown) => this.#failed(error))
      await wait(INTERVAL_MS, undefined, { signal }).catch(() => undefined)
    }
  }

  #isOn(): boolean {
    const { settings } = this.#context
    return settings.get('backup.isContinuous') && settings.get('backup.folder') !== null
  }

  async #tick(): Promise<void> {
    const { database, settings, clock } = this.#context
    const folder = settings.get('backup.folder')
    if (!this.#isOn() || folder === null) return this.#switchOff()
    database.writeAheadLog.setAutomaticCheckpoints(false)
    // A folder that is gone may be on a disk that is disconnected, and must not be made anew.
    if (!existsSync(folder)) throw new Error(`The backup folder ${folder} is not there`)
    if (this.#state?.folder !== folder) this.#state = undefined
    this.#state ??= this.#newChain(folder)
    await this.#ship(this.#state)
    this.#reported = undefined
    const isDue = clock() - this.#baseTriedAt >= BASE_RETRY_MS && !this.#isMakingBase
    if (this.#state.bases.length > 0 || !isDue || this.#stop.signal.aborted) return
    this.#baseTriedAt = clock()
    this.#isMakingBase = true
    // Not awaited: what is written while a large backup is made is copied too.
    this.#makeBase()
      .catch((error: unknown) => this.#failed(error))
      .finally(() => {
        this.#isMakingBase = false
      })
  }

  #newChain(folder: string): LogState {
    this.#context.database.writeAheadLog.empty()
    const state = newLogState(this.#context, folder, newestInstanceId(this.#context.database))
    saveLogState(this.#context, state)
    this.#baseTriedAt = Number.NEGATIVE_INFINITY
    return state
  }

  /** Copies all that was committed before the call, then empties a log that became long. */
  async #ship(state: LogState): Promise<void> {
    const { database, clock, folder } = this.#context
    const chain = join(state.folder, LOG_FOLDER, state.chain)
    await mkdir(chain, { recursive: true, mode: 0o700 })
    const at = instantOf(clock())
    const frames = database.writeAheadLog.frames
    if (frames < state.frames || (state.frames > 0 && saltOf(this.#context) !== state.salt)) {
      this.#state = undefined
      throw new Error(`The write-ahead log in ${folder} was emptied by another program`)
    }
    const images = frames > state.frames ? imagesAfter(database, state.lastInstance) : []
    // What the standby has must not be lost here by a power failure.
    await database.durable()
    if (images.length > 0) await this.#writeImages(state, chain, frames, images)
    while (state.frames < frames) await this.#writeSegment(state, chain, frames)
    if (frames >= EPOCH_FRAMES && database.writeAheadLog.frames === frames) this.#endEpoch(state)
    saveLogState(this.#context, state)
    const { epoch } = state
    const position: LogPosition = { chain: state.chain, epoch, frames: state.frames, at }
    await writeDurably(
      join(state.folder, LOG_FOLDER),
      LOG_POSITION_FILE,
      `${JSON.stringify(position)}\n`,
    )
  }

  async #writeSegment(state: LogState, chain: string, end: number): Promise<void> {
    const { epoch, frames: first, previous } = state
    const last = Math.min(end, first + MAX_SEGMENT_FRAMES)
    const frames = readFrames(this.#context, first, last)
    const segment = { epoch, first, last }
    const sealed = sealSegment(this.#context.database.seal, state.chain, segment, previous, frames)
    await writeDurably(chain, segmentName(segment), sealed)
    state.frames = last
    state.salt = saltOf(this.#context)
    state.checksum = checksumOf(this.#context, last)
  }

  /** Before the segment: the files are copied to the standby before the rows that name them. */
  async #writeImages(
    state: LogState,
    chain: string,
    end: number,
    images: readonly ImageFile[],
  ): Promise<void> {
    const { epoch, frames: first } = state
    const name = segmentName({ epoch, first, last: Math.min(end, first + MAX_SEGMENT_FRAMES) })
    const list = images.map(({ file }) => `${file}\n`).join('')
    await writeDurably(chain, `${name}${IMAGES_EXTENSION}`, list)
    state.lastInstance = images.at(-1)?.instanceId ?? state.lastInstance
  }

  /** Must be called in the turn in which all frames were found to be copied. */
  #endEpoch(state: LogState): void {
    const { writeAheadLog } = this.#context.database
    if (state.frames === 0 || writeAheadLog.frames !== state.frames) return
    try {
      writeAheadLog.empty()
    } catch {
      // A query is being iterated over; the next interval tries again.
      return
    }
    Object.assign(state, {
      ...{ epoch: state.epoch + 1, previous: state.frames, frames: 0, salt: '', checksum: '' },
      file: stampDatabaseFile(this.#context),
    })
  }

  /** Without a standby SQLite empties the log as usual. */
  #switchOff(): void {
    if (this.#state === undefined && !this.#hasStateFile()) return
    this.#state = undefined
    removeLogState(this.#context)
    this.#context.database.writeAheadLog.setAutomaticCheckpoints(true)
  }

  #hasStateFile(): boolean {
    return readLogState(this.#context, (file) => readFileSync(file, 'utf8')) !== undefined
  }

  /** Reports each fault once. A log that cannot be copied must not fill the disk. */
  #failed(error: unknown): void {
    if (this.#stop.signal.aborted) return
    const text = String(error)
    if (text !== this.#reported) reportError(this.#context, error)
    this.#reported = text
    const { writeAheadLog } = this.#context.database
    if (writeAheadLog.frames < MAX_FRAMES) return
    this.#state = undefined
    writeAheadLog.empty()
  }
}
