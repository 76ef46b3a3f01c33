import type { Draft, SaveOutcome } from '#shared/contract/reports.ts'
import { normalizeReport } from '#shared/report-text.ts'

/**
 * A call that failed. `again`: it may succeed later and may have been carried out; `signed-out` and
 * `refused`: it was not carried out.
 */
export interface SaveFault {
  readonly kind: 'again' | 'signed-out' | 'refused'
  readonly sentence: string
}

/**
 * A call that the state machine asks for. `isLast`: the page is being closed, so the call must
 * outlive it and nobody sees its answer.
 */
type DraftCall =
  /**
   * Takes the report for this window. A new draft begins with the text; one that exists keeps its
   * own.
   */
  | {
      readonly do: 'begin'
      readonly text: string
      readonly takeOver: boolean
      readonly isLast: boolean
    }
  | {
      readonly do: 'save'
      readonly text: string
      readonly reportId: Draft['reportId']
      readonly revision: number
      readonly isLast: boolean
    }
  /** Lets go of the report. */
  | { readonly do: 'release'; readonly isLast: boolean }

type BeginCall = Extract<DraftCall, { do: 'begin' }>
type SaveCall = Extract<DraftCall, { do: 'save' }>
type ReleaseCall = Extract<DraftCall, { do: 'release' }>

type DraftEvent =
  /** Another text was typed. */
  | { readonly type: 'edit'; readonly text: string }
  /** Another text takes its place: of a template, of an earlier revision. */
  | { readonly type: 'replace'; readonly text: string }
  /** Save now, and go on until everything is saved or a call failed. */
  | { readonly type: 'flush' }
  | { readonly type: 'timer' }
  | { readonly type: 'began'; readonly id: number; readonly draft: Draft }
  | { readonly type: 'saved'; readonly id: number; readonly answer: SaveOutcome }
  | { readonly type: 'failed'; readonly id: number; readonly fault: SaveFault }
  /** The window read the study again. */
  | { readonly type: 'follow'; readonly draft: Draft | null }
  /** Another call was answered with a newer revision. */
  | { readonly type: 'conflict'; readonly theirs: Draft }
  | { readonly type: 'keepMine' | 'takeTheirs' | 'takeOver' }
  /** A person asks for another attempt after a refusal. */
  | { readonly type: 'retry' }
  /** The same person is signed in again. */
  | { readonly type: 'signedIn' }
  /** The screen of the study was opened, or left within the window. */
  | { readonly type: 'shown' | 'hidden' }
  /** The page is being closed. */
  | { readonly type: 'closing' }
  /** Somebody else signed in. */
  | { readonly type: 'forget' }

/** Times are milliseconds of the driver's clock. */
export interface DraftState {
  readonly text: string
  /** Grows when the text became another one than was typed: the editor reads it again. */
  readonly loads: number
  /** The newest revision that the gateway answered with; null before there is a draft. */
  readonly base: {
    readonly reportId: Draft['reportId']
    readonly revision: number
    readonly text: string
    readonly savedAt: string
  } | null
  /** This window took the report, as far as it knows. */
  readonly isHeld: boolean
  /** The call whose answer is awaited: one at a time. */
  readonly sent: {
    readonly id: number
    readonly call: BeginCall | SaveCall
    readonly isOfEndedSession: boolean
  } | null
  /** Texts whose save got no reply: the newest revision on the gateway may be any of them. */
  readonly unanswered: readonly string[]
  readonly fault: SaveFault | null
  readonly failures: number
  /** Somebody else's revision, until a person chooses. */
  readonly theirs: Draft | null
  /** When the text first differed from what was sent, and when it is saved. */
  readonly changedAt: number | null
  readonly due: number | null
  readonly isUrgent: boolean
  readonly isShown: boolean
  /** The page is being closed: what is sent after its last call would take the report again. */
  readonly isClosed: boolean
  readonly isForgotten: boolean
  readonly lastId: number
}

export const SAVE_DELAY_MS = 2000
/** Longest that something typed waits for its save. */
export const MAX_SAVE_DELAY_MS = 10_000
const RETRY_DELAYS_MS = [2000, 5000, 10_000, 20_000] as const

/** Spaces at line ends and the like make no other text. */
const isSame = (one: string, other: string) => normalizeReport(one) === normalizeReport(other)
const baseOf = ({ reportId, revision, text, savedAt }: Draft): NonNullable<DraftState['base']> => ({
  reportId,
  revision,
  text,
  savedAt,
})

