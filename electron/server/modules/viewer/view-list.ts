import { setTimeout as pause } from 'node:timers/promises'
import type {
  ViewedInstance,
  ViewedSeries,
  ViewedStudy,
  ViewFault,
  ViewLine,
  ViewMedia,
} from '#shared/contract/viewed-images.ts'
import { type Message, message } from '#shared/messages/message.ts'

/** Maximum number of entries in one line, which is processed at once. */
const MAX_PER_LINE = 200

const BATCH_DELAY_MS = 20
/**
 * Maximum number of frames of a view, because the page and the gateway use memory for each. The
 * largest studies have about ten thousand.
 */
const MAX_FRAMES = 200_000

export type Progress = Omit<Extract<ViewLine, { line: 'progress' }>, 'line'>

/** The list of images of a view, for any number of readers. */
export class ViewList {
  readonly watch = new ChangeNotifier()
  readonly faults = new FaultList(this.watch)
  readonly #studies = new ChangeLog<ViewedStudy>(this.watch)
  readonly #series = new ChangeLog<ViewedSeries>(this.watch)
  readonly #instances = new ChangeLog<ViewedInstance>(this.watch)
  readonly #media = new ChangeLog<ViewMedia>(this.watch)
  readonly #maxFrames: number
  #frames = 0
  #readers = 0

  /** @param maxFrames maximum number of frames of all instances */
  constructor(maxFrames = MAX_FRAMES) {
    this.#maxFrames = maxFrames
  }

  /** Number of frames of all instances. */
  get size(): number {
    return this.#frames
  }

  /** Whether there are readers of the list or requests for its images. */
  get hasReaders(): boolean {
    return this.#readers > 0
  }

  addReader(): void {
    this.#readers++
  }

  removeReader(): void {
    this.#readers--
  }

  study = (studyInstanceUid: string) => this.#studies.get(studyInstanceUid)
  series = (seriesInstanceUid: string) => this.#series.get(seriesInstanceUid)
  instance = (sopInstanceUid: string) => this.#instances.get(sopInstanceUid)

  putStudy(study: ViewedStudy): void {
    this.#studies.put(study.studyInstanceUid, study)
  }

  putSeries(series: ViewedSeries): void {
    this.#series.put(series.seriesInstanceUid, series)
  }

