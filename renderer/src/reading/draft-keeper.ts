import type { Draft, Saved } from '#shared/contract/reports.ts'
import { plainReport } from '#shared/report-text.ts'

/** A save that was not done. `again`: it may pass by itself, so it is tried again; `signed-out`: once somebody is signed in. */
export interface SaveFault {
  readonly kind: 'again' | 'signed-out' | 'refused'
  readonly sentence: string
}

/** Calls to the gateway; each rejects with what `faultOf` reads. */
export interface DraftCalls {
  /** Begins the draft with this text, or goes on with the one that is there, and holds it for this window. */
  begin(text: string, takeOver: boolean): Promise<Draft>
  /** @param isLast the page is being left: the call must outlive it */
  save(revision: number, text: string, isLast: boolean, reportId: Draft['reportId'] | null): Promise<Saved>
  faultOf(error: unknown): SaveFault
}

/**
 * saved: what is on the screen is at the gateway. waiting: it is not yet. failing: it could not be, and is tried again. refused: it will not be
 * until a person does something. conflict: somebody saved in between, `theirs` is there to choose from.
 */
export interface KeptDraft {
  readonly state: 'saved' | 'waiting' | 'saving' | 'failing' | 'refused' | 'conflict'
  readonly text: string
  /** The draft and the revision the text was made of; null before there is one. */
  readonly reportId: Draft['reportId'] | null
  readonly revision: number | null
  readonly savedAt: string | null
  /** Why it is not saved, in one sentence. */
  readonly fault: string
  readonly theirs: Draft | null
  /** Grows when the text became another one than was typed: the editor reads it again. */
  readonly loads: number
}

/** What is written, on its way to the gateway: one save at a time, soon after the last keystroke, again and again until it is done. */
export interface DraftKeeper {
  current(): KeptDraft
  subscribe(listener: () => void): () => void
  /** Another text was typed. */
  edit(text: string): void
  /** Another text takes its place: of a template, of an earlier revision. */
  replace(text: string): void
  /** Saves now; resolves with whether everything that was written by then is saved. */
  flush(): Promise<boolean>
  /** The page is being left: sends what is not saved, without waiting. */
  leave(): void
  /** What the gateway has, read again. Where nothing here waits to be saved, a newer revision takes its place. */
  follow(draft: Draft | null): void
  /** After a refusal: saves, if it is not refused any more. */
  retry(): Promise<boolean>
  /** Takes the report from whoever holds it. Rejects as the call does. */
  takeOver(): Promise<void>
  /** Somebody saved in between, as another call said. */
  meet(theirs: Draft): void
  /** The text here becomes the revision after theirs. */
  keepMine(): Promise<boolean>
  takeTheirs(): void
  /** Whether this window took the report, as far as it knows. */
  isHeld(): boolean
  /** Saves by itself until the function it gives is called. */
  start(): () => void
}

interface KeeperWorld {
  readonly calls: DraftCalls
  readonly after: (milliseconds: number, run: () => void) => () => void
  /** A text of this window that was not saved before, and the revision it was made of. */
  readonly unsaved?: { readonly text: string; readonly revision: number | null } | undefined
}

/** Spaces at line ends and the like are not kept by the gateway. */
const isSame = (one: string, other: string) => plainReport(one) === plainReport(other)

export const IDLE_MS = 2000
/** Longest that something typed waits for its save. */
export const MOST_MS = 10_000
const NOTHING = () => {}
const AGAIN_MS = [2000, 5000, 10_000, 20_000] as const

