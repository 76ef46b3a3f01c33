import { createHash } from 'node:crypto'
import { note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { addOutboxJob, dropOutboxJobs } from '#server/jobs/outbox-queries.ts'
import { RETRY_SCHEDULES } from '#server/jobs/retry-schedules.ts'
import { Worker } from '#server/jobs/worker.ts'
import type { MailQueue } from '#server/modules/mail/mail.ts'
import { oneLine } from '#server/modules/mail/mail.ts'
import { MailError, type MailText } from '#server/modules/mail/smtp.ts'
import { findStudy } from '#server/modules/studies/study-queries.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import { ESCALATION_MAIL } from '#shared/contract/mail.ts'
import { message } from '#shared/messages/message.ts'
import {
  type EscalatedResult,
  insertEscalation,
  listEscalatedResults,
  listResultsBelowStep,
} from './critical-escalation-queries.ts'
import { accessionOf } from './signed-report.ts'

const LAST_STEP = 2
/** Escalated in one transaction; more wait for the next round, a second later. */
const MOST_AT_ONCE = 500
const MINUTE_MS = 60_000
/** A mail names so many results, and counts the others. */
const MOST_NAMED = 20
/** Of an accession number a mail has the end alone, and of a short one nothing. */
const SHOWN_CHARACTERS = 4
const SHORTEST_SHOWN = 8

/**
 * Escalates critical results that were not communicated in time (decision 0044): at each step the
 * result is recorded as escalated with its audit entry, and a mail to the configured addresses is
 * queued, in one transaction. Communicating a result ends its escalation.
 */
export class CriticalEscalations implements AsyncDisposable {
  readonly #worker: Worker
  readonly #stopListening: () => void

  /** @param publicBase base of the link to the list of critical results */
  constructor(
    context: Context,
    mail: { readonly addQueue: (queue: MailQueue) => void },
    publicBase: () => string,
  ) {
    mail.addQueue({
      kind: ESCALATION_MAIL,
      name: 'escalation mail',
      schedule: RETRY_SCHEDULES.escalationMail,
      compose: ({ payload }) => composeMail(context, publicBase(), payload),
    })
    this.#worker = new Worker(
      context,
      () => nextEscalation(context),
      async () => escalateDue(context),
      'critical results',
    )
    this.#stopListening = context.settings.onChange(
      (keys) => keys.some((key) => key.startsWith('criticals.')) && this.#worker.wake(),
    )
    this.#worker.wake()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopListening()
    await this.#worker[Symbol.asyncDispose]()
  }
}

/** By when a result that was signed at the instant has to be communicated. */
export const communicationDue = ({ settings }: Context, openedAt: string): string =>
  instantOf(msOf(openedAt) + settings.get('criticals.communicateMinutes') * MINUTE_MS)

/**
 * When an open result reaches its next step; undefined after the last one. The second step counts
 * from the first, not from the signature: after a sleep of the PC or a jump of the clock, results
 * go one step at a time. An instant in the future was written before the clock was set back: the
 * step is due, rather than late by as much.
 */
export function nextStepAt(
  { settings, clock }: Context,
  { openedAt, step, at }: Pick<EscalatedResult, 'openedAt' | 'step' | 'at'>,
): number | undefined {
  if (step >= LAST_STEP) return undefined
  const since = msOf(at ?? openedAt)
  if (since > clock() + MINUTE_MS) return clock()
  const minutes = settings.get(
    step === 0 ? 'criticals.communicateMinutes' : 'criticals.secondEscalationMinutes',
  )
  return since + minutes * MINUTE_MS
}

function nextEscalation(context: Context): string | undefined {
  const instants = listResultsBelowStep(context.database, LAST_STEP).flatMap(
    (result) => nextStepAt(context, result) ?? [],
  )
  return instants.length === 0
    ? undefined
    : instantOf(instants.reduce((first, at) => Math.min(first, at)))
}

