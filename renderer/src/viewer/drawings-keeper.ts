import type {
  DrawingChanges,
  SavedDrawing,
  SavedDrawings,
} from '#shared/contract/saved-drawings.ts'
import { idOf, isSame, merged } from './drawings-merge.ts'
import {
  baseOf,
  type DrawingForms,
  isKeyImage,
  isUnsaved,
  type KeyImage,
  keyImageOf,
  type UnsavedCounts,
  unsavedOf,
  withAdoptedDrawings,
  withBase,
  withoutBase,
} from './saved-to-study.ts'

/** How what is drawn on one study stands. */
export interface KeptDrawings {
  readonly state: 'loading' | 'saved' | 'waiting' | 'saving' | 'failing' | 'refused'
  readonly drawings: readonly unknown[]
  readonly keyImages: readonly KeyImage[]
  /** What is saved to the study; null until it is read. */
  readonly study: SavedDrawings | null
  readonly isSavingToStudy: boolean
  /** Why the last save to the study failed; empty if it did not. */
  readonly studyFault: string
  /** In the language of the page; empty where nothing failed. */
  readonly fault: string
}
interface DrawingsState {
  /** By Study Instance UID. */
  readonly studies: ReadonlyMap<string, KeptDrawings>
  /** Times that drawings of another window were added. */
  readonly merges: number
}

interface StoredDrawings {
  readonly revision: number
  readonly annotations: readonly unknown[]
}
export interface DrawingsKeeperOptions {
  /** The engine's. */
  readonly drawn: (studyUid: string) => readonly unknown[]
  readonly restore: (studyUid: string, drawings: readonly unknown[]) => void
  readonly read: (studyUid: string) => Promise<StoredDrawings>
  readonly readStudy: (studyUid: string) => Promise<SavedDrawings>
  readonly saveToStudy: (studyUid: string, changes: DrawingChanges) => Promise<SavedDrawings>
  readonly forms: DrawingForms
  /** Whether drawings that are saved to the study may be removed from its next version. */
  readonly mayRemoveSaved: boolean
  /** @param isLast the page is being left */
  readonly save: (studyUid: string, stored: StoredDrawings, isLast: boolean) => Promise<number>
  /**
   * conflict: another window has saved since; refused: asking again would not help; again: it may
   * pass by itself.
   */
  readonly faultOf: (error: unknown) => {
    readonly kind: 'conflict' | 'refused' | 'again'
    readonly sentence: string
  }
  /** @returns the way to call it off */
  readonly after: (milliseconds: number, run: () => void) => () => void
}

/** Keeps what is drawn at the gateway. For `useSyncExternalStore`. */
export interface DrawingsKeeper {
  state(): DrawingsState
  subscribe(listener: () => void): () => void
  /** Reads what was drawn on the study before; a second call for it does nothing. */
  open(studyUid: string): void
  /** Somebody has drawn, moved or removed. */
  changed(studyUid: string): void
  /** Takes the place of what is drawn, as where one is removed from a list. */
  replace(studyUid: string, drawings: readonly unknown[]): void
  /** Another window has saved drawings on the study: they are read again, and added. */
  refresh(studyUid: string): void
  /** Marks an image as a key image, or no longer. */
  toggleKeyImage(studyUid: string, sopInstanceUid: string, frame: number): void
  changeKeyImage(studyUid: string, changed: KeyImage): void
  /** What is not saved to the study. */
  unsaved(studyUid: string): UnsavedCounts
  /** Ids of the drawings that are not in the study, or not as they are drawn now. */
  unsavedIds(studyUid: string): string[]
  isInStudy(studyUid: string, id: string): boolean
  /** What is drawn, as it is named in the study. */
  drawnUids(studyUid: string): string[]
  /** Saves to the study what is not. @param windows in which images are shown */
  saveToStudy(studyUid: string, windows: DrawingChanges['windows']): Promise<void>
  /** Saves at once what is not saved, as before the page is left. */
  flush(isLast?: boolean): void
}

const IDLE_MS = 1000
const RETRY_DELAYS_MS = [2000, 5000, 15_000, 30_000] as const
interface Study {
  kept: KeptDrawings
  /** What the gateway has. */
  base: StoredDrawings | undefined
  /** Of the stored ones, those the engine cannot draw: they are kept as they are. */
  unread: readonly unknown[]
  /** The drawings of the study that these are based on. */
  studyBase: readonly SavedDrawing[]
  cancel: () => void
  failures: number
  isBusy: boolean
  /** The gateway has newer drawings than `base`. */
  isStale: boolean
}

