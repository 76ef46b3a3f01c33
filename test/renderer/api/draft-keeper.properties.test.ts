import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HttpServer } from '#server/http/server.ts'
import { findDraft, listReportRevisions } from '#server/modules/reports/report-queries.ts'
import { serveDashboardReports } from '#server/modules/reports/report-routes.ts'
import { dashboardReports, type Reading } from '#shared/contract/reports.ts'
import { CONTRACT_VERSION, CONTRACT_VERSION_HEADER } from '#shared/contract-version.ts'
import { verbatim } from '#shared/messages/message.ts'
import { normalizeReport } from '#shared/report-text.ts'
import { openClient } from '../../../renderer/src/api/client.ts'
import { draftCalls } from '../../../renderer/src/api/draft-calls.ts'
import { type DraftKeeper, openDraftKeeper } from '../../../renderer/src/api/draft-keeper.ts'
import {
  findKeptDraft,
  hasUnsavedDrafts,
  keepOnlyDraftsOf,
  showDraft,
} from '../../../renderer/src/api/window-drafts.ts'
import { openTestServer } from '../../electron/server/http/http-fixture.ts'
import { reportStage } from '../../electron/server/modules/reports/reports-fixture.ts'
import { atTheWindow } from '../../support/callers.ts'
import { httpCall } from '../../support/http-call.ts'
import { RUNS_TIMEOUT_MS, runs } from '../../support/property-runs.ts'

// The window's half of draft keeping against the real HTTP server and its database, with a network
// that delays, reorders, refuses and loses. After each command: what the window shows is true, what
// somebody else wrote is not overwritten unseen, and every typed word is at the gateway, on the
// screen, or in a draft that the window says it has not saved.

let on: ReturnType<typeof reportStage>
let server: HttpServer
/** Who a session belongs to; 'locked' where its window is. */
const sessions = new Map<string, 'ruth' | 'tom' | 'locked'>()
let tom: ReturnType<ReturnType<typeof reportStage>['colleague']>

beforeAll(async () => {
  on = reportStage()
  tom = on.colleague()
  server = await openTestServer({
    sessions: {
      isConfirmed: () => true,
      isLimited: () => false,
      userOf(token) {
        const whose = sessions.get(token)
        if (whose === 'locked') return 'locked'
        return whose && (whose === 'ruth' ? atTheWindow(on.user).user : tom.user)
      },
    },
    register: (app) =>
      serveDashboardReports(app, on.store, on.eventLog, on.contexts.asking, () => server.url),
  })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  on[Symbol.dispose]()
})

interface Request {
  readonly path: string
  readonly init: RequestInit
  /** Of a page that is closed: nobody waits for the answer. */
  isOrphan: boolean
  answer?: { readonly status: number; readonly text: string }
  readonly settle: PromiseWithResolvers<Response>
}

