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

const INITIAL_PROGRESS: ListState['progress'] = { state: 'asking', read: 0, files: 0 }

/** An image with what it is of. */
export interface ListedImage {
  readonly image: StackImage
  readonly series: ViewedSeries
  readonly study: ViewedStudy
}

/** What the lines of a view's list have said so far, by UID. */
export class ViewListContents {
  readonly #viewId: string
  readonly #studies = new Map<string, ViewedStudy>()
  readonly #series = new Map<string, ViewedSeries>()
  readonly #instances = new Map<string, ViewedInstance>()
  /** Of each series: its instances, and the stacks made of them until one changes. */
  readonly #members = new Map<string, Set<string>>()
  readonly #stacks = new Map<string, readonly SeriesState[]>()
  /** Of a stream that began anew: what it has said of what was known. */
  #heardAgain: Set<string> | undefined
  #faults: readonly ViewFault[] = []
  #media: readonly ViewMedia[] = []
  #progress = INITIAL_PROGRESS

  constructor(viewId: string) {
    this.#viewId = viewId
  }

  get faults(): readonly ViewFault[] {
    return this.#faults
  }
  get media(): readonly ViewMedia[] {
    return this.#media
  }
  get progress(): ListState['progress'] {
    return this.#progress
  }
  get #isWhole(): boolean {
    return this.#progress.state === 'done'
  }

  /** The stream begins anew: it says everything again. */
  begin(): void {
    this.#heardAgain = this.#instances.size > 0 ? new Set() : undefined
    this.#faults = []
    this.#media = []
  }

  /** @returns SOP Instance UIDs whose pixels are not what they were said to be before */
  take(line: ViewLine): readonly string[] {
    switch (line.line) {
      case 'study':
        this.#studies.set(line.study.studyInstanceUid, line.study)
        return []
      case 'series':
        for (const one of line.series) this.#takeSeries(one)
        return []
      case 'instances':
        return line.instances
          .filter((one) => this.#takeInstance(one))
          .map(({ sopInstanceUid }) => sopInstanceUid)
      case 'faults':
        this.#faults = [...this.#faults, ...line.faults]
        return []
      case 'media': {
        const all = [...this.#media, ...line.media]
        this.#media = [...new Map(all.map((one) => [one.mediaId, one])).values()]
        return []
      }
      case 'progress':
        return this.#takeProgress({ state: line.state, read: line.read, files: line.files })
    }
  }

  /** What there is now; series that did not change are the same objects. */
  studies(): readonly StudyState[] {
    const of = Map.groupBy(this.#series.values(), ({ studyInstanceUid }) => studyInstanceUid)
    return [...this.#studies.values()].sort(byAge).map((study) => {
      const mine = of.get(study.studyInstanceUid) ?? []
      return {
        study,
        series: mine.flatMap((one) => this.#stacksOf(one)).sort(bySeriesNumber),
        nonImageInstances: mine
          .flatMap(({ seriesInstanceUid }) => this.#instancesOf(seriesInstanceUid))
          .filter((instance) => !isImage(instance)),
      }
    })
  }

  /** What is known of an image now. */
  find(imageId: string): ListedImage | undefined {
    const { sopInstanceUid = '', frame = 0 } = parseImageId(imageId) ?? {}
    const instance = this.#instances.get(sopInstanceUid)
    const series = this.#series.get(instance?.seriesInstanceUid ?? '')
    const study = this.#studies.get(instance?.studyInstanceUid ?? '')
    if (!instance || !series || !study) return undefined
    const image = {
      imageId: imageIdOf(this.#viewId, sopInstanceUid, frame),
      sopInstanceUid,
      frame,
      instance,
      attributes: attributesOf(instance, frame),
    }
    return { image, series, study }
  }

  #takeSeries(one: ViewedSeries): void {
    const before = this.#series.get(one.seriesInstanceUid)
    if (JSON.stringify(before) === JSON.stringify(one)) return
    this.#series.set(one.seriesInstanceUid, one)
    this.#stacks.delete(one.seriesInstanceUid)
  }

  /** @returns true where it was said to be another before */
  #takeInstance(instance: ViewedInstance): boolean {
    const { sopInstanceUid, seriesInstanceUid } = instance
    const before = this.#instances.get(sopInstanceUid)
    this.#heardAgain?.add(sopInstanceUid)
    // A replay says most things as they were: their stacks stand.
    if (before && JSON.stringify(before) === JSON.stringify(instance)) return false
    if (before) this.#forget(sopInstanceUid)
    this.#instances.set(sopInstanceUid, instance)
    const members = this.#members.get(seriesInstanceUid)
    if (members) members.add(sopInstanceUid)
    else this.#members.set(seriesInstanceUid, new Set([sopInstanceUid]))
    this.#stacks.delete(seriesInstanceUid)
    return before !== undefined
  }

  /** @returns what a stream that has said everything again did not name */
  #takeProgress(progress: ListState['progress']): readonly string[] {
    const wasWhole = this.#isWhole
    this.#progress = progress
    // What nobody but the manifest knows is missing now, or is not any more.
    if (this.#isWhole !== wasWhole) this.#stacks.clear()
    if (!this.#isWhole) return []
    const heard = this.#heardAgain
    this.#heardAgain = undefined
    const gone = heard ? [...this.#instances.keys()].filter((uid) => !heard.has(uid)) : []
    for (const uid of gone) this.#forget(uid)
    return gone
  }

  #forget(sopInstanceUid: string): void {
    const seriesInstanceUid = this.#instances.get(sopInstanceUid)?.seriesInstanceUid ?? ''
    this.#members.get(seriesInstanceUid)?.delete(sopInstanceUid)
    this.#stacks.delete(seriesInstanceUid)
    this.#instances.delete(sopInstanceUid)
  }

  #instancesOf(seriesInstanceUid: string): readonly ViewedInstance[] {
    const members = [...(this.#members.get(seriesInstanceUid) ?? [])]
    return members.flatMap((uid) => this.#instances.get(uid) ?? [])
  }

  #stacksOf(one: ViewedSeries): readonly SeriesState[] {
    const known = this.#stacks.get(one.seriesInstanceUid)
    if (known) return known
    const isPrior = this.#studies.get(one.studyInstanceUid)?.isPrior ?? false
    const displayed = displaySeries(this.#viewId, one, this.#instancesOf(one.seriesInstanceUid), {
      isPrior,
      isWhole: this.#isWhole,
    })
    this.#stacks.set(one.seriesInstanceUid, displayed)
    return displayed
  }
}

/** The study of the view first, then the earlier ones, newest first. */
const byAge = (a: ViewedStudy, b: ViewedStudy) =>
  Number(a.isPrior) - Number(b.isPrior) ||
  compare(b.studyDate + b.studyTime, a.studyDate + a.studyTime) ||
  compare(a.studyInstanceUid, b.studyInstanceUid)
