import type {
  FrameAttributes,
  ViewedInstance,
  ViewedSeries,
  ViewedStudy,
  ViewFault,
  ViewMedia,
} from '#shared/contract/viewed-images.ts'
import type { Message } from '#shared/messages/message.ts'

/** One frame, as it stands in a stack. */
export interface StackImage {
  /** `isthmus:<viewId>/<SOP Instance UID>/<frame>`. */
  readonly imageId: string
  readonly sopInstanceUid: string
  /** From 1. */
  readonly frame: number
  readonly instance: ViewedInstance
  /** Of this frame. */
  readonly attributes: FrameAttributes
}

/**
 * A series as it is shown: all of a DICOM series, or that part of it whose images belong in one
 * stack.
 */
export interface SeriesState {
  /** Stays the same while the series grows; its own in the whole view. */
  readonly key: string
  readonly studyInstanceUid: string
  readonly isPrior: boolean
  readonly series: ViewedSeries
  /**
   * What sets this part apart from the others of its DICOM series, such as `Localizer` or
   * `512 × 512`; null where there is one.
   */
  readonly part: Message | null
  /** In the order in which they are scrolled. Never empty. */
  readonly stack: readonly StackImage[]
  /** Images whose pixels will never come, by image id. */
  readonly missing: ReadonlySet<string>
  readonly isMultiFrame: boolean
  /** Milliseconds between frames, as the file recommends; null where it does not. */
  readonly frameTime: number | null
  /** It can be cut in other planes (MPR). */
  readonly isVolume: boolean
  /** Why not; null where it is a volume. */
  readonly whyNoVolume: Message | null
}

export interface StudyState {
  readonly study: ViewedStudy
  /** By series number. */
  readonly series: readonly SeriesState[]
  /** Reports, presentation states and the like: `notImage` says what each is. */
  readonly nonImageInstances: readonly ViewedInstance[]
}

/** All that is known of a view's images. The same object until something changes. */
export interface ListState {
  /** The study of the view first, then the earlier ones, newest first. */
  readonly studies: readonly StudyState[]
  readonly faults: readonly ViewFault[]
  readonly media: readonly ViewMedia[]
  readonly progress: {
    readonly state: 'asking' | 'loading' | 'done'
    readonly read: number
    readonly files: number
  }
  /** The stream broke, and is tried again. */
  readonly isStreamBroken: boolean
  /** Why the gateway has ended the view; then nothing more comes. Null until then. */
  readonly ended: Message | null
}
