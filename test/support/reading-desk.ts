import { dashboardReports } from '#shared/contract/reports.ts'
import { scribe } from '#shared/contract/scribe.ts'
import type { StudyId } from '#shared/ids.ts'
import type { StudyReportStatus } from '#shared/lifecycle.ts'
import type { StartedGateway } from './gateway.ts'

type Call = StartedGateway['call']

export interface SignedText {
  readonly isAddendum: boolean
  readonly isCritical: boolean
  readonly text: string
}

/**
 * How the reports of a study stand. No two texts of a run are the same, so that a text says which
 * of them it is.
 */
export interface Standing {
  readonly status: StudyReportStatus
  readonly draft: {
    readonly isAddendum: boolean
    readonly revision: number
    readonly text: string
  } | null
  /** The report first, then its addenda in their order. */
  readonly signed: readonly SignedText[]
}

/** A study in the hands of one who writes its reports, one call after the other. */
export interface DeskStudy {
  readonly studyId: StudyId
  readonly studyInstanceUid: string
  /** As the last answer left it. */
  told: Standing
  /** What the call makes of it whose answer has not come; undefined: none is on its way. */
  asked: Standing | undefined
  /** Texts that were made for it. */
  texts: number
}

export const STEPS = ['create', 'begin', 'save', 'sign', 'startAddendum', 'cancelAddendum'] as const
export type Step = (typeof STEPS)[number]

export interface DeskOptions {
  /** The window of who writes. */
  readonly call: Call
  /** The partner's key, by which studies are made. */
  readonly partner: Call
  readonly windowId: string
  /** From 0 up to, but not, 1; the same for the same words. */
  readonly draw: (words: string) => number
  readonly onAsked: (step: Step) => void
  readonly onAnswered: (step: Step) => void
}

/** Whether the call ended with the gateway, not with an answer. */
export const isGone = (error: unknown) => /ECONN|EPIPE|socket hang up|aborted/.test(String(error))

/** Makes a study of an invented patient. */
export async function newStudy(
  { partner, onAnswered }: DeskOptions,
  studyInstanceUid: string,
): Promise<DeskStudy> {
  const reportMetadata = { patientName: 'Vymyslena^Jana', mrn: 'P-4711', sex: 'female' } as const
  const { studyId } = await partner(scribe.create, {
    body: { studyInstanceUid, studyDescription: 'CT Chest', severity: 'normal', reportMetadata },
  })
  onAnswered('create')
  return {
    studyId,
    studyInstanceUid,
    told: { status: 'unassigned', draft: null, signed: [] },
    asked: undefined,
    texts: 0,
  }
}

/**
 * Writes the report of the study and up to two addenda, some of which are cancelled: from where it
 * stands until all is signed.
 * @throws where the gateway is gone, and where an answer is another than the order of the calls
 *   leads to
 */
