import { type Clock, instantOf, msOf } from '#gateway/store/clock.ts'
import type { OutboxRow, OutboxStore } from '#gateway/store/outbox.ts'
import { INVITATION_MAIL, InvitationMail } from '#shared/contract/mail.ts'
import { MailError } from './mail-error.ts'
import { invitationText, testText } from './message.ts'
import { type SmtpLimits, type SmtpServer, sendBySmtp } from './smtp.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** Waits after the first, second… failed attempt; after the last of them a mail is given up: three days and a half in all. */
export const RETRY_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS, 24 * HOUR_MS, 36 * HOUR_MS]
/** A timer of Node holds 24.8 days at most, and the clock of the PC may be set. */
const LONGEST_SLEEP_MS = 5 * MINUTE_MS

/** What became of an attempt; nothing in it names a person. */
export interface MailOutcome {
  readonly outboxId: number
  /** Id of the invitation. */
  readonly subject: string
  readonly outcome: 'sent' | 'postponed' | 'failed'
  readonly fault: string | null
}

export interface MailOptions {
  readonly outbox: OutboxStore
  /** Undefined while no server is set: rows wait. Read before each mail. */
  readonly smtp: () => SmtpServer | undefined
  readonly clinicName: () => string
  readonly clock: Clock
  readonly onOutcome?: (outcome: MailOutcome) => void
  /** A fault of ours while delivering, such as a closed database. */
  readonly onError?: (error: unknown) => void
  readonly limits?: SmtpLimits
}

/** The way out by mail: delivers the outbox's `invitation.mail` rows, one at a time, oldest first, each until it is taken or given up. */
export interface Mail extends AsyncDisposable {
  /** Tries at once what waits: the server was set or changed. */
  retry(): void
  /** Sends a test message now, outside the outbox. @throws MailError */
  test(to: string): Promise<void>
  /** Resolves when nothing is due any more. */
  settled(): Promise<void>
}

export function openMail({ outbox, smtp, clinicName, clock, onOutcome, onError, limits }: MailOptions): Mail {
  const closing = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let isAskedAgain = false
  const sending = { signal: closing.signal, ...(limits && { limits }) }

  function wake(): void {
    if (closing.signal.aborted) return
    clearTimeout(timer)
    if (running) {
      isAskedAgain = true
      return
    }
    running = deliverDue()
      .catch((error: unknown) => onError?.(error))
      .finally(() => {
        running = undefined
        if (closing.signal.aborted) return
        if (isAskedAgain) {
          isAskedAgain = false
          wake()
        } else sleep()
      })
  }

  function sleep(): void {
    const next = outbox.nextDue(INVITATION_MAIL)
    if (next === undefined) return
    const isIdle = smtp() === undefined
    const wait = isIdle ? LONGEST_SLEEP_MS : Math.min(LONGEST_SLEEP_MS, Math.max(1000, msOf(next) - clock()))
    timer = setTimeout(wake, wait).unref()
  }

  async function deliverDue(): Promise<void> {
    while (!closing.signal.aborted) {
      const server = smtp()
      const [row] = server ? outbox.due(INVITATION_MAIL, instantOf(clock()), 1) : []
      if (!server || !row) return
      await deliver(server, row)
    }
  }

  async function deliver(server: SmtpServer, row: OutboxRow<unknown>): Promise<void> {
    const { outboxId, subject } = row
    const tell = (outcome: MailOutcome['outcome'], fault: string | null = null) => onOutcome?.({ outboxId, subject, outcome, fault })
    try {
      await send(server, row)
      outbox.settle(outboxId, 'sent', instantOf(clock()))
      tell('sent')
    } catch (error) {
      // Ended by ourselves: the row waits for the next start.
      if (closing.signal.aborted) return
      if (!(error instanceof MailError)) throw error
      const now = clock()
      const wait = RETRY_MS[row.attempts]
      if (error.isFinal || wait === undefined) {
        outbox.settle(outboxId, 'failed', instantOf(now), error.message)
        tell('failed', error.message)
      } else {
        outbox.postpone(outboxId, { notBefore: instantOf(now + wait), lastError: error.message, at: instantOf(now) })
        tell('postponed', error.message)
      }
    }
  }

  async function send(server: SmtpServer, { outboxId, subject, payload }: OutboxRow<unknown>): Promise<void> {
    const parsed = InvitationMail.safeParse(payload)
    if (!parsed.success) throw new MailError('the mail can no longer be read from the database', { isFinal: true })
    const { to, expiry } = parsed.data
    if (expiry !== null && msOf(expiry) <= clock()) throw new MailError('the invitation expired before it could be sent', { isFinal: true })
    const messageId = `${subject}.${outboxId}@${domainOf(server.from)}`
    await sendBySmtp(server, { to, messageId, ...invitationText(parsed.data) }, sending)
  }

  const stopListening = outbox.onAppend(INVITATION_MAIL, () => void setImmediate(wake))
  wake()

  return {
    retry() {
      outbox.hasten(INVITATION_MAIL, instantOf(clock()))
      wake()
    },
    async test(to) {
      const server = smtp()
      if (!server) throw new MailError('no mail server is set')
      await sendBySmtp(server, { to, messageId: `test.${clock()}@${domainOf(server.from)}`, ...testText(clinicName()) }, sending)
    },
    async settled() {
      await new Promise((resolve) => setImmediate(resolve))
      while (running) await running
    },
    async [Symbol.asyncDispose]() {
      stopListening()
      closing.abort()
      clearTimeout(timer)
      await running
    },
  }
}

const domainOf = (address: string) => address.slice(address.lastIndexOf('@') + 1)