const settledTurns = async () => {
  for (let turn = 0; turn < 4; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
}

/** One browser window, its network, and a ledger of what the gateway committed. */
function openWindow(studyId: string) {
  let now = 0
  let session = ''
  const timers: { at: number; run: () => void }[] = []
  const requests: Request[] = []
  /** Every revision the gateway has committed: its text and who saved it. */
  const ledger = new Map<string, { readonly text: string; readonly windowId: string }>()
  /** Texts of others that were on the screen here. */
  const seen = new Set<string>()
  const params = { studyId: studyId as Reading['studyId'] }
  let windowId = randomUUID()
  let reading: Reading
  let keeper: DraftKeeper
  let leave: (() => void) | undefined
  const orphans: Request[] = []
  const fetchHere =
    (windowOf: string) =>
    (path: string | URL | globalThis.Request, init: RequestInit = {}) => {
      const request: Request = {
        path: String(path),
        init,
        isOrphan: windowOf !== windowId,
        settle: Promise.withResolvers<Response>(),
      }
      requests.push(request)
      init.signal?.addEventListener('abort', () =>
        drop(request, new DOMException('Aborted', 'AbortError')),
      )
      return request.settle.promise
    }
  const drop = (request: Request, error: unknown) => {
    const at = requests.indexOf(request)
    if (at >= 0) requests.splice(at, 1)
    request.settle.reject(error)
  }

  /**
   * Reads the ledger on from the database, and compares: nothing of others is overwritten unseen.
   */
  function readLedger(): void {
    const draft = findDraft(on.store.database, studyId)
    if (!draft) return
    for (const { revision, text, windowId: by } of listReportRevisions(
      on.store.database,
      draft.reportId,
    ).reverse()) {
      const key = `${draft.reportId} ${revision}`
      if (ledger.has(key)) continue
      ledger.set(key, { text, windowId: by })
      const before = ledger.get(`${draft.reportId} ${revision - 1}`)
      if (by !== TOMS && before?.windowId === TOMS && !seen.has(before.text))
        throw new Error(`“${before.text}” was overwritten by “${text}” unseen`)
    }
  }

  async function call<T>(method: string, path: string, json?: unknown): Promise<T> {
    const headers = {
      'x-isthmus-csrf': '1',
      'sec-fetch-site': 'same-origin',
      cookie: `isthmus-session=${session}`,
    }
    return (await httpCall(server.url + path, { method, headers, json })).json as T
  }

  const it = {
    ledger,
    seen,
    requests,
    get keeper() {
      return keeper
    },
    get isShown() {
      return leave !== undefined
    },
    get windowId() {
      return windowId
    },
    readLedger,
    signIn(as: 'ruth' | 'tom') {
      session = randomUUID()
      sessions.set(session, as)
    },
    setSession(state: 'ruth' | 'locked' | undefined) {
      if (state === undefined) sessions.delete(session)
      else sessions.set(session, state)
    },
    isSignedIn: () => sessions.get(session) === 'ruth',
    async read() {
      reading = dashboardReports.read.reply.parse(
        await call('GET', `/dashboard/reading/${studyId}`),
      )
      return reading
    },
    /** Opens the screen of the study, as `useDraft` does. */
    async open() {
      const { draft } = await it.read()
      const written = { userId: on.user.userId, studyId, draft }
      const mine = windowId
      const client = openClient({ fetch: fetchHere(mine) as typeof fetch, origin: '' })
      keeper =
        findKeptDraft(written) ??
        openDraftKeeper(draft, {
          now: () => now,
          after(milliseconds, run) {
            const timer = { at: now + milliseconds, run }
            timers.push(timer)
            return () => void (timers.includes(timer) && timers.splice(timers.indexOf(timer), 1))
          },
          calls: draftCalls({ call: client, ...params, windowId: mine, show: () => {} }),
        })
      keeper.follow(draft)
      leave = showDraft(written, keeper)
    },
    leave() {
      leave?.()
      leave = undefined
    },
    /** The page goes: its timers and its memory with it, and the last requests are on their own. */
    close() {
      keeper.close()
      for (const request of requests) request.isOrphan = true
      timers.length = 0
      keeper.forget()
      leave?.()
      leave = undefined
      keepOnlyDraftsOf('nobody')
      windowId = randomUUID()
    },
    async pass(milliseconds: number) {
      const end = now + milliseconds
      for (;;) {
        const due = timers.filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)[0]
        if (!due) break
        timers.splice(timers.indexOf(due), 1)
        now = Math.max(now, due.at)
        due.run()
        await settledTurns()
      }
      now = end
    },
    /** The gateway carries out a request. */
    async arrive(request: Request) {
      if (request.answer) return
      const { path, init } = request
      const headers = {
        ...(init.headers as Record<string, string>),
        'sec-fetch-site': 'same-origin',
        cookie: `isthmus-session=${session}`,
      }
      const json = typeof init.body === 'string' ? JSON.parse(init.body) : undefined
      const { status, text } = await httpCall(server.url + path, {
        method: init.method ?? 'GET',
        headers,
        json,
      })
      request.answer = { status, text }
      readLedger()
    },
    async answer(request: Request, answer = request.answer) {
      if (!answer) return
      const at = requests.indexOf(request)
      if (at >= 0) requests.splice(at, 1)
      const { status, text } = answer
      const ok = status < 400
      if (request.isOrphan) orphans.push(request)
      else
        request.settle.resolve({
          ok,
          status,
          headers: new Headers({ [CONTRACT_VERSION_HEADER]: CONTRACT_VERSION }),
          text: async () => text,
        } as Response)
      await settledTurns()
    },
    async lose(request: Request) {
      drop(request, new TypeError('fetch failed'))
      await settledTurns()
    },
    [Symbol.dispose]() {
      for (const request of [...requests]) drop(request, new TypeError('over'))
      // Other test files share the module of drafts, which waits for calls of screens that were
      // left.
      for (const request of orphans) request.settle.reject(new TypeError('over'))
      keepOnlyDraftsOf('nobody')
    },
  }
  return it
}
const TOMS = randomUUID()