const openedDraft = (draft: Draft | null): DraftState => ({
  ...{
    text: draft?.text ?? '',
    loads: 0,
    base: draft && baseOf(draft),
    isHeld: false,
    sent: null,
    unanswered: [],
  },
  ...{
    fault: null,
    failures: 0,
    theirs: null,
    changedAt: null,
    due: null,
    isUrgent: false,
    isShown: false,
    isClosed: false,
  },
  ...{ isForgotten: false, lastId: 0 },
})

/** Whether the gateway may have another text than the one on the screen. */
const isUnsaved = ({ text, base, unanswered }: DraftState) =>
  text !== (base?.text ?? '') || unanswered.length > 0
/** Nothing is sent until a person decides or signs in. */
const isBlocked = ({ theirs, fault, isClosed }: DraftState) =>
  isClosed || theirs !== null || (fault !== null && fault.kind !== 'again')
/** Another revision than the text was made of, or another draft. */
const isOtherRevision = ({ base }: DraftState, theirs: Draft) =>
  theirs.revision !== base?.revision || theirs.reportId !== base.reportId
/**
 * A revision that this window sent, or that has the text on the screen: nobody's words are
 * overwritten by saving on top of it.
 */
const isOwn = ({ text, unanswered, sent }: DraftState, theirs: Draft) =>
  [text, ...unanswered, ...(sent ? [sent.call.text] : [])].some((own) => isSame(own, theirs.text))

interface Step {
  readonly state: DraftState
  readonly calls: readonly { readonly id: number; readonly call: DraftCall }[]
}

/**
 * What an event makes of the state, and the calls it leads to. Pure: the driver below supplies the
 * time and makes the calls.
 */
export function transition(state: DraftState, event: DraftEvent, now: number): Step {
  if (state.isForgotten) return { state, calls: [] }
  switch (event.type) {
    case 'edit':
      return event.text === state.text
        ? { state, calls: [] }
        : { state: applyEdit(state, event.text, now), calls: [] }
    case 'replace':
      return { state: { ...applyEdit(state, event.text, now), loads: state.loads + 1 }, calls: [] }
    case 'flush':
      return applyFlush(state)
    case 'timer':
      return state.due !== null && state.due <= now ? attempt(state) : { state, calls: [] }
    case 'began':
      return state.sent?.id === event.id
        ? applySettlement(began(state, event.draft), true, now)
        : { state, calls: [] }
    case 'saved':
      return state.sent?.id === event.id
        ? applySettlement(answered(state, event.answer), false, now)
        : { state, calls: [] }
    case 'failed':
      return state.sent?.id === event.id ? failed(state, event.fault, now) : { state, calls: [] }
    case 'follow':
      return { state: applyRemote(state, event.draft), calls: [] }
    case 'conflict':
      return applySettlement(
        isOwn(state, event.theirs)
          ? rebaseOnto(state, event.theirs)
          : { ...state, ...clearedFault, theirs: event.theirs },
        false,
        now,
      )
    case 'keepMine':
      return state.theirs ? applyFlush(rebaseOnto(state, state.theirs)) : { state, calls: [] }
    case 'takeTheirs':
      return { state: state.theirs ? applyLoad(state, state.theirs) : state, calls: [] }
    case 'takeOver':
      return send(state, { do: 'begin', text: '', takeOver: true, isLast: false })
    case 'retry':
      return applyFlush({ ...state, fault: null })
    case 'signedIn':
      return applySignIn(state)
    case 'shown':
      return shown(state, now)
    case 'hidden':
      return released(applyFlush({ ...state, isShown: false }))
    case 'closing':
      return closing(state)
    case 'forget':
      return {
        state: { ...openedDraft(null), loads: state.loads + 1, isForgotten: true },
        calls: [],
      }
  }
}

/** Also a page that the browser shows again instead of closing it. */
function shown(state: DraftState, now: number): Step {
  const next = { ...state, isShown: true, isClosed: false }
  return {
    state:
      isUnsaved(next) && !next.sent ? { ...next, fault: null, due: now + SAVE_DELAY_MS } : next,
    calls: [],
  }
}

function applyRemote(state: DraftState, theirs: Draft | null): DraftState {
  if (theirs === null || state.sent || state.theirs || state.fault || isUnsaved(state)) return state
  const isOlder = theirs.reportId === state.base?.reportId && theirs.revision < state.base.revision
  return isOlder || !isOtherRevision(state, theirs)
    ? state
    : { ...applyLoad(state, theirs), isHeld: false }
}

/**
 * A conflict or a refusal stays until a person decides; the words that are typed meanwhile are
 * kept.
 */
