import type { HandlersOf } from '#server/http/operations.ts'
import { userActor } from '#server/modules/audit/audit.ts'
import type { DashboardPeopleDeps } from '#server/modules/users/people-routes.ts'
import type { dashboardPeople } from '#shared/contract/dashboard-people.ts'

export const mailHandlers = ({
  mailServer,
  mail,
}: Pick<DashboardPeopleDeps, 'mailServer' | 'mail'>): Pick<
  HandlersOf<typeof dashboardPeople>,
  'mail' | 'setMail' | 'testMail'
> => ({
  mail: () => mailServer.read(),
  setMail({ body, user }) {
    mailServer.set(body, userActor(user.userId))
    mail.retry()
    return mailServer.read()
  },
  testMail: ({ body }) =>
    mail.test(body.to).then(
      () => ({
        success: true,
        message: 'The mail server took the message. Look whether it arrives.',
      }),
      (error: Error) => ({ success: false, message: `Not sent: ${error.message}.` }),
    ),
})
