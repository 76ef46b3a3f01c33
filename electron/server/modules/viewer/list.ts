import { setTimeout as pause } from 'node:timers/promises'
import type {
  ViewedInstance,
  ViewedSeries,
  ViewedStudy,
  ViewFault,
  ViewLine,
  ViewMedia,
} from '#shared/contract/viewing.ts'

/** Instances in one line: it is read and shown at once. */
const MOST_INSTANCES = 200

const GATHER_MS = 20
/**
 * Frames of a view: page and gateway keep something of each. The largest studies have some ten
 * thousand.
 */
const MOST_FRAMES = 200_000

export type Progress = Omit<Extract<ViewLine, { line: 'progress' }>, 'line'>

export type ViewList = ReturnType<typeof viewList>

/**
 * What is known of the images of a view, for any number of listeners.
 * @param mostFrames of all instances
 */
export function viewList(mostFrames = MOST_FRAMES) {
  const watch = openWatch()
  const studies = changeLog<ViewedStudy>()
  const series = changeLog<ViewedSeries>()
  const instances = changeLog<ViewedInstance>()
  const faults = changeLog<ViewFault>()
  const media = changeLog<ViewMedia>()
  let frames = 0

  /** A study before its series before their instances, whenever they were said. */
  const parts = [
    part(studies, 1, ([study]) => study && { line: 'study', study }),
    part(series, MOST_INSTANCES, (values) => ({ line: 'series', series: values })),
    part(instances, MOST_INSTANCES, (values) => ({ line: 'instances', instances: values })),
    part(faults, MOST_INSTANCES, (values) => ({ line: 'faults', faults: values })),
    part(media, MOST_INSTANCES, (values) => ({ line: 'media', media: values })),
  ]

  const told =
    <A extends unknown[]>(change: (...values: A) => void) =>
    (...values: A) => {
      change(...values)
      watch.changed()
    }

  const faultsOf = faultList({ put: told(faults.put), remove: faults.remove })
  const listInstance = told((instance: ViewedInstance) =>
    instances.put(instance.sopInstanceUid, instance),
  )

  return {
    watch,
    /** Frames, of all instances. */
    get size() {
      return frames
    },
    faults: faultsOf,
    putStudy: told((study: ViewedStudy) => studies.put(study.studyInstanceUid, study)),
    study: studies.get,
    putSeries: told((one: ViewedSeries) => series.put(one.seriesInstanceUid, one)),
    series: series.get,
    /** An instance whose frames would be too many is told as a fault instead. */
    putInstance(instance: ViewedInstance): void {
      const { sopInstanceUid, studyInstanceUid } = instance
      const after = frames - (instances.get(sopInstanceUid)?.frames ?? 0) + instance.frames
      if (after > mostFrames) {
        const sentence = `It would make more than ${mostFrames} frames in one view, and is left out.`
        const what = 'An image of many frames'
        faultsOf.add({ level: 'warning', what, sentence, studyInstanceUid, sopInstanceUid })
        return
      }
      frames = after
      listInstance(instance)
    },
    instance: instances.get,
    /** Its id is given in the order they come. */
    putMedium(medium: Omit<ViewMedia, 'mediaId'>): number {
      const mediaId = media.size + 1
      media.put(String(mediaId), { mediaId, ...medium })
      watch.changed()
      return mediaId
    },
    /**
     * All of it as it is, then what comes, until `progress` says done; ends quietly when the signal
     * aborts.
     */
    async *lines(progress: () => Progress, signal: AbortSignal): AsyncGenerator<ViewLine> {
      const versions = parts.map(() => 0)
      let last: Progress | undefined
      const nextLine = (): ViewLine | undefined => {
        for (const [index, since] of parts.entries()) {
          const { version, line } = since(versions[index] ?? 0)
          versions[index] = version
          if (line) return line
        }
        const now = progress()
        if (last && !isNews(last, now)) return undefined
        last = now
        return { line: 'progress', ...now }
      }
      while (!signal.aborted) {
        const line = nextLine()
        if (line) yield line
        if (line?.line === 'progress' && line.state === 'done') return
        if (line) continue
        await watch.next(signal).catch(() => undefined)
        // The first images at once, thousands in fewer lines.
        if (instances.size > MOST_INSTANCES)
          await pause(GATHER_MS, undefined, { signal }).catch(() => undefined)
      }
    },
  }
}

