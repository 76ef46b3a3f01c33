import { eventTarget } from '@cornerstonejs/core'
import { Enums, type Types } from '@cornerstonejs/tools'
import { DRAWING_TOOLS } from './tool-names.ts'

/** An annotation of Cornerstone that somebody has drawn. */
export type Drawing = Types.Annotation & {
  readonly metadata: NonNullable<Types.Annotation['metadata']>
}
export const isDrawing = (one: Types.Annotation): one is Drawing =>
  one.metadata !== undefined && DRAWING_TOOLS.has(one.metadata.toolName)

const NOTIFY_DELAY_MS = 500
const EVENTS = [
  Enums.Events.ANNOTATION_COMPLETED,
  Enums.Events.ANNOTATION_MODIFIED,
  Enums.Events.ANNOTATION_REMOVED,
]

/** Tells which studies were drawn on, half a second after somebody has. */
export class DrawingChanges {
  readonly #studyOf: (one: Drawing) => string
  readonly #listeners = new Set<(studyInstanceUid: string) => void>()
  readonly #changed = new Set<string>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #isOff = false

  constructor(studyOf: (one: Drawing) => string) {
    this.#studyOf = studyOf
    for (const name of EVENTS) eventTarget.addEventListener(name, this.#onEvent)
  }

  /** @returns the way to stop */
  subscribe(listener: (studyInstanceUid: string) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Runs what changes drawings without somebody having drawn: nothing of it is told. */
  runUnobserved(run: () => void): void {
    const before = this.#isOff
    this.#isOff = true
    try {
      run()
    } finally {
      this.#isOff = before
    }
  }

  close(): void {
    for (const name of EVENTS) eventTarget.removeEventListener(name, this.#onEvent)
    clearTimeout(this.#timer)
    this.#listeners.clear()
  }

  readonly #onEvent = (event: Event): void => {
    const one = (event as CustomEvent<{ annotation?: Types.Annotation }>).detail.annotation
    if (!one || this.#isOff || !isDrawing(one)) return
    this.#changed.add(this.#studyOf(one))
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#tell(), NOTIFY_DELAY_MS)
  }

  #tell(): void {
    const studies = [...this.#changed].filter((study) => study !== '')
    this.#changed.clear()
    for (const study of studies) for (const listener of this.#listeners) listener(study)
  }
}