  /** Lists an instance. If there would be too many frames, a fault is listed instead. */
  putInstance(instance: ViewedInstance): void {
    const { sopInstanceUid, studyInstanceUid } = instance
    const frames = this.#frames - (this.instance(sopInstanceUid)?.frames ?? 0) + instance.frames
    if (frames > this.#maxFrames) {
      const sentence = message('viewer.too-many-frames', { most: this.#maxFrames })
      const what = message('viewer.image-of-many-frames')
      this.faults.add({ level: 'warning', what, sentence, studyInstanceUid, sopInstanceUid })
      return
    }
    this.#frames = frames
    this.#instances.put(sopInstanceUid, instance)
  }

  /** Lists a medium and returns its ID; IDs are assigned in order. */
  putMedium(medium: Omit<ViewMedia, 'mediaId'>): number {
    const mediaId = this.#media.size + 1
    this.#media.put(String(mediaId), { mediaId, ...medium })
    return mediaId
  }

  /**
   * Yields the current list and its changes until `progress` is done. Ends without an error when
   * the signal is aborted.
   */
  async *lines(progress: () => Progress, signal: AbortSignal): AsyncGenerator<ViewLine> {
    const parts = this.#parts()
    let last: Progress | undefined
    while (!signal.aborted) {
      const line = firstLineOf(parts)
      if (line) {
        yield line
        continue
      }
      const now = progress()
      if (!last || isNotableProgress(last, now)) {
        last = now
        yield { line: 'progress', ...now }
        if (now.state === 'done') return
        continue
      }
      await this.watch.next(signal).catch(() => undefined)
      // The first images are sent immediately; larger numbers are gathered into fewer lines.
      if (this.#instances.size > MAX_PER_LINE)
        await pause(BATCH_DELAY_MS, undefined, { signal }).catch(() => undefined)
    }
  }

  /**
   * Functions that return what has changed since their last call: studies before series before
   * instances.
   */
  #parts(): (() => ViewLine | undefined)[] {
    return [
      reader(this.#studies, 1, ([study]) => study && { line: 'study', study }),
      reader(this.#series, MAX_PER_LINE, (series) => ({ line: 'series', series })),
      reader(this.#instances, MAX_PER_LINE, (instances) => ({ line: 'instances', instances })),
      reader(this.faults, MAX_PER_LINE, (faults) => ({ line: 'faults', faults })),
      reader(this.#media, MAX_PER_LINE, (media) => ({ line: 'media', media })),
    ]
  }
}

function firstLineOf(parts: readonly (() => ViewLine | undefined)[]): ViewLine | undefined {
  for (const part of parts) {
    const line = part()
    if (line) return line
  }
  return undefined
}

function reader<T>(
  log: ChangeLog<T>,
  limit: number,
  lineOf: (values: T[]) => ViewLine | undefined,
): () => ViewLine | undefined {
  let read = 0
  return () => {
    const { values, version } = log.since(read, limit)
    read = version
    return values.length === 0 ? undefined : lineOf(values)
  }
}

/** Whether progress is worth reporting; for thousands of files, not after each one. */
const isNotableProgress = (before: Progress, { state, files, read }: Progress) =>
  state !== before.state ||
  files !== before.files ||
  read - before.read >= Math.max(1, Math.floor(files / 200))

/**
 * Values by key, in the order of their last change. A reader continues from the version that it has
 * read, and gets only the current value of each key.
 */
export class ChangeLog<T> {
  readonly #watch: ChangeNotifier
  readonly #entries = new Map<string, { readonly version: number; readonly value: T }>()
  #order: { readonly version: number; readonly key: string }[] = []
  #version = 0

  constructor(watch: ChangeNotifier) {
    this.#watch = watch
  }

  put(key: string, value: T): void {
    const version = ++this.#version
    this.#entries.set(key, { version, value })
    this.#order.push({ version, key })
    // Removes outdated entries of keys that were changed again.
    if (this.#order.length > 2 * this.#entries.size + 1000)
      this.#order = this.#order.filter((one) => this.#entries.get(one.key)?.version === one.version)
    this.#watch.changed()
  }

  remove(key: string): void {
    this.#entries.delete(key)
  }

  get(key: string): T | undefined {
    return this.#entries.get(key)?.value
  }

  get size(): number {
    return this.#entries.size
  }

  /**
   * At most `limit` values that changed after the version, and the version up to which they were
   * read.
   */
  since(after: number, limit: number) {
    const values: T[] = []
    let version = after
    for (let index = this.#indexAfter(after); values.length < limit; index++) {
      const change = this.#order[index]
      if (!change) break
      version = change.version
      const entry = this.#entries.get(change.key)
      if (entry?.version === version) values.push(entry.value)
    }
    return { values, version }
  }

  /** Index of the first change after the version. */
  #indexAfter(after: number): number {
    let low = 0
    let high = this.#order.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#order[middle]?.version ?? 0) <= after) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Maximum number of faults with the same text that are listed individually. */
const MAX_SIMILAR = 20

export type NewFault = Pick<ViewFault, 'level' | 'what' | 'sentence'> &
  Partial<Pick<ViewFault, 'studyInstanceUid' | 'sopInstanceUid'>>

/**
 * The faults of a view. Duplicates are listed once; if many images have the same fault, the first
 * ones and the number of the others are listed.
 */
class FaultList extends ChangeLog<ViewFault> {
  readonly #similarCounts = new Map<string, number>()
  readonly #keysOf = new Map<string, Set<string>>()

  add({ studyInstanceUid = null, sopInstanceUid = null, ...fault }: NewFault): void {
    const key = JSON.stringify([fault.what, fault.sentence, studyInstanceUid, sopInstanceUid])
    const of = JSON.stringify(fault.what)
    const keys = this.#keysOf.get(of) ?? new Set()
    if (keys.has(key)) return
    this.#keysOf.set(of, keys.add(key))
    const kind = JSON.stringify([fault.level, fault.sentence, studyInstanceUid])
    const count = (this.#similarCounts.get(kind) ?? 0) + 1
    this.#similarCounts.set(kind, count)
    if (count <= MAX_SIMILAR) {
      this.put(key, { ...fault, studyInstanceUid, sopInstanceUid })
      return
    }
    const what = message('viewer.more-images', { count: count - MAX_SIMILAR })
    this.put(kind, { ...fault, what, studyInstanceUid, sopInstanceUid: null })
  }

  /** Removes the faults about `what`, for readers that start later. */
  drop(what: Message): void {
    const of = JSON.stringify(what)
    for (const key of this.#keysOf.get(of) ?? []) this.remove(key)
    this.#keysOf.delete(of)
  }
}

/** Notifies waiting callers of the next change. */
export class ChangeNotifier {
  #waiting = new Set<() => void>()

  changed(): void {
    const waiting = this.#waiting
    this.#waiting = new Set()
    for (const notify of waiting) notify()
  }

  /**
   * Resolves at the next change.
   * @throws the abort reason of the signal
   */
  next(signal: AbortSignal): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const notify = () => {
        signal.removeEventListener('abort', abort)
        resolve()
      }
      const abort = () => {
        this.#waiting.delete(notify)
        reject(signal.reason)
      }
      if (signal.aborted) return reject(signal.reason)
      signal.addEventListener('abort', abort, { once: true })
      this.#waiting.add(notify)
    })
  }
}
