import type { Context } from '#server/context.ts'
import type { OutboxRow } from '#server/jobs/outbox-queries.ts'
import { OutboxWorker, type Settlement } from '#server/jobs/outbox-worker.ts'
import { RETRY_SCHEDULES, waitAfter } from '#server/jobs/retry-schedules.ts'
import { msOf } from '#server/platform/clock.ts'
import { INVITATION_MAIL, InvitationMail } from '#shared/contract/mail.ts'
import { english } from '#shared/messages/english.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { MailError, type MailText, type SmtpLimits, type SmtpServer, sendBySmtp } from './smtp.ts'

/**
 * Delivers the outbox's `invitation.mail` rows, one at a time and oldest first, until each is
 * accepted or has finally failed. `smtp` is called before each mail; while it returns `undefined`,
 * no server is configured and rows wait. Each outcome is logged with the id of the invitation,
 * without personal data.
 */
export class Mail implements AsyncDisposable {
  readonly #context: Context
  readonly #smtp: () => SmtpServer | undefined
  readonly #limits: SmtpLimits | undefined
  readonly #closing = new AbortController()
  readonly #worker: OutboxWorker
  readonly #stopListening: () => void

  constructor(context: Context, smtp: () => SmtpServer | undefined, limits?: SmtpLimits) {
    this.#context = context
    this.#smtp = smtp
    this.#limits = limits
    this.#worker = new OutboxWorker(
      context,
      INVITATION_MAIL,
      (row, signal) => this.#deliver(row, signal),
      1,
      undefined,
      () => smtp() === undefined,
    )
    this.#stopListening = context.settings.onChange(
      (keys) => keys.some((key) => key.startsWith('mail.')) && this.retry(),
    )
  }

  /** Retries the waiting rows immediately, for example after a change of the mail settings. */
  retry(): void {
    this.#worker.retry()
  }

  /**
   * Sends a test message immediately, without the outbox.
   * @throws MailError
   */
  async test(to: string): Promise<void> {
    const { clock, settings } = this.#context
    const text = testText(settings.get('clinic.name'))
    await this.#send(to, `test.${clock()}`, text, this.#closing.signal)
  }

  /** Resolves when no row is due. */
  settled(): Promise<void> {
    return this.#worker.settled()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopListening()
    this.#closing.abort()
    await this.#worker[Symbol.asyncDispose]()
  }

  async #deliver(row: OutboxRow<unknown>, signal: AbortSignal): Promise<Settlement> {
    const { database, clock, log } = this.#context
    const { outboxId, subject } = row
    const logging = (outcome: Settlement['outcome'], fault: Message | null) => ({
      within: () =>
        database.afterCommit(() =>
          log.info(
            { outboxId, subject, outcome, fault: fault && english(fault) },
            'invitation mail',
          ),
        ),
    })
    try {
      const { to, ...invitation } = parseJob(row, clock())
      await this.#send(to, `${subject}.${outboxId}`, invitationText(invitation), signal)
      return { outcome: 'sent', ...logging('sent', null) }
    } catch (error) {
      if (signal.aborted || !(error instanceof MailError)) throw error
      const wait = waitAfter(RETRY_SCHEDULES.mail, row.attempts + 1)
      const fault = error.explanation
      if (error.isFinal || wait === undefined)
        return { outcome: 'failed', fault, ...logging('failed', fault) }
      return { outcome: 'postponed', until: clock() + wait, fault, ...logging('postponed', fault) }
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
 * Parses the job of an invitation that has not expired.
 * @throws MailError
 */
function parseJob({ payload }: OutboxRow<unknown>, now: number): InvitationMail {
  const parsed = InvitationMail.safeParse(payload)
  if (!parsed.success) throw new MailError(message('mail.unreadable'), { isFinal: true })
  const { expiry } = parsed.data
  if (expiry !== null && msOf(expiry) <= now)
    throw new MailError(message('mail.invitation-expired'), { isFinal: true })
  return parsed.data
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

/** Builds the message that the test button sends. */
export const testText = (clinicName: string): MailText => ({
  subject: `Test of the mail of ${oneLine(clinicName) || 'the imaging gateway'}`,
  text: 'This gateway can send mail: invitations will arrive like this message.',
})

// Removes control characters and the Unicode line and paragraph separators.
const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
