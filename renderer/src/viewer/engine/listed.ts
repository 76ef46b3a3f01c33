import type {
  ViewedInstance,
  ViewedSeries,
  ViewedStudy,
  ViewFault,
  ViewLine,
  ViewMedia,
} from '#shared/contract/viewed-images.ts'
import {
  attributesOf,
  bySeriesNumber,
  compare,
  displaySeries,
  imageIdOf,
  isImage,
  parseImageId,
} from './series.ts'
import type { ListState, SeriesState, StackImage, StudyState } from './stack.ts'

/** What the lines of a view's list have said so far, by UID. */
export interface Listed {
  /** The stream begins anew: it says everything again. */
  begin(): void
  /** @returns SOP Instance UIDs whose pixels are not what they were said to be before */
  take(line: ViewLine): readonly string[]
  /** What there is now; series that did not change are the same objects. */
  studies(): readonly StudyState[]
  readonly faults: readonly ViewFault[]
  readonly media: readonly ViewMedia[]
  readonly progress: ListState['progress']
  find(
    imageId: string,
  ):
    | { readonly image: StackImage; readonly series: ViewedSeries; readonly study: ViewedStudy }
    | undefined
}

const NOTHING_YET: ListState['progress'] = { state: 'asking', read: 0, files: 0 }

export function openListed(viewId: string): Listed {
  const studies = new Map<string, ViewedStudy>()
  const series = new Map<string, ViewedSeries>()
  const instances = new Map<string, ViewedInstance>()
  /** Of each series: its instances, and the stacks made of them until one changes. */
  const members = new Map<string, Set<string>>()
  const stacks = new Map<string, readonly SeriesState[]>()
  let heardAgain: Set<string> | undefined
  let faults: readonly ViewFault[] = []
  let media: readonly ViewMedia[] = []
  let progress = NOTHING_YET
  let isWhole = false

  const forget = (sopInstanceUid: string) => {
    const seriesInstanceUid = instances.get(sopInstanceUid)?.seriesInstanceUid ?? ''
    members.get(seriesInstanceUid)?.delete(sopInstanceUid)
    stacks.delete(seriesInstanceUid)
    instances.delete(sopInstanceUid)
  }
  const keep = (instance: ViewedInstance): boolean => {
    const before = instances.get(instance.sopInstanceUid)
    heardAgain?.add(instance.sopInstanceUid)
    // A replay says most things as they were: their stacks stand.
    if (before && isSame(before, instance)) return false
    if (before) forget(instance.sopInstanceUid)
    instances.set(instance.sopInstanceUid, instance)
    const of = members.get(instance.seriesInstanceUid)
    if (of) of.add(instance.sopInstanceUid)
    else members.set(instance.seriesInstanceUid, new Set([instance.sopInstanceUid]))
    stacks.delete(instance.seriesInstanceUid)
    return before !== undefined
  }
  const stacksOf = (one: ViewedSeries): readonly SeriesState[] => {
    const known = stacks.get(one.seriesInstanceUid)
    if (known) return known
    const of = [...(members.get(one.seriesInstanceUid) ?? [])].flatMap(
      (uid) => instances.get(uid) ?? [],
    )
    const isPrior = studies.get(one.studyInstanceUid)?.isPrior ?? false
    const made = displaySeries(viewId, one, of, { isPrior, isWhole })
    stacks.set(one.seriesInstanceUid, made)
    return made
  }

  return {
    begin() {
      heardAgain = instances.size > 0 ? new Set() : undefined
      faults = []
      media = []
    },
    take(line) {
      switch (line.line) {
        case 'study':
          studies.set(line.study.studyInstanceUid, line.study)
          return []
        case 'series':
          for (const one of line.series) {
            if (JSON.stringify(series.get(one.seriesInstanceUid)) === JSON.stringify(one)) continue
            series.set(one.seriesInstanceUid, one)
            stacks.delete(one.seriesInstanceUid)
          }
          return []
        case 'instances':
          return line.instances.filter(keep).map(({ sopInstanceUid }) => sopInstanceUid)
        case 'faults':
          faults = [...faults, ...line.faults]
          return []
        case 'media':
          media = [...new Map([...media, ...line.media].map((one) => [one.mediaId, one])).values()]
          return []
        case 'progress': {
          progress = { state: line.state, read: line.read, files: line.files }
          if ((line.state === 'done') !== isWhole) {
            isWhole = !isWhole
            // What nobody but the manifest knows is missing now, or is not any more.
            stacks.clear()
          }
          const gone =
            isWhole && heardAgain
              ? [...instances.keys()].filter((uid) => !heardAgain?.has(uid))
              : []
          gone.forEach(forget)
          if (isWhole) heardAgain = undefined
          return gone
        }
      }
    },
    studies() {
      const of = Map.groupBy(series.values(), ({ studyInstanceUid }) => studyInstanceUid)
      return [...studies.values()].sort(byAge).map((study) => {
        const mine = of.get(study.studyInstanceUid) ?? []
        return {
          study,
          series: mine.flatMap(stacksOf).sort(bySeriesNumber),
          notImages: mine.flatMap(({ seriesInstanceUid }) =>
            [...(members.get(seriesInstanceUid) ?? [])].flatMap((uid) => {
              const instance = instances.get(uid)
              return instance && !isImage(instance) ? [instance] : []
            }),
          ),
        }
      })
    },
    get faults() {
      return faults
    },
    get media() {
      return media
    },
    get progress() {
      return progress
    },
    find(imageId) {
      const { sopInstanceUid = '', frame = 0 } = parseImageId(imageId) ?? {}
      const instance = instances.get(sopInstanceUid)
      const itsSeries = series.get(instance?.seriesInstanceUid ?? '')
      const study = studies.get(instance?.studyInstanceUid ?? '')
      if (!instance || !itsSeries || !study) return undefined
      const image = {
        imageId: imageIdOf(viewId, sopInstanceUid, frame),
        sopInstanceUid,
        frame,
        instance,
        attributes: attributesOf(instance, frame),
      }
      return { image, series: itsSeries, study }
    },
  }
}

/** The study of the view first, then the earlier ones, newest first. */
const byAge = (a: ViewedStudy, b: ViewedStudy) =>
  Number(a.isPrior) - Number(b.isPrior) ||
  compare(b.studyDate + b.studyTime, a.studyDate + a.studyTime) ||
  compare(a.studyInstanceUid, b.studyInstanceUid)

const isSame = (a: ViewedInstance, b: ViewedInstance) => JSON.stringify(a) === JSON.stringify(b)
