import { setTimeout as pause } from 'node:timers/promises'
import type {
  ViewedInstance,
  ViewedSeries,
  ViewedStudy,
  ViewFault,
  ViewLine,
  ViewMedia,
} from '#shared/contract/viewing.ts'
import { changeLog } from './change-log.ts'
import { type FaultList, faultList } from './faults.ts'
import { openWatch, type Watch } from './watch.ts'

/** Instances in one line: it is read and shown at once. */
const MOST_INSTANCES = 200

const GATHER_MS = 20
/**
 * Frames of a view: page and gateway keep something of each. The largest studies have some ten
 * thousand.
 */
const MOST_FRAMES = 200_000

export type Progress = Omit<Extract<ViewLine, { line: 'progress' }>, 'line'>

/** What is known of the images of a view, for any number of listeners. */
export interface ViewList {
  readonly watch: Watch
  /** Frames, of all instances. */
  readonly size: number
  readonly faults: FaultList
  putStudy(study: ViewedStudy): void
  study(studyInstanceUid: string): ViewedStudy | undefined
  putSeries(series: ViewedSeries): void
  series(seriesInstanceUid: string): ViewedSeries | undefined
  /** An instance whose frames would be too many is told as a fault instead. */
  putInstance(instance: ViewedInstance): void
  instance(sopInstanceUid: string): ViewedInstance | undefined
  /** Its id is given in the order they come. */
  putMedium(medium: Omit<ViewMedia, 'mediaId'>): number
  /**
   * All of it as it is, then what comes, until `progress` says done; ends quietly when the signal
   * aborts.
   */
  lines(progress: () => Progress, signal: AbortSignal): AsyncGenerator<ViewLine>
}

/** @param mostFrames of all instances */
export function viewList(mostFrames = MOST_FRAMES): ViewList {
  const watch = openWatch()
  const studies = changeLog<ViewedStudy>()
  const series = changeLog<ViewedSeries>()
  const instances = changeLog<ViewedInstance>()
  const faults = changeLog<ViewFault>()
  const media = changeLog<ViewMedia>()
  let frames = 0

  /** A study before its series before their instances, whenever they were said. */
  const PARTS: readonly {
    readonly since: (version: number) => {
      readonly version: number
      readonly line: ViewLine | undefined
    }
  }[] = [
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
    get size() {
      return frames
    },
    faults: faultsOf,
    putStudy: told((study) => studies.put(study.studyInstanceUid, study)),
    study: studies.get,
    putSeries: told((one) => series.put(one.seriesInstanceUid, one)),
    series: series.get,
    putInstance(instance) {
      const { sopInstanceUid, studyInstanceUid } = instance
      const after = frames - (instances.get(sopInstanceUid)?.frames ?? 0) + instance.frames
      if (after > mostFrames) {
        const sentence = `It would make more than ${mostFrames} frames in one view, and is left out.`
        faultsOf.add({
          level: 'warning',
          what: 'An image of many frames',
          sentence,
          studyInstanceUid,
          sopInstanceUid,
        })
        return
      }
      frames = after
      listInstance(instance)
    },
    instance: instances.get,
    putMedium(medium) {
      const mediaId = media.size + 1
      media.put(String(mediaId), { mediaId, ...medium })
      watch.changed()
      return mediaId
    },
    async *lines(progress, signal) {
      const versions = PARTS.map(() => 0)
      let last: Progress | undefined
      const nextLine = (): ViewLine | undefined => {
        for (const [index, { since }] of PARTS.entries()) {
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

function part<T>(
  log: {
    since(version: number, limit: number): { readonly values: T[]; readonly version: number }
  },
  limit: number,
  lineOf: (values: T[]) => ViewLine | undefined,
) {
  return {
    since(version: number) {
      const { values, version: read } = log.since(version, limit)
      return { version: read, line: values.length === 0 ? undefined : lineOf(values) }
    },
  }
}

/** Of thousands of files each one is none. */
const isNews = (before: Progress, { state, files, read }: Progress) =>
  state !== before.state ||
  files !== before.files ||
  read - before.read >= Math.max(1, Math.floor(files / 200))
