import { type Actor, type DomainDeps, note } from '#server/modules/audit/audit.ts'
import type { MailConfig } from '#shared/contract/dashboard-people.ts'
import { INVITATION_MAIL } from '#shared/contract/mail.ts'
import { ApiError } from '#shared/errors.ts'
import type { Settings } from './settings.ts'

const PASSWORD = 'mail.password'

/** An SMTP server that mail can be sent by. */
export interface SmtpServer extends MailConfig {
  readonly host: string
  readonly from: string
  readonly password: string | undefined
}

/** How invitations are sent; the password is sealed and is never given back. */
export interface MailServer {
  read(): MailConfig & {
    readonly hasPassword: boolean
    readonly waiting: number
    readonly failed: number
    readonly fault: string | null
  }
  /**
   * `password`: absent keeps the one there, null forgets it. @throws ApiError refused: no sender,
   * or a password in plain text
   */
  set(config: MailConfig & { readonly password?: string | null | undefined }, actor: Actor): void
  /** Undefined until host and sender are set. */
  smtp(): SmtpServer | undefined
}

export function openMailServer(deps: DomainDeps & { readonly settings: Settings }): MailServer {
  const { store, settings } = deps
  const config = (): MailConfig => ({
    host: settings.get('mail.host'),
    port: settings.get('mail.port'),
    security: settings.get('mail.security'),
    user: settings.get('mail.user'),
    from: settings.get('mail.from'),
    certificate: settings.get('mail.certificate'),
  })
  return {
    read: () => ({
      ...config(),
      hasPassword: store.secrets.has(PASSWORD),
      ...store.outbox.summary(INVITATION_MAIL),
    }),
    set: ({ password, ...wanted }, actor) =>
      store.database.transaction(() => {
        if (wanted.host !== null && wanted.from === null)
          throw refused('from', 'must be given with a host')
        if (wanted.security === 'none' && wanted.user !== null)
          throw refused(
            'security',
            'must be starttls or tls where a user name and a password are sent',
          )
        // Another server is never shown the password of the one before.
        const isElsewhere = wanted.host !== config().host || wanted.user !== config().user
        const isForgotten =
          (password === null || (password === undefined && isElsewhere)) &&
          store.secrets.remove(PASSWORD)
        if (typeof password === 'string') store.secrets.set(PASSWORD, password)
        settings.change(
          Object.fromEntries(
            Object.entries(wanted).map(([name, value]) => [`mail.${name}`, value]),
          ),
          actor,
        )
        if (isForgotten || typeof password === 'string')
          note(deps.store, actor, 'mail.password', PASSWORD, {
            password: isForgotten ? 'forgotten' : 'set',
          })
      }),
    smtp() {
      const { host, from, ...rest } = config()
      return host === null || from === null
        ? undefined
        : { ...rest, host, from, password: store.secrets.get(PASSWORD) }
    },
  }
}

const refused = (field: keyof MailConfig, message: string) =>
  new ApiError('refused', `${field} ${message}.`, { errors: [{ path: `body.${field}`, message }] })