const part =
  <T>(
    log: ReturnType<typeof changeLog<T>>,
    limit: number,
    lineOf: (values: T[]) => ViewLine | undefined,
  ) =>
  (after: number) => {
    const { values, version } = log.since(after, limit)
    return { version, line: values.length === 0 ? undefined : lineOf(values) }
  }

/** Of thousands of files each one is none. */
const isNews = (before: Progress, { state, files, read }: Progress) =>
  state !== before.state ||
  files !== before.files ||
  read - before.read >= Math.max(1, Math.floor(files / 200))

/**
 * Values by key in the order of their last change: whoever has read up to a version reads on from
 * there, and each key's present value alone.
 */
export function changeLog<T>() {
  const entries = new Map<string, { readonly version: number; readonly value: T }>()
  let order: { readonly version: number; readonly key: string }[] = []
  let version = 0

  /** Of the first change after it. */
  function indexAfter(after: number): number {
    let low = 0
    let high = order.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((order[middle]?.version ?? 0) <= after) low = middle + 1
      else high = middle
    }
    return low
  }

  return {
    put(key: string, value: T): void {
      entries.set(key, { version: ++version, value })
      order.push({ version, key })
      // What was put again lies there twice.
      if (order.length > 2 * entries.size + 1000)
        order = order.filter((change) => entries.get(change.key)?.version === change.version)
    },
    remove: (key: string) => void entries.delete(key),
    get: (key: string) => entries.get(key)?.value,
    get size() {
      return entries.size
    },
    /** At most so many that changed after the version, and the version that is then read. */
    since(after: number, limit: number) {
      const values: T[] = []
      let read = after
      for (let index = indexAfter(after); index < order.length && values.length < limit; index++) {
        const change = order[index]
        if (!change) break
        read = change.version
        const entry = entries.get(change.key)
        if (entry?.version === change.version) values.push(entry.value)
      }
      return { values, version: read }
    },
  }
}

/** Faults of the same words that are told one by one. */
const MOST_ALIKE = 20

export interface NewFault {
  readonly level: ViewFault['level']
  readonly what: string
  readonly sentence: string
  readonly studyInstanceUid?: string | null | undefined
  readonly sopInstanceUid?: string | null | undefined
}

const COUNTS = new Intl.NumberFormat('en')
/** A number as people read it: 100,000. */
export const countText = (number: number): string => COUNTS.format(number)

/**
 * What is wrong in a view: the same is told once, and of many images with the same fault the first
 * ones and how many more there are.
 */
function faultList(log: { put(key: string, fault: ViewFault): void; remove(key: string): void }) {
  const alike = new Map<string, number>()
  const keysOf = new Map<string, Set<string>>()

  return {
    add({ studyInstanceUid = null, sopInstanceUid = null, ...fault }: NewFault): void {
      const key = JSON.stringify([fault.what, fault.sentence, studyInstanceUid, sopInstanceUid])
      const keys = keysOf.get(fault.what) ?? new Set()
      if (keys.has(key)) return
      const kind = JSON.stringify([fault.level, fault.sentence, studyInstanceUid])
      keysOf.set(fault.what, keys.add(key))
      const count = (alike.get(kind) ?? 0) + 1
      alike.set(kind, count)
      if (count <= MOST_ALIKE) {
        log.put(key, { ...fault, studyInstanceUid, sopInstanceUid })
        return
      }
      const more = count - MOST_ALIKE
      const what = `${countText(more)} more ${more === 1 ? 'image' : 'images'}`
      log.put(kind, { ...fault, what, studyInstanceUid, sopInstanceUid: null })
    },
    /**
     * What was said of this by these words is so no more: for who asks for the list from now on.
     */
    drop(what: string): void {
      for (const key of keysOf.get(what) ?? []) log.remove(key)
      keysOf.delete(what)
    },
  }
}

export type Watch = ReturnType<typeof openWatch>

/** Something that changes, for whoever waits for its next change. */
export function openWatch() {
  const waiting = new Set<() => void>()
  return {
    changed(): void {
      const told = [...waiting]
      waiting.clear()
      for (const tell of told) tell()
    },
    /** @throws the signal's reason */
    next: (signal: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        const tell = () => {
          signal.removeEventListener('abort', abort)
          resolve()
        }
        const abort = () => {
          waiting.delete(tell)
          reject(signal.reason)
        }
        if (signal.aborted) return reject(signal.reason)
        signal.addEventListener('abort', abort, { once: true })
        waiting.add(tell)
      }),
  }
}