function applyEdit(state: DraftState, text: string, now: number): DraftState {
  const next = { ...state, text }
  if (state.theirs) return next
  // Back at what the gateway has: there is nothing to save, and what failed before no longer
  // matters.
  if (!isUnsaved(next) && !state.sent) return clean(next)
  if (isBlocked(state) || state.fault) return next
  const changedAt = state.changedAt ?? now
  return { ...next, changedAt, due: Math.min(now + SAVE_DELAY_MS, changedAt + MAX_SAVE_DELAY_MS) }
}

const clean = (state: DraftState): DraftState => ({
  ...state,
  ...{ fault: null, failures: 0, changedAt: null, due: null, isUrgent: false },
})

const clearedFault = { fault: null, failures: 0 } as const

function applyFlush(state: DraftState): Step {
  if (isBlocked(state)) return { state, calls: [] }
  if (state.sent) return { state: { ...state, isUrgent: true }, calls: [] }
  return isUnsaved(state)
    ? attempt({ ...state, isUrgent: true })
    : { state: clean(state), calls: [] }
}

function applySignIn(state: DraftState): Step {
  const { sent, fault } = state
  if (fault?.kind === 'signed-out') return applyFlush({ ...state, fault: null })
  return { state: { ...state, sent: sent && { ...sent, isOfEndedSession: true } }, calls: [] }
}

function attempt(state: DraftState): Step {
  if (state.sent || isBlocked(state) || !isUnsaved(state)) return { state, calls: [] }
  const { text, base, isHeld } = state
  if (!isHeld || base === null)
    return send(state, {
      do: 'begin',
      text: base === null ? text : '',
      takeOver: false,
      isLast: false,
    })
  return send(state, {
    do: 'save',
    text,
    reportId: base.reportId,
    revision: base.revision,
    isLast: false,
  })
}

/** An answer that is still awaited counts as lost. */
function send(state: DraftState, call: BeginCall | SaveCall): Step {
  const id = state.lastId + 1
  const next = { ...state, unanswered: inDoubt(state), lastId: id, changedAt: null, due: null }
  return { state: { ...next, sent: { id, call, isOfEndedSession: false } }, calls: [{ id, call }] }
}

const inDoubt = ({ unanswered, sent }: DraftState) =>
  sent && sent.call.text !== '' ? [...unanswered, sent.call.text] : unanswered

/**
 * The text is saved on top of this revision next. A call that is on its way was made of an older
 * one: the gateway refuses it.
 */
function rebaseOnto(state: DraftState, theirs: Draft): DraftState {
  const text = isSame(theirs.text, state.text) ? state.text : theirs.text
  return {
    ...state,
    ...clearedFault,
    base: { ...baseOf(theirs), text },
    theirs: null,
    sent: null,
    unanswered: [],
  }
}

function applyLoad(state: DraftState, theirs: Draft): DraftState {
  return clean({
    ...rebaseOnto(state, theirs),
    text: theirs.text,
    base: baseOf(theirs),
    loads: state.loads + 1,
  })
}

function began(state: DraftState, theirs: Draft): DraftState {
  const held = { ...state, ...clearedFault, isHeld: true }
  const isOther = isOtherRevision(state, theirs)
  if (isOther && !isUnsaved(state)) return applyLoad(held, theirs)
  if (isOther && theirs.text !== '' && !isOwn(state, theirs)) return { ...held, theirs }
  // A call that was not answered for can still arrive: only a save that is answered settles what
  // the newest text is.
  return { ...rebaseOnto(held, theirs), unanswered: state.unanswered }
}

function answered(state: DraftState, answer: SaveOutcome): DraftState {
  const { sent } = state
  if (answer.outcome === 'conflict')
    return isOwn(state, answer.theirs)
      ? rebaseOnto(state, answer.theirs)
      : { ...state, ...clearedFault, theirs: answer.theirs }
  if (sent?.call.do !== 'save') return state
  const { reportId, text } = sent.call
  return {
    ...state,
    ...clearedFault,
    base: { reportId, text, revision: answer.revision, savedAt: answer.savedAt },
    unanswered: [],
  }
}

/**
 * What was typed during the call is saved next: at once where somebody waits for it, or has left.
 */
function applySettlement(answeredState: DraftState, wasBegin: boolean, now: number): Step {
  const state = { ...answeredState, sent: null }
  if (state.theirs) return released({ state: { ...state, isUrgent: false }, calls: [] })
  if (!isUnsaved(state)) return released({ state: clean(state), calls: [] })
  if (wasBegin || state.isUrgent || !state.isShown) return attempt(state)
  return { state: { ...state, due: state.due ?? now + SAVE_DELAY_MS }, calls: [] }
}

