import { userActor } from '#server/audit-log/audit.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { serveAll } from '#server/http/operations.ts'
import type { Mail } from '#server/modules/mail/mail.ts'
import { dashboardPeople } from '#shared/contract/dashboard-people.ts'
import { message } from '#shared/messages/message.ts'
import { explanationOf } from '#shared/messages/message-error.ts'
import type { MailServer } from './mail-server.ts'

/** Serves the window's calls about the mail server. */
export function serveMail(app: HttpApp, mailServer: MailServer, mail: Mail): void {
  const { mail: read, setMail: set, testMail: test } = dashboardPeople
  serveAll(
    app,
    { read, set, test },
    {
      read: () => mailServer.read(),
      set({ body, user }) {
        mailServer.set(body, userActor(user.userId))
        mail.retry()
        return mailServer.read()
      },
      test: ({ body }) =>
        mail.test(body.to).then(
          () => ({ success: true, message: message('settings.mail-accepted') }),
          (error: unknown) => ({
            success: false,
            message: message('settings.mail-not-sent', { why: explanationOf(error) }),
          }),
        ),
    },
  )
}
