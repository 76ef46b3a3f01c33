import { createHash } from 'node:crypto'
import { note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { addOutboxJob, dropOutboxJobs } from '#server/jobs/outbox-queries.ts'
import { RETRY_SCHEDULES } from '#server/jobs/retry-schedules.ts'
import { Worker } from '#server/jobs/worker.ts'
import type { MailQueue } from '#server/modules/mail/mail.ts'
import { toSingleLine } from '#server/modules/mail/mail.ts'
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
/** Maximum of results escalated per transaction; the rest follow a second later. */
const MAX_PER_TRANSACTION = 500
const MINUTE_MS = 60_000
/** Maximum of results listed in a mail; the others are only counted. */
const MAX_LISTED = 20
/** A mail contains only the end of an accession number, and nothing of a short one. */
const SHOWN_CHARACTERS = 4
const MIN_ACCESSION_LENGTH = 8

/**
 * Escalates critical results that were not communicated in time (decision 0044). Each step records
 * the escalation with its audit entry and queues a mail to the configured addresses, in one
 * transaction. Communicating a result ends its escalation.
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
      () => nextEscalationAt(context),
      async () => escalateDueResults(context),
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

/** Deadline for communicating a result that was signed at the instant. */
export const communicationDeadline = ({ settings }: Context, openedAt: string): string =>
  instantOf(msOf(openedAt) + settings.get('criticals.communicateMinutes') * MINUTE_MS)

/**
 * Time of the next step of an open result; undefined after the last one. The second step is timed
 * from the first, not from the signature, so that after standby or a clock change results advance
 * one step at a time. An instant in the future was recorded before the clock was set back; the step
 * is then due at once.
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

function nextEscalationAt(context: Context): string | undefined {
  const instants = listResultsBelowStep(context.database, LAST_STEP).flatMap(
    (result) => nextStepAt(context, result) ?? [],
  )
  return instants.length === 0
    ? undefined
    : instantOf(instants.reduce((first, at) => Math.min(first, at)))
}

/** Advances every due result by one step. */
export function escalateDueResults(context: Context): void {
  const { database, clock, feed } = context
  const now = clock()
  database.transaction(() => {
    const due = listResultsBelowStep(database, LAST_STEP)
      .filter((result) => (nextStepAt(context, result) ?? Number.POSITIVE_INFINITY) <= now)
      .slice(0, MAX_PER_TRANSACTION)
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
 * Replaces a pending mail, because a mail lists the results open when it is sent. After an outage
 * of the mail server each address receives one mail.
 */
function queueMail({ database }: Context, to: string, at: string): void {
  const subject = subjectOf(to)
  dropOutboxJobs(database, ESCALATION_MAIL, subject, at)
  addOutboxJob(database, { kind: ESCALATION_MAIL, subject, payload: { to }, at })
}

/**
 * Removes pending mails if no result is open. Call within the transaction that documents a
 * communication.
 */
export function dropObsoleteMails({ database, settings }: Context, at: string): void {
  if (listEscalatedResults(database).length > 0) return
  for (const to of settings.get('criticals.escalationAddresses'))
    dropOutboxJobs(database, ESCALATION_MAIL, subjectOf(to), at)
}

/** The outbox stores subjects unencrypted, so the address is not used as one. */
const subjectOf = (to: string) =>
  `address-${createHash('sha256').update(to).digest('hex').slice(0, 16)}`

/** @throws MailError if the mail must no longer be sent */
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
  const shown = open.slice(0, MAX_LISTED).map((result) => ({
    openedAt: result.openedAt,
    step: result.step,
    accessionEnd: accessionSuffix(context, result.studyId),
  }))
  const clinicName = settings.get('clinic.name')
  return { to, ...escalationText({ clinicName, count: open.length, shown, publicBase }) }
}

function accessionSuffix({ database }: Context, studyId: string): string {
  const study = findStudy(database, studyId)
  const accession = study ? accessionOf(database, study.studyInstanceUid).trim() : ''
  return accession.length < MIN_ACCESSION_LENGTH ? '' : accession.slice(-SHOWN_CHARACTERS)
}

/** The text of a mail about escalated results; it contains no patient data. */
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
      ...(end === '' ? [] : [`accession number ending in ${toSingleLine(end)}`]),
    ].join(', '),
  )
  if (count > shown.length) lines.push(`- and ${count - shown.length} more`)
  const clinic = toSingleLine(clinicName)
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
