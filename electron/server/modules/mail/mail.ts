import type { Context } from '#server/context.ts'
import type { OutboxRow } from '#server/jobs/outbox-queries.ts'
import { openOutboxWorker, type Settlement } from '#server/jobs/outbox-worker.ts'
import { RETRY_SCHEDULES, waitAfter } from '#server/jobs/retry-schedules.ts'
import { msOf } from '#server/platform/clock.ts'
import { INVITATION_MAIL, InvitationMail } from '#shared/contract/mail.ts'
import { MailError } from './mail-error.ts'
import { invitationText, testText } from './message.ts'
import { type SmtpLimits, type SmtpServer, sendBySmtp } from './smtp.ts'

/** What became of an attempt; nothing in it names a person. */
export interface MailOutcome {
  readonly outboxId: number
  /** Id of the invitation. */
  readonly subject: string
  readonly outcome: 'sent' | 'postponed' | 'failed'
  readonly fault: string | null
}

export type Mail = ReturnType<typeof openMail>

/**
 * The way out by mail: delivers the outbox's `invitation.mail` rows, one at a time, oldest first,
 * each until it is taken or given up. `smtp` is undefined while no server is set: rows wait; it is
 * asked before each mail. `onError` is told of a fault of ours, such as a closed database.
 */
export function openMail(
  { database, outbox, clock, settings }: Context,
  smtp: () => SmtpServer | undefined,
  {
    onOutcome,
    onError,
    limits,
  }: {
    readonly onOutcome?: (outcome: MailOutcome) => void
    readonly onError?: (error: unknown) => void
    readonly limits?: SmtpLimits
  } = {},
) {
  const closing = new AbortController()
  const sending = (signal: AbortSignal) => ({ signal, ...(limits && { limits }) })

  async function deliver(row: OutboxRow<unknown>, signal: AbortSignal): Promise<Settlement> {
    const { outboxId, subject } = row
    const told = (outcome: MailOutcome['outcome'], fault: string | null = null) => ({
      within: () => database.afterCommit(() => onOutcome?.({ outboxId, subject, outcome, fault })),
    })
    try {
      await send(row, signal)
      return { outcome: 'sent', ...told('sent') }
    } catch (error) {
      if (signal.aborted || !(error instanceof MailError)) throw error
      const wait = waitAfter(RETRY_SCHEDULES.mail, row.attempts + 1)
      const fault = error.message
      if (error.isFinal || wait === undefined)
        return { outcome: 'failed', fault, ...told('failed', fault) }
      return { outcome: 'postponed', until: clock() + wait, fault, ...told('postponed', fault) }
    }
  }

  async function send(
    { outboxId, subject, payload }: OutboxRow<unknown>,
    signal: AbortSignal,
  ): Promise<void> {
    const server = smtp()
    if (!server) throw new MailError('no mail server is set')
    const parsed = InvitationMail.safeParse(payload)
    if (!parsed.success)
      throw new MailError('the mail can no longer be read from the database', { isFinal: true })
    const { to, expiry } = parsed.data
    if (expiry !== null && msOf(expiry) <= clock())
      throw new MailError('the invitation expired before it could be sent', { isFinal: true })
    const messageId = `${subject}.${outboxId}@${domainOf(server.from)}`
    await sendBySmtp(server, { to, messageId, ...invitationText(parsed.data) }, sending(signal))
  }

  const worker = openOutboxWorker({
    store: { database, outbox },
    kind: INVITATION_MAIL,
    clock,
    deliver,
    isIdle: () => smtp() === undefined,
    ...(onError && { onError }),
  })
  return {
    /** Tries at once what waits: the server was set or changed. */
    retry: () => worker.retry(),
    /** Sends a test message now, outside the outbox. @throws MailError */
    async test(to: string): Promise<void> {
      const server = smtp()
      if (!server) throw new MailError('no mail server is set')
      await sendBySmtp(
        server,
        {
          to,
          messageId: `test.${clock()}@${domainOf(server.from)}`,
          ...testText(settings.get('clinic.name')),
        },
        sending(closing.signal),
      )
    },
    /** Resolves when nothing is due any more. */
    settled: worker.settled,
    async [Symbol.asyncDispose]() {
      closing.abort()
      await worker[Symbol.asyncDispose]()
    },
  }
}

const domainOf = (address: string) => address.slice(address.lastIndexOf('@') + 1)