function failed(state: DraftState, fault: SaveFault, now: number): Step {
  const call = state.sent?.call
  const next = { ...state, sent: null, isUrgent: false }
  // Whoever asked to take over sees the refusal there; what is to be saved goes on as before.
  if (call?.do === 'begin' && call.takeOver)
    return isUnsaved(next)
      ? { state: { ...next, due: now + SAVE_DELAY_MS }, calls: [] }
      : released({ state: clean(next), calls: [] })
  if (fault.kind === 'again') {
    const wait =
      RETRY_DELAYS_MS[Math.min(state.failures, RETRY_DELAYS_MS.length - 1)] ?? SAVE_DELAY_MS
    const retrying = {
      ...next,
      fault,
      unanswered: inDoubt(state),
      failures: state.failures + 1,
      due: now + wait,
    }
    return isUnsaved(retrying)
      ? { state: retrying, calls: [] }
      : released({ state: clean(retrying), calls: [] })
  }
  if (fault.kind === 'signed-out' && state.sent?.isOfEndedSession)
    return attempt({ ...next, isHeld: false })
  // It may be that another window holds the report now: the next attempt begins anew.
  const refused = { ...next, fault, due: null, isHeld: false }
  return { state: isUnsaved(refused) ? refused : clean(refused), calls: [] }
}

/**
 * Whoever left the screen lets go of the report, once nothing is on its way and nothing is tried
 * again.
 */
function released({ state, calls }: Step): Step {
  const isOver =
    !state.isShown && state.isHeld && !state.sent && (isBlocked(state) || !isUnsaved(state))
  if (!isOver) return { state, calls }
  const id = state.lastId + 1
  return {
    state: { ...state, isHeld: false, lastId: id },
    calls: [...calls, { id, call: { do: 'release', isLast: false } }],
  }
}

/**
 * A save of this window may be on its way, and its answer can no longer be waited for. The gateway
 * puts the last save of a window on top of whatever the same window saved before. A page that is
 * shown again after all begins anew and finds out.
 */
function closing(state: DraftState): Step {
  const { text, base } = state
  const id = state.lastId + 1
  if (isBlocked(state) || (!isUnsaved(state) && !state.sent)) {
    const call: ReleaseCall = { do: 'release', isLast: true }
    return {
      state: { ...state, isHeld: false, isClosed: true, lastId: id },
      calls: state.isHeld ? [{ id, call }] : [],
    }
  }
  const call: DraftCall =
    base === null
      ? { do: 'begin', text, takeOver: false, isLast: true }
      : { do: 'save', text, reportId: base.reportId, revision: base.revision, isLast: true }
  const next = {
    ...state,
    unanswered: [...inDoubt(state), text],
    sent: null,
    isHeld: false,
    isUrgent: false,
    lastId: id,
  }
  return { state: { ...next, isClosed: true, due: null }, calls: [{ id, call }] }
}

/** When the driver has to send `timer`; null where nothing waits for a time. */
const timerDueAt = (state: DraftState): number | null =>
  state.sent || isBlocked(state) ? null : state.due

/**
 * saved: the gateway answered for what is on the screen. waiting: it is not sent yet. failing: a
 * call failed, and is made again by itself, or once the person has signed in. refused: it will not
 * be saved until a person does something. conflict: somebody saved in between, `theirs` is there to
 * choose from.
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
  readonly loads: number
}

/** What the screen shows. */
export function keptDraftOf(state: DraftState): KeptDraft {
  const { text, loads, base, theirs, fault } = state
  return {
    ...{ state: keptStateOf(state), text, loads, theirs },
    ...{
      reportId: base?.reportId ?? null,
      revision: base?.revision ?? null,
      savedAt: base?.savedAt ?? null,
    },
    fault: fault?.sentence ?? '',
  }
}

function keptStateOf(state: DraftState): KeptDraft['state'] {
  const { sent, fault, theirs, base } = state
  if (theirs) return 'conflict'
  if (sent && (isUnsaved(state) || (sent.call.text !== '' && sent.call.text !== base?.text)))
    return 'saving'
  if (fault) return fault.kind === 'refused' ? 'refused' : 'failing'
  return isUnsaved(state) ? 'waiting' : 'saved'
}

/**
 * Calls to the gateway; each rejects with what `faultOf` reads. `signal` ends them when the draft
 * is forgotten.
 */
export interface DraftCalls {
  begin(call: BeginCall, signal: AbortSignal): Promise<Draft>
  save(call: SaveCall, signal: AbortSignal): Promise<SaveOutcome>
  release(call: ReleaseCall): Promise<unknown>
  faultOf(error: unknown): SaveFault
}

/**
 * The driver of the state machine: makes its calls, sends it their answers, and wakes it when
 * something is due.
 */
