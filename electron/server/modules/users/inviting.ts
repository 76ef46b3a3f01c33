import type { HttpApp } from '#server/http/http-app.ts'
import { openMail } from '#server/modules/mail/mail.ts'
import { openMailServer } from '#server/modules/settings/mail-server.ts'
import type { Parts } from '#server/parts.ts'
import type { Log } from '#server/platform/log.ts'
import { type Invitations, openInvitations } from './invitations.ts'
import { serveDashboardPeople } from './people-routes.ts'
import { openUsers, type Users } from './users.ts'

export interface InvitingOptions {
  /** Base of every URL given out, without a slash at its end. */
  readonly publicBase: () => string
  readonly log: Log
}

/** Who uses the gateway, who is invited to, and the mail that tells them. */
export interface Inviting extends AsyncDisposable {
  readonly users: Users
  readonly invitations: Invitations
  /** Declares what the window asks about people, keys and mail. */
  serve(app: HttpApp, about: { readonly version: string }): void
}

export function openInviting(parts: Parts, { publicBase, log }: InvitingOptions): Inviting {
  const { deps, store, settings, people } = parts
  const { clock } = deps
  const opened = new AsyncDisposableStack()
  const users = openUsers(deps)
  const invitations = openInvitations({ ...deps, settings, people, publicBase })
  const mailServer = openMailServer({ ...deps, settings })
  const mail = opened.use(
    openMail({
      store,
      smtp: () => mailServer.smtp(),
      clinicName: () => settings.get('clinic.name'),
      clock,
      onOutcome: (outcome) => log.info(outcome, 'invitation mail'),
      onError: (error) => log.error({ err: error }, 'a mail could not be delivered'),
    }),
  )
  opened.defer(
    settings.onChange((keys) => keys.some((key) => key.startsWith('mail.')) && mail.retry()),
  )
  return {
    users,
    invitations,
    serve(app, about) {
      serveDashboardPeople(app, { ...parts, ...about, clock, users, invitations, mailServer, mail })
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}
