import {
  REFERENCING_CLASSES,
  type ReferencingObject,
} from '#shared/contract/referencing-objects.ts'
import type { ViewedInstance } from '#shared/contract/viewed-images.ts'
import type { Message } from '#shared/messages/message.ts'
import type { ListState } from '../engine/stack.ts'

/** An object of the view that refers to images. */
export interface LoadedReference {
  readonly instance: ViewedInstance
  /** Undefined while it is loading, and where it cannot be read. */
  readonly object: ReferencingObject | undefined
  /** Why it cannot be read. */
  readonly problem: Message | undefined
}

/** How an overlay is shown: in every pane whose images it belongs to. */
export interface OverlayDisplay {
  readonly isShown: boolean
  /** 0 to 1. */
  readonly opacity: number
  /** Numbers of segments or regions that are hidden. */
  readonly hidden: ReadonlySet<number>
}

const HIDDEN_DISPLAY: OverlayDisplay = { isShown: false, opacity: 0.5, hidden: new Set() }

/** The same object until something changes. */
export interface ReferencingState {
  /** By SOP Instance UID, in the order of the list. */
  readonly objects: ReadonlyMap<string, LoadedReference>
  readonly shown: ReadonlyMap<string, OverlayDisplay>
  /** SOP Instance UID of the presentation state that is chosen, by pane and series. */
  readonly presented: ReadonlyMap<string, string>
}

/** For `useSyncExternalStore`. */
export interface ReferencingStore {
  state(): ReferencingState
  subscribe(listener: () => void): () => void
  /** How an overlay is shown. */
  shownOf(sopInstanceUid: string): OverlayDisplay
  show(sopInstanceUid: string, change: Partial<OverlayDisplay>): void
  /** The presentation state of a series in a pane; null: as sent. */
  presentedIn(paneId: string, seriesKey: string): string | null
  present(paneId: string, seriesKey: string, sopInstanceUid: string | null): void
  close(): void
}

/** Requests at the same time: images come first. */
const MAX_CONCURRENT = 2
/** More objects than anybody chooses from; the others are not offered. */
const MAX_OBJECTS = 300

/** Loads the objects once all images are listed, so that images are not delayed. */
export function openReferencingStore(world: {
  readonly list: { state(): ListState; subscribe(listener: () => void): () => void }
  readonly read: (sopInstanceUid: string, signal: AbortSignal) => Promise<ReferencingObject>
  readonly problemOf: (error: unknown) => Message
}): ReferencingStore {
  const listeners = new Set<() => void>()
  const closing = new AbortController()
  const waiting: ViewedInstance[] = []
  let loadingCount = 0
  let state: ReferencingState = { objects: new Map(), shown: new Map(), presented: new Map() }
  const set = (change: Partial<ReferencingState>) => {
    state = { ...state, ...change }
    for (const listener of listeners) listener()
  }
  const keep = (loaded: LoadedReference) =>
    set({ objects: new Map(state.objects).set(loaded.instance.sopInstanceUid, loaded) })

  const work = async () => {
    for (let next = waiting.shift(); next && !closing.signal.aborted; next = waiting.shift()) {
      const instance = next
      try {
        const object = await world.read(instance.sopInstanceUid, closing.signal)
        keep({ instance, object, problem: undefined })
      } catch (error) {
        if (!closing.signal.aborted)
          keep({ instance, object: undefined, problem: world.problemOf(error) })
      }
    }
  }
  const follow = () => {
    const { studies, progress } = world.list.state()
    if (progress.state !== 'done') return
    const listed = studies
      .flatMap(({ nonImageInstances }) => nonImageInstances)
      .filter(({ sopClassUid }) => sopClassUid in REFERENCING_CLASSES)
      .slice(0, MAX_OBJECTS)
    const uids = new Set(listed.map(({ sopInstanceUid }) => sopInstanceUid))
    const kept = [...state.objects].filter(([uid]) => uids.has(uid))
    const added = listed.filter(({ sopInstanceUid }) => !state.objects.has(sopInstanceUid))
    if (added.length === 0 && kept.length === state.objects.size) return
    const empty = added.map(
      (instance) =>
        [instance.sopInstanceUid, { instance, object: undefined, problem: undefined }] as const,
    )
    set({ objects: new Map<string, LoadedReference>([...kept, ...empty]) })
    waiting.push(...added)
    for (; loadingCount < MAX_CONCURRENT && loadingCount < waiting.length; loadingCount += 1)
      void work().finally(() => {
        loadingCount -= 1
      })
  }
  const stop = world.list.subscribe(follow)
  follow()

  const keyOf = (paneId: string, seriesKey: string) => `${paneId} ${seriesKey}`
  const store: ReferencingStore = {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    shownOf: (uid) => state.shown.get(uid) ?? HIDDEN_DISPLAY,
    show(uid, change) {
      set({ shown: new Map(state.shown).set(uid, { ...store.shownOf(uid), ...change }) })
    },
    presentedIn: (paneId, seriesKey) => state.presented.get(keyOf(paneId, seriesKey)) ?? null,
    present(paneId, seriesKey, uid) {
      const presented = new Map(state.presented)
      if (uid === null) presented.delete(keyOf(paneId, seriesKey))
      else presented.set(keyOf(paneId, seriesKey), uid)
      set({ presented })
    },
    close() {
      closing.abort()
      stop()
      listeners.clear()
    },
  }
  return store
}
