import type { Context } from '#server/context.ts'
import type { OutboxRow } from '#server/jobs/outbox-queries.ts'
import { OutboxWorker, type Settlement } from '#server/jobs/outbox-worker.ts'
import { RETRY_SCHEDULES, type RetrySchedule, retryDelayMs } from '#server/jobs/retry-schedules.ts'
import { msOf } from '#server/platform/clock.ts'
import { INVITATION_MAIL, InvitationMail, type MAIL_KINDS } from '#shared/contract/mail.ts'
import { englishText } from '#shared/messages/english.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { MailError, type MailText, type SmtpLimits, type SmtpServer, sendBySmtp } from './smtp.ts'

/** A kind of outbox row that is sent by mail. */
export interface MailQueue {
  readonly kind: (typeof MAIL_KINDS)[number]
  /** Name of these mails in the log. */
  readonly name: string
  readonly schedule: RetrySchedule
  /**
   * Builds the mail of a row when it is about to be sent.
   * @throws MailError if it must no longer be sent
   */
  readonly compose: (row: OutboxRow<unknown>) => AddressedMail
}

interface AddressedMail extends MailText {
  readonly to: string
}

/**
 * Delivers the outbox's `invitation.mail` rows and those of the added queues, one at a time per kind
 * and oldest first, until each is accepted or has finally failed. `smtp` is called before each mail;
 * while it returns `undefined`, no server is configured and rows wait. Each outcome is logged with
 * the row's subject, without personal data.
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

  /** Also delivers the rows of this queue, starting immediately. */
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

  /** Retries the waiting rows immediately, for example after a change of the mail settings. */
  retry(): void {
    for (const worker of this.#workers) worker.retry()
  }

  /**
   * Sends a test message immediately, without the outbox.
   * @throws MailError
   */
  async test(to: string): Promise<void> {
    const { clock, settings } = this.#context
    const text = testMailText(settings.get('clinic.name'))
    await this.#send(to, `test.${clock()}`, text, this.#closing.signal)
  }

  /** Resolves when no row is due. */
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
    const settlementLogger = (outcome: Settlement['outcome'], fault: Message | null) => ({
      onRecorded: () =>
        database.afterCommit(() =>
          log.info({ outboxId, subject, outcome, fault: fault && englishText(fault) }, name),
        ),
    })
    let isComposed = false
    try {
      const { to, ...text } = compose(row)
      isComposed = true
      await this.#send(to, `${subject}.${outboxId}`, text, signal)
      return { outcome: 'sent', ...settlementLogger('sent', null) }
    } catch (error) {
      if (signal.aborted || !(error instanceof MailError)) throw error
      const wait = retryDelayMs(schedule, row.attempts + 1)
      const fault = error.explanation
      // If the schedule never ends, mails that the server rejected are retried, too, because the
      // address or the mailbox may be corrected in the meantime.
      const isFinal = error.isFinal && !(isComposed && schedule.atEnd === 'repeat-last')
      if (isFinal || wait === undefined)
        return { outcome: 'failed', fault, ...settlementLogger('failed', fault) }
      return {
        outcome: 'postponed',
        until: clock() + wait,
        fault,
        ...settlementLogger('postponed', fault),
      }
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

/**
 * Builds the mail of an invitation that has not expired.
 * @throws MailError
 */
function composeInvitation({ payload }: OutboxRow<unknown>, now: number): AddressedMail {
  const parsed = InvitationMail.safeParse(payload)
  if (!parsed.success) throw new MailError(message('mail.unreadable'), { isFinal: true })
  const { expiry } = parsed.data
  if (expiry !== null && msOf(expiry) <= now)
    throw new MailError(message('mail.invitation-expired'), { isFinal: true })
  const { to, ...invitation } = parsed.data
  return { to, ...invitationText(invitation) }
}

const domainOf = (address: string) => address.slice(address.lastIndexOf('@') + 1)

/** Builds the invitation. Names are user input, so line breaks are removed from them. */
export function invitationText({
  firstName,
  clinicName,
  invitedBy,
  link,
  expiry,
}: Omit<InvitationMail, 'to'>): MailText {
  const clinic = toSingleLine(clinicName) || 'the imaging gateway of your clinic'
  return {
    subject: `Your access to ${clinic}`,
    text: [
      `Hello ${toSingleLine(firstName)},`,
      `${toSingleLine(invitedBy)} invites you to work with ${clinic}. Open this link to set your password and accept, or to reject:`,
      link,
      expiry === null
        ? 'The link works once.'
        : `The link works once, until ${expiry.slice(0, 16).replace('T', ' ')} (UTC).`,
      'If you do not know what this is about, do nothing: without you, no account is opened.',
    ].join('\n\n'),
  }
}

/** Builds the message that the test button sends. */
export const testMailText = (clinicName: string): MailText => ({
  subject: `Test of the mail of ${toSingleLine(clinicName) || 'the imaging gateway'}`,
  text: 'This gateway can send mail: invitations will arrive like this message.',
})

/** Replaces control characters and the Unicode line and paragraph separators with spaces. */
export const toSingleLine = (text: string): string =>
  text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