/** Escalates what is due by one step each. */
export function escalateDue(context: Context): void {
  const { database, clock, feed } = context
  const now = clock()
  database.transaction(() => {
    const due = listResultsBelowStep(database, LAST_STEP)
      .filter((result) => (nextStepAt(context, result) ?? Number.POSITIVE_INFINITY) <= now)
      .slice(0, MOST_AT_ONCE)
    if (due.length === 0) return
    const at = instantOf(now)
    const addresses = context.settings.get('criticals.escalationAddresses')
    for (const { reportId, studyId, openedAt, step } of due) {
      insertEscalation(database, { reportId, step: step + 1, at })
      note(context, 'gateway', 'critical.escalate', reportId, {
        ...{ studyId, step: step + 1, openedAt, addresses: addresses.length },
      })
    }
    for (const to of new Set(addresses)) queueMail(context, to, at)
    database.afterCommit(() => feed.noteStatus())
  })
}

/**
 * A mail says what is open when it is sent, so one that still waits is replaced: after an outage of
 * the mail server each address gets one mail.
 */
function queueMail({ database }: Context, to: string, at: string): void {
  const subject = subjectOf(to)
  dropOutboxJobs(database, ESCALATION_MAIL, subject, at)
  addOutboxJob(database, { kind: ESCALATION_MAIL, subject, payload: { to }, at })
}

/** Within the transaction that documents a communication: no mail waits where nothing is open. */
export function dropNeedlessMails({ database, settings }: Context, at: string): void {
  if (listEscalatedResults(database).length > 0) return
  for (const to of settings.get('criticals.escalationAddresses'))
    dropOutboxJobs(database, ESCALATION_MAIL, subjectOf(to), at)
}

/** The outbox keeps subjects in the clear: it gets no address. */
const subjectOf = (to: string) =>
  `address-${createHash('sha256').update(to).digest('hex').slice(0, 16)}`

/** @throws MailError: it is not to be sent any more */
function composeMail(
  context: Context,
  publicBase: string,
  payload: unknown,
): MailText & { readonly to: string } {
  const { database, settings } = context
  const to = (payload as { readonly to?: unknown } | undefined)?.to
  if (typeof to !== 'string') throw new MailError(message('mail.unreadable'), { isFinal: true })
  if (!settings.get('criticals.escalationAddresses').includes(to))
    throw new MailError(message('mail.address-removed'), { isFinal: true })
  const open = listEscalatedResults(database)
  if (open.length === 0) throw new MailError(message('mail.all-communicated'), { isFinal: true })
  const shown = open.slice(0, MOST_NAMED).map((result) => ({
    openedAt: result.openedAt,
    step: result.step,
    accessionEnd: accessionEnd(context, result.studyId),
  }))
  const clinicName = settings.get('clinic.name')
  return { to, ...escalationText({ clinicName, count: open.length, shown, publicBase }) }
}

function accessionEnd({ database }: Context, studyId: string): string {
  const study = findStudy(database, studyId)
  const accession = study ? accessionOf(database, study.studyInstanceUid).trim() : ''
  return accession.length < SHORTEST_SHOWN ? '' : accession.slice(-SHOWN_CHARACTERS)
}

/** What a mail about escalated results says: nothing about a patient. */
export function escalationText({
  clinicName,
  count,
  shown,
  publicBase,
}: {
  readonly clinicName: string
  readonly count: number
  readonly shown: readonly {
    readonly openedAt: string
    readonly step: number
    readonly accessionEnd: string
  }[]
  readonly publicBase: string
}): MailText {
  const what = count === 1 ? '1 critical result has' : `${count} critical results have`
  const lines = shown.map(({ openedAt, step, accessionEnd: end }) =>
    [
      `- Signed ${openedAt.slice(0, 16).replace('T', ' ')} (UTC)`,
      step === LAST_STEP ? 'second escalation' : 'first escalation',
      ...(end === '' ? [] : [`accession number ending in ${oneLine(end)}`]),
    ].join(', '),
  )
  if (count > shown.length) lines.push(`- and ${count - shown.length} more`)
  const clinic = oneLine(clinicName)
  return {
    subject: `${what} not been communicated${clinic && ` (${clinic})`}`,
    text: [
      `${what} not been communicated to a clinician in time:`,
      lines.join('\n'),
      'Sign in to see the patient and whom to call, and document the communication:',
      `${publicBase}/#/reading/criticals`,
      'This message was sent automatically and contains no patient data.',
    ].join('\n\n'),
  }
}