type Window = ReturnType<typeof openWindow>
/**
 * What the person believes: the text that was typed last, and how often the window put another one
 * in its place.
 */
interface Model {
  typed: string
  keeper: DraftKeeper
  loads: number
  words: number
  /** The text went because the person chose so, was asked, or was told. */
  isGivenUp: boolean
}
class Command implements fc.AsyncCommand<Model, Window> {
  readonly name: string
  readonly work: (model: Model, window: Window) => unknown
  constructor(name: string, work: (model: Model, window: Window) => unknown) {
    this.name = name
    this.work = work
  }
  check = () => true
  async run(model: Model, window: Window) {
    await this.work(model, window)
    await settledTurns()
    check(model, window)
  }
  toString = () => this.name
}

const isSame = (one: string, other: string) => normalizeReport(one) === normalizeReport(other)

function check(model: Model, window: Window): void {
  const { keeper, ledger } = window
  const shown = keeper.current()
  if (shown.theirs) window.seen.add(shown.theirs.text)
  const isAtGateway = (text: string) =>
    text === '' || [...ledger.values()].some((one) => isSame(one.text, text))
  if (keeper !== model.keeper || shown.loads !== model.loads) {
    // Another text took the place of what was typed: that one is saved, or was given up.
    if (!model.isGivenUp && !isSame(shown.text, model.typed))
      expect(isAtGateway(model.typed), `“${model.typed}” went`).toBe(true)
    model.typed = shown.text
    model.loads = shown.loads
    model.keeper = keeper
    window.seen.add(shown.text)
  }
  model.isGivenUp = false
  expect(shown.text).toBe(model.typed)
  const { reportId, revision, state } = shown
  if (state === 'saved') {
    if (revision === null || revision === 0) expect(shown.text).toBe('')
    else
      expect(
        isSame(ledger.get(`${reportId} ${revision}`)?.text ?? '(none)', shown.text),
        'shown as saved',
      ).toBe(true)
  } else expect(hasUnsavedDrafts(), 'the window knows that it is not saved').toBe(true)
  if (state === 'conflict') {
    const theirs = ledger.get(`${shown.theirs?.reportId} ${shown.theirs?.revision}`)
    expect(theirs?.text).toBe(shown.theirs?.text)
    expect(theirs?.windowId, 'in conflict with oneself').not.toBe(window.windowId)
  }
}

const pick = (window: Window, at: number, wanted: (request: Request) => boolean = () => true) => {
  const found = window.requests.filter(wanted)
  return found[at % Math.max(found.length, 1)]
}
const plain = (name: string, work: (model: Model, window: Window) => unknown) =>
  fc.constant(new Command(name, work))
const network = (
  name: string,
  work: (window: Window, request: Request) => Promise<void>,
  wanted?: (request: Request) => boolean,
) =>
  fc.nat(3).map(
    (at) =>
      new Command(`${name}(${at})`, async (_, window) => {
        const request = pick(window, at, wanted)
        if (request) await work(window, request)
      }),
  )
const arrived = async (window: Window, request: Request) => {
  await window.arrive(request)
  await window.answer(request)
}
const write = (model: Model, window: Window) => {
  if (!window.isShown) return
  model.typed += ` word${++model.words}`
  window.keeper.edit(model.typed)
}
const typed = plain('type', write)
/** Everything that is on its way arrives and is answered, until nothing is. */
async function answerAll(window: Window): Promise<void> {
  for (let round = 0; window.requests.length > 0 && round < 20; round++)
    for (const request of [...window.requests]) await arrived(window, request)
}
/** Writes until a save is on its way. */
async function sendOne(model: Model, window: Window): Promise<Request | undefined> {
  await answerAll(window)
  write(model, window)
  await window.pass(2000)
  await settledTurns()
  // A report that is not held is begun first.
  if (!window.requests.some(({ init }) => init.method === 'PUT'))
    for (const request of [...window.requests]) await arrived(window, request)
  return window.requests.find(({ init }) => init.method === 'PUT')
}