export interface DraftKeeper {
  current(): KeptDraft
  subscribe(listener: () => void): () => void
  edit(text: string): void
  replace(text: string): void
  /** Saves now; resolves with whether everything that was written by then is saved. */
  flush(): Promise<boolean>
  retry(): Promise<boolean>
  keepMine(): Promise<boolean>
  takeTheirs(): void
  /** Takes the report from whoever holds it. Rejects as the call does. */
  takeOver(): Promise<void>
  follow(draft: Draft | null): void
  meet(theirs: Draft): void
  signedIn(): void
  show(): void
  /**
   * Saves what is written and lets go of the report; resolves once that is done or could not be
   * done. It is tried again after that.
   */
  hide(): Promise<void>
  close(): void
  forget(): void
}

interface DraftDriver {
  readonly calls: DraftCalls
  /** Milliseconds that never go back, whatever becomes of the PC's clock. */
  readonly now: () => number
  /** Gives what cancels it. */
  readonly after: (milliseconds: number, run: () => void) => () => void
}

export function openDraftKeeper(
  draft: Draft | null,
  { calls, now, after }: DraftDriver,
): DraftKeeper {
  const listeners = new Set<() => void>()
  const abortController = new AbortController()
  const takeOvers = new Map<number, PromiseWithResolvers<void>>()
  const releases = new Set<Promise<unknown>>()
  let waiting: ((isSaved: boolean) => void)[] = []
  let state = openedDraft(draft)
  let shown = keptDraftOf(state)
  let timer: { readonly at: number; readonly cancel: () => void } | undefined

  const isDone = () => shown.state === 'saved' && !state.isForgotten

  function dispatch(event: DraftEvent): void {
    const before = state
    const step = transition(state, event, now())
    state = step.state
    for (const { id, call } of step.calls) make(id, call)
    if (state === before) return
    setTimer()
    shown = keptDraftOf(state)
    for (const listener of listeners) listener()
    if (state.sent || state.isUrgent) return
    const settled = waiting
    waiting = []
    for (const settle of settled) settle(isDone())
  }

  function make(id: number, call: DraftCall): void {
    const { signal } = abortController
    if (call.do === 'release') {
      const released = calls.release(call).catch(() => undefined)
      releases.add(released)
      void released.then(() => releases.delete(released))
      return
    }
    const failed = (error: unknown) => {
      takeOvers.get(id)?.reject(error)
      takeOvers.delete(id)
      dispatch({ type: 'failed', id, fault: calls.faultOf(error) })
    }
    if (call.do === 'save')
      calls.save(call, signal).then((answer) => dispatch({ type: 'saved', id, answer }), failed)
    else {
      calls.begin(call, signal).then((begun) => {
        dispatch({ type: 'began', id, draft: begun })
        takeOvers.get(id)?.resolve()
        takeOvers.delete(id)
      }, failed)
    }
  }

  function setTimer(): void {
    const at = timerDueAt(state)
    if (timer?.at === at) return
    timer?.cancel()
    timer = undefined
    if (at === null) return
    const run = () => {
      timer = undefined
      dispatch({ type: 'timer' })
      // Timers may fire a moment early: then it is not due yet, and is waited for again.
      setTimer()
    }
    timer = { at, cancel: after(Math.ceil(Math.max(0, at - now())), run) }
  }

  function settle(event: DraftEvent): Promise<boolean> {
    dispatch(event)
    if (!state.sent && !state.isUrgent) return Promise.resolve(isDone())
    return new Promise((resolve) => waiting.push(resolve))
  }

  return {
    current: () => shown,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    edit: (text) => dispatch({ type: 'edit', text }),
    replace: (text) => dispatch({ type: 'replace', text }),
    flush: () => settle({ type: 'flush' }),
    retry: () => settle({ type: 'retry' }),
    keepMine: () => settle({ type: 'keepMine' }),
    takeTheirs: () => dispatch({ type: 'takeTheirs' }),
    takeOver() {
      const taken = Promise.withResolvers<void>()
      takeOvers.set(state.lastId + 1, taken)
      dispatch({ type: 'takeOver' })
      return taken.promise
    },
    follow: (read) => dispatch({ type: 'follow', draft: read }),
    meet: (theirs) => dispatch({ type: 'conflict', theirs }),
    signedIn: () => dispatch({ type: 'signedIn' }),
    show: () => dispatch({ type: 'shown' }),
    async hide() {
      await settle({ type: 'hidden' })
      await Promise.all(releases)
    },
    close: () => dispatch({ type: 'closing' }),
    forget() {
      dispatch({ type: 'forget' })
      abortController.abort()
    },
  }
}
