import { idOf, isSame, merged } from './drawings-merge.ts'

/** How what is drawn on one study stands. */
export interface KeptDrawings {
  readonly state: 'loading' | 'saved' | 'waiting' | 'saving' | 'failing' | 'refused'
  readonly drawings: readonly unknown[]
  /** In the language of the page; empty where nothing failed. */
  readonly fault: string
}
interface DrawingsState {
  /** By Study Instance UID. */
  readonly studies: ReadonlyMap<string, KeptDrawings>
  /** Times that drawings of another window were added. */
  readonly merges: number
}

interface Stored {
  readonly revision: number
  readonly annotations: readonly unknown[]
}
export interface DrawingsWorld {
  /** The engine's. */
  readonly drawn: (studyUid: string) => readonly unknown[]
  readonly restore: (studyUid: string, drawings: readonly unknown[]) => void
  readonly read: (studyUid: string) => Promise<Stored>
  /** @param isLast the page is being left */
  readonly save: (studyUid: string, stored: Stored, isLast: boolean) => Promise<number>
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
  /** Saves at once what is not saved, as before the page is left. */
  flush(isLast?: boolean): void
}

const IDLE_MS = 1000
const AGAIN_MS = [2000, 5000, 15_000, 30_000] as const
interface Study {
  kept: KeptDrawings
  /** What the gateway has. */
  base: Stored | undefined
  /** Of the stored ones, those the engine cannot draw: they are kept as they are. */
  unread: readonly unknown[]
  cancel: () => void
  failures: number
  isBusy: boolean
  /** The gateway has newer drawings than `base`. */
  isStale: boolean
}

export function openDrawingsKeeper(world: DrawingsWorld): DrawingsKeeper {
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

  const full = (uid: string, study: Study) => [...world.drawn(uid), ...study.unread]

  /** What was drawn while the stored drawings were on their way stays. */
  async function load(uid: string, study: Study): Promise<void> {
    const stored = await world.read(uid)
    const before = study.base?.annotations ?? []
    const mine = full(uid, study)
    const all = merged(before, mine, stored.annotations)
    const isOther = !isSame(all, mine)
    if (isOther) world.restore(uid, all)
    const drawn = new Set(world.drawn(uid).map(idOf))
    study.unread = all.filter((drawing) => !drawn.has(idOf(drawing)))
    // As the engine writes them, so that what was only read is not saved again.
    study.base = isSame(all, stored.annotations)
      ? { revision: stored.revision, annotations: full(uid, study) }
      : stored
    const isMerge = before.length > 0 && isOther
    tell(uid, study, { drawings: world.drawn(uid) }, isMerge ? 1 : 0)
  }

  async function save(uid: string, study: Study, isLast: boolean): Promise<void> {
    const drawings = full(uid, study)
    const { base } = study
    if (!base || isSame(drawings, base.annotations)) return
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
      const isSaved = isSame(full(uid, study), study.base?.annotations)
      tell(uid, study, { state: isSaved ? 'saved' : 'waiting', fault: '' })
      if (!isSaved) schedule(uid, study, IDLE_MS)
    } catch (error) {
      const { kind, sentence } = world.faultOf(error)
      tell(uid, study, { state: kind === 'again' ? 'failing' : 'refused', fault: sentence })
      if (kind === 'again')
        schedule(uid, study, AGAIN_MS[Math.min(study.failures++, AGAIN_MS.length - 1)] ?? IDLE_MS)
    } finally {
      study.isBusy = false
    }
  }

  const studyOf = (uid: string): Study => {
    const study = studies.get(uid) ?? {
      kept: { state: 'loading', drawings: [], fault: '' },
      base: undefined,
      unread: [],
      cancel: () => undefined,
      ...{ failures: 0, isBusy: false, isStale: false },
    }
    studies.set(uid, study)
    return study
  }
  const changed = (uid: string) => {
    const study = studyOf(uid)
    const drawings = world.drawn(uid)
    // The engine also tells of what only its own measuring changed.
    if (study.kept.state === 'saved' && isSame(full(uid, study), study.base?.annotations))
      return tell(uid, study, { drawings })
    // While a save fails its message stays; what is drawn goes with the next try.
    const state = study.kept.state === 'failing' || study.isBusy ? study.kept.state : 'waiting'
    tell(uid, study, { drawings, state })
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
    flush(isLast = false) {
      for (const [uid, study] of studies) {
        if (study.kept.state !== 'saved' && study.kept.state !== 'loading')
          void run(uid, study, isLast)
      }
    },
  }
}