/**
 * The gateway loses nothing from here on: whatever is left is carried out, one request after the
 * other.
 */
async function heal(window: Window): Promise<void> {
  for (let round = 0; round < 60; round++) {
    await window.pass(10_000)
    for (const request of [...window.requests]) await arrived(window, request)
  }
}

async function close(model: Model, window: Window, order: number): Promise<void> {
  const { keeper, isShown, ledger, requests } = window
  if (!window.isSignedIn() || !isShown) return
  const { state, revision } = keeper.current()
  const later = [...ledger.entries()].filter(([key]) => Number(key.split(' ')[1]) > (revision ?? 0))
  // Nobody else has the report or wrote on it since, and everything that is on its way is of this
  // page.
  const isLeftToItself =
    [...ledger.values()].every(({ windowId }) => windowId !== TOMS) &&
    later.every(([, one]) => one.windowId === window.windowId) &&
    requests.every(({ isOrphan }) => !isOrphan)
  window.close()
  for (let at = order; requests.length > 0; at++) {
    const request = pick(window, at)
    if (request) await arrived(window, request)
  }
  if (isLeftToItself && ['waiting', 'saving'].includes(state))
    expect(newest(ledger), 'the last words').toBe(normalizeReport(model.typed))
  model.isGivenUp = true
  await window.open()
}

/** In each run. */
const USUAL = [
  typed,
  typed,
  fc.constant(new Command('pass(2000)', (_, window) => window.pass(2000))),
  network('arrives and is answered', arrived),
  network('arrives and is answered', arrived),
]
/**
 * Some of them in each run: rare ones meet each other oftener than where all of them are in every
 * run.
 */
