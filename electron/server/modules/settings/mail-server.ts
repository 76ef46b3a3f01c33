import { type Actor, note } from '#server/audit-log/audit.ts'
import {
  deleteSecret,
  hasSecret,
  readSecret,
  storeSecret,
} from '#server/configuration/secret-queries.ts'
import type { Context } from '#server/context.ts'
import { outboxSummary } from '#server/jobs/outbox-queries.ts'
import type { MailConfig } from '#shared/contract/dashboard-people.ts'
import { INVITATION_MAIL } from '#shared/contract/mail.ts'
import { ApiError } from '#shared/errors.ts'
import { type Message, message } from '#shared/messages/message.ts'

export const MAIL_PASSWORD = 'mail.password'

/** A configured SMTP server. */
export interface SmtpServer extends MailConfig {
  readonly host: string
  readonly from: string
  readonly password: string | undefined
}

/** The mail server that sends invitations. The password is encrypted and never returned. */
export interface MailServer {
  read(): MailConfig & {
    readonly hasPassword: boolean
    readonly waiting: number
    readonly failed: number
    readonly fault: Message | null
  }
  /**
   * `password`: undefined keeps the stored one, null deletes it.
   * @throws ApiError refused: there is no sender, or the password would be sent unencrypted
   */
  set(config: MailConfig & { readonly password?: string | null | undefined }, actor: Actor): void
  /** Undefined until host and sender are set. */
  smtp(): SmtpServer | undefined
}

export function openMailServer(context: Context): MailServer {
  const config = (): MailConfig => ({
    host: context.settings.get('mail.host'),
    port: context.settings.get('mail.port'),
    security: context.settings.get('mail.security'),
    user: context.settings.get('mail.user'),
    from: context.settings.get('mail.from'),
    certificate: context.settings.get('mail.certificate'),
  })
  return {
    read: () => ({
      ...config(),
      hasPassword: hasSecret(context, MAIL_PASSWORD),
      ...outboxSummary(context.database, INVITATION_MAIL),
    }),
    set: ({ password, ...wanted }, actor) =>
      context.database.transaction(() => {
        if (wanted.host !== null && wanted.from === null)
          throw refused('from', message('settings.sender-missing'))
        if (wanted.security === 'none' && wanted.user !== null)
          throw refused('security', message('settings.password-in-plain-text'))
        // The password must not be sent to another server.
        const isServerChanged = wanted.host !== config().host || wanted.user !== config().user
        const isDeleted =
          (password === null || (password === undefined && isServerChanged)) &&
          deleteSecret(context, MAIL_PASSWORD)
        if (typeof password === 'string') storeSecret(context, MAIL_PASSWORD, password)
        context.settings.change(
          Object.fromEntries(
            Object.entries(wanted).map(([name, value]) => [`mail.${name}`, value]),
          ),
          actor,
        )
        if (isDeleted || typeof password === 'string')
          note(context, actor, 'mail.password', MAIL_PASSWORD, {
            password: isDeleted ? 'forgotten' : 'set',
          })
      }),
    smtp() {
      const { host, from, ...rest } = config()
      return host === null || from === null
        ? undefined
        : { ...rest, host, from, password: readSecret(context, MAIL_PASSWORD) }
    },
  }
}

const refused = (field: keyof MailConfig, fault: Message) =>
  new ApiError('refused', message('http.field-faults', { path: field, fault, more: 0 }), {
    errors: [{ path: `body.${field}`, message: fault }],
  })