export async function writeReports(options: DeskOptions, study: DeskStudy): Promise<void> {
  const { call, windowId, draw, onAsked, onAnswered } = options
  const { studyId, studyInstanceUid } = study
  const params = { studyId }

  async function take(step: Step, asked: Standing, send: () => Promise<unknown>): Promise<void> {
    study.asked = asked
    onAsked(step)
    await send()
    study.told = asked
    study.asked = undefined
    onAnswered(step)
  }

  const newText = () =>
    `Findings: The lungs are clear – α.\nImpression: Normal ${studyInstanceUid} ${++study.texts}.`

  async function begin({ told }: DeskStudy): Promise<void> {
    const { revision, isAddendum } = told.draft ?? { revision: 0, isAddendum: false }
    // Some drafts begin with a template; one that was written on keeps what it has.
    const text =
      revision === 0 && draw(`template ${studyInstanceUid} ${told.signed.length}`) < 0.3
        ? newText()
        : ''
    const draft =
      text === '' && told.draft ? told.draft : { isAddendum, revision: text === '' ? 0 : 1, text }
    const asked: Standing = {
      ...told,
      status: isAddendum ? 'addendum_active' : 'in_progress',
      draft,
    }
    await take('begin', asked, async () => {
      const reading = await call(dashboardReports.begin, { params, body: { windowId, text } })
      demand(
        reading.draft?.revision === asked.draft?.revision &&
          reading.draft?.text === asked.draft?.text,
        reading.draft,
      )
    })
  }

  async function save(told: Standing, draft: NonNullable<Standing['draft']>): Promise<void> {
    const revision = draft.revision + 1
    const text = newText()
    await take('save', { ...told, draft: { ...draft, revision, text } }, async () => {
      const saved = await call(dashboardReports.save, {
        params,
        body: { windowId, revision: draft.revision, text },
      })
      demand(saved.outcome === 'saved' && saved.revision === revision, saved)
    })
  }

  async function sign(
    told: Standing,
    { isAddendum, revision, text }: NonNullable<Standing['draft']>,
    words: string,
  ): Promise<void> {
    const isCritical = draw(`critical ${words}`) < 0.25
    const body = {
      windowId,
      revision,
      isCritical,
      finding: isCritical ? 'Something that cannot wait' : null,
    }
    const asked = {
      status: 'completed',
      draft: null,
      signed: [...told.signed, { isAddendum, isCritical, text }],
    } as const
    // Who clicks twice signs once.
    const clicks = draw(`clicks ${words}`) < 0.2 ? 2 : 1
    await take('sign', asked, async () => {
      const answers = await Promise.allSettled(
        Array.from({ length: clicks }, () => call(dashboardReports.sign, { params, body })),
      )
      const signed = answers.flatMap((answer) =>
        answer.status === 'fulfilled' ? [answer.value] : [],
      )
      for (const answer of signed) demand(answer.outcome === 'signed', answer.outcome)
      const refusals = answers.flatMap((answer) =>
        answer.status === 'rejected' ? [answer.reason as unknown] : [],
      )
      for (const refusal of refusals)
        demand(isGone(refusal) || (clicks === 2 && /^Error: 422 /.test(String(refusal))), refusal)
      if (signed.length === 0)
        throw refusals.find(isGone) ?? new Error(`It was refused twice: ${String(refusals[0])}`)
      demand(signed.length === 1, 'signed twice')
    })
  }

  async function addendum(
    step: 'startAddendum' | 'cancelAddendum',
    asked: Standing,
  ): Promise<void> {
    const { reports } = await call(dashboardReports.read, { params })
    const reportId = reports[0]?.reportId
    if (!reportId) throw new Error('There is no report to add to.')
    await take(step, asked, async () => {
      const outcome = await call(dashboardReports[step], { params: { reportId } })
      demand(outcome.success, outcome)
    })
  }

  let isOpen = false
  for (let cancelled = 0; ; ) {
    const { told } = study
    const { draft, signed } = told
    const words = `${studyInstanceUid} ${signed.length} ${cancelled}`
    if (!draft && signed.length > Math.floor(draw(`addenda ${studyInstanceUid}`) * 3)) return
    if (!draft && signed.length > 0) {
      const started = { isAddendum: true, revision: 0, text: '' }
      await addendum('startAddendum', { ...told, status: 'addendum_active', draft: started })
      isOpen = false
    } else if (!draft || !isOpen) {
      await begin(study)
      isOpen = true
    } else if (draft.revision <= draw(`saves ${words}`) * 3) await save(told, draft)
    else if (draft.isAddendum && cancelled === 0 && draw(`cancels ${words}`) < 0.4) {
      await addendum('cancelAddendum', { ...told, status: 'completed', draft: null })
      cancelled++
    } else await sign(told, draft, words)
  }
}

function demand(isSo: boolean, seen: unknown): void {
  if (!isSo)
    throw new Error(
      `An answer that was not expected: ${seen instanceof Error ? seen.message : JSON.stringify(seen)}`,
    )
}