const OTHERS = [
  plain('retype what is saved', (model, window) => {
    const { reportId, revision } = window.keeper.current()
    const kept = window.ledger.get(`${reportId} ${revision}`)
    if (!window.isShown || !kept) return
    model.typed = kept.text
    window.keeper.edit(kept.text)
  }),
  fc
    .integer({ min: 500, max: 12_000 })
    .map((wait) => new Command(`pass(${wait})`, (_, window) => window.pass(wait))),
  network('arrives', (window, request) => window.arrive(request)),
  network(
    'answer',
    (window, request) => window.answer(request),
    ({ answer }) => answer !== undefined,
  ),
  network(
    'lost',
    (window, request) => window.lose(request),
    ({ isOrphan }) => !isOrphan,
  ),
  network('answer lost', async (window, request) => {
    await window.arrive(request)
    await window.lose(request)
  }),
  network(
    'refused',
    (window, request) => window.answer(request, UNAVAILABLE),
    ({ answer, isOrphan }) => !answer && !isOrphan,
  ),
  network(
    'too large',
    (window, request) => window.answer(request, TOO_LARGE),
    ({ answer, isOrphan }) => !answer && !isOrphan,
  ),
  plain('flush', (_, window) => void window.keeper.flush()),
  plain('retry', (_, window) => void window.keeper.retry()),
  plain('leave', (_, window) => window.leave()),
  plain('open', async (_, window) => {
    if (!window.isShown && window.isSignedIn()) await window.open()
  }),
  plain('read again', async (_, window) => {
    if (!window.isSignedIn()) return
    const { draft } = await window.read()
    if (window.isShown) window.keeper.follow(draft)
  }),
  plain('close the page and load it again', async (model, window) => {
    if (!window.isSignedIn() || !window.isShown) return
    // The browser asks before it closes a page with text that is not saved.
    model.isGivenUp = hasUnsavedDrafts()
    window.close()
    await window.open()
  }),
  fc
    .nat(5)
    .map(
      (order) =>
        new Command(
          `close the page, and its requests arrive in the order ${order}`,
          (model, window) => close(model, window, order),
        ),
    ),
  fc.nat(5).map(
    (order) =>
      new Command(
        `write during a save, close the page, and its requests arrive in the order ${order}`,
        async (model, window) => {
          await sendOne(model, window)
          write(model, window)
          await close(model, window, order)
        },
      ),
  ),
  plain('a save whose answer is lost, and more words', async (model, window) => {
    const request = await sendOne(model, window)
    if (!request) return
    await window.arrive(request)
    await window.lose(request)
    write(model, window)
  }),
  plain('Tom takes over and writes', (model, window) => {
    on.writing.beginReport(tom, on.studyId, { windowId: TOMS, takeOver: true, text: '' })
    const draft = findDraft(on.store.database, on.studyId)
    if (!draft) return
    const { revision, reportId, plainText } = draft
    on.writing.saveReport(tom, on.studyId, {
      windowId: TOMS,
      reportId,
      revision,
      text: `${plainText ?? ''} tom${++model.words}`,
    })
    window.readLedger()
  }),
  plain('Tom stops', () => {
    on.writing.updateReportLock(tom, on.studyId, { windowId: TOMS, isWriting: false })
  }),
  plain('take over', (_, window) => {
    if (window.isShown) window.keeper.takeOver().catch(() => undefined)
  }),
  plain('keep mine', (_, window) => void window.keeper.keepMine()),
  plain('take theirs', (model, window) => {
    model.isGivenUp = true
    window.keeper.takeTheirs()
  }),
  plain('lock', (_, window) => {
    if (!window.isSignedIn()) return
    window.setSession('locked')
    window.leave()
  }),
  plain('sign out', (_, window) => {
    window.setSession(undefined)
    window.leave()
  }),
  plain('the same person is back', async (_, window) => {
    if (window.isSignedIn()) return
    window.signIn('ruth')
    keepOnlyDraftsOf(on.user.userId)
    await window.open()
  }),
  plain('somebody else signs in', async (model, window) => {
    window.leave()
    window.signIn('tom')
    const { keeper } = window
    const wasUnsaved = hasUnsavedDrafts()
    const isTold = keepOnlyDraftsOf(tom.user.userId)
    expect(isTold).toBe(wasUnsaved)
    if (wasUnsaved) expect(JSON.stringify(keeper.current())).not.toMatch(/word/)
    model.isGivenUp = isTold
    window.signIn('ruth')
    await window.open()
  }),
]
const commandsArbitrary = fc
  .subarray(OTHERS, { minLength: 3, maxLength: 8 })
  .chain((some) => fc.commands([...USUAL, ...some], { maxCommands: 30, size: 'max' }))
const newest = (ledger: Window['ledger']) =>
  normalizeReport([...ledger.values()].at(-1)?.text ?? '')
const UNAVAILABLE = { status: 503, text: '<html>' }
const TOO_LARGE = {
  status: 413,
  text: JSON.stringify({
    ...{
      type: 'about:blank',
      title: 'Too large',
      status: 413,
      detail: 'Too large.',
      instance: '/',
    },
    ...{ code: 'refused', message: 'Too large.', errors: [] },
    explanation: verbatim('Too large.'),
  }),
}

describe('a draft, its window and the gateway', () => {
  it(
    'agree, whatever the network and the people do, and no typed word is lost unnoticed',
    async () => {
      await fc.assert(
        fc.asyncProperty(commandsArbitrary, async (commands) => {
          Object.assign(on, { studyId: on.newStudy().studyId })
          using window = openWindow(on.studyId)
          window.signIn('ruth')
          await window.open()
          const model: Model = {
            typed: '',
            keeper: window.keeper,
            loads: 0,
            words: 0,
            isGivenUp: false,
          }
          await fc.asyncModelRun(() => ({ model, real: window }), commands)
          // In the end the network is whole and the person is there.
          if (!window.isSignedIn()) {
            window.signIn('ruth')
            keepOnlyDraftsOf(on.user.userId)
          }
          if (!window.isShown) await window.open()
          check(model, window)
          on.writing.updateReportLock(tom, on.studyId, { windowId: TOMS, isWriting: false })
          void window.keeper.retry()
          await heal(window)
          check(model, window)
          const shown = window.keeper.current()
          expect(['saved', 'conflict', 'refused']).toContain(shown.state)
          expect(window.requests).toEqual([])
        }),
        runs(120),
      )
    },
    RUNS_TIMEOUT_MS,
  )
})