export function openDrawingsKeeper(world: DrawingsKeeperOptions): DrawingsKeeper {
  const listeners = new Set<() => void>()
  const studies = new Map<string, Study>()
  let shown: DrawingsState = { studies: new Map(), merges: 0 }

  const tell = (uid: string, study: Study, change: Partial<KeptDrawings>, merges = 0) => {
    study.kept = { ...study.kept, ...change }
    shown = { studies: new Map(shown.studies).set(uid, study.kept), merges: shown.merges + merges }
    for (const listener of listeners) listener()
  }
  const schedule = (uid: string, study: Study, milliseconds: number) => {
    study.cancel()
    study.cancel = world.after(milliseconds, () => void run(uid, study))
  }

  const ownDrawings = (uid: string, study: Study) => [...world.drawn(uid), ...study.unread]
  const fullDrawings = (uid: string, study: Study) =>
    withBase(ownDrawings(uid, study), study.studyBase)
  const shownOf = (uid: string, study: Study) => ({
    drawings: world.drawn(uid),
    keyImages: study.unread.filter(isKeyImage),
  })
  const draw = (uid: string, study: Study, all: readonly unknown[]) => {
    world.restore(uid, all)
    const drawn = new Set(world.drawn(uid).map(idOf))
    study.unread = all.filter((drawing) => !drawn.has(idOf(drawing)))
  }
  /** Nothing is drawn but what is saved to the study. */
  const isSavedToStudy = (uid: string, study: Study) => {
    const savedUids = new Set(study.studyBase.map((drawing) => drawing.uid))
    const all = ownDrawings(uid, study)
    return (
      savedUids.size > 0 &&
      all.every((drawing) => savedUids.has(world.forms.uidOf(drawing) ?? '')) &&
      !isUnsaved(unsavedOf(all, study.studyBase, world.forms))
    )
  }

  /** What was drawn while the stored drawings were on their way stays. */
  async function load(uid: string, study: Study): Promise<void> {
    const [stored, saved] = await Promise.all([world.read(uid), world.readStudy(uid)])
    const before = study.base?.annotations ?? []
    const mine = fullDrawings(uid, study)
    // Of drawings that nobody has stored, none was removed elsewhere.
    const all = stored.revision === 0 ? mine : merged(before, mine, stored.annotations)
    const now = saved.drawings
    const next = withAdoptedDrawings(uid, withoutBase(all), { base: baseOf(all), now }, world.forms)
    const isOther = !isSame(next, withoutBase(mine))
    if (isOther) draw(uid, study, next)
    study.studyBase = now
    // As the engine writes them, so that what was only read is not saved again.
    study.base = isSame(withBase(next, now), stored.annotations)
      ? { revision: stored.revision, annotations: fullDrawings(uid, study) }
      : stored
    const isMerge = before.length > 0 && isOther
    tell(uid, study, { ...shownOf(uid, study), study: saved }, isMerge ? 1 : 0)
  }

  async function save(uid: string, study: Study, isLast: boolean): Promise<void> {
    const drawings = fullDrawings(uid, study)
    const { base } = study
    if (!base || isSame(drawings, base.annotations)) return
    // Who only looks at the drawings of a study keeps no copy of them.
    if (base.revision === 0 && isSavedToStudy(uid, study)) {
      study.base = { ...base, annotations: drawings }
      return
    }
    const revision = await world.save(
      uid,
      { revision: base.revision, annotations: drawings },
      isLast,
    )
    study.base = { revision, annotations: drawings }
  }

  async function run(uid: string, study: Study, isLast = false): Promise<void> {
    if (study.isBusy) return
    study.isBusy = true
    study.cancel()
    tell(uid, study, { state: study.base ? 'saving' : 'loading' })
    try {
      if (!study.base || study.isStale) {
        study.isStale = false
        await load(uid, study)
      }
      // Two windows that draw at once: each time one of them comes second.
      for (let rounds = 0; ; rounds++) {
        try {
          await save(uid, study, isLast)
          break
        } catch (error) {
          if (rounds === 3 || world.faultOf(error).kind !== 'conflict') throw error
          await load(uid, study)
        }
      }
      study.failures = 0
      const isSaved = isSame(fullDrawings(uid, study), study.base?.annotations)
      tell(uid, study, { state: isSaved ? 'saved' : 'waiting', fault: '' })
      if (!isSaved) schedule(uid, study, IDLE_MS)
    } catch (error) {
      const { kind, sentence } = world.faultOf(error)
      tell(uid, study, { state: kind === 'again' ? 'failing' : 'refused', fault: sentence })
      if (kind === 'again')
        schedule(
          uid,
          study,
          RETRY_DELAYS_MS[Math.min(study.failures++, RETRY_DELAYS_MS.length - 1)] ?? IDLE_MS,
        )
    } finally {
      study.isBusy = false
    }
  }

  const studyOf = (uid: string): Study => {
    const study = studies.get(uid) ?? {
      kept: {
        ...{ state: 'loading', drawings: [], keyImages: [], fault: '' },
        ...{ study: null, isSavingToStudy: false, studyFault: '' },
      },
      base: undefined,
      ...{ unread: [], studyBase: [] },
      cancel: () => undefined,
      ...{ failures: 0, isBusy: false, isStale: false },
    }
    studies.set(uid, study)
    return study
  }
  /** Draws again what is saved to the study and may not be removed. */
  const drawRemoved = (uid: string, study: Study) => {
    const all = ownDrawings(uid, study)
    const presentUids = new Set(all.map(world.forms.uidOf))
    const gone = study.studyBase.filter((drawing) => !presentUids.has(drawing.uid))
    if (gone.length > 0)
      draw(uid, study, [...all, ...gone.map((drawing) => world.forms.toKept(drawing, uid))])
  }
  const changed = (uid: string) => {
    const study = studyOf(uid)
    if (!world.mayRemoveSaved) drawRemoved(uid, study)
    const shown = shownOf(uid, study)
    // The engine also tells of what only its own measuring changed.
    if (study.kept.state === 'saved' && isSame(fullDrawings(uid, study), study.base?.annotations))
      return tell(uid, study, shown)
    // While a save fails its message stays; what is drawn goes with the next try.
    const state = study.kept.state === 'failing' || study.isBusy ? study.kept.state : 'waiting'
    tell(uid, study, { ...shown, state })
    if (state === 'waiting') schedule(uid, study, IDLE_MS)
  }

  return {
    state: () => shown,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    open(uid) {
      if (!studies.has(uid)) void run(uid, studyOf(uid))
    },
    changed,
    replace(uid, drawings) {
      world.restore(uid, drawings)
      changed(uid)
    },
    refresh(uid) {
      const study = studies.get(uid)
      if (!study) return
      study.isStale = true
      if (!study.isBusy) void run(uid, study)
    },
    toggleKeyImage(uid, sopInstanceUid, frame) {
      const study = studyOf(uid)
      const marked = keyImageOf(uid, sopInstanceUid, frame)
      const others = study.unread.filter((one) => idOf(one) !== marked.id)
      study.unread = others.length < study.unread.length ? others : [...others, marked]
      changed(uid)
    },
    changeKeyImage(uid, one) {
      const study = studyOf(uid)
      study.unread = study.unread.map((other) => (idOf(other) === one.id ? one : other))
      changed(uid)
    },
    unsaved(uid) {
      const study = studyOf(uid)
      return unsavedOf(ownDrawings(uid, study), study.studyBase, world.forms)
    },
    unsavedIds(uid) {
      const study = studyOf(uid)
      const all = ownDrawings(uid, study)
      const savedUids = new Set(study.studyBase.map((drawing) => drawing.uid))
      const changed = new Set(
        unsavedOf(all, study.studyBase, world.forms).drawings.map((drawing) => drawing.uid),
      )
      return all.flatMap((drawing) => {
        const one = world.forms.uidOf(drawing) ?? ''
        return savedUids.has(one) && !changed.has(one) ? [] : idOf(drawing)
      })
    },
    drawnUids: (uid) => world.drawn(uid).flatMap((drawing) => world.forms.uidOf(drawing) ?? []),
    isInStudy(uid, id) {
      const study = studyOf(uid)
      const one = ownDrawings(uid, study).find((drawing) => idOf(drawing) === id)
      const drawingUid = one === undefined ? undefined : world.forms.uidOf(one)
      return study.studyBase.some((drawing) => drawing.uid === drawingUid)
    },
    async saveToStudy(uid, windows) {
      const study = studyOf(uid)
      const { drawings, removed } = unsavedOf(ownDrawings(uid, study), study.studyBase, world.forms)
      const changes = { drawings: [...drawings], removed: [...removed], windows }
      tell(uid, study, { isSavingToStudy: true, studyFault: '' })
      try {
        const saved = await world.saveToStudy(uid, changes)
        // What was changed while it was being saved is not saved yet.
        const sent = new Map(study.studyBase.map((drawing) => [drawing.uid, drawing]))
        for (const one of removed) sent.delete(one)
        for (const drawing of drawings) sent.set(drawing.uid, drawing)
        const before = ownDrawings(uid, study)
        const base = [...sent.values()]
        const next = withAdoptedDrawings(uid, before, { base, now: saved.drawings }, world.forms)
        study.studyBase = saved.drawings
        if (!isSame(next, before)) draw(uid, study, next)
        tell(uid, study, { study: saved, isSavingToStudy: false })
        changed(uid)
      } catch (error) {
        const { sentence } = world.faultOf(error)
        tell(uid, study, { isSavingToStudy: false, studyFault: sentence })
      }
    },
    flush(isLast = false) {
      for (const [uid, study] of studies) {
        if (study.kept.state !== 'saved' && study.kept.state !== 'loading')
          void run(uid, study, isLast)
      }
    },
  }
}
