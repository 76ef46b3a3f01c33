import type { Context } from '#server/context.ts'
import type { OutboxRow } from '#server/jobs/outbox-queries.ts'
import { OutboxWorker, type Settlement } from '#server/jobs/outbox-worker.ts'
import { RETRY_SCHEDULES, type RetrySchedule, waitAfter } from '#server/jobs/retry-schedules.ts'
import { msOf } from '#server/platform/clock.ts'
import { INVITATION_MAIL, InvitationMail } from '#shared/contract/mail.ts'
import { english } from '#shared/messages/english.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { MailError, type MailText, type SmtpLimits, type SmtpServer, sendBySmtp } from './smtp.ts'

/** A kind of outbox row that goes out by mail. */
export interface MailQueue {
  readonly kind: string
  /** As the log calls its mails. */
  readonly name: string
  readonly schedule: RetrySchedule
  /** Writes the mail of a row when it is sent. @throws MailError it is not to be sent any more */
  readonly compose: (row: OutboxRow<unknown>) => Addressed
}

interface Addressed extends MailText {
  readonly to: string
}

/**
 * The way out by mail: delivers the outbox's `invitation.mail` rows, and those of the queues that
 * are added, one at a time for each kind, oldest first, each until it is taken or given up. `smtp`
 * is undefined while no server is set, and rows wait; it is asked before each mail. The log has
 * each outcome, with the id of what the mail is about and without a person's name.
 */
export class Mail implements AsyncDisposable {
  readonly #context: Context
  readonly #smtp: () => SmtpServer | undefined
  readonly #limits: SmtpLimits | undefined
  readonly #closing = new AbortController()
  readonly #workers: OutboxWorker[] = []
  readonly #stopListening: () => void

  constructor(context: Context, smtp: () => SmtpServer | undefined, limits?: SmtpLimits) {
    this.#context = context
    this.#smtp = smtp
    this.#limits = limits
    this.addQueue({
      kind: INVITATION_MAIL,
      name: 'invitation mail',
      schedule: RETRY_SCHEDULES.mail,
      compose: (row) => composeInvitation(row, context.clock()),
    })
    this.#stopListening = context.settings.onChange(
      (keys) => keys.some((key) => key.startsWith('mail.')) && this.retry(),
    )
  }

  /** Delivers the rows of another kind, too, from now on. */
  addQueue(queue: MailQueue): void {
    const worker = new OutboxWorker(
      this.#context,
      queue.kind,
      (row, signal) => this.#deliver(queue, row, signal),
      1,
      undefined,
      () => this.#smtp() === undefined,
    )
    this.#workers.push(worker)
  }

  /** Tries at once what waits: the server was set or changed. */
  retry(): void {
    for (const worker of this.#workers) worker.retry()
  }

  /** Sends a test message now, outside the outbox. @throws MailError */
  async test(to: string): Promise<void> {
    const { clock, settings } = this.#context
    const text = testText(settings.get('clinic.name'))
    await this.#send(to, `test.${clock()}`, text, this.#closing.signal)
  }

  /** Resolves when nothing is due any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.settled()))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopListening()
    this.#closing.abort()
    await Promise.all(this.#workers.map((worker) => worker[Symbol.asyncDispose]()))
  }

  async #deliver(
    { name, schedule, compose }: MailQueue,
    row: OutboxRow<unknown>,
    signal: AbortSignal,
  ): Promise<Settlement> {
    const { database, clock, log } = this.#context
    const { outboxId, subject } = row
    const logged = (outcome: Settlement['outcome'], fault: Message | null) => ({
      within: () =>
        database.afterCommit(() =>
          log.info({ outboxId, subject, outcome, fault: fault && english(fault) }, name),
        ),
    })
    let isComposed = false
    try {
      const { to, ...text } = compose(row)
      isComposed = true
      await this.#send(to, `${subject}.${outboxId}`, text, signal)
      return { outcome: 'sent', ...logged('sent', null) }
    } catch (error) {
      if (signal.aborted || !(error instanceof MailError)) throw error
      const wait = waitAfter(schedule, row.attempts + 1)
      const fault = error.explanation
      // Where the schedule has no end, a refusal of the server is tried again as well: an address
      // or a mailbox may be put right meanwhile.
      const isFinal = error.isFinal && !(isComposed && schedule.atEnd === 'repeat-last')
      if (isFinal || wait === undefined)
        return { outcome: 'failed', fault, ...logged('failed', fault) }
      return { outcome: 'postponed', until: clock() + wait, fault, ...logged('postponed', fault) }
    }
  }

  async #send(to: string, id: string, text: MailText, signal: AbortSignal): Promise<void> {
    const server = this.#smtp()
    if (!server) throw new MailError(message('mail.no-server'))
    const messageId = `${id}@${domainOf(server.from)}`
    const limits = this.#limits && { limits: this.#limits }
    await sendBySmtp(server, { to, messageId, ...text }, { signal, ...limits })
  }
}

/** @throws MailError */
function composeInvitation({ payload }: OutboxRow<unknown>, now: number): Addressed {
  const parsed = InvitationMail.safeParse(payload)
  if (!parsed.success) throw new MailError(message('mail.unreadable'), { isFinal: true })
  const { expiry } = parsed.data
  if (expiry !== null && msOf(expiry) <= now)
    throw new MailError(message('mail.invitation-expired'), { isFinal: true })
  const { to, ...invitation } = parsed.data
  return { to, ...invitationText(invitation) }
}

const domainOf = (address: string) => address.slice(address.lastIndexOf('@') + 1)

/** The invitation. Names were typed by people: none of them may begin a line or a header. */
export function invitationText({
  firstName,
  clinicName,
  invitedBy,
  link,
  expiry,
}: Omit<InvitationMail, 'to'>): MailText {
  const clinic = oneLine(clinicName) || 'the imaging gateway of your clinic'
  return {
    subject: `Your access to ${clinic}`,
    text: [
      `Hello ${oneLine(firstName)},`,
      `${oneLine(invitedBy)} invites you to work with ${clinic}. Open this link to set your password and accept, or to reject:`,
      link,
      expiry === null
        ? 'The link works once.'
        : `The link works once, until ${expiry.slice(0, 16).replace('T', ' ')} (UTC).`,
      'If you do not know what this is about, do nothing: without you, no account is opened.',
    ].join('\n\n'),
  }
}

/** What the test button sends. */
export const testText = (clinicName: string): MailText => ({
  subject: `Test of the mail of ${oneLine(clinicName) || 'the imaging gateway'}`,
  text: 'This gateway can send mail: invitations will arrive like this message.',
})

// Control characters and the line and paragraph separators of Unicode.
export const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