export function openDraftKeeper(draft: Draft | null, world: KeeperWorld): DraftKeeper {
  const { calls, after, unsaved } = world
  const listeners = new Set<() => void>()
  let kept: KeptDraft = {
    state: unsaved ? 'waiting' : 'saved',
    text: unsaved?.text ?? draft?.text ?? '',
    reportId: draft?.reportId ?? null,
    revision: unsaved ? unsaved.revision : (draft?.revision ?? null),
    savedAt: draft?.savedAt ?? null,
    ...{ fault: '', theirs: null, loads: 0 },
  }
  /** What the gateway has as `revision`. */
  let atGateway = draft?.text ?? ''
  let isHeld = false
  let failures = 0
  let cancelTimer = NOTHING
  let cancelMost = NOTHING
  let running: Promise<boolean> | undefined
  let isOn = false

  const tell = (change: Partial<KeptDraft>) => {
    kept = { ...kept, ...change }
    for (const listener of listeners) listener()
  }
  const cancelTimers = () => {
    cancelTimer()
    cancelMost()
    cancelMost = NOTHING
  }
  const schedule = (milliseconds: number) => {
    cancelTimer()
    if (isOn) cancelTimer = after(milliseconds, () => void flush())
  }
  /** After the last keystroke; somebody who types on and on is saved too. */
  const soon = () => {
    schedule(IDLE_MS)
    if (cancelMost === NOTHING && isOn) cancelMost = after(MOST_MS, () => void flush())
  }
  /** Another revision than the text was made of, or another draft. */
  const isNews = (theirs: Draft) => theirs.revision !== kept.revision || theirs.reportId !== (kept.reportId ?? theirs.reportId)
  const isBlocked = () => kept.state === 'conflict' || kept.state === 'refused'

  function taken(theirs: Draft): void {
    atGateway = theirs.text
    tell({
      state: 'saved',
      text: theirs.text,
      reportId: theirs.reportId,
      revision: theirs.revision,
      savedAt: theirs.savedAt,
      fault: '',
      theirs: null,
      loads: kept.loads + 1,
    })
  }

  /** The draft the gateway gave when this window began: whether what is here may be saved on top of it. */
  function began(theirs: Draft, sent: string): boolean {
    isHeld = true
    const isMine = isSame(theirs.text, sent) || isSame(theirs.text, kept.text)
    if (!isMine && isNews(theirs) && theirs.text !== '') {
      tell({ state: 'conflict', theirs })
      return false
    }
    atGateway = isSame(theirs.text, sent) ? sent : theirs.text
    tell({ reportId: theirs.reportId, revision: theirs.revision, savedAt: theirs.savedAt })
    return true
  }

  async function attempt(): Promise<void> {
    if (!isHeld) {
      const sent = kept.revision === null ? kept.text : ''
      if (!began(await calls.begin(sent, false), sent || kept.text)) return
    }
    const { text, reportId, revision } = kept
    if (text === atGateway || revision === null) return
    const saved = await calls.save(revision, text, false, reportId)
    // The same text in two windows is no conflict.
    const isOther = saved.outcome === 'conflict' && !isSame(saved.theirs.text, text)
    if (isOther) return tell({ state: 'conflict', theirs: saved.theirs })
    atGateway = text
    const { revision: newest, savedAt } = saved.outcome === 'conflict' ? saved.theirs : saved
    tell({ reportId: saved.outcome === 'conflict' ? saved.theirs.reportId : reportId, revision: newest, savedAt })
  }

  async function run(): Promise<boolean> {
    tell({ state: 'saving' })
    try {
      await attempt()
      failures = 0
      if (isBlocked()) return false
      tell({ state: kept.text === atGateway ? 'saved' : 'waiting', fault: '' })
      return true
    } catch (error) {
      const fault = calls.faultOf(error)
      // A refusal may mean that another window holds it now: the next save begins anew.
      isHeld = fault.kind === 'again' && isHeld
      tell({ state: fault.kind === 'refused' ? 'refused' : 'failing', fault: fault.sentence })
      if (fault.kind === 'again') schedule(AGAIN_MS[Math.min(failures++, AGAIN_MS.length - 1)] ?? IDLE_MS)
      return false
    }
  }

  function flush(): Promise<boolean> {
    cancelTimers()
    if (running) return running.then((isSaved) => (isSaved && kept.text !== atGateway ? flush() : isSaved))
    if (isBlocked()) return Promise.resolve(false)
    if (kept.text === atGateway) return Promise.resolve(true)
    running = run().finally(() => {
      running = undefined
      // Typed while the save was on its way.
      if (kept.state === 'waiting') soon()
    })
    return running
  }

  function edit(text: string): void {
    if (text === kept.text) return
    tell({ text })
    // A conflict or a refusal stays until a person decides, a failure until a save was done; what is typed meanwhile is kept here.
    if (kept.state !== 'saved' && kept.state !== 'waiting') return
    tell({ state: text === atGateway ? 'saved' : 'waiting' })
    if (text === atGateway) cancelTimers()
    else soon()
  }

  return {
    current: () => kept,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    edit,
    replace(text) {
      edit(text)
      tell({ loads: kept.loads + 1 })
    },
    flush,
    leave() {
      if (kept.text === atGateway || isBlocked() || kept.revision === null || !isHeld) return void flush()
      void calls.save(kept.revision, kept.text, true, kept.reportId).catch(() => undefined)
    },
    follow(theirs) {
      const isOlder = theirs?.reportId === kept.reportId && theirs.revision < (kept.revision ?? -1)
      if (theirs === null || kept.state !== 'saved' || running || isOlder || !isNews(theirs)) return
      isHeld = false
      taken(theirs)
    },
    retry() {
      if (kept.state === 'refused') tell({ state: 'waiting', fault: '' })
      return flush()
    },
    async takeOver() {
      const theirs = await calls.begin('', true)
      isHeld = true
      if (kept.text === atGateway || isSame(theirs.text, kept.text)) return taken(theirs)
      if (isNews(theirs)) return tell({ state: 'conflict', theirs, fault: '' })
      tell({ state: 'waiting', fault: '' })
      await flush()
    },
    meet(theirs) {
      tell({ state: 'conflict', theirs })
    },
    keepMine() {
      const { theirs } = kept
      if (theirs) {
        atGateway = theirs.text
        tell({ state: 'waiting', reportId: theirs.reportId, revision: theirs.revision, theirs: null, fault: '' })
      }
      return flush()
    },
    takeTheirs() {
      if (kept.theirs) taken(kept.theirs)
    },
    isHeld: () => isHeld,
    start() {
      isOn = true
      if (kept.state === 'waiting') soon()
      return () => {
        isOn = false
        cancelTimers()
      }
    },
  }
}
